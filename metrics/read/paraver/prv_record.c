// The careful reading of a record line: every field is looked at, whatever the line holds.
#include "metrics/read/paraver/prv_record.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/trace/import_stats.h"

#include <stdlib.h>

const pj_prv_type pj_prv_types[] = {
#define TYPE(type, action, kind, code) {type, PJ_PRV_##action, kind, code},
#include "metrics/read/paraver/prv_types.def"
#undef TYPE
};
const size_t pj_prv_type_count = sizeof pj_prv_types / sizeof *pj_prv_types;

void pj_prv_batch_begin(pj_prv_batch *batch, const pj_prv_trace *trace, size_t bytes)
{
    enum { LEAST_EVENT = 10, LEAST_PARAMETER = 4, LEAST_MESSAGE = 30 }; // bytes of text
    size_t least = trace->parameter_count ? LEAST_PARAMETER : LEAST_EVENT;
    pj_grow(batch->events, &batch->event_cap, bytes / least + 4);
    pj_grow(batch->messages, &batch->message_cap, bytes / LEAST_MESSAGE + 1);
    batch->out =
        (pj_prv_out){.event = batch->events, .message = batch->messages, .first_ns = UINT64_MAX};
    batch->import = (pj_import_stats){.count = {0}};
    batch->lines = 0;
    batch->open_end = batch->chopped = false;
}

void pj_prv_batch_free(pj_prv_batch *batch)
{
    free(batch->events);
    free(batch->messages);
    *batch = (pj_prv_batch){.events = NULL};
}

bool pj_prv_locate(const pj_prv_trace *trace, const uint64_t object[4], uint32_t *location,
                   pj_import_key *oddity)
{
    const pj_prv_header *header = &trace->header;
    uint64_t cpu = object[0], application = object[1], task = object[2], thread = object[3];
    *oddity = PJ_IMPORT_unknown_thread;
    if (application < 1 || application > header->applications)
        return false;
    uint32_t first = header->first_rank[application - 1], end = header->first_rank[application];
    if (task < 1 || task > end - first)
        return false;
    uint32_t rank = first + (uint32_t)task - 1;
    uint32_t at = header->first_thread[rank];
    if (thread < 1 || thread > header->first_thread[rank + 1] - at)
        return false;
    at += (uint32_t)thread - 1;
    *location = header->location_of ? header->location_of[at] : at;
    *oddity = PJ_IMPORT_unknown_cpu;
    if (header->nodes && cpu > header->cpus)
        return false;
    *oddity = PJ_IMPORT_foreign_cpu;
    uint32_t node = header->node_of[rank];
    uint64_t node_of_cpu = pj_prv_node_of(header, cpu);
    return !node || node > header->nodes || !node_of_cpu || node == node_of_cpu;
}

/// What a field of digits turned out to be.
typedef enum field_kind { NUMBER, NEGATIVE, TOO_LARGE, NO_NUMBER } field_kind;

/// Cuts the next field off `*rest`; `*value` is its magnitude.
static field_kind take_field(pj_str *rest, uint64_t *value)
{
    const char *at = rest->at, *end = at + rest->len;
    bool negative = at < end && *at == '-';
    const char *digits = at += negative;
    bool large = false;
    *value = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        large |= __builtin_mul_overflow(*value, 10u, value) ||
                 __builtin_add_overflow(*value, (unsigned)(*at - '0'), value);
    bool none = at == digits;
    bool odd = at < end && *at != ':';
    const char *colon = odd ? memchr(at, ':', (size_t)(end - at)) : at;
    size_t used = colon && colon < end ? (size_t)(colon - rest->at) + 1 : rest->len;
    *rest = pj_str_from(*rest, used);
    if (none || odd)
        return NO_NUMBER;
    if (large || *value > (uint64_t)INT64_MAX + negative)
        return TOO_LARGE;
    return negative ? NEGATIVE : NUMBER;
}

static bool count(pj_prv_batch *batch, pj_import_key key)
{
    pj_import_add(&batch->import, key, batch->lines);
    return false;
}

/// A time field in ns; false when the record cannot be used, which is counted.
static bool take_time(const pj_prv_trace *trace, pj_str *rest, pj_prv_batch *batch, uint64_t *time)
{
    switch (take_field(rest, time)) {
    case NO_NUMBER:
        return count(batch, PJ_IMPORT_malformed_record);
    case NEGATIVE:
        return count(batch, PJ_IMPORT_negative_time);
    case TOO_LARGE:
        return count(batch, PJ_IMPORT_large_time);
    case NUMBER:
        break;
    }
    if (__builtin_mul_overflow(*time, trace->header.unit_ns, time) || *time > INT64_MAX)
        return count(batch, PJ_IMPORT_large_time);
    return true;
}

/// "cpu:app:task:thread:"
static bool take_object(const pj_prv_trace *trace, pj_str *rest, pj_prv_batch *batch,
                        uint32_t *location)
{
    uint64_t object[4];
    for (size_t i = 0; i < 4; i++)
        if (take_field(rest, &object[i]) != NUMBER)
            return count(batch, PJ_IMPORT_malformed_record);
    pj_import_key oddity;
    return pj_prv_locate(trace, object, location, &oddity) || count(batch, oddity);
}

