// A run as a file of less than 100 kB, whatever the number of threads: gzip around JSON, version 1.
// Sums, means and maxima are exact, so that every metric has the digits that the trace gives;
// values of single threads are rounded where they do not fit, which the run then says. The same run
// gives the same bytes. Reading one is a row of readers.def like any trace. Ownership: borrow.
#ifndef PJ_SUMMARY_H
#define PJ_SUMMARY_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"

/// What the numbers mean has a version too: summaries of an older one are read, with a warning, but
/// never taken in place of their trace. 2: streams of devices are no threads, counters of archives
/// in a region of interest are those of its readings. 3: sums of every convention.
enum { PJ_SUMMARY_VERSION = 3, PJ_SUMMARY_BYTES = 96000 }; // as compressed; more than that is rare

#define PJ_SUMMARY_SUFFIX ".popinjay.json.gz"

/// The same file for the same run and origin. run->openmp_regions and run->timeline are kept as far
/// as there are any. Errors: PJ_E_IO; nothing half-written remains. `bytes` (may be NULL): of the
/// file.
PJ_CHECKED bool pj_summary_write(const pj_run *run, const pj_provenance *from, const char *path,
                                 uint64_t *bytes, pj_err *err);

#endif
