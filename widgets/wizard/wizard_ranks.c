// Quantities by rank.
// The quantities are rows of a table; values are sums or means over the threads of a rank.
#include "widgets/wizard/wizard_ranks.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "metrics/trace/layout.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"

#include <math.h>
#include <stdlib.h>

static double sum(const pj_run *run, pj_rank_span span, uint64_t (*of)(const pj_totals *))
{
    double total = 0;
    for (uint32_t i = span.first; i < span.end; i++)
        total += (double)of(&run->totals[i]);
    return total;
}

static uint64_t useful_of(const pj_totals *t)
{
    return t->useful_ns;
}

static uint64_t openmp_lost_of(const pj_totals *t)
{
    return t->openmp_ns > t->openmp_useful_ns ? t->openmp_ns - t->openmp_useful_ns : 0;
}

static uint64_t serial_of(const pj_totals *t)
{
    return t->serial_useful_ns;
}

static double threads(pj_rank_span span)
{
    return span.end - span.first;
}

static bool useful(const pj_run *run, pj_rank_span span, double *value)
{
    *value = sum(run, span, useful_of) / threads(span);
    return true;
}

/// Of the first thread of a rank, which calls MPI.
static bool mpi(const pj_run *run, pj_rank_span span, double *value)
{
    const pj_totals *t = &run->totals[span.first];
    *value = (double)t->runtime_ns - (double)t->outside_mpi_ns;
    return true;
}

static bool counted(const pj_run *run, pj_rank_span span, unsigned counter, double *value)
{
    const pj_counter *c = &run->counters[counter];
    *value = 0;
    for (uint32_t i = span.first; c->present && i < span.end; i++)
        *value += (double)c->useful[i];
    return c->present;
}

static bool instructions(const pj_run *run, pj_rank_span span, double *value)
{
    return counted(run, span, PJ_COUNTER_INSTRUCTIONS, value);
}

static bool ipc(const pj_run *run, pj_rank_span span, double *value)
{
    double cycles;
    bool good = counted(run, span, PJ_COUNTER_INSTRUCTIONS, value) &&
                counted(run, span, PJ_COUNTER_CYCLES, &cycles) && cycles > 0;
    *value = good ? *value / cycles : 0;
    return good;
}

static bool frequency(const pj_run *run, pj_rank_span span, double *value)
{
    double ns = sum(run, span, useful_of);
    bool good = counted(run, span, PJ_COUNTER_CYCLES, value) && ns > 0;
    *value = good ? *value / ns : 0; // cycles per ns
    return good;
}

static bool openmp_lost(const pj_run *run, pj_rank_span span, double *value)
{
    *value = sum(run, span, openmp_lost_of) / threads(span);
    return run->has_openmp;
}

static bool serial(const pj_run *run, pj_rank_span span, double *value)
{
    *value = sum(run, span, serial_of);
    return true;
}

static const pj_rank_quantity quantities[] = {
    {"useful_ns", "Useful time", PJ_UNIT_NS, NULL, "", useful},
    {"instructions", "Instructions", PJ_UNIT_NONE, NULL, "instruction_scaling computation_scaling",
     instructions},
    {"ipc", "IPC", PJ_UNIT_NONE, "instructions / cycles", "ipc_scaling ipc", ipc},
    {"mpi_ns", "MPI time", PJ_UNIT_NS, "runtime_ns - outside_mpi_ns",
     "mpi_communication_efficiency communication_efficiency mpi_transfer_efficiency "
     "transfer_efficiency mpi_serialisation_efficiency serialisation_efficiency "
     "mpi_communication_inefficiency mpi_transfer_inefficiency mpi_serialisation_inefficiency "
     "process_level_efficiency process_level_inefficiency hybrid_communication_efficiency "
     "mpi_parallel_efficiency",
     mpi},
    {"frequency_ghz", "Frequency", PJ_UNIT_GHZ, "cycles / useful_ns",
     "frequency_scaling frequency_ghz", frequency},
    {"openmp_lost_ns", "Lost in OpenMP regions", PJ_UNIT_NS, "openmp_ns - openmp_useful_ns",
     "openmp_region_efficiency openmp_region_inefficiency thread_level_efficiency "
     "thread_level_inefficiency openmp_parallel_efficiency openmp_communication_efficiency "
     "openmp_load_balance",
     openmp_lost},
    {"serial_useful_ns", "Serial useful time", PJ_UNIT_NS, NULL,
     "serial_region_efficiency serial_region_inefficiency", serial},
};

