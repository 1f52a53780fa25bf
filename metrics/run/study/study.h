// Cases of one code ordered by resources, with a reference: runs, the same on other networks, and
// parts of them. Ownership: new/free by counted
// reference; a study holds the runs of its cases.
#ifndef PJ_STUDY_H
#define PJ_STUDY_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"
#include "metrics/trace/layout.h"

typedef enum pj_scaling { PJ_SCALING_AUTO, PJ_SCALING_STRONG, PJ_SCALING_WEAK } pj_scaling;

/// What runs are grouped by and plotted over (`--by`, `-x`).
typedef enum pj_key {
    PJ_BY_NONE,
    PJ_BY_RANKS,
    PJ_BY_THREADS,
    PJ_BY_THREADS_PER_RANK,
    PJ_BY_LAYOUT,
    PJ_BY_TAG,
    PJ_BY_COUNT
} pj_key;

#define PJ_NO_CASE SIZE_MAX

/// What a column of tables is about: a run, or a part of one (pj_run.part).
typedef struct pj_case {
    pj_run *run;      // held
    const char *name; // shown: the run's, or the shortest distinguishing tail of its path
    size_t
        reference; // the case it is compared with: the same part of the reference run; PJ_NO_CASE
    const pj_layout *layout;       // of what takes part
    pj_sums sums;                  // that metrics are made of
    const char *keys[PJ_BY_COUNT]; // see pj_study_key_text
} pj_case;

typedef struct pj_study {
    pj_arena *arena;
    _Atomic uint32_t references;
    pj_case *cases; // study order: threads, threads per rank, tag, name (natural)
    size_t count;
    size_t reference;         // index in study order
    bool chosen;              // the user named it
    pj_scaling scaling;       // STRONG or WEAK, never AUTO
    const char *scaling_note; // "strong scaling (detected: ...)", "(chosen ...)"
    bool one_size;            // all runs have as many threads: nothing is detected
    const char *alone;        // why runs cannot be compared; NULL = they can
} pj_study;

typedef struct pj_study_opts {
    size_t reference; // 1-based in study order; 0 = fewest threads, threads per rank, then tag
    pj_scaling scaling;
    bool beside; // a case (pj_run.other) brings its run on the ideal network along
    bool parts;  // a run brings its parts along (pj_run.parts)
} pj_study_opts;

/// Holds every run. Fails with PJ_E_USAGE when the reference does not exist or there is no run.
PJ_CHECKED pj_study *pj_study_new(pj_run *const *runs, size_t count, pj_study_opts opts,
                                  pj_err *err);
pj_study *pj_study_hold(pj_study *study);
void pj_study_release(pj_study *study);
static inline void pj_study_drop(pj_study **study)
{
    pj_study_release(*study);
}
#define pj_auto_study __attribute__((cleanup(pj_study_drop))) pj_study *

/// "ranks", "threads", ...; NULL past the end.
const char *pj_key_name(pj_key key);
const char *pj_key_title(pj_key key);
bool pj_key_parse(pj_str text, pj_key *out);
/// The run's value of `key` as text ("16", "4x2-8", the tag; "" for PJ_BY_NONE); arena.
const char *pj_study_key_text(const pj_study *study, size_t run, pj_key key);
/// As a number for an axis; layout and tag give the position among their distinct values.
double pj_study_key_number(const pj_study *study, size_t run, pj_key key);

/// Adds a line about the regions of interest that runs are looked at in; none when all are whole.
void pj_study_say_roi(const pj_study *study, pj_buf *out);

#endif
