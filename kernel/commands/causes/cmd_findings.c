// popinjay findings TRACE...: what costs most, by what mending it would bring.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/commands/causes/yearly_args.h"
#include "metrics/analyse/faults/faults.h"
#include "metrics/analyse/faults/faults_table.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_findings.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

typedef struct findings_args {
    pj_load_args load;
    double runs_per_year;
    pj_exports exports;
} findings_args;

static pj_table *table_of(pj_session *session, const findings_args *args, const pj_list *list,
                          pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_job job = {.stop = session->stop};
    pj_faults faults;
    pj_run **runs = pj_new_n(arena, pj_run *, list->count);
    for (size_t i = 0; i < list->count; i++)
        runs[i] = list->items[i].run;
    if (!pj_faults_find(runs, list->count, &job, arena, &faults, err))
        return NULL;
    pj_table *table = pj_faults_table(&faults, args->runs_per_year);
    pj_run_view_note(faults.run, table);
    return table;
}

/// What a profile shows: it tells sums, of which no replay can be made.
static bool find_in_profile(pj_session *session, const findings_args *args, pj_value *out,
                            pj_err *err)
{
    pj_profile_args files = {.inputs = args->load.inputs,
                             .how = args->load.how,
                             .jobs = args->load.jobs,
                             .memory = args->load.memory};
    pj_auto_profile profile = pj_profile_inputs(session, &files, err);
    pj_table *table = profile ? pj_profile_findings_table(profile) : NULL;
    return pj_run_view_take(session, NULL, table, out, &args->exports, err);
}

static bool run_findings(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const findings_args *args = given;
    pj_auto_value runs = {0};
    if (!pj_export_check(&args->exports, err))
        return false;
    if (pj_profile_inputs_are(&args->load.inputs))
        return find_in_profile(session, args, out, err);
    pj_load_opts opts = {.aspects = PJ_FAULTS_WANT, .steps = true};
    if (!pj_inputs_load(session, &args->load, opts, &runs, err))
        return false;
    pj_table *table = table_of(session, args, runs.list, err);
    return pj_run_view_take(session, NULL, table, out, &args->exports, err);
}

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(findings_args, load),
     .help = "Traces of one program: that with most threads is looked at, the others tell how it "
             "scales. Or profiles: the files of all ranks."},
    {.rows = pj_yearly_rows, .base = offsetof(findings_args, runs_per_year)},
    {.rows = pj_reading_rows, .base = offsetof(findings_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(findings_args, load)},
    {.rows = pj_export_rows, .base = offsetof(findings_args, exports)},
    {0},
};

const pj_command pj_command_findings = {
    .name = "findings",
    .summary = "What costs a run most: where, who, and what mending it would bring",
    .detail =
        "Serial parts, slow ranks and nodes, noise, load imbalance, late senders, messages, "
        "collectives, OpenMP and worse scaling, ranked by the core-hours that mending them would "
        "bring. A replay of the run with the fault mended says how much; what an account of waits "
        "says is an upper bound. The last column names the replay: where it has two changes, the "
        "finding is what the second brings beyond the first.\n"
        "A finding below a hundredth of the run is folded into others.\n"
        "Of a profile: what stands out in it, in sentences; it tells sums, of which no replay can "
        "be made.",
    .example = "popinjay findings epoch_16proc.prv.gz",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(findings_args),
    .run = run_findings,
};
