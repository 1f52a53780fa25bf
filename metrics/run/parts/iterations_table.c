// Iterations as rows.
#include "metrics/run/parts/iterations_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/run/parts/iterations.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/parts/slices_table.h"
#include "metrics/run/run_table.h"

static const pj_column columns[] = {
    {"iteration", "Iteration", "From 0.", PJ_UNIT_IDENTIFIER, false},
    {"start_ns", "Start", "Where the first rank begins it.", PJ_UNIT_NS, false},
    {"length_ns", "Length", "Of the rank that takes longest.", PJ_UNIT_NS, false},
    {"parallel_efficiency", "Parallel efficiency", "Mean useful / length.", PJ_UNIT_RATIO, false},
    {"load_balance", "Load balance", "Mean useful / max useful.", PJ_UNIT_RATIO, false},
    {"communication_efficiency", "Communication efficiency", "Max useful / length.", PJ_UNIT_RATIO,
     false},
    {"wait_ns", "Waits", "In MPI calls, over all ranks.", PJ_UNIT_NS, false},
    {"instructions", "Instructions", "Useful ones, over all threads.", PJ_UNIT_NONE, false},
    {"ipc", "IPC", "Useful instructions per cycle.", PJ_UNIT_RATIO, false},
    {"outlier", "Outlier", "Whether its length is far from the median.", PJ_UNIT_NONE, false},
};

static void fill(const pj_run *run, uint32_t index, pj_cell *cell)
{
    const pj_slices *slices = run->slices;
    const pj_run_slice *s = &slices->items[index];
    const pj_slice_metrics metrics = pj_slice_metrics_of(slices, index);
    const char *lacks = slices->ideal_lacks;
    *cell++ = pj_cell_int(slices->first + index);
    *cell++ = pj_cell_int((int64_t)s->start_ns);
    *cell++ = pj_cell_int((int64_t)s->length_ns);
    *cell++ = metrics.parallel_efficiency;
    *cell++ = metrics.load_balance;
    *cell++ = metrics.communication_efficiency;
    *cell++ = lacks ? pj_cell_empty(lacks) : pj_cell_int((int64_t)s->wait_ns);
    *cell++ = slices->instructions ? pj_cell_real(s->sums.instructions)
                                   : pj_cell_empty("the trace has no counter of instructions");
    *cell++ = metrics.ipc;
    *cell = pj_cell_int(run->iterations->outlier[slices->first + index]);
}

static const char *note_of(const pj_iterations *it, pj_arena *arena)
{
    char period[32], inner[32];
    if (it->lack)
        return pj_arena_format(arena, "No iterations found: %s.", it->lack);
    pj_format_duration(it->period_ns, period);
    pj_format_duration(it->inner_ns, inner);
    const char *nested =
        it->inner
            ? pj_arena_format(arena, " Another loop comes %u times, each %s.", it->inner, inner)
            : "";
    return pj_arena_format(
        arena,
        "%u iterations and a last one without an end; each begins with %s, each %s (median), "
        "even in %s; %u of %u ranks asked agree, %.0f %% of the time from MPI_Init to "
        "MPI_Finalize. Steady: %u to %u (--roi iterations).%s%s",
        it->borders.count, it->anchor, period, it->by_calls ? "calls" : "time", it->voted,
        it->asked, 100 * it->score, it->steady_first, it->steady_last, nested,
        it->cut_short ? " The run has more MPI calls than were looked at." : "");
}

pj_table *pj_iterations_table(const pj_run *run, pj_err *err)
{
    const pj_iterations *it = run->iterations;
    if (run->no_states || !it) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "%s",
                run->no_states ? pj_run_lacks_states(run) : "nobody has looked for iterations");
        return NULL;
    }
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Iterations of %s", run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (uint32_t i = 0; !it->lack && run->slices && i < run->slices->count; i++)
        fill(run, i, pj_table_add_row(table));
    table->note = note_of(it, table->arena);
    return table;
}
