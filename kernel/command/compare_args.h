// What `compare` and `gate` share: two runs, the first of which is the reference of the second.
#ifndef PJ_COMPARE_ARGS_H
#define PJ_COMPARE_ARGS_H

#include "kernel/command/inputs.h"
#include "kernel/command/metrics_args.h"
#include "kernel/command/session.h"
#include "metrics/base/err.h"
#include "metrics/pop/comparison.h"

typedef struct pj_compare_args {
    const char *set, *scaling;
} pj_compare_args;

/// Rows for a struct with fields `load` (inputs.h) and `compare` of this type.
#define PJ_COMPARE_PARAMS(args_type)                                                               \
    {                                                                                              \
        .name = "traces", .type = PJ_PARAM_INPUTS, .place = PJ_IN_BOTH, .required = true,          \
        .offset = offsetof(args_type, load.inputs), .shown = "BASELINE NEW",                       \
        .help = "Two traces or summaries: what was and what is."                                   \
    }
#define PJ_COMPARE_OPTIONS(args_type)                                                              \
    {.name = "set",                                                                                \
     .type = PJ_PARAM_CHOICE,                                                                      \
     .offset = offsetof(args_type, compare.set),                                                   \
     .shown = "SET",                                                                               \
     .choice = pj_session_set_key,                                                                 \
     .preset = "hybrid, openmp or mpi, what fits the runs",                                        \
     .help = "The metric set."},                                                                   \
    {                                                                                              \
        .name = "scaling", .type = PJ_PARAM_CHOICE,                                                \
        .offset = offsetof(args_type, compare.scaling), .shown = "auto|strong|weak",               \
        .choices = pj_scalings, .preset = "auto",                                                  \
        .help = "Whether the work stays the same (strong) or grows with the threads (weak)."       \
    }

/// Loads and compares. Errors: those of reading; PJ_E_USAGE when there are not two runs.
PJ_CHECKED bool pj_compare_args_run(pj_session *session, const pj_load_args *load,
                                    const pj_compare_args *args, pj_comparison_opts opts,
                                    pj_comparison *out, pj_err *err);

#endif
