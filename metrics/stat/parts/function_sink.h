// What ranks do in functions of the program, its phases, or under values of parameters, by path: on
// the clocks of the trace, with the waits that the replay tells. Ownership: new/free; made for one
// pass after another.
#ifndef PJ_FUNCTION_SINK_H
#define PJ_FUNCTION_SINK_H

#include "metrics/run/parts/functions.h"
#include "metrics/trace/replay_watch.h"
#include "metrics/trace/sink.h"

typedef struct pj_function_parts pj_function_parts;

/// `few`: for summaries, below PJ_FEW_WAITS threads and where the trace names functions.
pj_function_parts *pj_function_parts_new(pj_function_cut cut, bool few);
void pj_function_parts_free(pj_function_parts *parts);

/// Its events come merged over threads, with those that enter and leave regions; it comes before
/// the replay, which tells the watch what is done where.
pj_sink pj_function_sink(pj_function_parts *parts);
/// Writes pj_run.functions and parts of the run; comes after the replay.
pj_sink pj_function_finish_sink(pj_function_parts *parts);
pj_replay_watch pj_function_parts_watch(pj_function_parts *parts);

#endif
