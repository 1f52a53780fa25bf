// popinjay whatif TRACE: what changes of a run would bring.
#include "kernel/command/args/network_args.h"
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/commands/causes/yearly_args.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/replay/network.h"
#include "metrics/replay/whatif/whatif.h"
#include "metrics/replay/whatif/whatif_table.h"
#include "metrics/run/aspect.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

typedef struct whatif_args {
    pj_load_args load;
    pj_network_args network;
    pj_texts changes;
    double runs_per_year;
    bool sensitivity;
    pj_exports exports;
} whatif_args;

static pj_table *table_of(pj_session *session, const whatif_args *args, const pj_run *run,
                          pj_network network, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_job job = {.stop = session->stop};
    pj_whatif whatif;
    pj_whatif_opts opts = {.changes = args->changes.items,
                           .count = args->changes.count,
                           .runs_per_year = args->runs_per_year};
    if (!pj_whatif_begin(run, network, &job, arena, &whatif, err))
        return NULL;
    return args->sensitivity ? pj_whatif_sensitivity(&whatif, err)
                             : pj_whatif_table(&whatif, opts, err);
}

static bool run_whatif(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const whatif_args *args = given;
    pj_auto_run run = NULL;
    pj_network network;
    if (args->sensitivity && args->changes.count)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "sensitivity and change are tables of their own: ask for one");
    if (!pj_export_check(&args->exports, err) ||
        !pj_network_args_take(&args->network, &network, err))
        return false;
    // The eager limit decides who waits for whom; the rest of the network is put in afterwards.
    pj_load_opts opts = {.aspects = PJ_WANT(tape), .steps = true};
    opts.network.eager_bytes = network.eager_bytes;
    opts.network.all_rendezvous = network.all_rendezvous;
    if (!pj_inputs_load_one(session, &args->load, opts, &run, err))
        return false;
    pj_table *table = table_of(session, args, run, network, err);
    return pj_run_view_take(session, run, table, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "change",
     .letter = 'c',
     .type = PJ_PARAM_TEXTS,
     .offset = offsetof(whatif_args, changes),
     .shown = "CHANGE",
     .preset = "those that can be made of every run",
     .help =
         "What is changed, K times faster: compute:K, function:NAME:K, bursts:100ms:K, "
         "rank:N:K, slowest:K; balance:ranks, balance:steps (iterations, where they are found), "
         "balance:collectives (between those of all ranks); mend:noise (as findings do it); "
         "without:late_sender; latency:2us, bandwidth:10G. Several at once: "
         "balance:steps+compute:2."},
    {.name = "sensitivity",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(whatif_args, sensitivity),
     .help = "How much of the runtime hangs on each function and on the network; adds up to 1."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(whatif_args, load),
     .help = "One trace of an MPI program, or in Lua a run."},
    {.rows = params},
    {.rows = pj_yearly_rows, .base = offsetof(whatif_args, runs_per_year)},
    {.rows = pj_network_rows, .base = offsetof(whatif_args, network)},
    {.rows = pj_reading_rows, .base = offsetof(whatif_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(whatif_args, load)},
    {.rows = pj_export_rows, .base = offsetof(whatif_args, exports)},
    {0},
};

const pj_command pj_command_whatif = {
    .name = "whatif",
    .summary = "What it would bring to balance the work, to speed up a function, a better network",
    .detail =
        "Replays the run with a change: the order of its messages and who works on what stay as "
        "they were, times of computation and the network do not. The gain is that against the "
        "same replay without the change.\n"
        "What no replay can honestly tell is refused: other numbers of ranks or threads (popinjay "
        "model), another decomposition, contention, other caches.",
    .example = "popinjay whatif epoch_16proc.prv.gz --change balance:steps",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(whatif_args),
    .run = run_whatif,
};
