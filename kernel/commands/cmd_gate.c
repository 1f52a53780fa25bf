// popinjay gate BASELINE NEW: a test of one's own code, for continuous integration.
#include "kernel/command/command.h"
#include "kernel/command/compare_args.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/comparison.h"

enum { REGRESSED = 3 }; // exit status

static const double usual_drop = 0.05;

typedef struct gate_args {
    pj_load_args load;
    pj_compare_args compare;
    const char *max_drop, *metric;
    pj_exports exports;
} gate_args;

static bool take_drop(const char *text, double *out, pj_err *err)
{
    *out = usual_drop;
    return !text || (pj_parse_double(pj_str_of(text), out) && *out >= 0 && *out <= 1) ||
           pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "gate: --max-drop: \"%s\" is no part between 0 and 1 (0.05)", text);
}

static bool run_gate(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const gate_args *args = given;
    pj_comparison_opts opts = {.judge = true, .metric = args->metric};
    pj_comparison made;
    if (!pj_export_check(&args->exports, err) || !take_drop(args->max_drop, &opts.max_drop, err) ||
        !pj_compare_args_run(session, &args->load, &args->compare, opts, &made, err))
        return false;
    *out = pj_value_table_take(made.table);
    if (!pj_export_all(session, out, &args->exports, err))
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
    .detail = "Prints what changed and ends with status 0 when nothing is worse by more than is "
              "allowed, 3 when something is, 1 when it cannot be said.\n"
              "Keep the summary of a good run (popinjay preprocess) as the baseline.",
    .example = "popinjay gate baseline.popinjay.json.gz run.prv.gz --max-drop 0.03",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(gate_args),
    .run = run_gate,
};
