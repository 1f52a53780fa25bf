// popinjay waits TRACE: what MPI calls waited for, and for whom.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/aspect.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/delays_table.h"
#include "metrics/run/waits/omp_waits.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/waits_table.h"
#include "metrics/table/table.h"

#include <string.h>

typedef struct waits_args {
    pj_load_args load;
    const char *by;
    bool delays, path, impact, threads, ideal, mpi;
    uint64_t worst;
    pj_exports exports;
} waits_args;

enum { BY_REGION = PJ_WAITS_BLAMES + 1, BY_OPERATION, BY_STEP, BY_GROUP };

/// As pj_waits_by has them, from PJ_WAITS_PATTERN on, then BY_REGION and what AI runs have.
static const char *const groupings[] = {"pattern",   "culprit", "pair",          "call",
                                        "rank",      "cause",   "cause-culprit", "region",
                                        "operation", "step",    "group",         NULL};

static unsigned by_of(const char *by)
{
    for (unsigned i = 0; by && groupings[i]; i++)
        if (strcmp(by, groupings[i]) == 0)
            return PJ_WAITS_PATTERN + i;
    return PJ_WAITS_ACCOUNT;
}

/// What is asked for that needs to know what ranks did before they waited; 0 = nothing.
static unsigned history_of(const waits_args *args)
{
    if (args->delays)
        return PJ_WANT(delays);
    if (args->path || args->impact)
        return args->ideal ? PJ_WANT(ideal_path) : PJ_WANT(path);
    return by_of(args->by) == BY_REGION ? PJ_WANT(wait_regions) : 0;
}

/// Of AI runs: whether the calls of their hosts are meant, or the exchanges of their devices.
static bool is_of_hosts(const waits_args *args)
{
    unsigned by = by_of(args->by);
    return args->mpi || args->worst || by == PJ_WAITS_CALL || by == PJ_WAITS_RANK ||
           by == PJ_WAITS_CAUSES || by == PJ_WAITS_BLAMES;
}

/// AI runs wait in exchanges of their devices.
static pj_table *table_of_ai(const pj_run *run, const waits_args *args, pj_err *err)
{
    unsigned by = by_of(args->by);
    if (args->threads || args->delays || args->path || args->impact || args->ideal)
        return (void)pj_fail(
                   err, PJ_E_MISSING, run->path, 0,
                   "is an AI run: its waits are listed by pattern, culprit, pair, operation, group "
                   "and step, those of MPI also by call, rank, cause and worst"),
               NULL;
    if (by == PJ_WAITS_ACCOUNT)
        return pj_ai_account_table(run, PJ_AI_BY_ACCOUNT);
    if (by == PJ_WAITS_CULPRIT)
        return pj_ai_account_table(run, PJ_AI_BY_CULPRIT);
    if (by == PJ_WAITS_PAIR)
        return pj_ai_account_table(run, PJ_AI_BY_PAIR);
    if (by == BY_OPERATION)
        return pj_ai_account_table(run, PJ_AI_BY_OPERATION);
    if (by == BY_GROUP)
        return pj_ai_account_table(run, PJ_AI_BY_GROUP);
    if (by == PJ_WAITS_PATTERN)
        return pj_ai_account_table(run, PJ_AI_BY_PATTERN);
    if (by == BY_STEP)
        return pj_ai_steps_table(run);
    return (void)pj_fail(err, PJ_E_MISSING, run->path, 0,
                         "is an AI run, which has no waits by %s: pattern, culprit, pair, "
                         "operation, group, step",
                         args->by),
           NULL;
}

/// Whether there is what only hosts have, where it is asked for.
static bool has_hosts(const pj_run *run, const waits_args *args, pj_err *err)
{
    return !run->ai || !(args->mpi || args->worst) || run->waits ||
           pj_fail(
               err, PJ_E_MISSING, run->path, 0,
               "is an AI run whose trace tells no calls of MPI: without --%s its waits are those "
               "of devices",
               args->mpi ? "mpi" : "worst");
}

static pj_table *table_of(const pj_run *run, const waits_args *args, pj_err *err)
{
    if (!has_hosts(run, args, err))
        return NULL;
    if (run->ai && !(is_of_hosts(args) && run->waits && by_of(args->by) < BY_REGION))
        return table_of_ai(run, args, err);
    if (by_of(args->by) > BY_REGION)
        return (void)pj_fail(err, PJ_E_MISSING, run->path, 0, "%s is of AI runs", args->by), NULL;
    if (args->worst)
        return pj_waits_worst(run, args->worst, err);
    if (args->threads)
        return pj_omp_waits_table(run, err);
    if (!history_of(args))
        return args->ideal ? pj_waits_ideal_table(run, (pj_waits_by)by_of(args->by), err)
                           : pj_waits_table(run, (pj_waits_by)by_of(args->by), err);
    return pj_delays_table(run,
                           args->delays   ? PJ_DELAYS_COSTS
                           : args->path   ? PJ_DELAYS_PATH
                           : args->impact ? PJ_DELAYS_IMPACT
                                          : PJ_DELAYS_REGION,
                           args->ideal ? PJ_PATH_IDEAL : PJ_PATH_MEASURED, err);
}

