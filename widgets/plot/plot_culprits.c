// Who waits how long for whom: a matrix of ranks that wait and those that they wait for.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/aspect.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/waits_table.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

#include <string.h>

static pj_table *pairs_of(const pj_run *run)
{
    pj_err err = {.code = PJ_E_NONE};
    return pj_waits_table(run, PJ_WAITS_PAIR, &err);
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_run *run = data.run;
    if (run->ai) {
        pj_fail(err, PJ_E_MISSING, run->path, 0,
                "is an AI run: popinjay waits --by pair tells which devices wait for which");
        return NULL;
    }
    pj_auto_table table = pairs_of(run);
    if (!table || table->row_count == 0) {
        pj_fail(err, PJ_E_MISSING, run->path, 0, "has no waits in MPI calls to draw");
        return NULL;
    }
    pj_plot_opts matrix = opts;
    matrix.title =
        opts.title ? opts.title
                   : pj_arena_format(arena, "Who waits for whom: %s", run->name ? run->name : "");
    matrix.x = "culprit";
    matrix.by = "rank";
    matrix.y[0] = opts.y[0] ? opts.y[0] : "wait_ns";
    if (strcmp(matrix.y[0], "wait_ns") != 0 && strcmp(matrix.y[0], "instances") != 0) {
        pj_fail(err, PJ_E_USAGE, NULL, 0,
                "plot: culprits: y is \"wait_ns\" or \"instances\", not \"%s\"", matrix.y[0]);
        return NULL;
    }
    return pj_plot_matrix.make((pj_plot_data){.table = table}, matrix, draw, err);
}

const pj_plot pj_plot_culprits = {
    .name = "culprits",
    .title = "Who waits for whom",
    .help = "How long every rank of a run waits in MPI calls for every other one, or how often "
            "(-y instances).",
    .source = PJ_PLOT_RUN,
    .aspects = PJ_WANT(waits),
    .most_y = 1,
    .numbers = pairs_of,
    .make = make,
};
