// Recursion over several functions: regions of a call graph that reach each other.
// Ownership: arena.
#ifndef PJ_CYCLES_H
#define PJ_CYCLES_H

#include "metrics/base/arena.h"
#include "metrics/profile/profile.h"

/// Number of the cycle of every region, 0 = in none; a region that calls itself is in one. Cycles
/// count from 1 in the order in which Tarjan's algorithm closes them.
uint32_t *pj_profile_cycles(const pj_profile *profile, pj_arena *arena);

#endif
