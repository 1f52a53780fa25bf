// A row for each depth; the first row is the root, with what lies above it where nothing parts.
#include "widgets/plot/profile/call_rows.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/call_tree.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/terminal_sheet.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/profile/call_alive.h"
#include "widgets/plot/profile/call_change.h"
#include "widgets/plot/profile/call_view.h"
#include "widgets/plot/profile/profile_view.h"

#include <math.h>

static const double width_usual = 900, row_usual = 21, row_of_ranks = 25, strip_height = 4;
static const double least_box = 0.5, least_label = 24, least_strip = 36, gap = 1;
static const double most_strip = 160, row_least = 15, row_most = 48;
enum { ROWS_LEAST = 3 };

typedef struct rows {
    pj_call_view v;
    pj_chart chart;
    double row;   // height
    double top;   // of the uppermost row
    double least; // width of boxes in px
    bool upwards, terminal;
} rows;

// ---- the frame

/// The whole width is the whole time: ticks end where it does.
static pj_axis time_axis(const rows *r, double width)
{
    const pj_profile_view *view = &r->v.view;
    double whole = r->v.tree->boxes[r->v.tree->top].value * view->factor;
    pj_unit unit = view->is_time ? PJ_UNIT_NS : PJ_UNIT_NONE;
    pj_column_text form = pj_column_text_unit(unit, whole);
    pj_axis axis = pj_axis_new(PJ_AXIS_LINEAR, 0, whole * form.factor, true);
    axis.start = 0;
    axis.end = width;
    pj_axis_ticks(&axis, view->arena, 76);
    size_t count = 0;
    for (size_t i = 0; i < axis.tick_count; i++)
        if (axis.ticks[i].value <= whole * form.factor * (1 + 1e-9))
            axis.ticks[count++] = axis.ticks[i];
    axis.tick_count = count;
    axis.from = 0;
    axis.to = whole * form.factor;
    axis.given = true;
    const pj_measure *measure = &view->profile->measures[view->measure];
    const char *shown = *form.unit ? form.unit : measure->unit;
    axis.title =
        *shown ? pj_arena_format(view->arena, "%s [%s]", measure->title, shown) : measure->title;
    return axis;
}

static pj_chart frame_of(const rows *r, double width, double height, const pj_draw *draw)
{
    return pj_chart_new((pj_chart_opts){.title = r->v.title,
                                        .subtitle = r->v.subtitle,
                                        .note = r->v.note,
                                        .width = width,
                                        .height = height,
                                        .x = time_axis(r, width - 60),
                                        .y = {.given = true, .to = 1},
                                        .keys = r->v.keys,
                                        .key_count = r->v.key_count},
                        draw);
}

/// What the frame needs besides rows, seen at a first one.
static double height_around(const rows *r, double width, const pj_draw *draw)
{
    static const double trial_height = 1000;
    pj_chart trial = frame_of(r, width, trial_height, draw);
    double around = trial_height - (trial.bottom - trial.top) + 6;
    pj_figure_free(trial.figure);
    return around;
}

/// Rows as high as there is room for; lower ones have no strips, and where their names would not be
/// legible there are fewer of them.
static void fit_rows(rows *r, double width, double height, const pj_draw *draw)
{
    double room = height - height_around(r, width, draw), usual = r->row;
    r->row = fmin(fmax(room / r->v.rows, row_least), row_most);
    if (r->row < usual && r->row < row_usual)
        r->v.strip = NULL;
    for (int i = 0; i < 2; i++) { // what is said of missing rows needs room, too
        pj_call_view_fit(&r->v, (uint32_t)fmax(floor(room / r->row), ROWS_LEAST));
        room = height - height_around(r, width, draw);
    }
    r->row = fmin(fmax(room / r->v.rows, row_least), row_most);
}

static void make_frame(rows *r, const pj_plot_opts *opts, const pj_draw *draw)
{
    double width = opts->width > 0 ? opts->width : width_usual;
    if (opts->height > 0 && !r->terminal)
        fit_rows(r, width, opts->height, draw);
    double inside = r->v.rows * r->row + (r->terminal ? 2 * PJ_CELL_HEIGHT - 6 : 0);
    r->chart = frame_of(r, width, height_around(r, width, draw) + inside, draw);
    r->chart.figure->summary = pj_arena_text(r->chart.arena, pj_str_of(r->v.summary));
    r->top = r->chart.top;
    if (r->terminal)
        r->top = ceil(r->top / PJ_CELL_HEIGHT) * PJ_CELL_HEIGHT;
}

