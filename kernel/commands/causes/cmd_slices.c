// popinjay slices TRACE: the efficiencies of a run over time.
#include "kernel/command/command.h"
#include "kernel/command/export.h"
#include "kernel/command/inputs.h"
#include "kernel/command/run_view.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/parts/slices_table.h"
#include "metrics/run/run.h"
#include "metrics/stat/parts/slice_sink.h"
#include "metrics/table/table.h"
#include "metrics/table/table_ops.h"

typedef struct slices_args {
    pj_load_args load;
    uint64_t bins;
    pj_texts metrics;
    pj_exports exports;
} slices_args;

static bool is_known(const pj_table *table, const char *key, pj_err *err)
{
    enum { FIRST = 2 }; // behind the times of slices
    if (pj_table_column(table, pj_str_of(key)) >= 0)
        return true;
    pj_auto_buf known = {.at = NULL};
    pj_suggest near = {.word = pj_str_of(key)};
    for (size_t i = FIRST; i < table->column_count; i++)
        pj_suggest_try(&near, table->columns[i].key);
    pj_suggest_add(&near, &known);
    for (size_t i = FIRST; i < table->column_count; i++)
        pj_buf_addf(&known, "%s%s", i > FIRST ? ", " : " valid: ", table->columns[i].key);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "slices have no metric \"%s\"%s", key, known.at);
}

/// The times of slices, and what of them is asked for.
static pj_table *table_of(const pj_run *run, const pj_texts *metrics, pj_err *err)
{
    pj_auto_table table = pj_slices_table(run, err);
    pj_auto_arena arena = pj_arena_new(NULL);
    if (!table || !metrics->count)
        return table ? pj_table_hold(table) : NULL;
    pj_str *keys = pj_new_n(arena, pj_str, metrics->count + 2);
    keys[0] = PJ_S("start_ns");
    keys[1] = PJ_S("end_ns");
    for (size_t i = 0; i < metrics->count; i++) {
        keys[2 + i] = pj_str_of(metrics->items[i]);
        if (!is_known(table, metrics->items[i], err))
            return NULL;
    }
    pj_table *chosen = pj_table_select(table, keys, metrics->count + 2, err);
    if (chosen)
        pj_table_copy_note(chosen, table);
    return chosen;
}

static bool run_slices(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    const slices_args *args = given;
    pj_auto_run run = NULL;
    if (args->bins > PJ_SLICES_MOST)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "bins: a run is cut into %d slices at most",
                       PJ_SLICES_MOST);
    pj_slicing_opts slices = pj_slicing_equal(args->bins ? (uint32_t)args->bins : PJ_SLICES_USUAL);
    if (!pj_export_check(&args->exports, err) ||
        !pj_inputs_load_one(session, &args->load, (pj_load_opts){.slices = &slices}, &run, err))
        return false;
    pj_table *table = table_of(run, &args->metrics, err);
    return pj_run_view_take(session, run, table, out, &args->exports, err);
}

static const pj_param params[] = {
    {.name = "bins",
     .type = PJ_PARAM_COUNT,
     .offset = offsetof(slices_args, bins),
     .shown = "N",
     .preset = "32",
     .help = "Slices of equal length that the run is cut into."},
    {.name = "metric",
     .letter = 'y',
     .type = PJ_PARAM_TEXTS,
     .offset = offsetof(slices_args, metrics),
     .shown = "METRIC",
     .preset = "all",
     .help = "Only these columns, by their keys: parallel_efficiency, ipc, wait_ns."},
    {0},
};

static const pj_param_group groups[] = {
    {.rows = pj_input_rows,
     .base = offsetof(slices_args, load),
     .help = "One trace, or in Lua a run."},
    {.rows = params},
    {.rows = pj_reading_rows, .base = offsetof(slices_args, load)},
    {.rows = pj_export_rows, .base = offsetof(slices_args, exports)},
    {0},
};

const pj_command pj_command_slices = {
    .name = "slices",
    .summary = "The efficiencies of a run over time",
    .detail = "The run, or its region of interest, is cut into slices of equal length. Useful "
              "time, time outside MPI and waits count with what lies in a slice, so that all "
              "slices give the run; the ideal network takes of each slice what the rank that is "
              "behind there needs.\n"
              "`popinjay metrics --by time:N` shows slices as columns of the table of "
              "efficiencies; both tables agree with --set bsc.",
    .example = "popinjay slices epoch_16proc.prv.gz --bins 16",
    .faces = PJ_IN_BOTH,
    .reads = true,
    .groups = groups,
    .args_size = sizeof(slices_args),
    .run = run_slices,
};
