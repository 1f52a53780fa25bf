// popinjay compare BASELINE NEW: what changed from one run to another.
#include "kernel/command/args/compare_args.h"
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"
#include "metrics/pop/comparison.h"
#include "metrics/profile/derive/profile_difference.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"

typedef struct compare_args {
    pj_load_args load;
    pj_compare_args compare;
    bool normalise;
    pj_exports exports;
} compare_args;

/// Two profiles in place of two traces.
static bool compare_profiles(pj_session *session, const compare_args *args, pj_value *out,
                             pj_err *err)
{
    const pj_inputs *both = &args->load.inputs;
    if (both->count != 2)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "two profiles are wanted, there are %zu; several files that are one profile "
                       "are a folder or a glob in quotes",
                       both->count);
    pj_profile_args files = {
        .how = args->load.how, .jobs = args->load.jobs, .memory = args->load.memory};
    files.inputs = (pj_inputs){.items = both->items, .count = 1};
    pj_auto_profile before = pj_profile_inputs(session, &files, err);
    files.inputs.items = both->items + 1;
    pj_auto_profile after = before ? pj_profile_inputs(session, &files, err) : NULL;
    pj_table *table = after ? pj_profile_difference(before, after, args->normalise, err) : NULL;
    return pj_run_view_take(session, NULL, table, out, &args->exports, err);
}

static bool run_compare(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const compare_args *args = given;
    pj_comparison made;
    if (!pj_export_check(&args->exports, err))
        return false;
    if (pj_profile_inputs_are(&args->load.inputs))
        return compare_profiles(session, args, out, err);
    if (!pj_compare_args_run(session, &args->load, &args->compare, (pj_comparison_opts){0}, &made,
                             err))
        return false;
    return pj_run_view_take(session, NULL, made.table, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "normalise",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(compare_args, normalise),
     .help = "Of profiles: the first is scaled to the total of the second, so that shares are "
             "compared."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_compare_input_rows, .base = offsetof(compare_args, load)},
    {.rows = pj_compare_rows, .base = offsetof(compare_args, compare)},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(compare_args, load)},
    {.rows = pj_region_rows, .base = offsetof(compare_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(compare_args, load)},
    {.rows = pj_export_rows, .base = offsetof(compare_args, exports)},
    {0},
};

const pj_command pj_command_compare = {
    .name = "compare",
    .summary = "What changed from one run to another, metric by metric",
    .detail = "The first run is the reference of the second, so that scalings say what became of "
              "instructions, IPC and frequency.\n"
              "Of two profiles: the functions of both, the largest difference first. The same "
              "function is one by module, name and line, or without the line where that is clear.",
    .example = "popinjay compare before.prv.gz after.prv.gz",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(compare_args),
    .run = run_compare,
};