// ---- boxes

static double left_of(const rows *r, double start)
{
    return r->chart.left + start * (r->chart.right - r->chart.left);
}

static double top_of(const rows *r, const pj_call_box *box)
{
    uint32_t row = box->depth - r->v.tree->boxes[r->v.first].depth;
    return r->top + r->row * (r->upwards ? r->v.rows - 1 - row : row);
}

/// A name that does not fit gives up what is before its last "::", then its middle: names that
/// begin alike differ at their ends.
static const char *fitting_name(const rows *r, const char *name, pj_style style, double room)
{
    const pj_draw *draw = r->chart.draw;
    if (pj_textbox_width(draw, name, style) <= room)
        return name;
    pj_str text = pj_str_of(name);
    size_t colon = pj_str_find_last(text, ':');
    bool scoped = colon > 1 && colon + 1 < text.len && text.at[colon - 1] == ':';
    const char *last = scoped ? name + colon + 1 : name;
    return pj_textbox_squeeze(draw, r->chart.arena, last, style, room);
}

/// "exchange  1.64 s, 82 %", or as much of it as there is room for.
static void add_label(const rows *r, uint32_t index, double x, double y, double width)
{
    const pj_call_box *box = &r->v.tree->boxes[index];
    const pj_profile_view *view = &r->v.view;
    pj_style style = {
        .size = 11, .italic = box->self, .colour = pj_palette_ink(r->v.colours[index])};
    pj_style faint = {.size = 10.5,
                      .colour = pj_palette_faded(style.colour, r->v.colours[index], 0.2)};
    double room = width - (r->terminal ? PJ_CELL_WIDTH : 8);
    if (width < least_label)
        return;
    const char *name = pj_call_view_name(&r->v, index);
    const char *amount =
        r->v.change
            ? pj_call_change_text(r->v.change, index, false)
            : pj_arena_format(view->arena, "%s, %s", pj_profile_view_amount(view, box->value),
                              pj_profile_view_share(view, box->value, r->v.tree->boxes[0].value));
    double name_width = pj_textbox_width(r->chart.draw, name, style);
    double amount_width = pj_textbox_width(r->chart.draw, amount, faint);
    double strip = r->v.strip ? strip_height : 0;
    double base = r->terminal ? y + PJ_CELL_HEIGHT - 3 : y + fmax((r->row - strip) / 2 + 3.5, 11);
    x += r->terminal ? PJ_DOT : 4;
    if (name_width + 8 + amount_width > room && index == r->v.first && room > amount_width + 80) {
        name =
            pj_textbox_squeeze(r->chart.draw, r->chart.arena, name, style, room - amount_width - 8);
        name_width = pj_textbox_width(r->chart.draw, name, style);
    }
    bool both = name_width + 8 + amount_width <= room;
    const char *shown = both ? name : fitting_name(r, name, style, room);
    if (pj_call_view_says(shown))
        pj_textbox_put(r->chart.figure, x, base, shown, style);
    if (both)
        pj_textbox_put(r->chart.figure, x + name_width + 8, base, amount, faint);
}

static void add_strip(const rows *r, uint32_t index, double x, double y, double width)
{
    const double *values =
        width >= least_strip && r->v.strip ? pj_call_view_spread(&r->v, index) : NULL;
    if (!values)
        return;
    width = fmin(width - 4, most_strip);
    size_t cells = (size_t)width;
    pj_colour *strip = pj_call_view_strip(&r->v, values, r->v.colours[index], &cells);
    pj_colour *kept = pj_new_n(r->chart.arena, pj_colour, cells + 1);
    memcpy(kept, strip, cells * sizeof *kept);
    pj_figure_add(r->chart.figure, (pj_mark){.kind = PJ_MARK_IMAGE,
                                             .x = x + 2,
                                             .y = y + r->row - gap - strip_height - 1.5,
                                             .w = width,
                                             .h = strip_height,
                                             .pixels = kept,
                                             .pixel_columns = cells,
                                             .pixel_rows = 1});
}

