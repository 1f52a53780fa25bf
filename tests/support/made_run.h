// Runs made by hand for tests of everything that works on runs. Ownership: new runs that hold one
// reference.
#ifndef PJ_MADE_RUN_H
#define PJ_MADE_RUN_H

#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"

/// `threads` by rank; totals are 0, counters absent, no ideal runtime.
pj_run *made_run(const char *path, const uint32_t *threads, uint32_t ranks);
/// The same number of threads in every rank.
pj_run *made_run_even(const char *path, uint32_t ranks, uint32_t threads);
/// Every thread: useful time `useful_ns` of `runtime_ns`, all of it serial on first threads and in
/// OpenMP regions on others; outside MPI = useful; counters and ideal runtime present.
pj_run *made_run_simple(const char *path, uint32_t ranks, uint32_t threads, uint64_t useful_ns,
                        uint64_t runtime_ns);
/// From a reference file of statistics (stats_*.csv), or NULL when it cannot be read.
pj_run *made_run_from_stats(const char *path);

/// Sets the counters of a thread and marks them present.
void made_run_count(pj_run *run, uint32_t location, int64_t instructions, int64_t cycles);
/// The runtime becomes the largest of the threads, as the statistics define it.
void made_run_close(pj_run *run);

/// Two devices of uneven work, `more` ns of it.
void made_run_devices(pj_run *run, uint64_t more);
/// Whether a set is about devices or energy, which runs are made without.
bool made_run_lacks(const pj_metric_set *set);

#endif
