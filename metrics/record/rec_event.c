// Writes events by the table of records that the decoder reads them with.
#include "metrics/record/rec_event.h"

#include "metrics/record/rec_chunk.h"
#include "metrics/record/rec_shape.h"
#include "metrics/record/rec_tree.h"

static void finish(pj_rec_thread *t, uint64_t ticks, uint8_t type, uint8_t *behind,
                   const uint64_t *members)
{
    uint8_t *at = t->at;
    if (t->tree) {
        pj_rec_tree_record(t, (pj_rec_event_type)type, ticks, members, (size_t)(behind - at));
        return;
    }
    t->last = ticks = ticks < t->last ? t->last : ticks;
    *behind = PJ_REC_CHUNK_END;
    pj_rec_chunk_commit(at, ticks, type,
                        pj_rec_shapes[type].single ? at[10] : (uint8_t)(behind - at - 11));
    t->at = behind;
    t->events++;
}

static void put(pj_rec_thread *t, pj_rec_event_type type, uint64_t ticks, const uint64_t *members)
{
    const pj_rec_shape *of = &pj_rec_shapes[(uint8_t)type];
    uint8_t *at = t->at + (of->single ? 10 : 11);
    const uint64_t *value = members;
    for (const char *member = of->members; *member; member++, value++) {
        if (*member == 'n')
            at = pj_rec_chunk_number(at, *value);
        else if (*member == 'i')
            at = pj_rec_chunk_integer(at, *value);
        else if (*member == 't')
            at = (uint8_t *)memcpy(at, value, sizeof *value) + sizeof *value;
        else
            *at++ = (uint8_t)*value;
    }
    finish(t, ticks, (uint8_t)type, at, members);
}

bool pj_rec_event(pj_rec_thread *t, pj_rec_event_type type, uint64_t ticks, const uint64_t *members)
{
    pj_rec_hold(t);
    const bool wanted = pj_rec_shapes[(uint8_t)type].members && pj_rec_has_room(t);
    if (wanted)
        put(t, type, ticks, members);
    pj_rec_release(t);
    return wanted;
}

static void put_values(pj_rec_thread *t, uint64_t ticks, uint32_t metric,
                       const pj_rec_value *values, uint8_t count)
{
    uint8_t *at = pj_rec_chunk_number(t->at + 11, metric);
    *at++ = count;
    for (uint8_t i = 0; i < count; i++) {
        *at++ = (uint8_t)values[i].type;
        at = values[i].type == PJ_REC_VALUE_INT64
                 ? pj_rec_chunk_integer(at, values[i].natural)
                 : pj_rec_chunk_number(at, values[i].natural); // the bits of a double too
    }
    finish(t, ticks, PJ_REC_METRIC, at, NULL);
}

bool pj_rec_values(pj_rec_thread *t, uint64_t ticks, uint32_t metric, const pj_rec_value *values,
                   uint8_t count)
{
    pj_rec_hold(t);
    const bool wanted = count <= PJ_REC_VALUES_MOST && pj_rec_has_room(t);
    if (wanted)
        put_values(t, ticks, metric, values, count);
    pj_rec_release(t);
    return wanted;
}
