// popinjay iterations TRACE: what a run does again and again, and how evenly.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/parts/iterations_table.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

typedef struct iterations_args {
    pj_load_args load;
    pj_exports exports;
} iterations_args;

static bool run_iterations(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const iterations_args *args = given;
    pj_auto_run run = NULL;
    pj_load_opts opts = {.iterations = true};
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load_one(session, &args->load, opts, &run, err))
        return false;
    pj_table *table = run->ai ? pj_ai_iterations_table(run) : pj_iterations_table(run, err);
    return pj_run_view_take(session, run, table, out, &args->exports, err);
}

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(iterations_args, load),
     .help = "One trace, or in Lua a run."},
    {.rows = pj_reading_rows, .base = offsetof(iterations_args, load)},
    {.rows = pj_export_rows, .base = offsetof(iterations_args, exports)},
    {0},
};

const pj_command pj_command_iterations = {
    .name = "iterations",
    .summary = "Iterations of a run: how many, how long, how even, which are outliers",
    .detail =
        "MPI calls that come again at even distances, or long computation or a function of the "
        "program that does, mark the iterations of a rank. In a run with next to no MPI calls "
        "parallel regions stand for them, and where nothing is called again and again the useful "
        "share along time is looked at. Where two thirds of the ranks agree on their number they "
        "are those of the run. Each lasts as long as the rank that takes longest. What lies before "
        "the first mark and behind the last one is not counted.\n"
        "--roi iterations makes the steady ones the region of interest of any command, --roi "
        "iterations:3..8 these; metrics --by iteration shows them as columns. Those of AI runs "
        "(PyTorch traces) are the steps of its profiler, by their numbers: --roi "
        "steps:3..8.\n"
        "Efficiencies are those of --set bsc.",
    .example = "popinjay iterations epoch_16proc.prv.gz",
    .faces = PJ_IN_BOTH,
    .groups = groups,
    .args_size = sizeof(iterations_args),
    .run = run_iterations,
};
