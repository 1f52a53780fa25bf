// The cases of a scaling study: every number of ranks with every number of threads, all sizes once,
// then all again, so that what drifts on a machine spreads over them. Ownership: arena.
#ifndef PJ_RECORD_CASES_H
#define PJ_RECORD_CASES_H

#include "kernel/command/command.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/record/merge/merge_parts.h"

/// What the user asks for.
typedef struct pj_record_plan {
    pj_texts ranks, threads; // lists of numbers: "1,2,4"
    uint64_t repeat;         // 0 = once
    const char *launcher;    // words before the command; NULL = the usual one
    double patience_ns;      // for a case; 0 = for ever
    bool oversubscribe, resume;
} pj_record_plan;

extern const pj_param pj_record_plan_rows[];

typedef enum pj_record_state {
    PJ_RECORD_WAITS,
    PJ_RECORD_KEPT, // it was there already
    PJ_RECORD_DONE,
    PJ_RECORD_FAILED,
} pj_record_state;

typedef struct pj_record_case {
    uint64_t ranks, threads, number; // 0 ranks or threads = what the command itself says
    const char *name, *folder;
    pj_texts words;
    const char *const *settings; // of its environment
    pj_record_state state;
    pj_merged_parts merged;
    uint64_t ns;
} pj_record_case;

typedef struct pj_record_cases {
    pj_record_case *items;
    size_t count;
} pj_record_cases;

/// What every case records, what it is called, and the folder of all.
typedef struct pj_record_work {
    const pj_texts *words;
    const char *name, *folder;
} pj_record_work;

/// Whether a study is asked for, not a single recording.
bool pj_record_plan_is_study(const pj_record_plan *plan);
/// Cases of the work, called after it and their size. Errors: PJ_E_USAGE.
PJ_CHECKED bool pj_record_plan_cases(const pj_record_plan *plan, pj_record_work work,
                                     pj_arena *arena, pj_record_cases *out, pj_err *err);

#endif
