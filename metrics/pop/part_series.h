// Times of the parts of a program in several runs. Ownership: arena.
#ifndef PJ_PART_SERIES_H
#define PJ_PART_SERIES_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/study/study.h"

#include <stdbool.h>
#include <stddef.h>

/// Seconds that a thread is in a part on average.
typedef struct pj_part_series {
    const char *name;
    double *value; // by run; NaN = the run does not have the part
} pj_part_series;

typedef struct pj_part_study {
    const char *title; // "Functions"
    const double *p;   // threads by run, ascending
    size_t runs;
    const pj_part_series *items; // by name; together they are the runtime
    size_t count;
    bool strong; // the work of the runs is the same
} pj_part_study;

/// Parts of the program that all cases were read with (pj_run.functions), by their own times.
/// Names live as long as the study. PJ_E_MISSING: a run lacks them.
PJ_CHECKED bool pj_part_study_functions(const pj_study *study, pj_part_study *out, pj_arena *arena,
                                        pj_err *err);

/// Clusters of bursts that are the same computation (burst_tracks.h), named by their number in the
/// run with the fewest threads; what is in none of them is one part more.
PJ_CHECKED bool pj_part_study_clusters(const pj_study *study, pj_part_study *out, pj_arena *arena,
                                       pj_err *err);

#endif
