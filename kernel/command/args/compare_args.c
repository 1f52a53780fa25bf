// From two inputs to a comparison.
#include "kernel/command/args/compare_args.h"

#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"

const pj_param pj_compare_input_rows[] = {
    {.name = "traces",
     .type = PJ_PARAM_INPUTS,
     .place = PJ_IN_BOTH,
     .required = true,
     .offset = offsetof(pj_load_args, inputs),
     .shown = "BASELINE NEW",
     .help = "Two traces or summaries: what was and what is."},
    {0},
};

const pj_param pj_compare_rows[] = {
    {.name = "set",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_compare_args, set),
     .shown = "SET",
     .choice = pj_session_set_key,
     .preset = "hybrid, openmp or mpi, what fits the runs",
     .help = "The metric set."},
    {.name = "scaling",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(pj_compare_args, scaling),
     .shown = "auto|strong|weak",
     .choices = pj_scalings,
     .preset = "auto",
     .help = "Whether the work stays the same (strong) or grows with the threads (weak)."},
    {0},
};

/// Place of the baseline among two runs in study order.
static size_t place_of(const pj_study *study, const pj_run *baseline)
{
    return study->cases[0].run == baseline ? 0 : 1;
}

/// The two runs with the first as the reference of the second, wherever it stands by size.
static pj_study *pair(pj_run *const *runs, pj_scaling scaling, pj_err *err)
{
    pj_study *first = pj_study_new(runs, 2, (pj_study_opts){.scaling = scaling}, err);
    if (!first)
        return NULL;
    size_t place = place_of(first, runs[0]);
    pj_study_release(first);
    return pj_study_new(runs, 2, (pj_study_opts){.reference = place + 1, .scaling = scaling}, err);
}

static bool two_runs(pj_session *session, const pj_list *list, pj_err *err)
{
    if (list->count == 2)
        return true;
    pj_err_code code = session->complaints ? PJ_E_IO : PJ_E_USAGE;
    return pj_fail(err, code, NULL, 0, "two runs are wanted, what was and what is; there %s %zu",
                   list->count == 1 ? "is" : "are", list->count);
}

bool pj_compare_args_run(pj_session *session, const pj_load_args *load, const pj_compare_args *args,
                         pj_comparison_opts opts, pj_comparison *out, pj_err *err)
{
    pj_auto_value loaded = {0};
    if (!pj_inputs_load(session, load, pj_metrics_args_reading(session, args->set, false), &loaded,
                        err) ||
        !two_runs(session, loaded.list, err))
        return false;
    pj_run *const runs[] = {loaded.list->items[0].run, loaded.list->items[1].run};
    pj_auto_study study = pair(runs, pj_scaling_choice(args->scaling), err);
    if (!study)
        return false;
    const pj_metric_set *set =
        args->set ? pj_session_set(session, pj_str_of(args->set)) : pj_metric_set_default(study);
    pj_auto_metrics metrics = pj_metrics_new(set, study, (pj_metrics_opts){.compared = true}, err);
    size_t baseline = place_of(study, runs[0]);
    return metrics && pj_comparison_make(metrics, baseline, 1 - baseline, opts, out, err);
}
