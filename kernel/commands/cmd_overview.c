// popinjay overview TRACE...: the absolute figures of a run.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"

typedef struct overview_args {
    pj_load_args load;
    pj_exports exports;
} overview_args;

static bool run_overview(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const overview_args *args = given;
    pj_auto_run run = NULL;
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load_one(session, &args->load, (pj_load_opts){0}, &run, err))
        return false;
    *out = pj_value_table_take(pj_run_view_overview(run));
    return pj_export_all(session, out, &args->exports, err);
}

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(overview_args, load),
     .help = "One trace, or in Lua a run."},
    {.rows = pj_reading_rows, .base = offsetof(overview_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(overview_args, load)},
    {.rows = pj_export_rows, .base = offsetof(overview_args, exports)},
    {0},
};

const pj_command pj_command_overview = {
    .name = "overview",
    .summary = "The absolute figures of one run: time, instructions, IPC, clock, MPI, messages",
    .detail = "What can be said of a run without another one to compare it with: where its core "
              "time goes, how fast it computes, which MPI functions take how much and how many "
              "messages and bytes are sent in a second. Shares are of the core time, which is "
              "runtime x threads. `popinjay metrics` of one run shows it under the efficiencies.",
    .example = "popinjay overview epoch_16proc.prv.gz",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(overview_args),
    .run = run_overview,
};
