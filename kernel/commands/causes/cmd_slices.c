// popinjay slices TRACE: the efficiencies of a run over time.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/parts/slices_table.h"
#include "metrics/run/run.h"
#include "metrics/stat/parts/slice_sink.h"
#include "metrics/table/table.h"

typedef struct slices_args {
    pj_load_args load;
    uint64_t bins;
    pj_exports exports;
} slices_args;

static bool run_slices(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const slices_args *args = given;
    pj_auto_run run = NULL;
    if (args->bins > PJ_SLICES_MOST)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "bins: a run is cut into %d slices at most",
                       PJ_SLICES_MOST);
    pj_slicing_opts slices = pj_slicing_equal(args->bins ? (uint32_t)args->bins : PJ_SLICES_USUAL);
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load_one(session, &args->load, (pj_load_opts){.slices = &slices}, &run, err))
        return false;
    pj_table *table = pj_slices_table(run, err);
    return pj_run_view_take(session, run, table, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "bins",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(slices_args, bins),
     .shown = "N",
     .preset = "32",
     .help = "Slices of equal length that the run is cut into."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(slices_args, load),
     .help = "One trace, or in Lua a run."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(slices_args, load)},
    {.rows = pj_export_rows, .base = offsetof(slices_args, exports)},
    {0},
};

const pj_command pj_command_slices = {
    .name = "slices",
    .summary = "The efficiencies of a run over time",
    .detail = "The run, or its region of interest, is cut into slices of equal length. Useful "
              "time, time outside MPI and waits count with what lies in a slice, so that all "
              "slices give the run; the ideal network takes of each slice what the rank that is "
              "behind there needs.\n"
              "`popinjay metrics --by time:N` shows slices as columns of the table of "
              "efficiencies.",
    .example = "popinjay slices epoch_16proc.prv.gz --bins 16",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(slices_args),
    .run = run_slices,
};
