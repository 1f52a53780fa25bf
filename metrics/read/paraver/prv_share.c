// A plain trace read by a process group.
// A line belongs to the range in which it begins. Only the leader learns of lines and oddities, and
// gets the kinds of events that its sinks for all threads look at.
#include "metrics/read/paraver/prv_share.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/base/tiny.h"
#include "metrics/read/pass.h"
#include "metrics/read/source.h"
#include "metrics/trace/event.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>

enum {
    ROUND_BYTES = 256 << 20,
    RANGE_LEAST = PJ_SIZE(1 << 20, 128),
    RANGE_MOST = PJ_SIZE(8 << 20, 512),
    NOTHING = 1
};

typedef struct list { // of events for one member, or for the leader's sinks
    pj_event_code code;
    pj_buf bytes;
    uint64_t count;
} list;

struct pj_prv_share {
    pj_process_group *group;
    const char *path;
    uint32_t locations;
    unsigned *owner; // by location
    unsigned kinds;
    uint64_t first, size, range; // bytes: where records begin, the file ends; of a range
    uint64_t turn, turns;        // ranges so far, and in all, as rounds of all members
    uint64_t end;                // of the range at work; 0 = none, NOTHING = behind the file
    bool skipping;               // the rest of a line that begins before the range
    list *own, all;              // of the block at work, by member
    pj_prv_batch facts;          // received
    unsigned from;               // the member whose bytes are read
    pj_str rest;                 // of them
    pj_event *events[2];         // own, all
    pj_message *messages[2];
    size_t event_cap[2], message_cap[2];
};

static uint64_t range_of(const pj_process_group *group)
{
    uint64_t range = ROUND_BYTES / pj_process_group_readers(group);
    return range < RANGE_LEAST ? RANGE_LEAST : range > RANGE_MOST ? RANGE_MOST : range;
}

pj_prv_share *pj_prv_share_new(const pj_pass *pass, const pj_source *source, uint64_t first,
                               pj_err *err)
{
    pj_process_group *group = pass->group;
    const pj_layout *layout = &pass->run->layout;
    uint64_t size = pj_source_facts_of(source).size;
    if (pj_process_group_leads(group))
        pj_process_group_tell(group, (pj_str){(const char *)&size, sizeof size});
    if (!pj_process_group_exchange(group, err))
        return NULL;
    memcpy(&size, pj_process_group_from(group, 0).at, sizeof size);
    pj_prv_share *share = pj_take_memory(sizeof *share);
    *share = (pj_prv_share){.group = group,
                            .path = pass->run->path,
                            .locations = layout->locations + layout->stream_count,
                            .kinds = pj_pass_kinds(pass),
                            .first = first,
                            .size = size,
                            .range = range_of(group),
                            .from = group->size};
    uint64_t ranges = size > first ? (size - first + share->range - 1) / share->range : 0;
    share->turns = (ranges + pj_process_group_readers(group) - 1) / pj_process_group_readers(group);
    share->own = pj_take_memory(group->size * sizeof *share->own);
    for (unsigned i = 0; i < group->size; i++)
        share->own[i] = (list){.count = 0};
    share->owner = pj_take_memory((share->locations + 1) * sizeof *share->owner);
    for (uint32_t i = 0; i < share->locations; i++)
        share->owner[i] = pj_layout_owner(layout, group, i);
    return share;
}

void pj_prv_share_free(pj_prv_share *share)
{
    if (!share)
        return;
    for (unsigned i = 0; i < share->group->size; i++)
        pj_buf_free(&share->own[i].bytes);
    for (unsigned i = 0; i < 2; i++) {
        free(share->events[i]);
        free(share->messages[i]);
    }
    pj_buf_free(&share->all.bytes);
    free(share->own);
    free(share->owner);
    free(share);
}

// Ranges

