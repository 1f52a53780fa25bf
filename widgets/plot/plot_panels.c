// Several runs below each other. Their pictures are those of single runs, moved down.
#include "widgets/plot/plot_panels.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"

#include <math.h>
#include <string.h>

enum { PANELS_MOST = 8 };

static const char *kept(pj_arena *arena, const char *text)
{
    return text ? pj_arena_text(arena, pj_str_of(text)) : NULL;
}

static void add_moved(pj_figure *figure, const pj_mark *of, double down)
{
    pj_mark mark = *of;
    pj_point *points = pj_new_n(figure->arena, pj_point, mark.point_count + 1);
    pj_colour *pixels =
        pj_new_n(figure->arena, pj_colour, mark.pixel_columns * mark.pixel_rows + 1);
    for (size_t i = 0; i < mark.point_count; i++)
        points[i] = (pj_point){of->points[i].x, of->points[i].y + down};
    if (of->pixels)
        memcpy(pixels, of->pixels, mark.pixel_columns * mark.pixel_rows * sizeof *pixels);
    mark.y += down;
    mark.h += mark.kind == PJ_MARK_LINE ? down : 0; // where it ends
    mark.points = points;
    mark.pixels = of->pixels ? pixels : NULL;
    mark.text = kept(figure->arena, of->text);
    mark.hover = kept(figure->arena, of->hover);
    mark.key = kept(figure->arena, of->key);
    pj_figure_add(figure, mark);
}

static void add_below(pj_figure *figure, const pj_figure *panel)
{
    for (size_t i = 0; i < panel->mark_count; i++)
        add_moved(figure, &panel->marks[i], figure->height);
    figure->height += panel->height;
    figure->width = fmax(figure->width, panel->width);
    figure->summary =
        pj_arena_format(figure->arena, "%s%s%s: %s", figure->summary ? figure->summary : "",
                        figure->summary ? " " : "", panel->title, panel->summary);
}

pj_figure *pj_plot_panels(const pj_plot *plot, const pj_study *study, pj_plot_opts opts,
                          const pj_draw *draw, pj_err *err)
{
    if (study->count > PANELS_MOST) {
        pj_fail(err, PJ_E_USAGE, NULL, 0, "%s of at most %d runs are drawn, not of %zu", plot->name,
                PANELS_MOST, study->count);
        return NULL;
    }
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_figure all = pj_figure_new(0, 0, opts.title ? opts.title : plot->title);
    for (size_t i = 0; i < study->count; i++) {
        pj_plot_opts one = opts;
        if (opts.title)
            one.title = pj_arena_format(arena, "%s: %s", opts.title, study->cases[i].name);
        one.height = opts.height / (double)study->count;
        pj_auto_figure panel =
            plot->make((pj_plot_data){.run = study->cases[i].run}, one, draw, err);
        if (!panel)
            return NULL;
        add_below(all, panel);
    }
    pj_figure *made = all;
    all = NULL;
    return made;
}

static void append_run(pj_table *all, const pj_case *of, const pj_table *one)
{
    if (all->column_count == 0) {
        pj_table_add_column(all, (pj_column){.key = "trace", .title = "Trace", .text = PJ_TEXT});
        for (size_t c = 0; c < one->column_count; c++)
            pj_table_copy_column(all, one, c);
    }
    for (size_t row = 0; row < one->row_count; row++) {
        pj_cell *cells = pj_table_add_row(all);
        cells[0] = pj_table_copy_cell(all, pj_cell_text(of->name));
        for (size_t c = 0; c < one->column_count; c++)
            cells[c + 1] = pj_table_copy_cell(all, *pj_table_cell(one, row, c));
    }
}

pj_table *pj_plot_panels_table(const pj_plot *plot, const pj_study *study)
{
    pj_table *all = pj_table_new(plot->title);
    for (size_t i = 0; i < study->count; i++) {
        pj_auto_table one = plot->numbers(study->cases[i].run);
        if (!all->column_count || one->column_count + 1 == all->column_count)
            append_run(all, &study->cases[i], one);
    }
    return all;
}
