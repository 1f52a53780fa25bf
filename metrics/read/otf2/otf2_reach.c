// How far messages reach in time, in bins.
// When time goes on beyond the bins, two of them become one.
#include "metrics/read/otf2/otf2_reach.h"

#include <stdbool.h>

enum { BINS = PJ_OTF2_REACH_BINS, WIDTH_FIRST = 1 << 10 };

void pj_otf2_reach_begin(pj_otf2_reach *reach)
{
    reach->width = WIDTH_FIRST;
    for (size_t i = 0; i < BINS; i++) {
        reach->far[i] = 0;
        reach->near[i] = UINT64_MAX;
    }
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void widen(pj_otf2_reach *reach)
{
    reach->width *= 2;
    for (size_t i = 0; i < BINS; i++) {
        bool both = i < BINS / 2;
        reach->far[i] = both ? later(reach->far[2 * i], reach->far[2 * i + 1]) : 0;
        reach->near[i] = both ? earlier(reach->near[2 * i], reach->near[2 * i + 1]) : UINT64_MAX;
    }
}

void pj_otf2_reach_add(pj_otf2_reach *reach, uint64_t sent, uint64_t received)
{
    uint64_t first = earlier(sent, received), last = later(sent, received);
    while (last / reach->width >= BINS)
        widen(reach);
    uint64_t *far = &reach->far[first / reach->width], *near = &reach->near[last / reach->width];
    *far = later(*far, last);
    *near = earlier(*near, first);
}

size_t pj_otf2_reach_ranges(const pj_otf2_reach *reach, pj_otf2_range window, pj_otf2_range *out)
{
    size_t n = 0;
    out[n++] = window;
    for (size_t i = 0; i < BINS; i++) {
        pj_otf2_range bin = {i * reach->width, (i + 1) * reach->width - 1};
        bool begins = bin.from < window.from && reach->far[i] >= window.from;
        bool ends = bin.to > window.to && reach->near[i] <= window.to;
        if (!begins && !ends)
            continue;
        if (n > 1 && out[n - 1].to + 1 == bin.from)
            out[n - 1].to = bin.to;
        else
            out[n++] = bin;
    }
    return n;
}
