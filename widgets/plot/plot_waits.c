// What each rank waits for: a stacked bar plot of its waits by pattern.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/aspect.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/waits_table.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/plot.h"

/// What the caller names, or all that ranks do in MPI.
static void choose(const pj_table *table, pj_plot_opts *bars)
{
    size_t count = 0;
    if (bars->y[0])
        return;
    for (size_t c = 0; c < table->column_count && count + 1 < PJ_PLOT_MOST_Y; c++)
        if (pj_waits_is_in_mpi(pj_str_of(table->columns[c].key)))
            bars->y[count++] = table->columns[c].key;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    if (data.run->ai) {
        pj_fail(err, PJ_E_MISSING, data.run->path, 0,
                "is an AI run: plot devices shows what its devices wait for");
        return NULL;
    }
    if (!data.run->waits || data.run->waits->sum_count == 0) {
        pj_fail(err, PJ_E_MISSING, data.run->path, 0, "has no waits in MPI calls to draw");
        return NULL;
    }
    pj_auto_table table = pj_waits_ranks(data.run);
    pj_plot_opts bars = opts;
    bars.title = opts.title ? opts.title
                            : pj_arena_format(arena, "Waits of each rank: %s",
                                              data.run->name ? data.run->name : "");
    bars.stacked = true;
    choose(table, &bars);
    return pj_plot_bar.make((pj_plot_data){.table = table}, bars, draw, err);
}

const pj_plot pj_plot_waits = {
    .name = "waits",
    .title = "Waits of each rank",
    .help =
        "What every rank of a run waits for in MPI calls, and the rest of MPI, as stacked bars; "
        "-y outside_mpi_ns and others chooses what is shown.",
    .source = PJ_PLOT_RUN,
    .aspects = PJ_WANT(waits),
    .numbers = pj_waits_ranks,
    .make = make,
};