/// Goes to the next range of this member.
static bool begin_range(pj_prv_share *share, pj_source *source, pj_err *err)
{
    const pj_process_group *group = share->group;
    bool reads = group->rank >= group->first;
    uint64_t number =
        share->turn++ * pj_process_group_readers(group) + (reads ? group->rank - group->first : 0);
    uint64_t begin = reads ? share->first + number * share->range : share->size;
    bool final = begin + share->range >= share->size; // what was added since belongs to it too
    share->end = begin >= share->size ? NOTHING : final ? UINT64_MAX : begin + share->range;
    share->skipping = number > 0;
    return share->end == NOTHING || pj_source_skip(source, begin - share->skipping, err);
}

/// Index behind the first newline at or after `at`.
static size_t behind_line(const pj_block *block, size_t at)
{
    const char *newline = memchr(block->text + at, '\n', block->len - at);
    return newline ? (size_t)(newline - block->text) + 1 : block->len;
}

/// Leaves of a block what belongs to the range.
static void trim_block(pj_prv_share *share, pj_block *block, size_t *begin)
{
    if (share->skipping) {
        *begin = block->dropped ? 0 : behind_line(block, 0);
        block->dropped = share->skipping = false;
    }
    uint64_t room = share->end - block->offset; // up to the end of the range
    size_t len = block->len;
    if (*begin >= room)
        block->len = *begin;
    else if (room < len)
        block->len = behind_line(block, room - 1);
    block->unended &= block->len == len && *begin < len;
}

bool pj_prv_share_next(pj_prv_share *share, pj_source *source, pj_block *block, size_t *begin,
                       bool *last, pj_err *err)
{
    *begin = 0;
    if (!share->end && (share->turn == share->turns || !begin_range(share, source, err)))
        return false;
    *last = share->end == NOTHING ||
            (!share->skipping && pj_source_position(source) >= share->end) ||
            !pj_source_next(source, block, err);
    if (err->code)
        return false;
    if (!*last) {
        trim_block(share, block, begin);
        return true;
    }
    share->end = 0;
    block->len = 0;
    block->dropped = block->unended = false;
    return true;
}

// Sending

static void add(list *to, const pj_event *event, const pj_message *message)
{
    pj_code_event(&to->code, &to->bytes, event);
    if (message)
        pj_code_message(&to->code, &to->bytes, message);
    to->count++;
}

static void share_out(pj_prv_share *share, const pj_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        unsigned owner = share->owner[event->location];
        const pj_message *message = NULL;
        if (event->kind == PJ_EV_MESSAGE) {
            message = &batch->messages[event->a];
            unsigned receiver = share->owner[message->to];
            if (receiver != owner)
                add(&share->own[receiver], event, message);
        }
        add(&share->own[owner], event, message);
        if (share->kinds >> event->kind & 1)
            add(&share->all, event, message);
    }
}

static void send_list(list *from, pj_buf *out)
{
    pj_code_number(out, from->count);
    pj_code_number(out, from->bytes.len);
    pj_buf_add(out, pj_buf_str(&from->bytes));
    from->bytes.len = 0;
    from->count = 0;
    from->code = (pj_event_code){.time = 0};
}

static void send_facts(const pj_prv_batch *batch, bool unended, pj_buf *out)
{
    pj_code_number(out, batch->lines);
    pj_code_number(out, batch->out.records);
    pj_code_number(out, batch->out.last_ns);
    pj_code_number(out, (uint64_t)(unended | batch->chopped << 1));
    for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++) {
        if (!batch->import.count[key])
            continue;
        pj_code_number(out, key);
        pj_code_number(out, batch->import.count[key]);
        pj_code_number(out, batch->import.first_line[key]);
    }
    pj_code_number(out, PJ_IMPORT_COUNT);
}

void pj_prv_share_send(pj_prv_share *share, const pj_prv_batch *batch, bool unended)
{
    pj_batch view = pj_prv_batch_view(batch);
    share_out(share, &view);
    for (unsigned i = 0; i < share->group->size; i++)
        send_list(&share->own[i], &share->group->out[i]);
    send_facts(batch, unended, &share->group->out[0]);
    send_list(&share->all, &share->group->out[0]);
}