static void add_box(const rows *r, uint32_t index)
{
    const pj_call_box *box = &r->v.tree->boxes[index];
    double x = left_of(r, box->start), y = top_of(r, box);
    double width = left_of(r, box->start + box->size) - x;
    double seam = r->terminal ? PJ_DOT : fmin(gap, width / 3);
    pj_colour fill = r->v.colours[index];
    bool hatch = box->estimated && width > 3;
    pj_mark mark = {.kind = PJ_MARK_RECT,
                    .x = x,
                    .y = y,
                    .w = width - seam,
                    .h = r->row - (r->terminal ? 0 : gap),
                    .fill = fill,
                    .hatch = hatch,
                    .stroke = hatch ? pj_palette_mix(fill, PJ_PAPER, 0.5) : PJ_NONE,
                    .stroke_width = hatch ? 1 : 0,
                    .hover = pj_call_view_hover(&r->v, index),
                    .key = pj_arena_format(r->v.view.arena, "box:%u", index)};
    if (width < seam)
        return;
    pj_figure_add(r->chart.figure, mark);
    add_strip(r, index, x, y, width - seam);
    add_label(r, index, x, y, width - seam);
}

/// What lies behind the last child that is drawn: those that are too small.
static void add_rest(const rows *r, uint32_t index)
{
    const pj_call_tree *tree = r->v.tree;
    const pj_call_box *box = &tree->boxes[index];
    double end = box->start, all = box->start;
    uint32_t count = 0;
    for (uint32_t k = 0; k < box->count; k++) {
        uint32_t at = tree->order[box->first + k];
        const pj_call_box *child = &tree->boxes[at];
        all = fmax(all, child->start + child->size);
        if (r->v.drawn[at])
            end = fmax(end, child->start + child->size);
        else
            count += child->others ? child->others : 1;
    }
    double x = left_of(r, end), width = left_of(r, all) - x;
    if (count == 0 || width < least_box)
        return;
    pj_call_box row = {.depth = box->depth + 1};
    if (row.depth - tree->boxes[r->v.first].depth >= r->v.rows)
        return;
    pj_figure_add(
        r->chart.figure,
        (pj_mark){.kind = PJ_MARK_RECT,
                  .x = x,
                  .y = top_of(r, &row),
                  .w = width,
                  .h = r->row - (r->terminal ? 0 : gap),
                  .fill = PJ_COLOUR_OTHERS,
                  .hover = pj_arena_format(r->v.view.arena, "%u small ones, %s together", count,
                                           pj_profile_view_share(&r->v.view, all - end, 1))});
}

static void add_boxes(const rows *r)
{
    const pj_call_tree *tree = r->v.tree;
    uint32_t top = tree->boxes[r->v.first].depth;
    for (uint32_t i = 0; i < tree->count; i++) {
        const pj_call_box *box = &tree->boxes[i];
        if (!r->v.drawn[i] || box->depth < top)
            continue;
        add_box(r, i);
        add_rest(r, i);
    }
}

pj_figure *pj_call_rows(const pj_profile *profile, const pj_plot_opts *opts, bool upwards,
                        const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    double width = opts->width > 0 ? opts->width : width_usual;
    rows r = {.upwards = upwards, .terminal = draw == &pj_draw_terminal};
    double least = (r.terminal ? PJ_DOT : least_box) / fmax(width - 44, 100);
    pj_call_picture picture = {upwards ? "Flame graph" : "Icicle", least,
                               r.terminal ? NULL : "in a box"};
    if (!pj_call_view_new(profile, opts, picture, arena, &r.v, err))
        return NULL;
    bool strips = r.v.view.location_count > 1 && !r.v.tree->reversed;
    r.row = r.terminal ? PJ_CELL_HEIGHT : strips ? row_of_ranks : row_usual;
    make_frame(&r, opts, draw);
    add_boxes(&r);
    if (!r.terminal)
        r.chart.figure->alive = pj_call_alive(
            &r.v, (pj_call_alive_opts){.shape = "rows", .upwards = upwards}, r.chart.arena);
    return r.chart.figure;
}
