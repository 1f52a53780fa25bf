// From ticks of a location to nanoseconds of the run.
// Offsets as pieces of a line, and the unit as a fixed-point factor: a division per event would
// cost more than decoding it.
#include "metrics/read/otf2/otf2_clock.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

enum { NS_PER_SECOND = 1000000000 };

void pj_otf2_clock_add(pj_otf2_clock *clock, uint64_t time, int64_t offset)
{
    pj_otf2_offset *last = clock->count ? &clock->offsets[clock->count - 1] : NULL;
    if (last && time > last->time) {
        last->slope = (double)(offset - last->offset) / (double)(time - last->time);
    } else if (last) {
        return;
    }
    pj_grow(clock->offsets, &clock->cap, clock->count + 1);
    // The last piece goes on as the one before it.
    double slope = clock->count ? clock->offsets[clock->count - 1].slope : 0;
    clock->offsets[clock->count++] = (pj_otf2_offset){time, offset, slope};
}

void pj_otf2_clock_unit(pj_otf2_clock *clock, uint64_t ticks_per_second)
{
    __extension__ typedef unsigned __int128 wide;
    clock->bits = 96;
    wide factor = ((wide)NS_PER_SECOND << clock->bits) / ticks_per_second;
    while (factor > UINT64_MAX) {
        clock->bits--;
        factor = ((wide)NS_PER_SECOND << clock->bits) / ticks_per_second;
    }
    clock->factor = (uint64_t)factor;
    // Rounded down, the factor would put whole nanoseconds just below themselves.
    clock->factor += ((wide)NS_PER_SECOND << clock->bits) % ticks_per_second != 0;
}

void pj_otf2_clock_stretch(pj_otf2_clock *clock, double rate)
{
    if (rate > 0 && clock->factor > UINT64_MAX / 2) { // room for more
        clock->factor /= 2;
        clock->bits--;
    }
    clock->factor += (uint64_t)(int64_t)((double)clock->factor * rate);
    clock->rate = rate;
}

void pj_otf2_clock_free(pj_otf2_clock *clock)
{
    free(clock->offsets);
    *clock = (pj_otf2_clock){.offsets = NULL};
}

uint64_t pj_otf2_clock_any_ns(const pj_otf2_clock *clock, uint64_t ticks)
{
    pj_otf2_clock copy = *clock;
    copy.current = 0;
    return pj_otf2_clock_ns(&copy, ticks);
}

uint64_t pj_otf2_clock_first(const pj_otf2_clock *clock, uint64_t ns)
{
    const uint64_t most = UINT64_C(1) << 62; // ticks on either side of the base
    uint64_t low = clock->base > most ? clock->base - most : 0;
    uint64_t high = clock->base < UINT64_MAX - most ? clock->base + most : UINT64_MAX;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (pj_otf2_clock_any_ns(clock, middle) >= ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void pj_otf2_clock_take(pj_otf2_clock *clock, const pj_otf2_clock *from)
{
    clock->base = from->base;
    clock->factor = from->factor;
    clock->bits = from->bits;
    clock->rate = from->rate;
    clock->shift = from->shift;
}
