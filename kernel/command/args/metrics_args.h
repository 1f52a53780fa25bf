// What commands share that evaluate a metric set over runs. Ownership: new references.
#ifndef PJ_METRICS_ARGS_H
#define PJ_METRICS_ARGS_H

#include "kernel/command/command.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"

typedef struct pj_metrics_args {
    const char *set;
    uint64_t ref;
    const char *scaling, *by, *title;
    double good, bad;
    const char *colours;
    const char *repeat;
    bool causes;
} pj_metrics_args;

/// Groups over pj_metrics_args.
extern const pj_param pj_set_rows[], pj_scaling_rows[], pj_causes_rows[], pj_repeat_rows[],
    pj_title_rows[], pj_palette_rows[];

extern const char *const pj_scalings[];
extern const char *const pj_colour_schemes[];
/// What `--scaling` says; NULL = auto.
pj_scaling pj_scaling_choice(const char *name);
/// The names of pj_key; NULL past the end.
const char *pj_key_choice(const pj_session *session, size_t index);

/// How runs are to be read for a set; NULL = the one that fits. `causes`: with their waits.
pj_load_opts pj_metrics_args_reading(const pj_session *session, const char *set, bool causes);

/// Loads the inputs and evaluates the set. Metrics given alone and without options are returned
/// as they are.
PJ_CHECKED bool pj_metrics_args_run(pj_session *session, const pj_load_args *load,
                                    const pj_metrics_args *args, pj_value *out, pj_err *err);

#endif
