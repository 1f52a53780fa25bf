// Where the time of each rank of a run goes: a stacked bar plot of a small table.
#include "widgets/plot.h"

#include <string.h>

typedef struct share {
    const char *key, *title;
} share;

enum { USEFUL, MPI, OTHER, SHARES };

static const share shares[SHARES] = {
    [USEFUL] = {"useful", "Useful"},
    [MPI] = {"mpi", "MPI"},
    [OTHER] = {"other", "Other"},
};

/// Means over the threads of a rank, in ns.
static void add_rank(pj_table *table, const pj_run *run, uint32_t rank)
{
    double means[SHARES] = {0};
    uint32_t first = run->layout.first_location[rank], last = run->layout.first_location[rank + 1];
    for (uint32_t i = first; i < last; i++) {
        const pj_totals *t = &run->totals[i];
        double useful = (double)t->useful_ns;
        double mpi = (double)t->runtime_ns - (double)t->outside_mpi_ns;
        double other = (double)run->runtime_ns - useful - mpi;
        means[USEFUL] += useful / (last - first);
        means[MPI] += mpi / (last - first);
        means[OTHER] += (other > 0 ? other : 0) / (last - first);
    }
    pj_cell *row = pj_table_add_row(table);
    row[0] = pj_cell_int(rank);
    for (size_t i = 0; i < SHARES; i++)
        row[1 + i] = pj_cell_real(means[i]);
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    const pj_run *run = data.run;
    pj_auto_table table = pj_table_new("Time of each rank");
    pj_table_add_column(table, (pj_column){.key = "rank", .title = "Rank"});
    for (size_t i = 0; i < SHARES; i++)
        pj_table_add_column(
            table, (pj_column){.key = shares[i].key, .title = shares[i].title, .unit = PJ_UNIT_NS});
    for (uint32_t rank = 0; rank < run->layout.ranks; rank++)
        add_rank(table, run, rank);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_plot_opts bars = {.title = opts.title ? opts.title
                                             : pj_arena_format(arena, "Time of each rank: %s",
                                                               run->name ? run->name : ""),
                         .width = opts.width,
                         .height = opts.height,
                         .stacked = true};
    memcpy(bars.y, opts.y, sizeof bars.y);
    for (size_t i = 0; !opts.y[0] && i < SHARES; i++)
        bars.y[i] = shares[i].key;
    return pj_plot_bar.make((pj_plot_data){.table = table}, bars, draw, err);
}

const pj_plot pj_plot_ranks = {
    .name = "ranks",
    .title = "Time of each rank",
    .help = "Useful, MPI and other time of every rank of a run, as stacked bars.",
    .source = PJ_PLOT_RUN,
    .make = make,
};
