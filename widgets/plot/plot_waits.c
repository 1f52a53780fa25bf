// Where the time of each rank goes: a stacked bar plot of its waits by pattern, beside the rest.
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

#include <string.h>

static const pj_colour pattern_colours[PJ_WAIT_PATTERNS] = {
    [PJ_WAIT_late_sender] = 0xc8372dff,   [PJ_WAIT_late_sender_wrong_order] = 0xea9a92ff,
    [PJ_WAIT_late_receiver] = 0xd0579cff, [PJ_WAIT_barrier_wait] = 0x7b56b3ff,
    [PJ_WAIT_wait_at_nxn] = 0xf2a93bff,   [PJ_WAIT_late_broadcast] = 0x8f4b1fff,
    [PJ_WAIT_early_reduce] = 0x178a6bff,  [PJ_WAIT_early_scan] = 0xc9b458ff,
    [PJ_WAIT_init_wait] = 0x5b6470ff,     [PJ_WAIT_finalize_wait] = 0x2b3440ff,
    [PJ_WAIT_wait_at_fence] = 0x3d3f9eff, [PJ_WAIT_late_post] = 0x7fc4b4ff,
    [PJ_WAIT_early_wait] = 0xc9a9e0ff,    [PJ_WAIT_rma_lock] = 0x6b1f4aff,
};

typedef struct column_colour {
    const char *key;
    pj_colour colour;
} column_colour;

static const column_colour other_colours[] = {
    {"outside_mpi_ns", PJ_COLOUR_RUNNING},
    {"transfer_ns", PJ_COLOUR_TRANSFER},
    {"end_ns", PJ_COLOUR_IDLE},
};

/// The same for a column in every run, whatever else it has.
static pj_colour colour_of(const char *column)
{
    pj_str key = pj_str_of(column);
    for (size_t i = 0; i < sizeof other_colours / sizeof *other_colours; i++)
        if (pj_str_equal(key, pj_str_of(other_colours[i].key)))
            return other_colours[i].colour;
    for (unsigned k = 0; k < PJ_WAIT_PATTERNS; k++) {
        pj_str pattern = pj_str_of(pj_wait_pattern_rows[k].key);
        if (pj_str_equal(pj_str_head(key, pattern.len), pattern) &&
            pj_str_equal(pj_str_from(key, pattern.len), PJ_S("_ns")))
            return pattern_colours[k];
    }
    return PJ_COLOUR_OTHER;
}

static bool is_beside_waits(pj_str column)
{
    for (size_t i = 0; i < sizeof other_colours / sizeof *other_colours; i++)
        if (pj_str_equal(column, pj_str_of(other_colours[i].key)))
            return true;
    return false;
}

static bool has_time(const pj_table *table, size_t column)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (pj_cell_number(*pj_table_cell(table, row, column)) > 0)
            return true;
    return false;
}

/// What the caller names, all that ranks do in MPI ("mpi"), or all that the runtime is made of.
static void choose(const pj_table *table, pj_plot_opts *bars)
{
    bool in_mpi = bars->y[0] && strcmp(bars->y[0], "mpi") == 0 && !bars->y[1];
    size_t count = 0;
    if (bars->y[0] && !in_mpi)
        return;
    for (size_t c = 0; c < table->column_count && count + 1 < PJ_PLOT_MOST_Y; c++) {
        pj_str key = pj_str_of(table->columns[c].key);
        if (has_time(table, c) && (pj_waits_is_in_mpi(key) || (!in_mpi && is_beside_waits(key))))
            bars->y[count++] = table->columns[c].key;
    }
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
    pj_colour colours[PJ_PLOT_MOST_Y];
    for (size_t i = 0; i < PJ_PLOT_MOST_Y && bars.y[i]; i++)
        colours[i] = colour_of(bars.y[i]);
    bars.colours = colours;
    return pj_plot_bar.make((pj_plot_data){.table = table}, bars, draw, err);
}

const pj_plot pj_plot_waits = {
    .name = "waits",
    .title = "Waits of each rank",
    .help =
        "Where the time of every rank of a run goes, as stacked bars: outside MPI, what MPI calls "
        "wait for, the rest of MPI, after the last event; a colour for each reason in every run. "
        "-y mpi leaves out what is not in MPI, where waits are hardly seen beside it; -y "
        "late_sender_ns -y transfer_ns shows these, and so on.",
    .source = PJ_PLOT_RUN,
    .aspects = PJ_WANT(waits),
    .numbers = pj_waits_ranks,
    .make = make,
};
