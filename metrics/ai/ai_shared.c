// A device is one however many processes use it: its time is that of all their records together.
// An exchange, a launch and a region remain those of the rank that they are of.
#include "metrics/ai/ai_shared.h"

#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_spill.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdlib.h>

/// The first rank before rank `of` that has its device `d`, too; NULL = none. Files of one rank are
/// one rank twice.
static pj_ai_rank *owner_of(pj_ai_rank *const *ranks, size_t of, size_t d, size_t *device)
{
    uint64_t unit = ranks[of]->devices[d].unit;
    for (size_t r = 0; unit && r < of; r++)
        for (size_t i = 0; i < ranks[r]->device_count; i++)
            if (ranks[r]->devices[i].unit == unit &&
                (ranks[of]->rank < 0 || ranks[r]->rank != ranks[of]->rank)) {
                *device = i;
                return ranks[r];
            }
    return NULL;
}

bool pj_ai_shared_any(pj_ai_rank *const *ranks, size_t count)
{
    size_t device;
    for (size_t r = 0; r < count; r++)
        for (size_t d = 0; d < ranks[r]->device_count; d++)
            if (owner_of(ranks, r, d, &device))
                return true;
    return false;
}

/// A stream of another rank as one of the owner's.
static uint16_t stream_for(pj_ai_rank *owner, uint32_t device, pj_ai_stream stream)
{
    stream.of = device;
    pj_grow(owner->streams, &owner->stream_cap, owner->stream_count + 1);
    owner->streams[owner->stream_count] = stream;
    return (uint16_t)owner->stream_count++;
}

/// Moves the records; `to` by stream of the giver.
static void move_records(pj_ai_rank *owner, pj_ai_rank *giver, uint32_t given, const uint16_t *to,
                         uint8_t user)
{
    size_t kept = 0;
    for (size_t i = 0; i < giver->record_count; i++) {
        pj_ai_spill_pass(&giver->spill, i);
        pj_ai_spill_pass(&owner->spill, i);
        pj_ai_record record = giver->records[i];
        if (giver->streams[record.stream].of != given) {
            giver->records[kept++] = record;
            continue;
        }
        record.stream = to[record.stream];
        record.user = user;
        pj_ai_rank_add_record(owner, record);
    }
    giver->record_count = kept;
}

/// The giver has its other devices left; what remains of this one are exchanges.
static void remove_device(pj_ai_rank *giver, uint32_t given)
{
    size_t streams = 0;
    uint16_t *now = pj_take_zeros((giver->stream_count + 1) * sizeof *now);
    for (size_t i = 0; i < giver->stream_count; i++) {
        pj_ai_stream stream = giver->streams[i];
        if (stream.of == given)
            continue;
        stream.of -= stream.of > given;
        now[i] = (uint16_t)streams;
        giver->streams[streams++] = stream;
    }
    giver->stream_count = streams;
    for (size_t i = 0; i < giver->record_count; i++) {
        pj_ai_spill_pass(&giver->spill, i);
        giver->records[i].stream = now[giver->records[i].stream];
    }
    for (size_t i = 0; i < giver->exchange_count; i++) {
        uint32_t *device = &giver->exchanges[i].device;
        if (*device != PJ_AI_NONE)
            *device = *device == given ? PJ_AI_NONE : *device - (*device > given);
    }
    for (size_t d = given + 1; d < giver->device_count; d++)
        giver->devices[d - 1] = giver->devices[d];
    giver->device_count--;
    free(now);
}

static void give(pj_ai_rank *owner, size_t d, pj_ai_rank *giver, uint32_t given)
{
    pj_ai_device *device = &owner->devices[d];
    uint16_t *to = pj_take_zeros((giver->stream_count + 1) * sizeof *to);
    if (!device->users) {
        device->users = pj_take_memory((UINT8_MAX + 1) * sizeof(pj_ai_rank *));
        device->users[device->user_count++] = owner;
    }
    device->to_device += giver->devices[given].to_device;
    device->to_host += giver->devices[given].to_host;
    for (size_t i = 0; i < giver->stream_count; i++)
        if (giver->streams[i].of == given)
            to[i] = stream_for(owner, (uint32_t)d, giver->streams[i]);
    move_records(owner, giver, given, to, device->user_count);
    device->users[device->user_count++] = giver;
    giver->clock = giver->clock ? giver->clock : owner;
    remove_device(giver, given);
    free(to);
}

/// By device; those of one device need not be in order.
static void group_records(pj_ai_rank *rank)
{
    size_t count = 0, cap;
    pj_ai_record *sorted = pj_ai_spill_new(&rank->spill, rank->record_count, sizeof *sorted, &cap);
    for (size_t d = 0; d < rank->device_count; d++)
        for (size_t i = 0; i < rank->record_count; i++) {
            pj_ai_spill_pass(&rank->spill, i);
            if (rank->streams[rank->records[i].stream].of == d)
                sorted[count++] = rank->records[i];
        }
    pj_ai_spill_drop(&rank->spill, rank->records);
    rank->records = sorted;
    rank->record_cap = cap;
}

bool pj_ai_shared_merge(pj_ai_rank *const *ranks, size_t count)
{
    bool any = false;
    for (size_t r = 1; r < count; r++)
        for (size_t d = ranks[r]->device_count; d-- > 0;) {
            size_t at = 0;
            pj_ai_rank *owner = owner_of(ranks, r, d, &at);
            if (!owner || owner->devices[at].user_count == UINT8_MAX ||
                owner->stream_count + ranks[r]->stream_count > UINT16_MAX)
                continue;
            give(owner, at, ranks[r], (uint32_t)d);
            any = true;
        }
    for (size_t r = 0; any && r < count; r++)
        group_records(ranks[r]);
    return any;
}
