// An archive read by a process group.
// Of events that the leader's sinks do not look at only the time is sent: it keeps the order. Where
// there is none to keep, they are not sent.
#include "metrics/read/otf2/otf2_share.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/read/pass.h"
#include "metrics/trace/event.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>

#define DISMISSED UINT64_MAX // in place of a number of wishes

typedef struct wish {
    uint32_t location;
    size_t events;
} wish;

struct pj_otf2_share {
    pj_pass *pass;
    pj_process_group *group;
    pj_otf2_location **locations; // by location
    uint32_t count;
    unsigned workers, kinds;
    wish *wishes; // of the leader: to be sent; of others: to be done
    size_t wish_count, wish_cap, next;
    pj_buf bytes; // of one location
};

/// What the leader needs of a location that has ended.
typedef struct ending {
    uint64_t records, last, posted, completed;
    uint32_t waits;
    bool partial, begun, damaged;
    pj_otf2_passed passed[PJ_OTF2_PASSED_MOST];
    pj_import_stats import;
    char damage[256];
} ending;

pj_otf2_share *pj_otf2_share_new(pj_pass *pass, pj_otf2_location **locations, unsigned workers)
{
    pj_otf2_share *share = pj_take_memory(sizeof *share);
    *share = (pj_otf2_share){.pass = pass,
                             .group = pass->group,
                             .locations = locations,
                             .count = pass->run->layout.locations,
                             .workers = workers,
                             .kinds = pj_pass_kinds(pass) | 1u << PJ_EV_MESSAGE};
    return share;
}

void pj_otf2_share_free(pj_otf2_share *share)
{
    if (!share)
        return;
    pj_buf_free(&share->bytes);
    free(share->wishes);
    free(share);
}

static unsigned owner_of(const pj_otf2_share *share, const pj_otf2_location *location)
{
    return pj_layout_owner(&share->pass->run->layout, share->group, location->number);
}

bool pj_otf2_share_owns(const pj_otf2_share *share, const pj_otf2_location *location)
{
    return owner_of(share, location) == share->group->rank;
}

static bool bad_bytes(const pj_otf2_share *share, unsigned member, pj_err *err)
{
    return pj_fail(err, PJ_E_IO, share->pass->run->path, 0,
                   "what process %u has sent cannot be read", member);
}

// Begins

/// Ticks of the global clock, of which 0 = no record.
static void tell_begins(pj_otf2_share *share)
{
    pj_auto_buf begins = {.at = NULL};
    for (uint32_t i = 0; i < share->count; i++) {
        uint64_t ticks = 0;
        if (!pj_otf2_share_owns(share, share->locations[i]))
            continue;
        bool there = pj_otf2_location_first(share->locations[i], &ticks);
        pj_code_number(&begins, there);
        pj_code_number(&begins, ticks);
    }
    pj_process_group_tell(share->group, pj_buf_str(&begins));
}

static bool take_begins(pj_otf2_share *share, unsigned member)
{
    pj_str in = pj_process_group_from(share->group, member);
    for (uint32_t i = 0; i < share->count; i++) {
        pj_otf2_location *location = share->locations[i];
        uint64_t there, ticks;
        if (owner_of(share, location) != member)
            continue;
        if (!pj_decode_number(&in, &there) || !pj_decode_number(&in, &ticks))
            return false;
        location->has_ahead = there;
        location->ahead.time = ticks; // its clock has no offsets here: they are in the ticks
    }
    return true;
}

bool pj_otf2_share_begins(pj_otf2_share *share, pj_err *err)
{
    tell_begins(share);
    if (!pj_process_group_exchange(share->group, err))
        return false;
    for (unsigned member = 0; member < share->group->size; member++)
        if (member != share->group->rank && !take_begins(share, member))
            return bad_bytes(share, member, err);
    return true;
}

// The leader's wishes

void pj_otf2_share_ask(pj_otf2_share *share, const pj_otf2_location *location, size_t events)
{
    pj_grow(share->wishes, &share->wish_cap, share->wish_count + 1);
    share->wishes[share->wish_count++] = (wish){location->number, events};
}

bool pj_otf2_share_send_for(pj_otf2_share *share, pj_err *err)
{
    for (size_t i = 0; i < share->wish_count; i++) {
        const wish *w = &share->wishes[i];
        pj_buf *out = &share->group->out[owner_of(share, share->locations[w->location])];
        pj_code_number(out, w->location);
        pj_code_number(out, w->events);
    }
    share->wish_count = 0;
    return pj_process_group_exchange(share->group, err);
}