static bool run_waits(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const waits_args *args = given;
    unsigned history = history_of(args);
    unsigned aspects = args->threads ? PJ_WANT(omp_waits) : history ? history : PJ_WANT(waits);
    pj_load_opts opts = {.aspects = aspects,
                         .iterations = args->by && strcmp(args->by, "step") == 0};
    pj_auto_run run = NULL;
    if (args->delays + args->path + args->impact + args->threads + (args->worst > 0) +
            (args->by != NULL) >
        1)
        return pj_fail(
            err, PJ_E_USAGE, NULL, 0,
            "by, delays, path, impact, threads and worst are tables of their own: ask for one");
    if (args->ideal && (args->worst || args->threads || args->delays))
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "ideal: delays, single waits and threads are told of the measured run");
    if (args->worst > PJ_WORST_WAITS)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "worst: a run keeps its %d longest waits",
                       PJ_WORST_WAITS);
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load_one(session, &args->load, opts, &run, err))
        return false;
    pj_table *table = table_of(run, args, err);
    return pj_run_view_take(session, run, table, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "by",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(waits_args, by),
     .shown = "WHAT",
     .choices = groupings,
     .preset = "where all time goes",
     .help = "Sums the waits by pattern, by pattern and culprit, by pair (also the rank that "
             "waited) or by call; rank: all time of each rank; cause: what waits and calls cost "
             "the efficiencies; cause-culprit: also by the rank waited for; region: the functions "
             "of the program that wait. Of AI runs: pattern, "
             "culprit, pair, operation (of exchanges, with bandwidths), group and step."},
    {.name = "delays",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(waits_args, delays),
     .help = "What ranks that others waited for did too long, and where: at once and for what came "
             "of it."},
    {.name = "path",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(waits_args, path),
     .help = "The critical path: the work that bounds the runtime, by function and rank."},
    {.name = "impact",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(waits_args, impact),
     .help = "What the functions on the critical path cost all ranks: what they do of them, and "
             "what they wait as they do less of them than the path."},
    {.name = "ideal",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(waits_args, ideal),
     .help = "The waits that are left on the ideal network, or with path the work that bounds the "
             "runtime there: no MPI is in it."},
    {.name = "worst",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(waits_args, worst),
     .shown = "N",
     .help = "The N longest waits one by one, up to 100, with their times to look at."},
    {.name = "mpi",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(waits_args, mpi),
     .help = "Of AI runs whose trace tells calls of MPI (Nsight Systems): what these wait for on "
             "the hosts, in place of what devices do. By call, rank or cause, and the worst, are "
             "always of MPI."},
    {.name = "threads",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(waits_args, threads),
     .help = "What threads of OpenMP programs wait for: barriers, locks, forks and joins, and what "
             "they are not used for."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(waits_args, load),
     .help = "One trace of an MPI program, or in Lua a run."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(waits_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(waits_args, load)},
    {.rows = pj_export_rows, .base = offsetof(waits_args, exports)},
    {0},
};

const pj_command pj_command_waits = {
    .name = "waits",
    .summary = "What MPI calls wait for, and which rank they wait for",
    .detail =
        "A call waits from its begin until what it needs has begun elsewhere: the send of its "
        "message, the receive of a large one, the last rank in a collective. The rest of the call "
        "is transfer. What ranks do outside MPI, their waits, transfer and end add up to the "
        "runtime of all ranks.\n"
        "A wait never lasts longer than its call; one call counts for one culprit.\n"
        "Of a region of interest the whole run is followed, as what has led to its waits may lie "
        "before it; what is told are the parts of waits and of the path that lie in it, on the "
        "ideal network between the clocks at which ranks pass its borders.\n"
        "Of AI runs (PyTorch traces) the account is that of the devices: useful, transfer, copies, "
        "waits, and why they are idle; the transfer of a collective is its shortest member, the "
        "rest of the others waits for that, and the reason is what that rank did meanwhile.",
    .example = "popinjay waits epoch_16proc.prv.gz --by culprit",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(waits_args),
    .run = run_waits,
};
