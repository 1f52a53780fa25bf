// Parts of one run in the plot of scaling, which is of runs of several sizes.
#include "widgets/plot/plot_parts.h"

#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"

#include <string.h>

static bool is_time(const pj_slices *along)
{
    return strcmp(along->what, "slice") == 0;
}

const pj_slices *pj_parts_along(const pj_study *study)
{
    const pj_run *whole = pj_run_whole(study->cases[0].run);
    if (!whole->slices || whole->slices->count != whole->parts.count || study->count < 2)
        return NULL;
    for (size_t run = 0; run < study->count; run++)
        if (pj_run_whole(study->cases[run].run) != whole)
            return NULL;
    return whole->slices;
}

double pj_parts_along_place(const pj_slices *along, const pj_run *part)
{
    uint32_t i = 0;
    while (i + 1 < along->count && part->part.whole->parts.items[i] != part)
        i++;
    const pj_run_slice *slice = &along->items[i];
    return is_time(along) ? ((double)slice->start_ns + (double)slice->end_ns) / 2e9
                          : along->first + i;
}

const char *pj_parts_along_title(const pj_slices *along)
{
    return is_time(along) ? "Time" : "Iterations";
}

pj_axis pj_parts_along_axis(const pj_slices *along, pj_arena *arena)
{
    enum { MOST_TICKS = 20 };
    double from = along->first - 0.5, to = from + along->count;
    if (is_time(along)) {
        from = (double)along->items[0].start_ns / 1e9;
        to = (double)along->items[along->count - 1].end_ns / 1e9;
        pj_axis time = pj_axis_new(PJ_AXIS_LINEAR, from, to, false);
        time.title = "Time [s]";
        return time;
    }
    pj_axis axis = {
        .kind = PJ_AXIS_LINEAR, .from = from, .to = to, .title = "Iteration", .given = true};
    uint32_t stride = 1 + along->count / MOST_TICKS;
    axis.ticks = pj_new_n(arena, pj_tick, along->count + 1);
    for (uint32_t i = 0; i < along->count; i += stride)
        axis.ticks[axis.tick_count++] =
            (pj_tick){along->first + i, pj_arena_format(arena, "%u", along->first + i)};
    return axis;
}

pj_figure *pj_plot_parts_bars(const pj_metric *metric, const pj_named_part *parts, size_t count,
                              pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_table table = pj_table_new("");
    pj_table_add_column(
        table, (pj_column){.key = "part", .title = "Part", .unit = PJ_UNIT_NONE, .text = PJ_TEXT});
    pj_table_add_column(
        table, (pj_column){.key = metric->key,
                           .title = metric->title,
                           .unit = metric->kind == PJ_METRIC_PLAIN ? metric->unit : PJ_UNIT_RATIO});
    for (size_t i = 0; i < count; i++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_text(parts[i].name);
        cells[1] = parts[i].value.reason ? pj_cell_empty(parts[i].value.reason)
                                         : pj_cell_real(parts[i].value.value);
    }
    if (!opts.title)
        opts.title = pj_arena_format(table->arena, "%s of each part", metric->title);
    opts.x = "part";
    opts.by = NULL;
    return pj_plot_bar.make((pj_plot_data){.table = table}, opts, draw, err);
}
