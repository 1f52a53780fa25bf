// popinjay metrics TRACE...: the efficiency table.
#include "kernel/command/args/metrics_args.h"
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"

typedef struct metrics_args {
    pj_load_args load;
    pj_metrics_args metrics;
    pj_exports exports;
} metrics_args;

static bool run_metrics(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const metrics_args *args = given;
    return pj_export_check(&args->exports, err) &&
           pj_metrics_args_run(session, &args->load, &args->metrics, out, err) &&
           pj_export_all(session, out, &args->exports, err);
}

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(metrics_args, load),
     .help = "Traces of the runs to compare: files, globs or folders."},
    {.rows = pj_set_rows, .base = offsetof(metrics_args, metrics), .place = PJ_IN_LUA},
    {.rows = pj_scaling_rows, .base = offsetof(metrics_args, metrics)},
    {.rows = pj_causes_rows, .base = offsetof(metrics_args, metrics)},
    {.rows = pj_repeat_rows, .base = offsetof(metrics_args, metrics)},
    {.rows = pj_palette_rows, .base = offsetof(metrics_args, metrics)},
    {.rows = pj_reading_rows, .base = offsetof(metrics_args, load)},
    {.rows = pj_region_rows, .base = offsetof(metrics_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(metrics_args, load)},
    {.rows = pj_title_rows, .base = offsetof(metrics_args, metrics)},
    {.rows = pj_export_rows, .base = offsetof(metrics_args, exports)},
    {0},
};

const pj_command pj_command_metrics = {
    .name = "metrics",
    .summary = "The POP efficiency table of one or more runs",
    .detail = "Each column is a run, each row an efficiency: 1 is perfect, below 0.8 is worth a "
              "look. Children of a row explain where it loses; the residual is what they leave "
              "unexplained.\n"
              "Runs are put in order by threads, threads per rank, tag and name; scalings compare "
              "with the reference run.",
    .example = "popinjay metrics epoch_*.prv.gz --set mpi-mult --export table.pdf",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(metrics_args),
    .run = run_metrics,
};
