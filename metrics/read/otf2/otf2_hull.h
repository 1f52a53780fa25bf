// The tightest of what one rank did for another: of all causes (time of the one) and effects (time
// of the other) the upper hull, which decides whatever offset and rate the two clocks have.
// Bounded: at most PJ_OTF2_HULL_MOST points. Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_OTF2_HULL_H
#define PJ_OTF2_HULL_H

#include <stddef.h>
#include <stdint.h>

enum { PJ_OTF2_HULL_MOST = 32 };

/// Largest part by which a clock may run fast or slow; what differs more is no clock.
#define PJ_OTF2_RATE_MOST 0.01

typedef struct pj_otf2_tie { // ns, each in the time of its rank
    int64_t cause, effect;
} pj_otf2_tie;

typedef struct pj_otf2_hull {
    pj_otf2_tie *ties; // in the order of effects
    size_t count, cap;
} pj_otf2_hull;

typedef struct pj_otf2_rates {
    double least, most;
} pj_otf2_rates;

void pj_otf2_hull_add(pj_otf2_hull *hull, pj_otf2_tie tie);
void pj_otf2_hull_free(pj_otf2_hull *hull);

/// How much faster the clock of the causes in `there` may run than that of its effects, given also
/// what went the other way, with half of the room between the two left over; where nothing fits,
/// what comes closest.
pj_otf2_rates pj_otf2_hull_rates(const pj_otf2_hull *there, const pj_otf2_hull *back);
/// Least difference of the offsets (effect less cause, ns) when time t of the two becomes
/// t + rate * t, both rounded down.
int64_t pj_otf2_hull_need(const pj_otf2_hull *hull, double cause_rate, double effect_rate);

#endif
