// A part of the time of an AI run that alone is looked at, on the clock of every rank: known once
// the run was read as a whole. Ownership: new/free.
#ifndef PJ_AI_WINDOW_H
#define PJ_AI_WINDOW_H

#include "metrics/ai/ai_rank.h"
#include "metrics/run/run.h"
#include "metrics/trace/roi.h"

typedef struct pj_ai_window {
    int64_t begin, end;     // on the clock of all
    pj_roi_request request; // in ns of the run
    struct pj_arena *arena;
    const char **paths; // of ranks
    int64_t *begins;    // on their own clocks
    int64_t *ends;      // likewise
    size_t count;
} pj_ai_window;

/// From ns `from` to `to` of a run that was read as a whole.
pj_ai_window *pj_ai_window_new(const pj_run *run, uint64_t from, uint64_t to);
/// NULL is allowed.
void pj_ai_window_free(pj_ai_window *window);
/// Tells a rank, whose path is known, what of it is looked at.
void pj_ai_window_tell(const pj_ai_window *window, pj_ai_rank *rank);

#endif
