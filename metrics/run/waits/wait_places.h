// Where in a trace its waits are seen, as ranges that timelines show. Ownership: plain data; texts
// arena.
#ifndef PJ_WAIT_PLACES_H
#define PJ_WAIT_PLACES_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pj_wait_place {
    uint64_t from_ns, to_ns; // in the trace; to_ns 0 = nowhere
} pj_wait_place;

/// A wait of `ns` from `begin` on, with half as much on either side.
pj_wait_place pj_wait_place_around(const pj_run *run, uint64_t begin, uint64_t ns);
/// Around the longest wait of these patterns (bits of pj_wait_pattern) for one of these ranks, by
/// rank; NULL = for anybody. The earliest of equal ones; nowhere when there is none.
pj_wait_place pj_wait_place_longest(const pj_run *run, unsigned patterns, const bool *culprits);
/// "1.250000ms..2.000000ms", as --range takes it; "" = nowhere.
const char *pj_wait_place_text(pj_wait_place place, pj_arena *arena);

#endif
