// The tightest bounds that messages set between the clocks of two ranks.
// Ties come nearly in the order of time: most are added at the end. A line of causes over effects
// is possible when it lies above one hull and below the other one, turned round; the room between
// them is a concave function of its slope.
#include "metrics/read/otf2/otf2_hull.h"

#include "metrics/base/buf.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100 }; // of a search: to the last digit of a rate

__extension__ typedef __int128 wide;

/// How far b lies above the line from a to c: positive = above. In ns, times the length of the
/// line.
static wide bulge(pj_otf2_tie a, pj_otf2_tie b, pj_otf2_tie c)
{
    return (wide)(b.cause - a.cause) * (c.effect - a.effect) -
           (wide)(c.cause - a.cause) * (b.effect - a.effect);
}

static void drop(pj_otf2_hull *hull, size_t at)
{
    pj_otf2_tie *tie = hull->ties + at;
    if (--hull->count > at)
        memmove(tie, tie + 1, (hull->count - at) * sizeof *tie);
}

/// Drops the tie that lies least above its neighbours.
static void thin_out(pj_otf2_hull *hull)
{
    size_t least_at = 1;
    double least = INFINITY;
    for (size_t i = 1; i + 1 < hull->count; i++) {
        const pj_otf2_tie *tie = hull->ties + i;
        double height =
            (double)bulge(tie[-1], tie[0], tie[1]) / (double)(tie[1].effect - tie[-1].effect);
        if (height < least) {
            least = height;
            least_at = i;
        }
    }
    drop(hull, least_at);
}

/// A tie with the latest effect of all.
static void append(pj_otf2_hull *hull, pj_otf2_tie tie)
{
    size_t at = hull->count;
    const pj_otf2_tie *ties = hull->ties;
    while (at >= 2 && bulge(ties[at - 2], ties[at - 1], tie) <= 0)
        at--;
    if (at == hull->cap)
        pj_grow(hull->ties, &hull->cap, at + 1);
    hull->ties[at] = tie;
    hull->count = at + 1;
}

static void insert(pj_otf2_hull *hull, pj_otf2_tie tie)
{
    size_t at = hull->count;
    const pj_otf2_tie *ties = hull->ties;
    while (at && ties[at - 1].effect > tie.effect)
        at--;
    if (at && ties[at - 1].effect == tie.effect) {
        if (ties[at - 1].cause >= tie.cause)
            return;
        drop(hull, --at);
    }
    if (at && at < hull->count && bulge(ties[at - 1], tie, ties[at]) <= 0)
        return;
    while (at >= 2 && bulge(ties[at - 2], ties[at - 1], tie) <= 0)
        drop(hull, --at);
    while (at + 1 < hull->count && bulge(tie, ties[at], ties[at + 1]) <= 0)
        drop(hull, at);
    pj_grow(hull->ties, &hull->cap, hull->count + 1);
    if (hull->count > at)
        memmove(hull->ties + at + 1, hull->ties + at, (hull->count - at) * sizeof tie);
    hull->ties[at] = tie;
    hull->count++;
}

void pj_otf2_hull_add(pj_otf2_hull *hull, pj_otf2_tie tie)
{
    if (hull->count && hull->ties[hull->count - 1].effect >= tie.effect)
        insert(hull, tie);
    else
        append(hull, tie);
    if (hull->count > PJ_OTF2_HULL_MOST)
        thin_out(hull);
}

void pj_otf2_hull_free(pj_otf2_hull *hull)
{
    free(hull->ties);
    *hull = (pj_otf2_hull){.ties = NULL};
}

/// What is left between the hulls for a line of this slope less 1, in ns; negative = they overlap.
static double room(const pj_otf2_hull *there, const pj_otf2_hull *back, double rate)
{
    double low = -INFINITY, high = INFINITY;
    for (size_t i = 0; i < there->count; i++) {
        const pj_otf2_tie *tie = &there->ties[i];
        low = fmax(low, (double)(tie->cause - tie->effect) - rate * (double)tie->effect);
    }
    for (size_t i = 0; i < back->count; i++) {
        const pj_otf2_tie *tie = &back->ties[i];
        high = fmin(high, (double)(tie->effect - tie->cause) - rate * (double)tie->cause);
    }
    return high - low;
}

/// The last rate on the way from `inside`, where there is most room, to `outside` that leaves half
/// of it: rates that leave none fit two ranks, and no third one.
static double last_with_room(const pj_otf2_hull *there, const pj_otf2_hull *back, double inside,
                             double outside)
{
    double half = room(there, back, inside) / 2;
    if (room(there, back, outside) >= half)
        return outside;
    for (int i = 0; i < STEPS; i++) {
        double middle = (inside + outside) / 2;
        if (room(there, back, middle) >= half)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

pj_otf2_rates pj_otf2_hull_rates(const pj_otf2_hull *there, const pj_otf2_hull *back)
{
    double low = -PJ_OTF2_RATE_MOST, high = PJ_OTF2_RATE_MOST;
    for (int i = 0; i < STEPS; i++) {
        double third = (high - low) / 3;
        if (room(there, back, low + third) < room(there, back, high - third))
            low += third;
        else
            high -= third;
    }
    double best = (low + high) / 2;
    if (room(there, back, best) < 0)
        return (pj_otf2_rates){best, best};
    return (pj_otf2_rates){last_with_room(there, back, best, -PJ_OTF2_RATE_MOST),
                           last_with_room(there, back, best, PJ_OTF2_RATE_MOST)};
}

int64_t pj_otf2_hull_need(const pj_otf2_hull *hull, double cause_rate, double effect_rate)
{
    enum { ROUNDED = 2 }; // down by less than 1 ns each, here and there
    int64_t need = INT64_MIN;
    for (size_t i = 0; i < hull->count; i++) {
        const pj_otf2_tie *tie = &hull->ties[i];
        double more = cause_rate * (double)tie->cause - effect_rate * (double)tie->effect;
        int64_t ns = tie->cause - tie->effect + (int64_t)ceil(more) + ROUNDED;
        need = ns > need ? ns : need;
    }
    return need;
}
