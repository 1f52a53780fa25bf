// The parts of a summary whose size grows with the run: each is written within a budget and read
// again here. Ownership: what is written is new; what is read is the run's arena.
#ifndef PJ_SUMMARY_PARTS_H
#define PJ_SUMMARY_PARTS_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/trace/layout.h"

#include <jansson.h>

/// As JSON; what is no UTF-8 becomes question marks.
json_t *pj_summary_text(const char *text);

/// Streams of devices, unless they are of too many.
void pj_summary_streams_write(const pj_layout *layout, json_t *into);
/// Of as many ranks as the layout has.
void pj_summary_streams_read(const json_t *from, pj_layout *layout, pj_arena *arena);

/// Totals, counters and ideal times of threads and ranks: the finest form that fits.
json_t *pj_summary_threads_write(const pj_run *run, size_t budget);
/// The layout is known, the totals are allocated here.
PJ_CHECKED bool pj_summary_threads_read(const json_t *from, pj_run *run, pj_err *err);
/// Whether what was written is rounded.
bool pj_summary_threads_rounded(const json_t *from);

/// What the run did in MPI; NULL = it is not known.
json_t *pj_summary_mpi_write(const pj_run *run);
PJ_CHECKED bool pj_summary_mpi_read(const json_t *from, pj_run *run, pj_err *err);

/// OpenMP regions by function and by source line: the costliest that fit and the rest as one.
/// NULL = the run has none.
json_t *pj_summary_regions_write(const pj_run *run, size_t budget);
/// Adds every instance, when all of them fit.
void pj_summary_regions_write_each(const pj_run *run, size_t budget, json_t *into);
PJ_CHECKED bool pj_summary_regions_read(const json_t *from, pj_run *run, pj_err *err);

/// What ranks and threads do over time, in parts of a thousand of each pixel, or as fine as fits.
/// NULL = the run has no timeline.
json_t *pj_summary_timeline_write(const pj_run *run, size_t budget);
/// Adds the sums of every thread.
void pj_summary_timeline_write_sums(const pj_run *run, size_t budget, json_t *into);
PJ_CHECKED bool pj_summary_timeline_read(json_t *from, pj_run *run, pj_err *err);

#endif
