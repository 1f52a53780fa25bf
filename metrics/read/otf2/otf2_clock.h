// From the ticks of a location to nanoseconds of the run: clock offsets of its local definitions,
// interpolated as libotf2 does, the unit, and the shift and rate that a repair found. Ownership: a
// zeroed struct is empty; free releases it.
#ifndef PJ_OTF2_CLOCK_H
#define PJ_OTF2_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_otf2_offset { // from `time` on
    uint64_t time;              // ticks
    int64_t offset;             // ticks
    double slope;               // offset per tick
} pj_otf2_offset;

typedef struct pj_otf2_clock {
    pj_otf2_offset *offsets;
    size_t count, cap, current;
    uint64_t base;   // ticks that are 0 ns, before the shift
    uint64_t factor; // ns per tick in units of 2^-bits
    unsigned bits;
    double rate;   // by which `factor` is larger than the unit's, less 1
    int64_t shift; // ns
} pj_otf2_clock;

/// The clocks of an archive's threads as a run was read with them, in the order of its locations
/// and without their offsets.
typedef struct pj_otf2_clocks {
    pj_otf2_clock *items;
    uint32_t count;
} pj_otf2_clocks;

/// In the order of the definitions.
void pj_otf2_clock_add(pj_otf2_clock *clock, uint64_t time, int64_t offset);
void pj_otf2_clock_unit(pj_otf2_clock *clock, uint64_t ticks_per_second);
/// From here on a time of t ns is t + rate * t. After the unit; the rate is small.
void pj_otf2_clock_stretch(pj_otf2_clock *clock, double rate);
void pj_otf2_clock_free(pj_otf2_clock *clock);
/// As pj_otf2_clock_ns, of times in any order.
uint64_t pj_otf2_clock_any_ns(const pj_otf2_clock *clock, uint64_t ticks);
/// The first tick, before or behind the base, at which the run has come to `ns`.
uint64_t pj_otf2_clock_first(const pj_otf2_clock *clock, uint64_t ns);

/// Ticks of the global clock, where this offset holds.
static inline uint64_t pj_otf2_offset_ticks(const pj_otf2_offset *o, uint64_t ticks)
{
    double since = (double)(int64_t)(ticks - o->time) * o->slope;
    return ticks + (uint64_t)o->offset + (uint64_t)(int64_t)(since < 0 ? since - 0.5 : since + 0.5);
}

/// Ticks of the global clock. Calls come with times that do not go back.
static inline uint64_t pj_otf2_clock_ticks(pj_otf2_clock *clock, uint64_t ticks)
{
    if (clock->count == 0)
        return ticks;
    while (clock->current + 1 < clock->count && ticks > clock->offsets[clock->current + 1].time)
        clock->current++;
    return pj_otf2_offset_ticks(&clock->offsets[clock->current], ticks);
}

/// Times of a run end here: 36 years. Damaged ones may be anywhere.
#define PJ_OTF2_TIME_MOST (UINT64_C(1) << 60)

/// Of ticks of the global clock. What lies before 0 is 0.
static inline uint64_t pj_otf2_clock_run_ns(const pj_otf2_clock *clock, uint64_t ticks)
{
    int64_t since = (int64_t)(ticks - clock->base);
    if (since < 0)
        since = 0;
    __extension__ typedef unsigned __int128 wide;
    wide plain = (wide)(uint64_t)since * clock->factor >> clock->bits;
    int64_t ns = (int64_t)(plain < PJ_OTF2_TIME_MOST ? plain : PJ_OTF2_TIME_MOST) + clock->shift;
    return ns < 0 ? 0 : (uint64_t)ns;
}

/// By how many ns ticks of the global clock lie before 0.
static inline uint64_t pj_otf2_clock_early_ns(const pj_otf2_clock *clock, uint64_t ticks)
{
    __extension__ typedef unsigned __int128 wide;
    bool early = (int64_t)(ticks - clock->base) < 0;
    wide before = early ? (wide)(clock->base - ticks) * clock->factor >> clock->bits : 0;
    int64_t ns = (int64_t)(before < PJ_OTF2_TIME_MOST ? before : PJ_OTF2_TIME_MOST) - clock->shift;
    return early && ns > 0 ? (uint64_t)ns : 0;
}

static inline uint64_t pj_otf2_clock_ns(pj_otf2_clock *clock, uint64_t ticks)
{
    return pj_otf2_clock_run_ns(clock, pj_otf2_clock_ticks(clock, ticks));
}

/// Takes all of another clock but its offsets, which stay with the definitions.
void pj_otf2_clock_take(pj_otf2_clock *clock, const pj_otf2_clock *from);

#endif
