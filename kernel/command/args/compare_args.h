// What `compare` and `gate` share: two runs, the first of which is the reference of the second.
#ifndef PJ_COMPARE_ARGS_H
#define PJ_COMPARE_ARGS_H

#include "kernel/command/args/metrics_args.h"
#include "kernel/command/command.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "metrics/base/err.h"
#include "metrics/pop/comparison.h"

typedef struct pj_compare_args {
    const char *set, *scaling;
} pj_compare_args;

/// The two runs, a group over pj_load_args, and the options, one over pj_compare_args.
extern const pj_param pj_compare_input_rows[], pj_compare_rows[];

/// Loads and compares. Errors: those of reading; PJ_E_USAGE when there are not two runs.
PJ_CHECKED bool pj_compare_args_run(pj_session *session, const pj_load_args *load,
                                    const pj_compare_args *args, pj_comparison_opts opts,
                                    pj_comparison *out, pj_err *err);

#endif
