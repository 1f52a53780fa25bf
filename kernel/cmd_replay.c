// popinjay replay TRACE: the run on another network.
#include "kernel/export.h"
#include "kernel/inputs.h"
#include "kernel/network_args.h"
#include "kernel/run_view.h"
#include "metrics/base/num.h"
#include "metrics/model/run_table.h"
#include "metrics/model/table_ops.h"

#include <math.h>
#include <stdio.h>

typedef struct replay_args {
    pj_load_args load;
    pj_network_args network;
    pj_exports exports;
} replay_args;

/// Exports to .prv are the idealised trace, the others the table.
static bool split_exports(const replay_args *args, pj_exports *tables, const char **ideal,
                          pj_err *err)
{
    for (size_t i = 0; i < args->exports.paths.count; i++) {
        const char *path = args->exports.paths.items[i];
        if (pj_str_ends(pj_str_of(path), PJ_S(".prv.gz")))
            return pj_fail(err, PJ_E_USAGE, path, 0,
                           "the idealised trace is written as .prv, not compressed");
        if (!pj_str_ends(pj_str_of(path), PJ_S(".prv"))) {
            tables->paths.items[tables->paths.count++] = path;
            continue;
        }
        if (*ideal)
            return pj_fail(err, PJ_E_USAGE, path, 0, "one idealised trace can be written per call");
        *ideal = path;
    }
    return true;
}

/// What the table is about, where the network is not the ideal one.
static void name_network(const pj_network *network, const pj_run *run, pj_table *table)
{
    char latency[32], rate[32];
    bool limited = network->bandwidth > 0 && isfinite(network->bandwidth);
    if (network->latency_ns == 0 && !limited)
        return;
    pj_format_duration(network->latency_ns, latency);
    snprintf(rate, sizeof rate, "%g GB/s", network->bandwidth / 1e9);
    table->title = pj_arena_format(table->arena, "Replay of %s with latency %s, bandwidth %s",
                                   run->name, latency, limited ? rate : "without limit");
}

/// The ideal runtime stands in every row, so that CSV and JSON have it too.
static pj_table *replay_table(const pj_run *run, const pj_network *network, pj_err *err)
{
    pj_auto_table ranks = pj_run_table_ideal(run);
    char runtime[32], shown[32];
    size_t len = pj_format_double(run->ideal.runtime_ns, runtime);
    pj_column column = {.key = "ideal_runtime_ns",
                        .title = "Replayed runtime",
                        .help = "Runtime of the whole run on the given network.",
                        .unit = PJ_UNIT_NS};
    pj_row_value value = {.formula = {runtime, len}};
    pj_table *table = pj_table_add(ranks, column, value, err);
    if (!table)
        return NULL;
    name_network(network, run, table);
    pj_format_duration(run->ideal.runtime_ns, shown);
    table->note = pj_arena_format(table->arena, "ideal_runtime_ns %s (%s)", runtime, shown);
    pj_run_view_note(run, table);
    return table;
}

static bool replay(pj_session *session, const replay_args *args, pj_exports *tables, pj_value *out,
                   pj_err *err)
{
    pj_load_opts opts = {0};
    pj_auto_run run = NULL;
    if (!split_exports(args, tables, &opts.ideal_path, err) || !pj_export_check(tables, err) ||
        !pj_network_args_take(&args->network, &opts.network, err) ||
        !pj_inputs_load_one(session, &args->load, opts, &run, err))
        return false;
    if (!run->ideal.available)
        return pj_fail(err, PJ_E_MISSING, run->path, 0, "cannot be replayed: %s",
                       run->ideal.reason);
    session->exports += opts.ideal_path != NULL;
    if (opts.ideal_path)
        pj_session_wrote(session, opts.ideal_path);
    if (opts.ideal_path && run->roi.set)
        pj_session_say(
            session, "%s: the idealised trace is written whole, not cut to the region of interest",
            opts.ideal_path);
    pj_table *table = replay_table(run, &opts.network, err);
    if (!table)
        return false;
    *out = pj_value_table_take(table);
    return pj_export_all(session, out, tables, err);
}

static bool run_replay(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    replay_args args = *(const replay_args *)given;
    args.load.reread = true; // runs in memory have forgotten their messages
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_exports tables = {.paths.items = pj_new_n(arena, const char *, args.exports.paths.count + 1),
                         .size = args.exports.size};
    return replay(session, &args, &tables, out, err);
}

static const pj_param params[] = {
    PJ_LOAD_PARAMS(replay_args, "One trace of an MPI program."),
    PJ_NETWORK_PARAMS(replay_args),
    PJ_LOAD_OPTIONS(replay_args),
    {.name = "export",
     .type = PJ_PARAM_TEXTS,
     .offset = offsetof(replay_args, exports.paths),
     .shown = "FILE",
     .suffix = pj_export_suffix,
     .help = "Writes the idealised trace (.prv, with .pcf and .row) or, by suffix, the table, in "
             "place of printing it."},
    PJ_PICTURE_PARAMS(replay_args),
    {0},
};

const pj_command pj_command_replay = {
    .name = "replay",
    .summary = "Runtime on an ideal network, or on one with a given latency and bandwidth",
    .detail = "Replays the run's computation and the order of its messages and collectives: what "
              "remains of the runtime when the network costs nothing is the code's own waiting.\n"
              "A message arrives latency + bytes / bandwidth after its start; a collective of P "
              "members costs ceil(log2 P) times that after the last arrival; no contention.",
    .example = "popinjay replay epoch_16proc.prv.gz --latency 2us --bandwidth 12.5G",
    .faces = PJ_IN_BOTH,
    .params = params,
    .args_size = sizeof(replay_args),
    .run = run_replay,
};
