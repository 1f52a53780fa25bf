// popinjay bursts TRACE...: which computation is alike, and how well it does.
#include "kernel/command/args/metrics_args.h"
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/run/aspect.h"
#include "metrics/run/parts/burst_tracks.h"
#include "metrics/run/parts/bursts_table.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

typedef struct bursts_args {
    pj_load_args load;
    const char *scaling;
    pj_exports exports;
} bursts_args;

/// Of several runs what the same clusters are in each.
static pj_table *table_of(const pj_list *runs, const char *scaling, pj_err *err)
{
    if (runs->count == 1) {
        const pj_run *run = runs->items[0].run;
        pj_table *table = pj_bursts_table(run, err);
        if (table)
            pj_run_view_note(run, table);
        return table;
    }
    pj_auto_study study =
        pj_inputs_study(runs, (pj_study_opts){.scaling = pj_scaling_choice(scaling)}, err);
    return study ? pj_burst_tracks_table(study, err) : NULL;
}

static bool run_bursts(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const bursts_args *args = given;
    pj_auto_value runs = {0};
    pj_load_opts opts = {.no_replay = true, .aspects = PJ_WANT(bursts), .regions = true};
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load(session, &args->load, opts, &runs, err))
        return false;
    pj_table *table = table_of(runs.list, args->scaling, err);
    if (!table)
        return false;
    *out = pj_value_table_take(table);
    return pj_export_all(session, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "scaling",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(bursts_args, scaling),
     .shown = "auto|strong|weak",
     .choices = pj_scalings,
     .preset = "auto",
     .help = "Of several runs: whether the work stays the same or grows with the ranks."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(bursts_args, load),
     .help = "A trace, or several of the same program; in Lua also runs."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(bursts_args, load)},
    {.rows = pj_export_rows, .base = offsetof(bursts_args, exports)},
    {0},
};

const pj_command pj_command_bursts = {
    .name = "bursts",
    .summary = "Clusters of computation that is alike: how often, how long, at which IPC",
    .detail =
        "What threads compute between MPI calls, put together where instructions and IPC are "
        "alike: the phases of a program without a word from its source. A cluster of low IPC "
        "that takes long, or one that only some ranks have, is where to look first.\n"
        "Of several runs the clusters that are the same computation stand together: how their "
        "time, "
        "instructions and IPC change with the scale, and which of them split.\n"
        "Without counters of instructions and cycles clusters are of durations. `popinjay plot "
        "bursts` draws them.",
    .example = "popinjay bursts epoch_16proc.prv.gz",
    .faces = PJ_IN_BOTH,
    .groups = groups,
    .args_size = sizeof(bursts_args),
    .run = run_bursts,
};
