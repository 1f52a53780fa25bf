// Passing over records that change nothing.
// What is known of a record by its first bytes decides; whatever is not plain is left to the
// decoder, which then also counts what is wrong with it.
#include "metrics/read/otf2/events/otf2_skim.h"

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/read/otf2/events/otf2_known.h"
#include "metrics/read/otf2/events/otf2_readahead.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/trace/path_tree.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    SINGLE_BYTES_MOST = 8,
    ID_BYTES_MOST = 4,
    METRIC_ID_AT = 3, // behind type, length and size
};

typedef struct skimming {
    const pj_otf2_known *known;
    pj_otf2_span span;
    pj_otf2_frame *first, *top, *limit; // of the stack
    uint8_t state;                      // of the top: what is plain inherits it
    const uint8_t *metric;              // the last one, NULL = none
    uint64_t metric_time;               // ticks
    uint64_t events;
    uint64_t last;        // ticks of the last record that may be passed over
    uint64_t metric_id;   // that may be passed over; PJ_OTF2_UNDEFINED = none
    uint32_t metric_head; // first bytes of a reading of it; 0 = not seen yet, or long
    uint32_t metric_size; // and its length
    pj_path_tree *calls;  // NULL = nobody asks for call paths
    pj_otf2_clock clock;
    pj_otf2_offset offset; // of the clock: holds up to `last`
    uint64_t now;          // ns: of the last region that was entered or left
} skimming;

