// Readings of counters around the borders of a part: what its first and last ones stand at there.
#include "metrics/read/otf2/cut/otf2_copy_counters.h"

#include "metrics/base/map.h"
#include "metrics/base/share.h"
#include "metrics/read/otf2/cut/otf2_copy.h"
#include "metrics/read/otf2/cut/otf2_copy_state.h"

#include <otf2/otf2.h>

#include <string.h>

typedef pj_otf2_copying copying;
typedef pj_otf2_copy_counter counter;
typedef pj_otf2_copy_reading reading;
typedef pj_otf2_copy_location location;

counter *pj_otf2_copy_counter_of(copying *c, OTF2_MetricRef metric, uint8_t count,
                                 const OTF2_Type *types)
{
    location *p = c->at;
    uint32_t known;
    if (pj_map_get(&p->counter_of, metric, &known))
        return &p->counters[known];
    if (!pj_otf2_copy_grow(c, (void **)&p->counters, p->count, sizeof *p->counters))
        return NULL;
    pj_map_put(&p->counter_of, metric, (uint32_t)p->count);
    counter *made = &p->counters[p->count++];
    memset(made, 0, sizeof *made);
    made->metric = metric;
    made->count = count;
    made->counting = c->part->counting(c->part->self, p->id, metric);
    memcpy(made->types, types, count * sizeof *types);
    return made;
}

static void take_reading(reading *r, uint64_t time, uint8_t count, const OTF2_MetricValue *values)
{
    r->known = true;
    r->time = time;
    memcpy(r->values, values, count * sizeof *values);
}

void pj_otf2_copy_survey(copying *c, uint64_t time, OTF2_MetricRef metric, uint8_t count,
                         const OTF2_Type *types, const OTF2_MetricValue *values)
{
    counter *k = pj_otf2_copy_counter_of(c, metric, count, types);
    if (!k || k->counting == PJ_OTF2_NO_COUNTER)
        return;
    const uint64_t borders[] = {c->window.from, c->window.to};
    for (unsigned b = 0; b < PJ_OTF2_BORDERS; b++) {
        if (time <= borders[b])
            take_reading(&k->before[b], time, count, values);
        else if (!k->behind[b].known)
            take_reading(&k->behind[b], time, count, values);
    }
}

static OTF2_MetricValue less(OTF2_Type type, OTF2_MetricValue a, OTF2_MetricValue b)
{
    if (type == OTF2_TYPE_DOUBLE)
        a.floating_point -= b.floating_point;
    else
        a.unsigned_int -= b.unsigned_int;
    return a;
}

static OTF2_MetricValue share_of(OTF2_Type type, OTF2_MetricValue value, uint64_t part,
                                 uint64_t whole)
{
    if (type == OTF2_TYPE_DOUBLE)
        value.floating_point *= (double)part / (double)whole;
    else
        value.signed_int = pj_share(value.signed_int, part, whole);
    return value;
}

/// The reading that a border divides: from its begin to its end in ns, what was counted in it, and
/// in which proportion it is divided.
typedef struct gap {
    uint64_t from, to;
    OTF2_MetricValue counted;
    pj_otf2_divided divided;
} gap;

static uint64_t ns_of(const copying *c, uint64_t ticks)
{
    return c->part->ns(c->part->self, c->at->id, ticks);
}

static gap gap_of(const copying *c, const counter *k, unsigned border, uint8_t value)
{
    const reading *before = &k->before[border], *behind = &k->behind[border];
    gap g = {.from = ns_of(c, before->known ? before->time : c->first),
             .to = ns_of(c, behind->time),
             .counted = behind->values[value]};
    if (before->known && k->counting == PJ_OTF2_COUNTS_ON)
        g.counted = less(k->types[value], g.counted, before->values[value]);
    g.divided = c->part->divided(c->part->self, c->at->id, k->metric, border);
    if (!g.divided.whole) {
        uint64_t from = g.from > c->window.from_ns ? g.from : c->window.from_ns;
        g.divided = (pj_otf2_divided){(border ? c->window.to_ns : g.to) - from, g.to - g.from};
    }
    return g;
}

/// What was counted inside of the part.
static OTF2_MetricValue inside_of(const counter *k, const gap *g, uint8_t value)
{
    return share_of(k->types[value], g->counted, g->divided.inside, g->divided.whole);
}

/// What a counter stands at when the part begins.
static OTF2_MetricValue value_at_begin(const copying *c, const counter *k, uint8_t value)
{
    gap g = gap_of(c, k, 0, value);
    return less(k->types[value], k->behind[0].values[value], inside_of(k, &g, value));
}

/// What it stands at, or has counted, when the part ends.
static OTF2_MetricValue value_at_end(const copying *c, const counter *k, uint8_t value)
{
    gap g = gap_of(c, k, 1, value);
    bool one_gap = g.from < c->window.from_ns;
    OTF2_MetricValue zero = {0}, base = zero;
    if (k->counting == PJ_OTF2_COUNTS_ON)
        base = one_gap ? value_at_begin(c, k, value) : k->before[1].values[value];
    return less(k->types[value], base, less(k->types[value], zero, inside_of(k, &g, value)));
}

void pj_otf2_copy_border(copying *c, counter *k, unsigned border)
{
    const uint64_t borders[] = {c->window.from, c->window.to};
    if (k->counting == PJ_OTF2_NO_COUNTER || !k->behind[border].known)
        return;
    if (gap_of(c, k, border, 0).from >= (border ? c->window.to_ns : c->window.from_ns))
        return;
    c->copied->readings++;
    if (border == 0 && k->counting == PJ_OTF2_COUNTS_ANEW)
        return; // its first value in the part is divided
    OTF2_MetricValue values[PJ_OTF2_VALUES_MOST];
    for (uint8_t v = 0; v < k->count; v++)
        values[v] = border ? value_at_end(c, k, v) : value_at_begin(c, k, v);
    pj_otf2_copy_check(c, OTF2_EvtWriter_Metric(c->writer, NULL, borders[border], k->metric,
                                                k->count, k->types, values));
}

/// The first value in the part of one that counts anew.
void pj_otf2_copy_divide(copying *c, counter *k, OTF2_MetricValue *values)
{
    for (uint8_t v = 0; v < k->count; v++) {
        gap g = gap_of(c, k, 0, v);
        if (g.from < c->window.from_ns)
            values[v] = inside_of(k, &g, v);
    }
    k->divided = true;
}
