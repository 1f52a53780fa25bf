// How many messages have which size, in powers of two.
#include "widgets/plot.h"

#include <string.h>

/// With a row for each power of two between those that messages have, so that the axis is even.
static pj_table *without_gaps(const pj_table *table)
{
    int from = pj_table_column(table, PJ_S("from")), to = pj_table_column(table, PJ_S("to"));
    pj_table *full = pj_table_new(table->title);
    for (size_t c = 0; c < table->column_count; c++)
        pj_table_add_column(full, table->columns[c]);
    for (size_t row = 0; row < table->row_count; row++) {
        const pj_cell *cells = pj_table_cell(table, row, 0);
        int64_t next = row ? pj_table_cell(table, row - 1, (size_t)to)->integer : INT64_MAX;
        for (; next < cells[from].integer; next *= 2) {
            pj_cell *gap = pj_table_add_row(full);
            for (size_t c = 0; c < table->column_count; c++)
                gap[c] = pj_cell_int(0);
            gap[from] = pj_cell_int(next);
            gap[to] = pj_cell_int(next * 2);
        }
        memcpy(pj_table_add_row(full), cells, table->column_count * sizeof *cells);
    }
    return full;
}

/// Whether the rows of the table are bins that grow, as those of messages are.
static bool is_histogram(const pj_table *table)
{
    enum { LARGEST_POWER = 61 };
    int from = pj_table_column(table, PJ_S("from")), to = pj_table_column(table, PJ_S("to"));
    int64_t least = 0;
    for (size_t row = 0; from >= 0 && to >= 0 && row < table->row_count; row++) {
        const pj_cell *low = pj_table_cell(table, row, (size_t)from);
        const pj_cell *high = pj_table_cell(table, row, (size_t)to);
        if (low->kind != PJ_CELL_INT || high->kind != PJ_CELL_INT || low->integer < least ||
            high->integer <= low->integer || high->integer >> LARGEST_POWER)
            return false;
        least = high->integer;
    }
    return from >= 0 && to >= 0;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_table full = !opts.x && is_histogram(data.table) ? without_gaps(data.table) : NULL;
    opts.x = opts.x ? opts.x : "from";
    opts.title = opts.title ? opts.title : data.table->title;
    opts.y[0] = opts.y[0] ? opts.y[0] : "count";
    pj_plot_data drawn = {.table = full ? full : data.table};
    return pj_plot_bar.make(drawn, opts, draw, err);
}

const pj_plot pj_plot_sizes = {
    .name = "sizes",
    .title = "Sizes of messages",
    .help = "Messages by their size in bytes, in powers of two.",
    .source = PJ_PLOT_TABLE,
    .question = PJ_PLOT_SIZES,
    .most_y = 1,
    .make = make,
};
