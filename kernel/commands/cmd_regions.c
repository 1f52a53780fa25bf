// popinjay regions TRACE: the OpenMP parallel regions, one by one or summed.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/run/regions_table.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

#include <string.h>

typedef struct regions_args {
    pj_load_args load;
    const char *by;
    pj_exports exports;
} regions_args;

static const char *const groupings[] = {"function", "location", NULL};

static pj_regions_by by_of(const char *by)
{
    if (!by)
        return PJ_REGIONS_EACH;
    return strcmp(by, "function") == 0 ? PJ_REGIONS_FUNCTION : PJ_REGIONS_LOCATION;
}

static bool run_regions(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const regions_args *args = given;
    pj_auto_run run = NULL;
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load_one(session, &args->load,
                            (pj_load_opts){.no_replay = true, .aspects = PJ_WANT(openmp_regions)},
                            &run, err))
        return false;
    pj_table *table = pj_regions_table(run, by_of(args->by), err);
    return pj_run_view_take(session, run, table, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "by",
     .type = PJ_PARAM_CHOICE,
     .place = PJ_IN_LUA,
     .offset = offsetof(regions_args, by),
     .shown = "function|location",
     .choices = groupings,
     .preset = "one row per instance",
     .help = "Sums the instances by the functions they execute, or by source lines; the costliest "
             "first."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(regions_args, load),
     .help = "One trace, or in Lua a run."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(regions_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(regions_args, load)},
    {.rows = pj_export_rows, .base = offsetof(regions_args, exports)},
    {0},
};

const pj_command pj_command_regions = {
    .name = "regions",
    .summary = "OpenMP parallel regions: every instance, or sums by function or location",
    .detail =
        "An instance lasts from the master's opening of a region to its closing; the computation "
        "of a thread is its time in state Running in between.\n"
        "inefficiency and imbalance are shares of the run's parallel efficiency that the regions "
        "cost: delays over ranks x runtime. Ranks and regions count from 0.",
    .example = "popinjay regions run.prv.gz --by function",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(regions_args),
    .run = run_regions,
};
