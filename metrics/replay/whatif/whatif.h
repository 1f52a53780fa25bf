// What would it bring: changes of a run in words, and what a replay says of them. Ownership: arena.
#ifndef PJ_WHATIF_H
#define PJ_WHATIF_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/replay/network.h"
#include "metrics/replay/whatif/play.h"
#include "metrics/run/run.h"

/// A run that has a tape (PJ_WANT(tape)), ready for changes.
typedef struct pj_whatif {
    const pj_run *run;
    pj_job *job;
    pj_arena *arena;
    pj_network network; // that changes are made on
    pj_played ideal;    // the run on the ideal network
    pj_played base;     // and on that of the changes
    pj_bursts bursts;
    uint32_t slowest; // the rank that computes longest
} pj_whatif;

PJ_CHECKED bool pj_whatif_begin(const pj_run *run, pj_network network, pj_job *job, pj_arena *arena,
                                pj_whatif *out, pj_err *err);

/// A change in words, several joined by '+': "balance:steps", "rank:3:1.1+latency:2us". False with
/// PJ_E_USAGE for what is none, or what no replay can honestly tell.
PJ_CHECKED bool pj_whatif_change(const pj_whatif *whatif, pj_str text, pj_change *out, pj_err *err);
/// What it is to people; arena.
const char *pj_whatif_title(pj_str text, pj_arena *arena);
/// The words that changes begin with, and what stands behind them; NULL past the end.
const char *pj_whatif_usage(size_t index);

/// What the efficiencies come to; a part that is not to be had is NAN.
typedef struct pj_whatif_result {
    pj_played played;
    double gain_ns; // against the run before the change, on the same network
    double parallel, load_balance, serialisation, transfer;
} pj_whatif_result;
PJ_CHECKED bool pj_whatif_play(const pj_whatif *whatif, const pj_change *change,
                               pj_whatif_result *out, pj_err *err);
/// The same of a replay that is known, and its ideal runtime.
pj_whatif_result pj_whatif_result_of(const pj_played *played, double ideal_ns);

#endif