static void state_line(const pj_prv_trace *trace, pj_str rest, pj_prv_batch *batch)
{
    pj_event event = {.kind = PJ_EV_STATE};
    uint64_t state;
    if (!take_object(trace, &rest, batch, &event.location) ||
        !take_time(trace, &rest, batch, &event.time))
        return;
    bool open = pj_str_starts(rest, PJ_S("-1:"));
    event.a = UINT64_MAX;
    if (open)
        rest = pj_str_from(rest, 3);
    else if (!take_time(trace, &rest, batch, &event.a))
        return;
    if (take_field(&rest, &state) != NUMBER || rest.len) {
        count(batch, PJ_IMPORT_malformed_record);
        return;
    }
    if (event.a < event.time) {
        count(batch, PJ_IMPORT_reversed_state);
        return;
    }
    batch->open_end |= open;
    event.code = state > UINT16_MAX ? UINT16_MAX : (uint16_t)state;
    pj_prv_state(&batch->out, event);
}

static const pj_prv_type *find_type(uint64_t type)
{
    for (size_t i = 0; i < pj_prv_type_count; i++)
        if (pj_prv_types[i].type == type)
            return &pj_prv_types[i];
    return NULL;
}

/// A type without a row that is a parameter of the program: time counts as of any other record.
static void parameter_pair(const pj_prv_trace *trace, uint64_t type, uint64_t value,
                           pj_prv_pairs *pairs, pj_prv_out *out)
{
    for (uint32_t i = 0; i < trace->parameter_count; i++) {
        if (trace->parameters[i] != type)
            continue;
        pj_event event = pairs->base;
        event.kind = PJ_EV_OTHER;
        event.code = PJ_PARAMETER_LASTING;
        event.a = value;
        event.b = i;
        *out->event++ = event;
        return;
    }
}

/// One "type:value"; false when the record is malformed.
static bool take_pair(const pj_prv_trace *trace, pj_str *rest, pj_prv_batch *batch,
                      pj_prv_pairs *pairs)
{
    uint64_t type, value;
    field_kind type_field = take_field(rest, &type), field = take_field(rest, &value);
    if (type_field == NO_NUMBER || type_field == NEGATIVE || field == NO_NUMBER)
        return count(batch, PJ_IMPORT_malformed_record);
    const pj_prv_type *row = type_field == NUMBER ? find_type(type) : NULL;
    if (row && field == TOO_LARGE)
        count(batch, PJ_IMPORT_large_value);
    else if (row)
        pj_prv_pair(trace, &batch->out, pairs, row, field == NEGATIVE ? 0 - value : value);
    else if (type_field == NUMBER && field != TOO_LARGE)
        parameter_pair(trace, type, field == NEGATIVE ? 0 - value : value, pairs, &batch->out);
    return true;
}

static void event_line(const pj_prv_trace *trace, pj_str rest, pj_prv_batch *batch)
{
    pj_event *first = batch->out.event;
    pj_prv_pairs pairs = {.first = first, .collective = trace->idealised};
    if (!take_object(trace, &rest, batch, &pairs.base.location) ||
        !take_time(trace, &rest, batch, &pairs.base.time))
        return;
    if (!rest.len) {
        count(batch, PJ_IMPORT_malformed_record);
        return;
    }
    while (rest.len)
        if (!take_pair(trace, &rest, batch, &pairs)) {
            batch->out.event = first;
            return;
        }
    pj_prv_end_pairs(&batch->out, &pairs);
}

static bool take_half(const pj_prv_trace *trace, pj_str *rest, pj_prv_batch *batch, uint32_t *end,
                      uint64_t times[2])
{
    return take_object(trace, rest, batch, end) && take_time(trace, rest, batch, &times[0]) &&
           take_time(trace, rest, batch, &times[1]);
}

static void message_line(const pj_prv_trace *trace, pj_str rest, pj_prv_batch *batch)
{
    uint64_t send[2], recv[2], size, tag;
    pj_message message;
    if (!take_half(trace, &rest, batch, &message.from, send) ||
        !take_half(trace, &rest, batch, &message.to, recv))
        return;
    field_kind size_field = take_field(&rest, &size), tag_field = take_field(&rest, &tag);
    if (size_field != NUMBER || (tag_field != NUMBER && tag_field != NEGATIVE) || rest.len) {
        count(batch, PJ_IMPORT_malformed_record);
        return;
    }
    message.logical_send = send[0];
    message.physical_send = send[1];
    message.logical_recv = recv[0];
    message.physical_recv = recv[1];
    message.size = size;
    message.tag = tag_field == NEGATIVE ? (int64_t)(0 - tag) : (int64_t)tag;
    pj_prv_message(&batch->out, batch->messages, message);
}

void pj_prv_line(const pj_prv_trace *trace, pj_str line, pj_prv_batch *batch)
{
    if (pj_prv_is_comment(line)) {
        batch->chopped |= pj_prv_says_chopped(line);
        return;
    }
    line = pj_str_trim(line);
    pj_str rest = pj_str_from(line, 2);
    if (line.len < 2 || line.at[1] != ':')
        count(batch, PJ_IMPORT_unknown_record);
    else if (line.at[0] == '1')
        state_line(trace, rest, batch);
    else if (line.at[0] == '2')
        event_line(trace, rest, batch);
    else if (line.at[0] == '3')
        message_line(trace, rest, batch);
    else if (line.at[0] == '4')
        count(batch, PJ_IMPORT_global_communication);
    else
        count(batch, PJ_IMPORT_unknown_record);
}
