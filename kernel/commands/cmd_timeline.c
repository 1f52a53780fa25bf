// popinjay timeline TRACE: what ranks, threads and devices do over time.
#include "kernel/command/args/timeline_args.h"
#include "kernel/command/command.h"
#include "kernel/command/display.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_texts.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/run/timeline_table.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

typedef struct timeline_args {
    pj_load_args load;
    pj_timeline_args timeline;
    const char *title;
    pj_exports exports;
} timeline_args;

static bool run_timeline(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const timeline_args *args = given;
    pj_auto_run run = NULL;
    pj_timeline_opts timeline;
    if (!pj_export_check(&args->exports, err) ||
        !pj_timeline_args_take(&args->timeline, args->exports.size, &timeline, err))
        return false;
    pj_load_opts how = {.no_replay = true, .timeline = &timeline};
    pj_load_ask_timeline(&how);
    if (!pj_inputs_load_one(session, &args->load, how, &run, err))
        return false;
    double zoom = pj_picture_zoom(args->exports.size);
    pj_plot_opts opts = {.title = args->title,
                         .width = args->exports.size.width / zoom,
                         .height = args->exports.size.height / zoom};
    *out = pj_display_plot(session, &pj_plot_timeline, (pj_plot_data){.run = run}, opts,
                           &args->exports, err);
    if (out->kind != PJ_VALUE_DRAWING)
        return false;
    out->drawing->data = pj_timeline_table(run);
    return pj_export_all(session, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "title",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(timeline_args, title),
     .shown = "TITLE",
     .help = "The heading of the picture."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(timeline_args, load),
     .help = "One trace, or in Lua a run."},
    {.rows = pj_timeline_rows, .base = offsetof(timeline_args, timeline)},
    {.rows = pj_reading_rows, .base = offsetof(timeline_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(timeline_args, load)},
    {.rows = params},
    {.rows = pj_export_rows, .base = offsetof(timeline_args, exports)},
    {0},
};

const pj_command pj_command_timeline = {
    .name = "timeline",
    .summary =
        "States of ranks, threads and devices (GPUs) over time, and the messages between them",
    .detail =
        "Where several states share a pixel, they share the height of their lane in it. Many "
        "messages are drawn as bundles, thicker ones for more.\n"
        "In the notebook a timeline of a loaded run (runs[1]) reads no more of a plain trace or "
        "an archive than it shows; compressed traces, those with devices, and archives without the "
        "ends "
        "of receives (eztrace), are read whole.\n"
        "Devices come below all ranks, each with all of its streams: kernels are running, and go "
        "before what is moved meanwhile. --streams shows every stream below its device. "
        "Of AI runs (PyTorch traces) the waits of devices for "
        "other ranks are hatched; what hosts do outside the device's runtime counts as running.\n"
        "Without --export the time in each kind of state is printed, per rank, thread and device.",
    .example = "popinjay timeline run.prv.gz --range 1.5s..1.6s --ranks 0-15 --export run.svg",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(timeline_args),
    .run = run_timeline,
};
