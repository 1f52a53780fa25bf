// The ideal-network replay: what the run would take if messages cost nothing, from one pass over
// its events. Rules: DEFINITIONS 6, after Dimemas and prv2dim.
#ifndef PJ_REPLAY_H
#define PJ_REPLAY_H

#include "metrics/base/job.h"
#include "metrics/replay/network.h"
#include "metrics/run/run.h"
#include "metrics/trace/replay_watch.h"
#include "metrics/trace/sink.h"

typedef struct pj_replay_opts {
    pj_network network;
    pj_job *job;     // its memory budget limits what may wait; NULL = 256 MB may; borrow
    pj_ideal *aside; // where its times go in place of pj_run.ideal; it counts and says nothing
                     // then, and no process group shares it; NULL; borrow
    bool alone;      // no process group shares it
    bool waits;      // writes pj_run.waits, too; no process group shares what does
    bool few_waits;  // the same below PJ_FEW_WAITS threads; more are shared, and have none
    bool tape;       // keeps what is done as pj_run.tape; no process group shares it
    const struct pj_borders *iterations; // with `tape`: where they begin, if known; borrow
    unsigned history;                    // with `waits`: what else is asked for, of PJ_HISTORY
    pj_replay_watch watch;  // with `waits` of calls and waits, too; not beside `ideal_path`
    const char *ideal_path; // where to write the idealised trace (.prv); NULL = nowhere; borrow
} pj_replay_opts;

/// Writes pj_run.ideal, and counts and remarks for what could not be replayed as it was; a run
/// whose replay ends in a deadlock has no ideal times, with a reason. Reads totals[].last_event_ns
/// at its finish, which therefore comes after that of the sinks that write the totals.
/// Fails only when the idealised trace cannot be written.
pj_sink pj_replay_sink(pj_replay_opts opts);

#endif
