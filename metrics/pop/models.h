// Scaling models of the metrics of a study: curves over threads, and what they foretell with which
// uncertainty. Sources: DEFINITIONS.md, "Scaling models". Ownership: a new table.
#ifndef PJ_MODELS_H
#define PJ_MODELS_H

#include "metrics/base/err.h"
#include "metrics/pop/metrics.h"
#include "metrics/table/table.h"

#include <stddef.h>

typedef enum pj_models_form {
    PJ_MODELS_AUTO, // of efficiencies amdahl or pipe, of everything else the normal form
    PJ_MODELS_AMDAHL,
    PJ_MODELS_PIPE,
    PJ_MODELS_PMNF,
} pj_models_form;

typedef struct pj_models_opts {
    const char *metric; // the only one; NULL = all of the set
    pj_models_form form;
    const double *at; // threads that values are foretold for; NULL = the models themselves
    size_t at_count;
} pj_models_opts;

/// metric, form, c0, c1, a, b, smape, adjusted_r2, points; with `at` metric, p, predicted, low,
/// high. With the form AUTO, parents of parents are made of their children's models where these
/// leave nothing. PJ_E_USAGE: no such metric, or fewer than 3 sizes.
PJ_CHECKED pj_table *pj_models_table(const pj_metrics *metrics, pj_models_opts opts, pj_err *err);

#endif
