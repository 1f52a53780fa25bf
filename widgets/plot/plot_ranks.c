// Where the time of each rank goes, or of each thread: a stacked bar plot of the breakdown.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/run/breakdown.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/plot.h"

#include <string.h>

static const pj_colour colours[PJ_TIME_PARTS] = {
    [PJ_TIME_useful] = PJ_COLOUR_RUNNING,
    [PJ_TIME_mpi_p2p] = PJ_COLOUR_MESSAGE,
    [PJ_TIME_mpi_collective] = PJ_COLOUR_COLLECTIVE,
    [PJ_TIME_mpi_other] = PJ_COLOUR_MPI,
    [PJ_TIME_openmp_wait] = PJ_COLOUR_SYNC,
    [PJ_TIME_scheduling] = PJ_COLOUR_FORK,
    [PJ_TIME_device_runtime] = PJ_COLOUR_LAUNCH,
    [PJ_TIME_io] = PJ_COLOUR_IO,
    [PJ_TIME_other] = PJ_COLOUR_OTHER,
    [PJ_TIME_serial_idle] = PJ_COLOUR_IDLE,
    [PJ_TIME_idle] = PJ_COLOUR_ABSENT,
};

typedef struct ranks_plot {
    const pj_run *run;
    bool threads; // a bar for each thread
    pj_arena *arena;
    pj_colour colours[PJ_PLOT_MOST_Y]; // of the parts that are drawn
    const char *keys[PJ_PLOT_MOST_Y];  // the same
    uint64_t sums[PJ_TIME_PARTS];      // ns of all threads
} ranks_plot;

/// Means over the threads of a rank, in ns; sums are whole, so that the order is of no matter.
static void add_rank(const ranks_plot *p, pj_table *table, uint32_t rank)
{
    const uint32_t *first = p->run->layout.first_location;
    double threads = first[rank + 1] - first[rank];
    uint64_t sums[PJ_TIME_PARTS] = {0}, ns[PJ_TIME_PARTS];
    for (uint32_t i = first[rank]; i < first[rank + 1]; i++) {
        pj_breakdown_of(p->run, i, ns);
        for (size_t k = 0; k < PJ_TIME_PARTS; k++)
            sums[k] += ns[k];
    }
    pj_cell *row = pj_table_add_row(table);
    row[0] = pj_cell_int(rank);
    for (size_t k = 0; k < PJ_TIME_PARTS; k++)
        row[1 + k] = pj_cell_real((double)sums[k] / threads);
}

static pj_table *means(const ranks_plot *p)
{
    pj_table *table = pj_table_new("");
    pj_table_add_column(table, (pj_column){.key = "rank", .title = "Rank"});
    for (pj_breakdown_part k = 0; k < PJ_TIME_PARTS; k++)
        pj_table_add_column(table, (pj_column){.key = pj_breakdown_key(k),
                                               .title = pj_breakdown_title(k),
                                               .unit = PJ_UNIT_NS});
    for (uint32_t rank = 0; rank < p->run->layout.ranks; rank++)
        add_rank(p, table, rank);
    return table;
}

static void sum_up(ranks_plot *p)
{
    for (uint32_t i = 0; i < p->run->layout.locations; i++) {
        uint64_t ns[PJ_TIME_PARTS];
        pj_breakdown_of(p->run, i, ns);
        for (size_t k = 0; k < PJ_TIME_PARTS; k++)
            p->sums[k] += ns[k];
    }
}

/// "Useful 55.1 %": the part of the time of all threads.
static const char *key_of(const ranks_plot *p, pj_breakdown_part part)
{
    double all = (double)p->run->runtime_ns * p->run->layout.locations;
    double percent = all > 0 ? 100 * (double)p->sums[part] / all : 0;
    char number[32];
    number[pj_format_fixed(percent, 1, number)] = 0;
    bool little = percent > 0 && percent < 0.05;
    return pj_arena_format(p->arena, "%s %s\u00a0%%", pj_breakdown_title(part),
                           little ? "<0.1" : number);
}

/// What the caller names, or every part that is there.
static void choose(ranks_plot *p, const pj_plot_opts *opts, pj_plot_opts *bars)
{
    size_t count = 0;
    for (pj_breakdown_part k = 0; !opts->y[0] && k < PJ_TIME_PARTS; k++)
        if (p->sums[k])
            bars->y[count++] = pj_breakdown_key(k);
    for (size_t y = 0; bars->y[y]; y++) {
        p->colours[y] = pj_palette_series(y);
        p->keys[y] = bars->y[y];
        for (pj_breakdown_part k = 0; k < PJ_TIME_PARTS; k++)
            if (strcmp(bars->y[y], pj_breakdown_key(k)) == 0) {
                p->colours[y] = colours[k];
                p->keys[y] = key_of(p, k);
            }
    }
}

/// x = "thread" or "rank"; else threads where there is one rank.
static bool choose_bars(ranks_plot *p, const char *x, pj_err *err)
{
    p->threads = x ? strcmp(x, "thread") == 0 : p->run->layout.ranks == 1;
    return !x || p->threads || strcmp(x, "rank") == 0 ||
           pj_fail(err, PJ_E_USAGE, NULL, 0, "plot: ranks has bars for each rank or thread, not %s",
                   x);
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    ranks_plot p = {.run = data.run, .arena = arena};
    const char *lack = pj_breakdown_lack(data.run);
    if (lack) {
        pj_fail(err, PJ_E_MISSING, data.run->path, 0, "cannot say where time goes: %s", lack);
        return NULL;
    }
    if (!choose_bars(&p, opts.x, err))
        return NULL;
    sum_up(&p);
    pj_auto_table table = p.threads ? pj_breakdown_table(data.run) : means(&p);
    pj_plot_opts bars = opts;
    bars.title = opts.title
                     ? opts.title
                     : pj_arena_format(arena, "Time of each %s: %s", p.threads ? "thread" : "rank",
                                       data.run->name ? data.run->name : "");
    bars.x = p.threads && data.run->layout.ranks == 1 ? "thread" : NULL;
    bars.stacked = true;
    choose(&p, &opts, &bars);
    bars.colours = p.colours;
    bars.keys = p.keys;
    return pj_plot_bar.make((pj_plot_data){.table = table}, bars, draw, err);
}

const pj_plot pj_plot_ranks = {
    .name = "ranks",
    .title = "Time of each rank or thread",
    .help = "Where the time of every rank of a run goes, as stacked bars; of every thread with "
            "-x thread, or where there is one rank.",
    .source = PJ_PLOT_RUN,
    .numbers = pj_breakdown_table,
    .make = make,
};
