// popinjay gate BASELINE NEW: a test of one's own code, for continuous integration.
#include "kernel/command/args/compare_args.h"
#include "kernel/command/args/metrics_args.h"
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/comparison.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/pop/repeated_gate.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"

enum { REGRESSED = 3 }; // exit status

static const double usual_drop = 0.05;

typedef struct gate_args {
    pj_load_args load;
    pj_compare_args compare;
    const char *max_drop, *metric;
    uint64_t baseline_runs;
    pj_exports exports;
} gate_args;

static bool take_drop(const char *text, double *out, pj_err *err)
{
    *out = usual_drop;
    return !text || (pj_parse_double(pj_str_of(text), out) && *out >= 0 && *out <= 1) ||
           pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "gate: --max-drop: \"%s\" is no part between 0 and 1 (0.05)", text);
}

/// The first runs that were given are the baseline.
static bool judge_groups(const gate_args *args, const pj_list *list, double max_drop,
                         pj_repeated_verdict *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run **runs = pj_new_n(arena, pj_run *, list->count);
    bool *is_new = pj_new_n(arena, bool, list->count);
    for (size_t i = 0; i < list->count; i++)
        runs[i] = list->items[i].run;
    pj_auto_study study =
        pj_study_new(runs, list->count,
                     (pj_study_opts){.scaling = pj_scaling_choice(args->compare.scaling)}, err);
    if (!study)
        return false;
    for (size_t i = 0; i < study->count; i++) {
        size_t place = 0;
        while (runs[place] != study->cases[i].run)
            place++;
        is_new[i] = place >= args->baseline_runs;
    }
    const pj_metric_set *set = args->compare.set
                                   ? pj_metric_set_by_key(pj_str_of(args->compare.set))
                                   : pj_metric_set_default(study);
    pj_auto_metrics metrics =
        set ? pj_metrics_new(set, study, (pj_metrics_opts){.compared = true}, err) : NULL;
    if (!set)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "gate: repetitions are judged by built-in sets");
    pj_repeated_gate_opts opts = {.is_new = is_new, .max_drop = max_drop, .metric = args->metric};
    return metrics && pj_repeated_gate(metrics, opts, out, err);
}

static bool gate_groups(pj_session *session, const gate_args *args, double max_drop,
                        pj_comparison *out, pj_err *err)
{
    pj_auto_value loaded = {0};
    pj_repeated_verdict made = {.table = NULL};
    if (!pj_inputs_load(session, &args->load,
                        pj_metrics_args_reading(session, args->compare.set, false), &loaded, err) ||
        !judge_groups(args, loaded.list, max_drop, &made, err))
        return false;
    *out = (pj_comparison){.table = made.table, .regressed = made.regressed, .lack = made.lack};
    return true;
}

static bool run_gate(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const gate_args *args = given;
    pj_comparison_opts opts = {.judge = true, .metric = args->metric};
    pj_comparison made = {.table = NULL};
    if (!pj_export_check(&args->exports, err) || !take_drop(args->max_drop, &opts.max_drop, err))
        return false;
    bool judged = args->baseline_runs
                      ? gate_groups(session, args, opts.max_drop, &made, err)
                      : pj_compare_args_run(session, &args->load, &args->compare, opts, &made, err);
    if (!judged || !pj_run_view_take(session, NULL, made.table, out, &args->exports, err))
        return false;
    if (made.regressed)
        session->status = REGRESSED;
    else if (made.lack)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "gate: cannot be judged: %s", made.lack);
    return true;
}

static const pj_param params[] = {
    {.name = "max-drop",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(gate_args, max_drop),
     .shown = "PART",
     .preset = "0.05",
     .help = "How much worse a metric may get: efficiencies and scalings as they are, speedup, "
             "runtime and other plain numbers in parts of the baseline."},
    {.name = "metric",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(gate_args, metric),
     .shown = "K",
     .preset = "every efficiency and scaling",
     .help = "The only metric that counts, by its key: parallel_efficiency, runtime_s."},
    {.name = "baseline-runs",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(gate_args, baseline_runs),
     .shown = "N",
     .preset = "one run against another",
     .help =
         "The first N runs are repetitions of what was, all others of what is: worse counts only "
         "where it is no chance."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_compare_input_rows, .base = offsetof(gate_args, load)},
    {.rows = params},
    {.rows = pj_compare_rows, .base = offsetof(gate_args, compare)},
    {.rows = pj_reading_rows, .base = offsetof(gate_args, load)},
    {.rows = pj_region_rows, .base = offsetof(gate_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(gate_args, load)},
    {.rows = pj_export_rows, .base = offsetof(gate_args, exports)},
    {0},
};

const pj_command pj_command_gate = {
    .name = "gate",
    .summary = "Whether a run is as good as one before; for continuous integration",
    .detail =
        "Prints what changed and ends with status 0 when nothing is worse by more than is "
        "allowed, 3 when something is, 1 when it cannot be said.\n"
        "With repetitions on both sides (--baseline-runs) a metric has regressed when the median "
        "of all differences is worse by more than is allowed and that is less likely by chance "
        "than 0.05.\n"
        "Keep the summary of a good run (popinjay preprocess) as the baseline.",
    .example = "popinjay gate baseline.popinjay.json.gz run.prv.gz --max-drop 0.03",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(gate_args),
    .run = run_gate,
};
