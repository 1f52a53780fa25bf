// Runs that repeat each other: which one stands for all, and what is said of them. Ownership:
// arena; runs are borrowed.
#ifndef PJ_REPEATED_RUNS_H
#define PJ_REPEATED_RUNS_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/trace/import_stats.h"

#include <stddef.h>

typedef enum pj_repeat { PJ_REPEAT_ALL, PJ_REPEAT_MEDIAN, PJ_REPEAT_BEST } pj_repeat;

/// What is said of a run that stands for others.
typedef struct pj_repeated_note {
    const pj_run *run;
    pj_severity severity;
    const char *text;
} pj_repeated_note;

typedef struct pj_repeated_runs {
    pj_run **items; // those that stand for others, and those without repetitions, as they came
    size_t count;
    pj_repeated_note *notes;
    size_t note_count;
} pj_repeated_runs;

/// Repetitions have the same ranks, threads, nodes and tag: of each group the run whose runtime is
/// the lower median (BEST: the least), so that products of its metrics hold, with the spread of the
/// others beside it and warnings where it is noise. Parts of a run stay with it. ALL: all of them,
/// and of three or more it is said that they seem to be repetitions.
void pj_repeated_runs_choose(pj_run *const *runs, size_t count, pj_repeat how,
                             pj_repeated_runs *out, pj_arena *arena);

#endif
