// The waits of a run on the ideal network as an account of its own, as if it had been measured
// there. Ownership: arena.
#ifndef PJ_IDEAL_WAITS_H
#define PJ_IDEAL_WAITS_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"

/// The run has ideal waits (pj_waits.has_ideal). Times of sums and ranks are whole; what is known
/// of single waits, calls and delays is left out.
pj_waits *pj_ideal_waits(const pj_run *run, pj_arena *arena);

#endif