bool pj_otf2_share_dismiss(pj_otf2_share *share, pj_err *err)
{
    for (unsigned i = 0; i < share->group->size; i++)
        pj_code_number(&share->group->out[i], DISMISSED);
    return pj_process_group_exchange(share->group, err);
}

// What the others send

/// The same where times are not merged: messages are of no use there.
static bool pass_all(pj_otf2_share *share, pj_otf2_location *location, pj_err *err)
{
    for (size_t i = location->event_first; i < location->event_count; i++)
        if (location->events[i].kind == PJ_EV_MESSAGE)
            location->events[i].kind = PJ_EV_OTHER;
    pj_batch batch = {.count = pj_otf2_location_ready(location)};
    if (batch.count)
        batch.events = location->events + location->event_first;
    return pj_pass_own(share->pass, &batch, err);
}

bool pj_otf2_share_pass(pj_otf2_share *share, const pj_otf2_location *location, size_t first,
                        pj_err *err)
{
    size_t at = first, end = first;
    for (; at < location->event_count; at = end + 1) {
        for (end = at; end < location->event_count && location->events[end].kind != PJ_EV_MESSAGE;)
            end++;
        pj_batch batch = {.events = location->events + at, .count = end - at};
        if (!pj_pass_own(share->pass, &batch, err))
            return false;
    }
    return true;
}

static void send_events(pj_otf2_share *share, const pj_otf2_location *location, pj_buf *out)
{
    pj_event_code code = {.time = 0};
    size_t count = 0;
    share->bytes.len = 0;
    for (size_t i = location->event_first; i < location->event_count; i++) {
        pj_event event = location->events[i];
        event.location = 0;
        if (!(share->kinds >> event.kind & 1)) {
            if (share->pass->by_location)
                continue;
            event = (pj_event){.time = event.time, .kind = PJ_EV_OTHER};
        }
        pj_code_event(&code, &share->bytes, &event);
        count++;
    }
    pj_code_number(out, count);
    pj_code_number(out, share->bytes.len);
    pj_buf_add(out, pj_buf_str(&share->bytes));
}

static void send_ops(const pj_otf2_location *location, pj_buf *out)
{
    size_t count = location->ops.count - location->ops.first;
    pj_code_number(out, count);
    if (count)
        pj_buf_add(out, (pj_str){(const char *)(location->ops.at + location->ops.first),
                                 count * sizeof *location->ops.at});
}

static void send_ending(const pj_otf2_location *location, pj_buf *out)
{
    ending e;
    memset(&e, 0, sizeof e);
    e.records = location->records;
    e.last = location->now.last;
    e.posted = location->pending.posted;
    e.completed = location->pending.completed;
    e.waits = location->pending.waits;
    e.partial = location->pending.partial;
    e.begun = location->now.begun;
    e.damaged = location->damage != NULL;
    e.import = location->import;
    memcpy(e.passed, location->passed, sizeof e.passed);
    pj_str damage = pj_str_head(pj_str_of(location->damage), sizeof e.damage - 1);
    if (damage.len)
        memcpy(e.damage, damage.at, damage.len);
    pj_buf_add(out, (pj_str){(const char *)&e, sizeof e});
}

static bool take(void *self, void *slot, pj_err *err)
{
    pj_otf2_share *share = self;
    (void)err;
    if (share->next == share->wish_count)
        return false;
    *(const wish **)slot = &share->wishes[share->next++];
    return true;
}

static bool work(void *self, void *slot, pj_err *err)
{
    const pj_otf2_share *share = self;
    const wish *w = *(const wish **)slot;
    (void)err;
    pj_otf2_location_fill(share->locations[w->location], w->events);
    return true;
}

static bool put(void *self, void *slot, pj_err *err)
{
    pj_otf2_share *share = self;
    const wish *w = *(const wish **)slot;
    pj_otf2_location *location = share->locations[w->location];
    pj_buf *out = &share->group->out[0];
    pj_code_number(out, w->location);
    send_events(share, location, out);
    send_ops(location, out);
    pj_code_number(out, location->ended);
    if (location->ended)
        send_ending(location, out);
    bool ok = share->pass->by_location
                  ? pass_all(share, location, err)
                  : pj_otf2_share_pass(share, location, location->event_first, err);
    location->event_first = location->event_count;
    location->ops.first = location->ops.seen = location->ops.count;
    return ok;
}

