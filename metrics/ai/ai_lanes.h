// The timeline of an AI run: what hosts and devices do over time. Ownership: the run's arena.
#ifndef PJ_AI_LANES_H
#define PJ_AI_LANES_H

#include "metrics/ai/ai_split.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"

/// Fills run->timeline from ranks that are split and have kept what is drawn (pj_ai_rank.draws);
/// the run has its layout and its length. Errors: PJ_E_USAGE (a range or ranks that it has not).
PJ_CHECKED bool pj_ai_lanes_draw(pj_run *run, const pj_ai_ranks *ranks,
                                 const pj_timeline_opts *opts, pj_err *err);

#endif
