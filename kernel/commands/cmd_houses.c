// popinjay houses TRACE...: the same runs as POP, BSC, JSC and TALP see them.
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
#include "metrics/pop/conventions.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

typedef struct houses_args {
    pj_load_args load;
    pj_metrics_args metrics;
    pj_exports exports;
} houses_args;

static pj_study *study_of(const pj_list *list, const pj_metrics_args *args, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run **runs = pj_new_n(arena, pj_run *, list->count);
    for (size_t i = 0; i < list->count; i++)
        runs[i] = list->items[i].run;
    pj_study_opts how = {.reference = args->ref, .scaling = pj_scaling_choice(args->scaling)};
    return pj_study_new(runs, list->count, how, err);
}

static bool run_houses(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const houses_args *args = given;
    pj_auto_value runs = {0};
    pj_load_opts how = {.for_sums = true, .aspects = pj_conventions_aspects()};
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load(session, &args->load, how, &runs, err))
        return false;
    pj_auto_study study = study_of(runs.list, &args->metrics, err);
    pj_table *table = study ? pj_conventions_table(study, err) : NULL;
    return pj_run_view_take(session, NULL, table, out, &args->exports, err);
}

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(houses_args, load),
     .help = "Traces of the runs: files, globs or folders."},
    {.rows = pj_scaling_rows, .base = offsetof(houses_args, metrics)},
    {.rows = pj_reading_rows, .base = offsetof(houses_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(houses_args, load)},
    {.rows = pj_export_rows, .base = offsetof(houses_args, exports)},
    {0},
};

const pj_command pj_command_houses = {
    .name = "houses",
    .summary = "The same runs by the conventions of POP, BSC, JSC and TALP, and why they differ",
    .detail =
        "What four houses call alike, side by side: a value of one tool may be right and still "
        "not be that of another. The last column says how far they lie apart, the lines "
        "under the table why. Each column is a metric set of its own (--set mpi-mult, "
        "bsc-2026, jsc, talp).",
    .example = "popinjay houses epoch_16proc.prv.gz",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(houses_args),
    .run = run_houses,
};
