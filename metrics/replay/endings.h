// How the replay of each location ended, and what that says of the run: ideal times, or why there
// are none. Rules: DEFINITIONS 6. Memory: the run's arena.
#ifndef PJ_ENDINGS_H
#define PJ_ENDINGS_H

#include "metrics/replay/engine/engine.h"
#include "metrics/replay/groups.h"
#include "metrics/replay/waits.h"
#include "metrics/run/run.h"

typedef struct pj_ending { // of a location
    bool lives;            // has a timeline: a worker has one when it has worked
    bool in_call;          // at the second border
    pj_clock from, to;     // at the borders of what is analysed
    pj_wait wait;
} pj_ending;

/// When ranks finish, what they compute, how long the run takes; for one ending a location.
void pj_endings_ideal(const pj_ending *endings, pj_run *run, pj_ideal *ideal);

/// A remark, if the replay of a region of interest takes longer than the trace.
void pj_endings_remark(const pj_ending *endings, pj_run *run);

/// Who still waits for whom; NULL when nobody does.
const char *pj_endings_waits(const pj_ending *endings, const pj_groups *groups, pj_run *run);

#endif
