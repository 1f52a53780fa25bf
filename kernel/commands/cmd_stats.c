// popinjay stats TRACE: the totals of every rank and thread.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/aspect.h"
#include "metrics/run/breakdown.h"
#include "metrics/run/devices.h"
#include "metrics/run/energy.h"
#include "metrics/run/run.h"
#include "metrics/run/run_table.h"
#include "metrics/table/table.h"
#include "metrics/trace/meter.h"

typedef struct stats_args {
    pj_load_args load;
    bool breakdown, devices, device_idle, energy, energy_regions;
    const char *energy_unit;
    pj_exports exports;
} stats_args;

static pj_table *table_of(const stats_args *args, const pj_run *run)
{
    double factor = args->energy_unit ? pj_meter_unit(pj_str_of(args->energy_unit)) : 0;
    if (args->energy_regions)
        return pj_energy_regions_table(run, factor);
    if (args->energy)
        return pj_energy_table(run, factor);
    if (args->device_idle)
        return pj_devices_idle_table(run);
    if (args->devices)
        return pj_devices_table(run);
    return args->breakdown ? pj_breakdown_table(run) : pj_run_table_stats(run);
}

static unsigned aspects_of(const stats_args *args)
{
    return (args->energy || args->energy_regions ? PJ_WANT(energy) : 0) |
           (args->energy_regions ? PJ_WANT(energy_regions) : 0);
}

static bool run_stats(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const stats_args *args = given;
    pj_auto_run run = NULL;
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load_one(session, &args->load,
                            (pj_load_opts){.no_replay = true, .aspects = aspects_of(args)}, &run,
                            err))
        return false;
    if (args->exports.paths.count && run->provenance && run->provenance->rounded)
        pj_session_say(session, "%s: values of single threads come rounded from a summary",
                       run->path);
    pj_table *table = table_of(args, run);
    return pj_run_view_take(session, run, table, out, &args->exports, err);
}

static const char *const units[] = {"J", "mJ", "uJ", "nJ", "W", "mW", "uW", NULL};

static const pj_param params[] = {
    {.name = "breakdown",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(stats_args, breakdown),
     .help = "Where the time of every thread goes instead: parts that add up to the runtime."},
    {.name = "devices",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(stats_args, devices),
     .help = "What devices (GPUs) did instead: kernels, transfer, bytes, overlap."},
    {.name = "device-idle",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(stats_args, device_idle),
     .help = "Why devices (GPUs) were idle instead: what the host did meanwhile."},
    {.name = "energy",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(stats_args, energy),
     .help = "What meters of energy and power read instead, and what was done with it (archives, "
             "rocpd)."},
    {.name = "energy-regions",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(stats_args, energy_regions),
     .help = "The same energy by region of the program instead (archives)."},
    {.name = "energy-unit",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(stats_args, energy_unit),
     .shown = "UNIT",
     .choices = units,
     .help = "Of meters whose unit neither the trace nor their source tells."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(stats_args, load),
     .help = "One trace, or in Lua a run."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(stats_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(stats_args, load)},
    {.rows = pj_export_rows, .base = offsetof(stats_args, exports)},
    {0},
};

static const pj_lead leads[] = {
    {"gpu", "stats --devices or stats --device-idle"},
    {"gpus", "stats --devices or stats --device-idle"},
    {"device", "stats --devices or stats --device-idle"},
    {"devices", "stats --devices or stats --device-idle"},
    {"idle", "stats --device-idle"},
    {"gpu-idle", "stats --device-idle"},
    {"device-idle", "stats --device-idle"},
    {"breakdown", "stats --breakdown"},
    {0},
};

const pj_command pj_command_stats = {
    .name = "stats",
    .summary = "Useful time, OpenMP time, time outside MPI and counters per rank and thread",
    .detail =
        "Times are in nanoseconds in CSV and JSON; ranks and threads count from 0. Counters "
        "that the trace lacks are empty. The last columns are input and output: time, calls "
        "and bytes of MPI-I/O and of all other. --breakdown says where the time of every thread "
        "goes: serial idle is the time of workers while their master is outside parallel "
        "regions, in MPI or not. --devices has a row for each GPU, with all its streams; "
        "--device-idle says why it neither computed nor moved data. --energy has a row for "
        "each metric of energy or power that the trace holds; those that count make up the "
        "whole, none of it twice; --energy-regions shares these by region of the program.",
    .example = "popinjay stats epoch_16proc.prv.gz --export stats.csv",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .leads = leads,
    .args_size = sizeof(stats_args),
    .run = run_stats,
};