const pj_rank_quantity *pj_rank_quantity_at(size_t index)
{
    return index < sizeof quantities / sizeof *quantities ? &quantities[index] : NULL;
}

const pj_rank_quantity *pj_rank_quantity_of(pj_str metric)
{
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        for (pj_str rest = pj_str_of(quantities[i].metrics); rest.len;)
            if (pj_str_equal(pj_str_cut(&rest, ' '), metric))
                return &quantities[i];
    return &quantities[0];
}

static int by_value(const void *a, const void *b)
{
    double left = pj_cell_number(((const pj_cell *)a)[1]);
    double right = pj_cell_number(((const pj_cell *)b)[1]);
    if (left == right)
        return pj_cell_number(*(const pj_cell *)a) < pj_cell_number(*(const pj_cell *)b) ? -1 : 1;
    return left > right ? -1 : 1;
}

bool pj_rank_has_threads(const pj_run *run, pj_rank_bars bars)
{
    const pj_layout *layout = &run->layout;
    bool fits = layout->ranks == 1 && layout->locations > 1;
    return bars == PJ_RANK_THREADS || (bars == PJ_RANK_FITTING && fits);
}

static void add_bar(pj_table *table, const pj_run *run, const pj_rank_quantity *quantity,
                    uint32_t place, pj_rank_span span)
{
    double value;
    bool there = quantity->of(run, span, &value);
    pj_cell *row = pj_table_add_row(table);
    row[0] = pj_cell_int(place);
    row[1] = there ? pj_cell_real(value) : pj_cell_empty("not in the trace");
}

static bool is_whole(const pj_table *table)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (isnan(pj_cell_number(*pj_table_cell(table, row, 1))))
            return false;
    return table->row_count > 0;
}

pj_table *pj_rank_table(const pj_run *run, const pj_rank_quantity *quantity, pj_rank_bars bars,
                        bool sorted)
{
    const pj_layout *layout = &run->layout;
    bool by_thread = pj_rank_has_threads(run, bars);
    pj_table *table = pj_table_new(quantity->title);
    pj_table_add_column(table, (pj_column){.key = by_thread ? "thread" : "rank",
                                           .title = by_thread ? "Thread" : "Rank",
                                           .unit = PJ_UNIT_IDENTIFIER});
    pj_table_add_column(
        table, (pj_column){.key = quantity->key, .title = quantity->title, .unit = quantity->unit});
    for (uint32_t i = 0; i < (by_thread ? layout->locations : layout->ranks); i++)
        add_bar(table, run, quantity, i,
                by_thread
                    ? (pj_rank_span){i, i + 1}
                    : (pj_rank_span){layout->first_location[i], layout->first_location[i + 1]});
    if (sorted && is_whole(table))
        qsort(table->cells, table->row_count, 2 * sizeof *table->cells, by_value);
    return table;
}

const char *pj_rank_title(const pj_run *run, const pj_rank_quantity *quantity, pj_rank_bars bars,
                          pj_arena *arena)
{
    return pj_arena_format(arena, "%s by %s: %s", quantity->title,
                           pj_rank_has_threads(run, bars) ? "thread" : "rank",
                           run->name ? run->name : "");
}

pj_figure *pj_rank_figure(const pj_table *table, const pj_rank_quantity *quantity,
                          pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    opts.x = table->columns[0].key;
    opts.y[0] = quantity->key;
    return pj_plot_bar.make((pj_plot_data){.table = table}, opts, draw, err);
}

pj_rank_summary pj_rank_summarise(const pj_table *table)
{
    pj_rank_summary s = {0};
    double total = 0, squares = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        double value = pj_cell_number(*pj_table_cell(table, row, 1));
        if (isnan(value))
            continue;
        s.min = s.count == 0 || value < s.min ? value : s.min;
        s.max = s.count == 0 || value > s.max ? value : s.max;
        total += value;
        s.count++;
    }
    s.mean = s.count ? total / (double)s.count : 0;
    for (size_t row = 0; row < table->row_count; row++) {
        double value = pj_cell_number(*pj_table_cell(table, row, 1));
        if (!isnan(value))
            squares += (value - s.mean) * (value - s.mean);
    }
    s.deviation = s.count ? sqrt(squares / (double)s.count) : 0;
    return s;
}
