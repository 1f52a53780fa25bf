// What is known of a record by its first bytes decides; whatever is not plain is left to the
// decoder, which then also counts what is wrong with it.
#include "metrics/read/otf2_skim.h"

#include "metrics/read/otf2_scout.h"

#include <string.h>

enum { SINGLE_BYTES_MOST = 8, REGIONS_AT = PJ_OTF2_REGIONS_AT };

typedef struct skimming {
    const uint32_t *region_at;
    const pj_otf2_region *regions;
    size_t stack_cap;
    pj_otf2_span span;
    pj_otf2_frame *stack;
    size_t depth;
    const uint8_t *metric;      // the last one, NULL = none
    uint64_t metric_time, last; // ticks
    uint64_t events;
    uint64_t metric_id; // that may be passed over; PJ_OTF2_UNDEFINED = none
} skimming;

/// The region of an enter or leave at `at`, when it is one that changes nothing.
static inline uint32_t plain_region(const skimming *s, const uint8_t *at, unsigned size)
{
    if (size > 2)
        return PJ_OTF2_NONE;
    uint32_t id = size == 0 ? 0 : size == 1 ? at[0] : at[0] | (uint32_t)at[1] << 8;
    uint32_t index = id < REGIONS_AT ? s->region_at[id] : PJ_OTF2_NONE;
    return index != PJ_OTF2_NONE && s->regions[index].plain ? index : PJ_OTF2_NONE;
}

static inline bool skim_enter(skimming *s, const uint8_t *at)
{
    uint32_t index = plain_region(s, at + 2, at[1]);
    if (index == PJ_OTF2_NONE || s->depth >= s->stack_cap)
        return false;
    s->stack[s->depth] = (pj_otf2_frame){index, s->stack[s->depth - 1].state};
    s->depth++;
    s->span.at = at + 2 + at[1];
    return true;
}

static inline bool skim_leave(skimming *s, const uint8_t *at)
{
    uint32_t index = plain_region(s, at + 2, at[1]);
    if (index == PJ_OTF2_NONE || s->depth < 2)
        return false;
    const pj_otf2_frame *top = &s->stack[s->depth - 1];
    if (top->region != index || top->state != top[-1].state)
        return false;
    s->depth--;
    s->span.at = at + 2 + at[1];
    return true;
}

static inline bool skim_metric(skimming *s, const uint8_t *at)
{
    unsigned length = at[1], size = at[2];
    uint64_t id = size ? at[3] : 0;
    if (length == UINT8_MAX || size > 1 || id != s->metric_id)
        return false;
    s->metric = at;
    s->metric_time = s->span.time;
    s->span.at = at + 2 + length;
    return true;
}

/// A record of one number that means nothing here.
static inline bool skim_single(skimming *s, const uint8_t *at)
{
    if (at[1] > SINGLE_BYTES_MOST)
        return false;
    s->span.at = at + 2 + at[1];
    return true;
}

static inline bool skim_record(skimming *s)
{
    const uint8_t *at = s->span.at;
    switch (*at) {
    case PJ_OTF2_METRIC:
        return skim_metric(s, at);
    case PJ_OTF2_ENTER:
        return skim_enter(s, at);
    case PJ_OTF2_LEAVE:
        return skim_leave(s, at);
    case PJ_OTF2_MPI_ISEND_COMPLETE:
    case PJ_OTF2_MPI_REQUEST_TEST:
        return skim_single(s, at);
    default: // any byte
        return false;
    }
}

/// Moves to the next time unless it goes back.
static inline bool skim_time(skimming *s)
{
    uint64_t time;
    memcpy(&time, s->span.at + 1, sizeof time);
    if (time < s->span.time)
        return false;
    s->span.time = time;
    s->span.at += 1 + sizeof time;
    return true;
}

/// Whether the open regions are such that the stretch changes nothing but them.
static bool is_plain(const skimming *s, const pj_otf2_stretch *stretch)
{
    if (s->depth <= stretch->left || s->depth - stretch->left + stretch->entered > s->stack_cap)
        return false;
    if (stretch->metric != PJ_OTF2_NONE && stretch->metric_id != s->metric_id)
        return false;
    const pj_otf2_frame *top = &s->stack[s->depth - 1];
    for (uint32_t i = 0; i < stretch->left; i++, top--)
        if (top->region != stretch->regions[i] || top->state != top[-1].state)
            return false;
    return true;
}

/// Passes over a stretch that a scout has found to begin here.
static bool skim_stretch(skimming *s, pj_otf2_evt *evt)
{
    const pj_otf2_stretch *stretch = pj_otf2_evt_stretch(evt, s->span.at);
    if (!stretch || !is_plain(s, stretch))
        return false;
    const uint8_t *page = s->span.at - stretch->begin;
    s->depth -= stretch->left;
    for (uint32_t i = 0; i < stretch->entered; i++, s->depth++)
        s->stack[s->depth] =
            (pj_otf2_frame){stretch->regions[stretch->left + i], s->stack[s->depth - 1].state};
    if (stretch->metric != PJ_OTF2_NONE) {
        s->metric = page + stretch->metric;
        s->metric_time = stretch->metric_time;
    }
    s->events += stretch->events;
    s->last = stretch->last;
    s->span.at = page + stretch->end;
    s->span.time = stretch->time;
    return true;
}

/// Counters since the start may be passed over: the next reading holds them too.
static uint64_t metric_to_pass(const pj_otf2_place *place)
{
    const pj_otf2_metric *metric = place->metric;
    bool plain = metric != NULL;
    for (unsigned c = 0; plain && c < 2; c++)
        plain = !metric->has[c] ||
                (place->now.counting[c] && !metric->next[c] && metric->mode[c] != PJ_OTF2_RELATIVE);
    return plain ? place->metric_id : PJ_OTF2_UNDEFINED;
}

bool pj_otf2_skim(pj_otf2_place *place, pj_otf2_event *reading, uint64_t *ticks)
{
    if (place->depth == 0 || place->unnamed_count)
        return false;
    skimming s = {.region_at = place->region_at,
                  .regions = place->defs->regions,
                  .stack_cap = place->stack_cap,
                  .span = pj_otf2_evt_span(place->evt),
                  .stack = place->stack,
                  .depth = place->depth,
                  .metric_id = metric_to_pass(place)};
    while (skim_stretch(&s, place->evt))
        ;
    while (s.span.at < s.span.end) {
        if (*s.span.at == PJ_OTF2_MARK_TIME && !skim_time(&s))
            break;
        if (!skim_record(&s))
            break;
        s.events++;
        s.last = s.span.time;
    }
    place->depth = s.depth;
    place->records += s.events;
    *ticks = s.last;
    bool counted = s.metric && pj_otf2_evt_values(place->evt, s.metric, reading);
    reading->time = s.metric_time;
    pj_otf2_evt_move(place->evt, s.span, s.events);
    return counted;
}
