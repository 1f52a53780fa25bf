// One rank as a list: bars from left to right, so that names of any length stand beside them.
#include "widgets/plot/profile/rank_list.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/figure/terminal_sheet.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/profile/call_view.h"
#include "widgets/plot/profile/profile_view.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MOST = 30, NUMBERS = 3 };
static const double width_usual = 900, row_usual = 20, label_most = 260, column_gap = 16;
static const double named_least = 0.0005; // part of the whole

typedef struct list_row {
    uint32_t region; // PJ_NO_ITEM = all others
    double own, calls;
    const char *name, *numbers[NUMBERS];
} list_row;

typedef struct rank_list {
    const pj_profile_view *v;
    pj_plot_opts opts;
    const pj_draw *draw;
    list_row *rows;
    uint32_t count, named, others; // rows; those of functions; functions without a row
    const char *titles[NUMBERS];
    double widths[NUMBERS], room; // of the numbers; of them together
    pj_column_text form;
    pj_chart chart;
    double top; // of the uppermost row
} rank_list;

static int by_own(const void *a, const void *b)
{
    const list_row *x = a, *y = b;
    if (x->own != y->own)
        return x->own > y->own ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

static void take_rows(rank_list *l)
{
    const pj_profile_view *v = l->v;
    uint32_t regions = v->profile->count[PJ_AT_REGION], all = 0;
    l->rows = pj_new_n(v->arena, list_row, regions + (size_t)1);
    for (uint32_t r = 0; r < regions; r++) {
        double own = pj_profile_sums_size(v->sums->regions.exclusive[r]);
        if (own > 0)
            l->rows[all++] = (list_row){r, own, v->sums->regions.calls[r], NULL, {NULL}};
    }
    qsort(l->rows, all, sizeof *l->rows, by_own);
    while (l->named < all && l->named < ROWS_MOST &&
           (l->named < 5 || l->rows[l->named].own >= named_least * v->total))
        l->named++;
    l->count = l->named;
    l->others = all - l->named;
    list_row rest = {.region = PJ_NO_ITEM, .calls = NAN};
    for (uint32_t i = l->named; i < all; i++)
        rest.own += l->rows[i].own;
    if (l->others)
        l->rows[l->count++] = rest;
}

static void write_numbers(rank_list *l)
{
    const pj_profile_view *v = l->v;
    double *own = pj_new_n(v->arena, double, l->count + (size_t)1);
    uint32_t *regions = pj_new_n(v->arena, uint32_t, l->count + (size_t)1);
    for (uint32_t i = 0; i < l->count; i++) {
        own[i] = l->rows[i].own;
        regions[i] = l->rows[i].region;
    }
    const char **names = pj_function_names(v->profile, regions, l->named, v->arena);
    l->form = pj_profile_view_column(v, own, l->count);
    for (uint32_t i = 0; i < l->count; i++) {
        list_row *row = &l->rows[i];
        char calls[32] = "";
        if (!isnan(row->calls))
            calls[pj_format_grouped((int64_t)row->calls, calls)] = 0;
        row->name = i < l->named ? names[i] : pj_arena_format(v->arena, "%u others", l->others);
        row->numbers[0] = pj_profile_view_number(v, l->form, row->own);
        row->numbers[1] = pj_profile_view_percent(v, row->own, v->total);
        row->numbers[2] = pj_arena_format(v->arena, "%s", calls);
    }
    l->titles[0] = pj_profile_view_head(v, l->form, "Own");
    l->titles[1] = "%";
    l->titles[2] = "Calls";
    for (unsigned c = 0; c < NUMBERS; c++) {
        for (uint32_t i = 0; i < l->count; i++)
            l->widths[c] = fmax(l->widths[c], pj_textbox_width(l->draw, l->rows[i].numbers[c],
                                                               (pj_style){.size = 11}));
        if (l->widths[c] > 0)
            l->widths[c] = column_gap + fmax(l->widths[c], pj_textbox_width(l->draw, l->titles[c],
                                                                            pj_textbox_note));
        l->room += l->widths[c];
    }
}

// ---- drawing

static pj_axis names_axis(const rank_list *l)
{
    const char **labels = pj_new_n(l->v->arena, const char *, l->count + (size_t)1);
    for (uint32_t i = 0; i < l->count; i++)
        labels[i] = pj_textbox_squeeze(l->draw, l->v->arena, l->rows[i].name,
                                       (pj_style){.size = 11}, label_most);
    pj_axis axis = pj_axis_categories(l->v->arena, labels, l->count);
    axis.from = l->count - 0.5; // from top to bottom
    axis.to = -0.5;
    axis.title = "Function";
    return axis;
}

static pj_chart frame_of(const rank_list *l, double height)
{
    const pj_profile_view *v = l->v;
    bool there[PJ_FAMILY_COUNT] = {false};
    pj_chart_key keys[PJ_FAMILY_COUNT];
    for (uint32_t i = 0; i < l->named; i++)
        there[pj_function_family_of(v->profile, l->rows[i].region)] = true;
    double most = l->rows[0].own;
    for (uint32_t i = 0; i < l->count; i++)
        most = fmax(most, l->rows[i].own);
    pj_axis x = pj_axis_new(PJ_AXIS_LINEAR, 0, most * v->factor * l->form.factor * 1.02, true);
    x.title = pj_profile_view_head(v, l->form, v->profile->measures[v->measure].title);
    const char *title = pj_arena_format(v->arena, "Functions of %s: %s",
                                        pj_profile_view_location(v, v->locations[0]), v->name);
    const char *said = pj_arena_format(v->arena, "%s%s%s", pj_profile_view_whole(v, v->total),
                                       *v->told ? ". " : "", v->told);
    return pj_chart_new((pj_chart_opts){.title = l->opts.title ? l->opts.title : title,
                                        .subtitle = said,
                                        .width = l->opts.width > 0 ? l->opts.width : width_usual,
                                        .height = height,
                                        .room = l->room,
                                        .keys = keys,
                                        .key_count = pj_function_keys(there, keys),
                                        .x = x,
                                        .y = names_axis(l)},
                        l->draw);
}

/// As high as its rows need, in the terminal a line each.
static void make_frame(rank_list *l)
{
    static const double trial_height = 2000;
    pj_chart trial = frame_of(l, trial_height);
    double around = trial_height - (trial.bottom - trial.top);
    pj_figure_free(trial.figure);
    double row = l->draw == &pj_draw_terminal ? PJ_CELL_HEIGHT : row_usual;
    if (l->opts.height > around)
        row = fmin(row, fmax((l->opts.height - around) / l->count, 3));
    l->chart = frame_of(l, around + l->count * row);
    l->top = l->chart.top;
    if (l->draw == &pj_draw_terminal) // a bar is a line of its own
        l->top = round(l->top / PJ_CELL_HEIGHT) * PJ_CELL_HEIGHT;
}

static void add_row(const rank_list *l, uint32_t i)
{
    const pj_profile_view *v = l->v;
    const list_row *row = &l->rows[i];
    double slot = (l->chart.bottom - l->chart.top) / l->count;
    double top = l->top + i * slot, gap = l->draw == &pj_draw_terminal ? 0 : slot * 0.14;
    double end = pj_chart_x(&l->chart, row->own * v->factor * l->form.factor);
    bool known = row->region != PJ_NO_ITEM;
    pj_auto_buf hover = {0};
    if (known)
        pj_profile_view_describe(v, row->region, &hover);
    else
        pj_buf_addf(&hover, "%s\nown %s", row->name, pj_profile_view_amount(v, row->own));
    pj_figure_add(
        l->chart.figure,
        (pj_mark){.kind = PJ_MARK_RECT,
                  .x = l->chart.left,
                  .y = top + gap,
                  .w = fmax(end - l->chart.left, 0.5),
                  .h = slot - 2 * gap,
                  .fill = known ? pj_function_colour(v->profile, row->region) : PJ_COLOUR_OTHERS,
                  .hover = pj_arena_text(l->chart.figure->arena, pj_buf_str(&hover))});
    double right = l->chart.right;
    for (unsigned c = 0; slot >= 9 && c < NUMBERS; c++) {
        pj_style style = {.size = 11, .anchor = PJ_ANCHOR_END, .colour = c < 2 ? PJ_INK : PJ_MUTED};
        right += l->widths[c];
        pj_textbox_put(l->chart.figure, right, top + slot / 2 + 4, row->numbers[c], style);
    }
}

/// Lines of the grid go up and down here.
static void add_grid(const rank_list *l)
{
    const pj_chart *chart = &l->chart;
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                           .x = chart->left,
                                           .y = chart->top - 1,
                                           .w = chart->right - chart->left + 1,
                                           .h = chart->bottom - chart->top,
                                           .fill = PJ_PAPER});
    double right = chart->right;
    for (unsigned c = 0; c < NUMBERS; c++) {
        pj_style head = {.size = 11, .anchor = PJ_ANCHOR_END, .colour = PJ_MUTED, .bold = true};
        right += l->widths[c];
        if (l->widths[c] > 0)
            pj_textbox_put(chart->figure, right, chart->top - 14, l->titles[c], head);
    }
}

pj_figure *pj_rank_list(const pj_rank_values *values, pj_plot_opts opts, const pj_draw *draw)
{
    rank_list l = {.v = &values->view, .opts = opts, .draw = draw};
    take_rows(&l);
    if (!l.count)
        return NULL;
    write_numbers(&l);
    make_frame(&l);
    add_grid(&l);
    for (uint32_t i = 0; i < l.count; i++)
        add_row(&l, i);
    l.chart.figure->searched = true;
    l.chart.figure->summary = pj_arena_format(
        l.chart.arena, "A list of %u functions by their own time. Most: %s, %s of %s.",
        l.named + l.others, l.rows[0].name, pj_profile_view_amount(l.v, l.rows[0].own),
        pj_profile_view_amount(l.v, l.v->total));
    return l.chart.figure;
}