INLINE uint32_t load_4(const uint8_t *at)
{
    uint32_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

INLINE uint64_t load_8(const uint8_t *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

/// A number of up to four bytes.
INLINE uint32_t number_at(const uint8_t *at, unsigned size)
{
    return (uint32_t)(load_8(at) & ((UINT64_C(1) << 8 * size) - 1));
}

INLINE bool push(skimming *s, uint32_t region)
{
    if (s->top == s->limit)
        return false;
    *++s->top = (pj_otf2_frame){region, s->state};
    return true;
}

/// Leaves the top if it is that region; not the last frame.
INLINE bool pop(skimming *s, uint32_t region)
{
    if (s->top == s->first || s->top->region != region || s->top[-1].state != s->state)
        return false;
    s->top--;
    return true;
}

/// Times in ns may go back where the offsets of a clock do.
INLINE void count_call(skimming *s, uint32_t region, uint64_t ticks, bool enter)
{
    uint64_t time = pj_otf2_clock_run_ns(&s->clock, pj_otf2_offset_ticks(&s->offset, ticks));
    s->now = time > s->now ? time : s->now;
    if (enter)
        pj_path_tree_enter(s->calls, region, s->now);
    else
        pj_path_tree_leave(s->calls, s->now);
}

/// Enters or leaves the region whose id has `size` bytes, if that changes nothing.
INLINE bool skim_region(skimming *s, const uint8_t *at, uint32_t region, unsigned size, bool enter,
                        const uint64_t *ticks)
{
    if (region & PJ_OTF2_NOT_PLAIN || (enter ? !push(s, region) : !pop(s, region)))
        return false;
    if (ticks)
        count_call(s, region, *ticks, enter);
    s->span.at = at + 2 + size;
    return true;
}

/// Of the region in a record whose id has another size; not inline: ids of one byte have the
/// registers.
static uint32_t region_with_wide_id(const pj_otf2_known *known, const uint8_t *at)
{
    unsigned size = at[1];
    return size <= ID_BYTES_MOST ? pj_otf2_known_region(known, number_at(at + 2, size))
                                 : PJ_OTF2_NONE;
}

/// Ids of one byte come first: the next record need not wait for their size.
INLINE bool skim_change(skimming *s, const uint8_t *at, bool enter, const uint64_t *ticks)
{
    if (__builtin_expect(at[1] == 1, 1))
        return skim_region(s, at, s->known->small[at[2]], 1, enter, ticks);
    return skim_region(s, at, region_with_wide_id(s->known, at), at[1], enter, ticks);
}

/// Records of one number that mean nothing here.
INLINE bool is_idle(uint8_t type)
{
    return type == PJ_OTF2_MPI_ISEND_COMPLETE || type == PJ_OTF2_MPI_REQUEST_TEST;
}

/// Passes over a record that is no reading; `ticks` is its time where regions are counted.
INLINE bool skim_other(skimming *s, const uint8_t *at, const uint64_t *ticks)
{
    if (*at == PJ_OTF2_ENTER)
        return skim_change(s, at, true, ticks);
    if (*at == PJ_OTF2_LEAVE)
        return skim_change(s, at, false, ticks);
    if (!is_idle(*at) || at[1] > SINGLE_BYTES_MOST)
        return false;
    s->span.at = at + 2 + at[1];
    return true;
}

typedef enum metric_kind { METRIC_OTHER, METRIC_TO_PASS, METRIC_IDLE } metric_kind;

/// What the reading at `at` is; `to_pass` as in `skimming`.
static metric_kind kind_of_metric(const pj_otf2_known *known, uint64_t to_pass, const uint8_t *at)
{
    unsigned length = at[1], size = at[2];
    if (length == UINT8_MAX || size > ID_BYTES_MOST)
        return METRIC_OTHER;
    uint32_t id = number_at(at + METRIC_ID_AT, size);
    return id == to_pass                   ? METRIC_TO_PASS
           : pj_otf2_known_idle(known, id) ? METRIC_IDLE
                                           : METRIC_OTHER;
}

/// Passes over the reading at `at`. Most begin like the one before.
INLINE bool skim_metric(skimming *s, const uint8_t *at, uint64_t time)
{
    uint32_t size = s->metric_size;
    if (load_4(at) != s->metric_head) {
        metric_kind kind = kind_of_metric(s->known, s->metric_id, at);
        if (kind == METRIC_OTHER)
            return false;
        size = 2 + at[1];
        s->span.at = at + size;
        if (kind == METRIC_IDLE)
            return true;
        bool short_id = at[2] <= 1;
        s->metric_head = short_id ? load_4(at) : 0;
        s->metric_size = size;
    }
    s->metric = at;
    s->metric_time = time;
    s->span.at = at + size;
    return true;
}

/// Most records are a time, a reading, and a region entered or left, which are taken together.
INLINE void skim_records(skimming *s, bool counts)
{
    while (s->span.at < s->span.end) {
        const uint8_t *at = s->span.at;
        uint64_t time = s->span.time;
        if (*at == PJ_OTF2_MARK_TIME) {
            time = load_8(at + 1);
            at += 1 + sizeof time;
        }
        if (time < s->span.time || time > s->last)
            return;
        unsigned events = 0;
        if (*at == PJ_OTF2_METRIC && skim_metric(s, at, time)) {
            at = s->span.at;
            events = 1;
        }
        events += skim_other(s, at, counts ? &time : NULL);
        if (!events)
            return;
        s->span.time = time;
        s->events += events;
    }
}

/// Whether the open regions are such that the stretch changes nothing but them.
static bool is_plain(const skimming *s, const pj_otf2_stretch *stretch)
{
    if (s->top - s->first < stretch->left || s->limit - s->top + stretch->left < stretch->entered)
        return false;
    if (stretch->metric != PJ_OTF2_NONE && stretch->metric_id != s->metric_id)
        return false;
    const pj_otf2_frame *top = s->top;
    for (uint32_t i = 0; i < stretch->left; i++, top--)
        if (top->region != stretch->regions[i] || top->state != top[-1].state)
            return false;
    return true;
}

/// Passes over a stretch that a read-ahead has found to begin here.
static bool skim_stretch(skimming *s, pj_otf2_evt *evt)
{
    const pj_otf2_stretch *stretch = pj_otf2_evt_stretch(evt, s->span.at);
    if (!stretch || stretch->time > s->last || !is_plain(s, stretch))
        return false;
    const uint8_t *page = s->span.at - stretch->begin;
    s->top -= stretch->left;
    for (uint32_t i = 0; i < stretch->entered; i++)
        push(s, stretch->regions[stretch->left + i]);
    if (stretch->metric != PJ_OTF2_NONE) {
        s->metric = page + stretch->metric;
        s->metric_time = stretch->metric_time;
    }
    s->events += stretch->events;
    s->span.at = page + stretch->end;
    s->span.time = stretch->time;
    return true;
}

/// Counters since the start may be passed over: the next reading holds them too.
static uint64_t metric_to_pass(const pj_otf2_location *location)
{
    const pj_otf2_metric *metric = location->metric.class_;
    bool plain = metric != NULL;
    for (unsigned c = 0; plain && c < 2; c++)
        plain = !metric->has[c] || (location->now.counting[c] && !metric->next[c] &&
                                    metric->mode[c] != PJ_OTF2_RELATIVE);
    return plain ? location->metric.id : PJ_OTF2_UNDEFINED;
}

/// Whether the record at `at`, behind its time, is of a type that may be passed over.
static bool may_be_plain(const uint8_t *at)
{
    uint8_t type = *at == PJ_OTF2_MARK_TIME ? at[1 + sizeof(uint64_t)] : *at;
    return type == PJ_OTF2_METRIC || type == PJ_OTF2_ENTER || type == PJ_OTF2_LEAVE ||
           is_idle(type);
}

/// Goes no further than one offset of the clock holds.
static void begin_counting(skimming *s, const pj_otf2_location *location)
{
    const pj_otf2_clock *clock = &location->clock;
    s->calls = location->calls;
    s->clock = *clock;
    s->now = location->now.last;
    if (clock->count)
        s->offset = clock->offsets[clock->current];
    if (clock->current + 1 < clock->count && clock->offsets[clock->current + 1].time < s->last)
        s->last = clock->offsets[clock->current + 1].time;
}

bool pj_otf2_skim(pj_otf2_location *location, uint64_t limit, pj_otf2_event *reading,
                  uint64_t *ticks)
{
    if (location->depth == 0 || location->unnamed.count)
        return false;
    pj_otf2_span span = pj_otf2_evt_span(location->evt);
    if (span.at >= span.end || !may_be_plain(span.at))
        return false;
    skimming s = {.known = &location->known,
                  .span = span,
                  .first = location->stack,
                  .top = location->stack + location->depth - 1,
                  .limit = location->stack + location->stack_cap - 1,
                  .state = location->stack[location->depth - 1].state,
                  .last = limit,
                  .metric_id = metric_to_pass(location)};
    if (location->calls) {
        begin_counting(&s, location);
        skim_records(&s, true);
    } else {
        while (skim_stretch(&s, location->evt))
            ;
        skim_records(&s, false);
    }
    location->depth = (size_t)(s.top - s.first) + 1;
    location->records += s.events;
    *ticks = s.span.time;
    bool counted = s.metric && pj_otf2_evt_values(location->evt, s.metric, reading);
    reading->time = s.metric_time;
    pj_otf2_evt_move(location->evt, s.span, s.events);
    return counted;
}
