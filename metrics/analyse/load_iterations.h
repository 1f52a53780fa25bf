// Iterations of a trace: found in a pass of their own, before what is read of them. Ownership: what
// is found is arena.
#ifndef PJ_LOAD_ITERATIONS_H
#define PJ_LOAD_ITERATIONS_H

#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/parts/iterations.h"
#include "metrics/run/run.h"
#include "metrics/trace/roi.h"

/// Whether loading with these options asks for them.
bool pj_load_wants_iterations(const pj_load_opts *opts, const char *path);
/// Reads the trace for its MPI calls, twice when it has many ranks. Where ranks repeat nothing, or
/// do not agree, `out` says so.
PJ_CHECKED bool pj_load_find_iterations(const char *path, const pj_load_opts *opts, pj_job *job,
                                        pj_arena *arena, pj_iterations *out, pj_err *err);
/// Which of them a region of interest names: the steady ones, or those of a range. Errors:
/// PJ_E_MISSING where there are none.
PJ_CHECKED bool pj_load_choose_iterations(const char *path, const pj_roi_request *roi,
                                          const pj_iterations *found, uint32_t *first,
                                          uint32_t *last, pj_err *err);
/// Those that have a part in a range of time. PJ_E_MISSING: none has.
PJ_CHECKED bool pj_load_iterations_within(const char *path, const pj_roi_request *range,
                                          const pj_iterations *found, uint32_t *first,
                                          uint32_t *last, pj_err *err);
/// From the begin of the first one to the end of the last one in any rank.
pj_roi_request pj_load_iterations_range(const pj_iterations *found, uint32_t first, uint32_t last);

#endif