static bool fulfil(pj_otf2_share *share, pj_err *err)
{
    const pj_line line = {share, take, work, put, NULL};
    size_t n = pj_pool_slots(share->workers);
    const wish **slots = pj_take_memory(n * sizeof *slots);
    void **each = pj_take_memory(n * sizeof *each);
    for (size_t i = 0; i < n; i++)
        each[i] = &slots[i];
    share->next = 0;
    bool ok = pj_pool_run(&line, share->workers, each, n, err);
    free(each);
    free(slots);
    return ok && pj_job_check(share->pass->job, share->pass->run->path, err);
}

/// The wishes that have come; false in `*more` when there will be none.
static bool read_wishes(pj_otf2_share *share, bool *more)
{
    pj_str in = pj_process_group_from(share->group, 0);
    uint64_t number, events;
    share->wish_count = 0;
    *more = true;
    while (in.len && *more) {
        if (!pj_decode_number(&in, &number))
            return false;
        *more = number != DISMISSED;
        if (!*more)
            continue;
        if (!pj_decode_number(&in, &events) || number >= share->count ||
            !pj_otf2_share_owns(share, share->locations[number]))
            return false;
        pj_otf2_share_ask(share, share->locations[number], events);
    }
    return true;
}

bool pj_otf2_share_serve(pj_otf2_share *share, pj_err *err)
{
    for (bool more = true;;) {
        if (!pj_process_group_exchange(share->group, err))
            return false;
        if (!read_wishes(share, &more))
            return bad_bytes(share, 0, err);
        if (!more)
            return true;
        if (!fulfil(share, err) || !pj_process_group_exchange(share->group, err) ||
            !pj_pass_trade(share->pass, err))
            return false;
    }
}

// What the leader takes

static bool take_events(pj_otf2_location *location, pj_str *in)
{
    uint64_t count, size;
    if (!pj_decode_number(in, &count) || !pj_decode_number(in, &size) || size > in->len ||
        count > size)
        return false;
    pj_str text = pj_str_head(*in, size);
    *in = pj_str_from(*in, size);
    pj_event_code code = {.time = 0};
    pj_grow(location->events, &location->event_cap, location->event_count + count + 1);
    for (uint64_t i = 0; i < count; i++) {
        pj_event *event = &location->events[location->event_count++];
        if (!pj_decode_event(&code, &text, event))
            return false;
        event->location = location->number;
    }
    return text.len == 0;
}

static bool take_ops(pj_otf2_location *location, pj_str *in)
{
    uint64_t count;
    if (!pj_decode_number(in, &count) || count > in->len / sizeof *location->ops.at)
        return false;
    size_t size = count * sizeof *location->ops.at;
    pj_grow(location->ops.at, &location->ops.cap, location->ops.count + count + 1);
    memcpy(location->ops.at + location->ops.count, in->at, size);
    location->ops.count += count;
    *in = pj_str_from(*in, size);
    return true;
}

static bool take_ending(const pj_otf2_share *share, pj_otf2_location *location, pj_str *in)
{
    uint64_t ended;
    ending e;
    if (!pj_decode_number(in, &ended))
        return false;
    if (!ended)
        return true;
    if (!pj_decode_bytes(in, &e, sizeof e))
        return false;
    location->ended = true;
    location->records = e.records;
    location->now.last = e.last;
    location->pending.posted = e.posted;
    location->pending.completed = e.completed;
    location->pending.waits = e.waits;
    location->pending.partial = e.partial;
    location->now.begun = e.begun;
    location->import = e.import;
    memcpy(location->passed, e.passed, sizeof location->passed);
    if (e.damaged)
        location->damage = pj_arena_text(share->pass->run->arena, pj_str_of(e.damage));
    return true;
}

static bool take_location(pj_otf2_share *share, pj_str *in)
{
    uint64_t number;
    if (!pj_decode_number(in, &number) || number >= share->count)
        return false;
    pj_otf2_location *location = share->locations[number];
    if (pj_otf2_share_owns(share, location))
        return false;
    pj_otf2_location_close_up(location);
    return take_events(location, in) && take_ops(location, in) && take_ending(share, location, in);
}

bool pj_otf2_share_take(pj_otf2_share *share, pj_err *err)
{
    if (!pj_process_group_exchange(share->group, err))
        return false;
    for (unsigned member = 1; member < share->group->size; member++) {
        pj_str in = pj_process_group_from(share->group, member);
        while (in.len)
            if (!take_location(share, &in))
                return bad_bytes(share, member, err);
    }
    return pj_pass_trade(share->pass, err);
}
