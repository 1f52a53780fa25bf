// popinjay info FILE...: what a trace is and what is odd about it.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_parts.h"
#include "metrics/table/table.h"

typedef struct info_args {
    pj_load_args load;
    pj_exports exports;
} info_args;

static bool info_of_profiles(pj_session *session, const info_args *args, pj_value *out, pj_err *err)
{
    const pj_profile_args files = {.inputs = args->load.inputs,
                                   .how = args->load.how,
                                   .jobs = args->load.jobs,
                                   .memory = args->load.memory};
    pj_auto_profile profile = pj_profile_inputs(session, &files, err);
    if (!profile)
        return false;
    *out = pj_value_table_take(pj_profile_info(profile));
    return pj_export_all(session, out, &args->exports, err);
}

static bool run_info(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const info_args *args = given;
    pj_auto_value runs = {0};
    if (!pj_export_check(&args->exports, err))
        return false;
    if (pj_profile_inputs_are(&args->load.inputs))
        return info_of_profiles(session, args, out, err);
    if (!pj_inputs_load(session, &args->load, (pj_load_opts){0}, &runs, err))
        return false;
    const pj_list *list = runs.list;
    pj_table *table =
        list->count == 1 ? pj_run_view_facts(list->items[0].run) : pj_run_view_info(list);
    *out = pj_value_table_take(table);
    return pj_export_all(session, out, &args->exports, err);
}

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(info_args, load),
     .help = "Traces or profiles: files, globs or folders."},
    {.rows = pj_reading_rows, .base = offsetof(info_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(info_args, load)},
    {.rows = pj_export_rows, .base = offsetof(info_args, exports)},
    {0},
};

const pj_command pj_command_info = {
    .name = "info",
    .summary = "Format, layout, sizes, oddities and remarks of traces and profiles",
    .detail = "Oddities are things in the file that a trace should not have; a note is harmless, "
              "with a warning the numbers may be touched, with a loss something is missing from "
              "them.",
    .example = "popinjay info epoch_16proc.prv.gz",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(info_args),
    .run = run_info,
};
