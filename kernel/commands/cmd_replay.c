// popinjay replay TRACE: the run on another network.
#include "kernel/command/args/network_args.h"
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/replay/ideal_trace.h"
#include "metrics/run/run.h"
#include "metrics/run/run_table.h"
#include "metrics/table/table.h"
#include "metrics/table/table_ops.h"

typedef struct replay_args {
    pj_load_args load;
    pj_network_args network;
    bool ranks;
    pj_exports exports;
} replay_args;

/// Exports of its suffix are the idealised trace, the others the table.
static bool split_exports(const replay_args *args, pj_exports *tables, const char **ideal,
                          pj_err *err)
{
    for (size_t i = 0; i < args->exports.paths.count; i++) {
        const char *path = args->exports.paths.items[i];
        if (pj_str_ends(pj_str_of(path), PJ_S(PJ_IDEAL_TRACE_SUFFIX ".gz")))
            return pj_fail(err, PJ_E_USAGE, path, 0,
                           "the idealised trace is written as " PJ_IDEAL_TRACE_SUFFIX
                           ", not compressed");
        if (!pj_str_ends(pj_str_of(path), PJ_S(PJ_IDEAL_TRACE_SUFFIX))) {
            tables->paths.items[tables->paths.count++] = path;
            continue;
        }
        if (*ideal)
            return pj_fail(err, PJ_E_USAGE, path, 0, "one idealised trace can be written per call");
        *ideal = path;
    }
    return true;
}

static const char *title_of(const pj_run *run, pj_arena *arena)
{
    return run->other.label ? pj_arena_format(arena, "Replay of %s on a network of %s",
                                              run->other.base->name, run->other.label)
                            : pj_arena_format(arena, "Ideal-network replay of %s", run->name);
}

/// What is left of the runtime, and how much of it that saves.
static const pj_column measured_column = {.key = "measured_ns",
                                          .title = "Measured",
                                          .help = "Runtime of the run as it was.",
                                          .unit = PJ_UNIT_NS};
static const pj_column replayed_column = {.key = "ideal_runtime_ns",
                                          .title = "Replayed",
                                          .help = "Runtime of the whole run on the network.",
                                          .unit = PJ_UNIT_NS};
static const pj_column gain_column = {.key = "gain",
                                      .title = "Gain",
                                      .help = "The part of the measured runtime that it saves.",
                                      .unit = PJ_UNIT_RATIO};

static double gain_of(const pj_run *run)
{
    return 1 - run->ideal.runtime_ns / (double)run->runtime_ns;
}

static void note(const pj_run *run, pj_table *table)
{
    char runtime[32], shown[32];
    pj_format_double(run->ideal.runtime_ns, runtime);
    pj_format_duration(run->ideal.runtime_ns, shown);
    table->note = pj_arena_format(table->arena, "ideal_runtime_ns %s (%s%s)", runtime, shown,
                                  run->other.base ? ", on this network" : "");
    if (run->other.base && run->other.base->ideal.available) {
        pj_format_double(run->other.base->ideal.runtime_ns, runtime);
        pj_format_duration(run->other.base->ideal.runtime_ns, shown);
        table->note = pj_arena_format(table->arena, "%s\non the ideal network %s (%s)", table->note,
                                      runtime, shown);
    }
    pj_run_view_note(run, table);
}

/// The answer: one row.
static pj_table *answer_table(const pj_run *run)
{
    pj_table *table = pj_table_new("");
    table->title = title_of(run, table->arena);
    pj_table_add_column(table, measured_column);
    pj_table_add_column(table, replayed_column);
    pj_table_add_column(table, gain_column);
    pj_cell *cells = pj_table_add_row(table);
    cells[0] = pj_cell_int((int64_t)run->runtime_ns);
    cells[1] = pj_cell_real(run->ideal.runtime_ns);
    cells[2] =
        run->runtime_ns ? pj_cell_real(gain_of(run)) : pj_cell_empty("the run has no runtime");
    note(run, table);
    return table;
}

/// By rank. The answer stands in every row, so that CSV and JSON have it too.
static pj_table *ranks_table(const pj_run *run, pj_err *err)
{
    char replayed[32], measured[32];
    pj_auto_table ranks = pj_run_table_ideal(run);
    pj_row_value values[] = {
        {.formula = {replayed, pj_format_double(run->ideal.runtime_ns, replayed)}},
        {.formula = {measured, pj_format_double((double)run->runtime_ns, measured)}},
        {.formula = PJ_S("1 - ideal_runtime_ns / measured_ns")}};
    pj_auto_table first = pj_table_add(ranks, replayed_column, values[0], err);
    pj_auto_table second = first ? pj_table_add(first, measured_column, values[1], err) : NULL;
    pj_table *table = second ? pj_table_add(second, gain_column, values[2], err) : NULL;
    if (!table)
        return NULL;
    table->title = title_of(run, table->arena);
    note(run, table);
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
    bool by_rank = args->ranks || tables->paths.count > 0;
    pj_table *table = by_rank ? ranks_table(run, err) : answer_table(run);
    return pj_run_view_take(session, NULL, table, out, tables, err);
}

static bool run_replay(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    replay_args args = *(const replay_args *)given;
    args.load.reread = true; // runs in memory have forgotten their messages
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_exports tables = {.paths.items = pj_new_n(arena, const char *, args.exports.paths.count + 1),
                         .size = args.exports.size,
                         .answer = args.exports.answer};
    return replay(session, &args, &tables, out, err);
}

static const pj_param params[] = {
    {.name = "ranks",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(replay_args, ranks),
     .help = "Shows when each rank ends and how long it computes; exported tables always do."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(replay_args, load),
     .help = "One trace of an MPI program."},
    {.rows = pj_network_rows, .base = offsetof(replay_args, network)},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(replay_args, load)},
    {.rows = pj_roi_cut_rows, .base = offsetof(replay_args, load)},
    {.rows = pj_export_rows,
     .base = offsetof(replay_args, exports),
     .help = "Writes the idealised trace (" PJ_IDEAL_TRACE_SUFFIX
             ", with .pcf and .row) or, by suffix, the table, in "
             "place of printing it."},
    {0},
};

const pj_command pj_command_replay = {
    .name = "replay",
    .summary = "Runtime on an ideal network, or on one with a given latency and bandwidth",
    .detail =
        "Replays the run's computation and the order of its messages and collectives: what "
        "remains of the runtime when the network costs nothing is the code's own waiting. The "
        "gain is the part of the measured runtime that the network would save.\n"
        "A message arrives latency + bytes / bandwidth after its start; a collective of P "
        "members costs ceil(log2 P) times that after the last arrival; no contention.",
    .example = "popinjay replay epoch_16proc.prv.gz --latency 2us --bandwidth 12.5G",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(replay_args),
    .run = run_replay,
};
