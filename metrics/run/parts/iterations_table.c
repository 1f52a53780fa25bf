// Iterations as rows.
#include "metrics/run/parts/iterations_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/run/parts/iterations.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/parts/slices_table.h"
#include "metrics/run/run_table.h"

#include <math.h>
#include <stdlib.h>

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

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return count ? (values[(count - 1) / 2] + values[count / 2]) / 2 : 0;
}

typedef struct row_range {
    size_t first, end;
} row_range;

/// Rows of the steady state; all where none of them is in it.
static row_range steady_rows(const pj_iterations *it, const pj_table *table)
{
    row_range steady = {table->row_count, 0}, all = {0, table->row_count};
    for (size_t row = 0; !it->unsteady && row < table->row_count; row++) {
        double number = pj_cell_number(*pj_table_cell(table, row, 0));
        if (number < it->steady_first || number > it->steady_last)
            continue;
        steady.first = row < steady.first ? row : steady.first;
        steady.end = row + 1;
    }
    return steady.end ? steady : all;
}

/// The row nearest the medians of length and parallel efficiency; the first of several.
static size_t find_typical(const pj_table *table, row_range rows)
{
    enum { LENGTH = 2, EFFICIENCY = 3 };
    pj_auto_arena arena = pj_arena_new(NULL);
    double *room = pj_new_n(arena, double, table->row_count + 1), middle[2], least = INFINITY;
    size_t best = rows.first;
    for (size_t c = 0; c < 2; c++) {
        size_t count = 0;
        for (size_t row = rows.first; row < rows.end; row++) {
            double value = pj_cell_number(*pj_table_cell(table, row, LENGTH + c));
            if (!isnan(value))
                room[count++] = value;
        }
        middle[c] = median_of(room, count);
    }
    for (size_t row = rows.first; row < rows.end; row++) {
        double length = pj_cell_number(*pj_table_cell(table, row, LENGTH));
        double efficiency = pj_cell_number(*pj_table_cell(table, row, EFFICIENCY));
        double far = fabs(length / middle[0] - 1);
        if (!isnan(efficiency) && middle[1] > 0)
            far = hypot(far, efficiency / middle[1] - 1);
        if (far < least) {
            least = far;
            best = row;
        }
    }
    return best;
}

/// Which ones are steady, what comes before them, and which one stands for all.
static const char *steady_text(const pj_iterations *it, const pj_table *table, pj_arena *arena)
{
    pj_auto_buf text = {.at = NULL};
    if (it->unsteady)
        pj_buf_addf(
            &text, "None are steady: fewer than %d in turn are alike (--roi iterations takes all).",
            PJ_STEADY_LEAST);
    else
        pj_buf_addf(&text, "Steady: %s (--roi iterations).",
                    pj_iterations_text(it->steady_first, it->steady_last, arena));
    if (!it->unsteady && it->steady_first)
        pj_buf_addf(&text, " Warm-up: %s.", pj_iterations_text(0, it->steady_first - 1, arena));
    if (table->row_count)
        pj_buf_addf(
            &text,
            " Representative: iteration %.0f, nearest the medians of length and parallel "
            "efficiency.",
            pj_cell_number(*pj_table_cell(table, find_typical(table, steady_rows(it, table)), 0)));
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// How they were found.
static const char *method_text(const pj_iterations *it, pj_arena *arena)
{
    char period[32];
    pj_format_duration(it->period_ns, period);
    if (it->correlation > 0)
        return pj_arena_format(
            arena,
            "found in the useful share of all threads (nothing in calls or functions comes again "
            "and again): after %s it is like itself (autocorrelation %.2f in %d bins; the borders "
            "are those of all ranks, and right to a few bins); %.0f %% of the run.",
            period, it->correlation, PJ_SLICES_MOST, 100 * it->score);
    return pj_arena_format(arena,
                           "each begins with %s, %s apart on a rank "
                           "(median; lengths are of the rank that takes longest), even in %s; %u "
                           "of %u ranks asked agree, %.0f %% of %s.",
                           it->anchor, period,
                           !it->by_calls ? "time"
                           : it->openmp  ? "regions"
                                         : "calls",
                           it->voted, it->asked, 100 * it->score,
                           it->mpi ? "the time from MPI_Init to MPI_Finalize" : "the run");
}

static const char *note_of(const pj_iterations *it, const pj_table *table, pj_arena *arena)
{
    char inner[32];
    if (it->lack)
        return pj_arena_format(arena, "No iterations found: %s.", it->lack);
    pj_format_duration(it->inner_ns, inner);
    const char *nested =
        it->inner
            ? pj_arena_format(arena, " Another loop comes %u times, each %s.", it->inner, inner)
            : "";
    return pj_arena_format(
        arena, "%u iterations and a last one without an end; %s %s%s%s " PJ_EFFICIENCIES_OF_PARTS,
        it->borders.count, method_text(it, arena), steady_text(it, table, arena), nested,
        it->cut_short ? " The run has more MPI calls than were looked at." : "");
}

pj_table *pj_iterations_table(const pj_run *run, pj_err *err)
{
    const pj_iterations *it = run->iterations;
    const char *lack = pj_run_lacks_states(run);
    if (lack || !it) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "%s",
                lack ? lack : "nobody has looked for iterations");
        return NULL;
    }
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Iterations of %s", run->name);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (uint32_t i = 0; !it->lack && run->slices && i < run->slices->count; i++)
        fill(run, i, pj_table_add_row(table));
    table->note = note_of(it, table, table->arena);
    return table;
}