bool pj_prv_share_exchange(pj_prv_share *share, pj_err *err)
{
    share->from = 0;
    return pj_process_group_exchange(share->group, err);
}

// Receiving

static bool receive_facts(pj_prv_share *share, pj_prv_received *out)
{
    pj_prv_batch *facts = &share->facts;
    uint64_t flags, key;
    *facts = (pj_prv_batch){.lines = 0};
    if (!pj_decode_number(&share->rest, &facts->lines) ||
        !pj_decode_number(&share->rest, &facts->out.records) ||
        !pj_decode_number(&share->rest, &facts->out.last_ns) ||
        !pj_decode_number(&share->rest, &flags))
        return false;
    out->unended = flags & 1;
    facts->chopped = flags >> 1;
    while (pj_decode_number(&share->rest, &key) && key < PJ_IMPORT_COUNT)
        if (!pj_decode_number(&share->rest, &facts->import.count[key]) ||
            !pj_decode_number(&share->rest, &facts->import.first_line[key]))
            return false;
    return key == PJ_IMPORT_COUNT;
}

static bool receive_event(pj_prv_share *share, unsigned which, pj_event_code *code, pj_str *in,
                          pj_batch *out)
{
    pj_event *event = &share->events[which][out->count++];
    if (!pj_decode_event(code, in, event) || event->location >= share->locations)
        return false;
    if (event->kind != PJ_EV_MESSAGE)
        return true;
    pj_grow(share->messages[which], &share->message_cap[which], out->message_count + 1);
    pj_message *message = &share->messages[which][out->message_count];
    event->a = out->message_count++;
    return pj_decode_message(code, in, message) && message->from < share->locations &&
           message->to < share->locations;
}

static bool receive_list(pj_prv_share *share, unsigned which, pj_batch *out)
{
    uint64_t count, size;
    pj_event_code code = {.time = 0};
    if (!pj_decode_number(&share->rest, &count) || !pj_decode_number(&share->rest, &size) ||
        size > share->rest.len || count > size)
        return false;
    pj_str in = pj_str_head(share->rest, size);
    share->rest = pj_str_from(share->rest, size);
    pj_grow(share->events[which], &share->event_cap[which], count + 1);
    *out = (pj_batch){.count = 0};
    while (out->count < count)
        if (!receive_event(share, which, &code, &in, out))
            return false;
    out->events = share->events[which];
    out->messages = share->messages[which];
    return in.len == 0;
}

static bool receive_block(pj_prv_share *share, pj_prv_received *out)
{
    *out = (pj_prv_received){.facts = NULL};
    if (!receive_list(share, 0, &out->own))
        return false;
    if (!pj_process_group_leads(share->group))
        return true;
    out->facts = &share->facts;
    return receive_facts(share, out) && receive_list(share, 1, &out->all);
}

bool pj_prv_share_receive(pj_prv_share *share, pj_prv_received *out, pj_err *err)
{
    while (!share->rest.len) {
        if (share->from == share->group->size)
            return false;
        share->rest = pj_process_group_from(share->group, share->from++);
    }
    return receive_block(share, out) ||
           pj_fail(err, PJ_E_IO, share->path, 0, "what process %u has sent cannot be read",
                   share->from - 1);
}

bool pj_prv_share_end(pj_prv_share *share, bool *ordered, uint64_t *end_ns, pj_err *err)
{
    pj_process_group *group = share->group;
    uint64_t mine[2] = {*ordered, *end_ns};
    pj_process_group_tell(group, (pj_str){(const char *)mine, sizeof mine});
    if (!pj_process_group_exchange(group, err))
        return false;
    for (unsigned i = group->size; i-- > 0;) {
        memcpy(mine, pj_process_group_from(group, i).at, sizeof mine);
        *ordered &= mine[0];
        *end_ns = mine[1]; // the leader's comes last
    }
    return true;
}
