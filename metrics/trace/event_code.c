// Events as bytes, for other processes.
// First byte: the kind of event, and whether its location is another one, and which of its fields
// are not 0. Of a state, `a` is its length.
#include "metrics/trace/event_code.h"

#include "metrics/base/str.h"

enum {
    KIND = 0x0f,
    LOCATION = 0x10,
    CODE = 0x20,
    FIRST = 0x40,
    SECOND = 0x80,
    NUMBER_MOST = 10, // bytes
    EVENT_MOST = 1 + 5 * NUMBER_MOST,
};

_Static_assert((int)PJ_EV_LAST <= (int)KIND + 1, "kinds have four bits");

static char *put_number(char *at, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        *at++ = (char)(0x80 | (value & 0x7f));
    *at++ = (char)value;
    return at;
}

/// Small differences in both directions are small numbers.
static uint64_t folded(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfolded(uint64_t value)
{
    return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

void pj_code_number(pj_buf *out, uint64_t value)
{
    char *begin = pj_buf_room(out, NUMBER_MOST);
    out->len += (size_t)(put_number(begin, value) - begin);
}

bool pj_decode_number(pj_str *in, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < in->len && i < NUMBER_MOST; i++) {
        uint8_t byte = (uint8_t)in->at[i];
        *value |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte & 0x80)
            continue;
        *in = pj_str_from(*in, i + 1);
        return true;
    }
    return false;
}

bool pj_decode_bytes(pj_str *in, void *out, size_t size)
{
    if (in->len < size)
        return false;
    memcpy(out, in->at, size);
    *in = pj_str_from(*in, size);
    return true;
}

void pj_code_event(pj_event_code *code, pj_buf *out, const pj_event *event)
{
    uint64_t a = event->kind == PJ_EV_STATE ? event->a - event->time : event->a;
    char *begin = pj_buf_room(out, EVENT_MOST), *at = begin + 1;
    *begin = (char)(event->kind | (event->location != code->location ? LOCATION : 0) |
                    (event->code ? CODE : 0) | (a ? FIRST : 0) | (event->b ? SECOND : 0));
    at = put_number(at, folded(event->time - code->time));
    if (event->location != code->location)
        at = put_number(at, event->location);
    if (event->code)
        at = put_number(at, event->code);
    if (a)
        at = put_number(at, a);
    if (event->b)
        at = put_number(at, event->b);
    out->len += (size_t)(at - begin);
    code->time = event->time;
    code->location = event->location;
}

static bool decode_if(bool there, pj_str *in, uint64_t *value)
{
    return !there || pj_decode_number(in, value);
}

bool pj_decode_event(pj_event_code *code, pj_str *in, pj_event *event)
{
    if (!in->len)
        return false;
    unsigned first = (uint8_t)in->at[0];
    uint64_t time, location = code->location, number = 0, a = 0, b = 0;
    *in = pj_str_from(*in, 1);
    if (!pj_decode_number(in, &time) || !decode_if(first & LOCATION, in, &location) ||
        !decode_if(first & CODE, in, &number) || !decode_if(first & FIRST, in, &a) ||
        !decode_if(first & SECOND, in, &b))
        return false;
    code->time += unfolded(time);
    code->location = (uint32_t)location;
    *event = (pj_event){.time = code->time,
                        .a = (first & KIND) == PJ_EV_STATE ? a + code->time : a,
                        .b = b,
                        .location = code->location,
                        .kind = (uint16_t)(first & KIND),
                        .code = (uint16_t)number};
    return true;
}

void pj_code_message(pj_event_code *code, pj_buf *out, const pj_message *message)
{
    const uint64_t times[] = {message->logical_send, message->physical_send, message->logical_recv,
                              message->physical_recv};
    for (unsigned i = 0; i < 4; i++)
        pj_code_number(out, folded(times[i] - code->time));
    pj_code_number(out, message->size);
    pj_code_number(out, folded((uint64_t)message->tag));
    pj_code_number(out, message->from);
    pj_code_number(out, message->to);
}

bool pj_decode_message(pj_event_code *code, pj_str *in, pj_message *message)
{
    uint64_t field[8];
    for (unsigned i = 0; i < 8; i++)
        if (!pj_decode_number(in, &field[i]))
            return false;
    *message = (pj_message){.logical_send = code->time + unfolded(field[0]),
                            .physical_send = code->time + unfolded(field[1]),
                            .logical_recv = code->time + unfolded(field[2]),
                            .physical_recv = code->time + unfolded(field[3]),
                            .size = field[4],
                            .tag = (int64_t)unfolded(field[5]),
                            .from = (uint32_t)field[6],
                            .to = (uint32_t)field[7]};
    return true;
}
