// Functions by rank: a row for each function, a column for each rank, darker the more time. The
// costliest functions have names and numbers; below them all others stand as one image.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/profile/rank_kinds.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/terminal_sheet.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/heat_scale.h"
#include "widgets/plot/profile/profile_view.h"
#include "widgets/plot/profile/rank_values.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS_MOST = 30, COLUMNS_MOST = 1024, CELLS_MOST = 3000, REST_LINES_MOST = 400 };
enum { TEXT_ALL, TEXT_SHARE, TEXT_LEAST, TEXT_MOST, TEXT_CARRIERS, TEXTS };
static const double width_usual = 960, row_usual = 19, row_least = 13, row_most = 40,
                    label_most = 190, column_gap = 14;
static const pj_style head_style = {
    .size = 11, .anchor = PJ_ANCHOR_END, .colour = PJ_MUTED, .bold = true};
static const double named_least = 0.0005; // part of the whole
static const double most_of = 0.95;       // of a function's time: on how many ranks that is

typedef struct heat_row {
    uint32_t region;
    pj_function_family family;
    double sum, least, most; // over those that have it
    uint32_t with, carriers; // ranks that have it; that have most of it
    const double *of;        // by location as shown; NaN = it is not there
    const char *name;
} heat_row;

typedef struct heat {
    pj_rank_values values;
    pj_plot_opts opts;
    pj_rank_kinds kinds;
    pj_chart chart;
    heat_row *rows; // the costliest first
    uint32_t count, named;
    uint32_t *place;  // by column: the location that stands there
    uint32_t split;   // columns before the border between two kinds of ranks; 0 = none
    double largest;   // value of a cell
    double row;       // height in px
    double top;       // of the uppermost row
    double rest;      // height of what has no names, in rows
    const char *said; // what it shows
    const char *titles[TEXTS], *(*texts)[TEXTS]; // of the numbers beside the rows
    double widths[TEXTS], texts_width;
    unsigned text_count; // of them that are shown
    bool terminal;
} heat;

// ---- numbers

static int by_sum(const void *a, const void *b)
{
    const heat_row *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/// The least number of ranks that have most of it together.
static uint32_t carriers_of(const heat *h, const heat_row *row, double *sorted)
{
    uint32_t count = 0;
    double sum = 0;
    for (uint32_t k = 0; k < h->values.view.location_count; k++)
        sorted[k] = pj_profile_sums_size(row->of[k]);
    qsort(sorted, h->values.view.location_count, sizeof *sorted, descending);
    while (count < h->values.view.location_count && sum < most_of * row->sum)
        sum += sorted[count++];
    return count;
}

static void measure_row(const heat *h, heat_row *row)
{
    row->least = INFINITY;
    for (uint32_t k = 0; k < h->values.view.location_count; k++) {
        if (isnan(row->of[k]))
            continue;
        row->with++;
        row->sum += pj_profile_sums_size(row->of[k]);
        row->least = fmin(row->least, row->of[k]);
        row->most = fmax(row->most, row->of[k]);
    }
}

/// Own time; where the source tells none or it is asked for, time with callees.
static pj_value_part part_of(const pj_profile_view *v)
{
    bool own = pj_profile_find(v->profile, PJ_AT_REGION, PJ_EXCLUSIVE, v->measure) != NULL;
    return own && !v->opts.with_callees ? PJ_EXCLUSIVE : PJ_INCLUSIVE;
}

/// By location; what a source stores as nothing without a call was never called.
static const double *values_of(const heat *h, uint32_t region)
{
    const pj_profile_view *v = &h->values.view;
    const double *of = pj_rank_values_of(&h->values, region, part_of(v));
    const double *calls = pj_rank_values_of(&h->values, region, PJ_CALLS);
    double *values = pj_new_n(v->arena, double, v->location_count + (size_t)1);
    for (uint32_t k = 0; k < v->location_count; k++)
        values[k] = of[k] == 0 && !(calls[k] > 0) ? NAN : of[k];
    return values;
}

static void measure_rows(heat *h)
{
    const pj_profile_view *v = &h->values.view;
    uint32_t regions = v->profile->count[PJ_AT_REGION];
    double *sorted = pj_new_n(v->arena, double, v->location_count + (size_t)1);
    h->rows = pj_new_n(v->arena, heat_row, regions + (size_t)1);
    for (uint32_t r = 0; r < regions; r++) {
        heat_row *row = &h->rows[h->count];
        *row = (heat_row){
            .region = r, .family = pj_function_family_of(v->profile, r), .of = values_of(h, r)};
        measure_row(h, row);
        h->count += row->sum > 0;
    }
    qsort(h->rows, h->count, sizeof *h->rows, by_sum);
    double whole = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        whole += h->rows[i].sum;
        h->largest = fmax(h->largest, h->rows[i].most);
    }
    for (uint32_t i = 0; i < h->count && i < ROWS_MOST; i++) {
        if (i > 4 && h->rows[i].sum < named_least * whole)
            break;
        h->rows[i].carriers = carriers_of(h, &h->rows[i], sorted);
        h->named++;
    }
    uint32_t rest = h->count - h->named;
    h->rest = rest == 0 ? 0 : fmin(1 + rest / 40.0, 8);
}

/// Ranks of a kind stand together, each kind in the order of ranks.
static void order_columns(heat *h)
{
    const pj_profile_view *v = &h->values.view;
    h->kinds = pj_rank_kinds_of(v->profile, v->measure, v->locations, v->location_count, v->arena);
    h->place = pj_new_n(v->arena, uint32_t, v->location_count + (size_t)1);
    bool two = h->kinds.by != PJ_NO_ITEM;
    uint32_t count = 0;
    for (int kind = 1; kind >= 0; kind--)
        for (uint32_t k = 0; k < v->location_count; k++)
            if (h->kinds.has[k] == (kind == 1 && two))
                h->place[count++] = k;
    h->split = two ? h->kinds.with : 0;
}

// ---- words

/// "1.91 ms to 288 ms".
static const char *range_text(const heat *h, const heat_row *row)
{
    const pj_profile_view *v = &h->values.view;
    if (row->with < 2)
        return pj_profile_view_amount(v, row->most);
    return pj_arena_format(v->arena, "%s to %s", pj_profile_view_amount(v, row->least),
                           pj_profile_view_amount(v, row->most));
}

static void say(heat *h)
{
    const pj_profile_view *v = &h->values.view;
    const pj_rank_kinds *kinds = &h->kinds;
    pj_auto_buf text = {0};
    pj_rank_kinds_say(kinds, v->profile, v->locations, v->location_count, &text);
    if (text.len && kinds->with > 1 && kinds->least > 0 && kinds->most >= 2 * kinds->least)
        pj_buf_addf(&text, ". %s takes %s to %s where it runs",
                    pj_function_short(v->profile, kinds->by, v->arena),
                    pj_profile_view_amount(v, kinds->least),
                    pj_profile_view_amount(v, kinds->most));
    if (!text.len)
        pj_buf_addf(&text, "%s%s%s%s", *v->finding ? "" : pj_profile_view_whole(v, v->total),
                    *v->finding ? "" : " in all", *v->finding || !*v->told ? "" : ". ", v->told);
    h->said = pj_arena_text(v->arena, pj_buf_str(&text));
}

static const char *axis_title(const heat *h)
{
    return h->values.view.ranks == h->values.view.location_count ? "Rank" : "Rank.thread";
}

/// Numbers beside the rows: all of it, its range over ranks, how many ranks have most of it.
static void fill_texts(heat *h)
{
    const pj_profile_view *v = &h->values.view;
    double *sums = pj_new_n(v->arena, double, h->named + (size_t)1);
    double *ends = pj_new_n(v->arena, double, 2 * h->named + (size_t)1);
    for (uint32_t i = 0; i < h->named; i++) {
        sums[i] = h->rows[i].sum;
        ends[2 * i] = h->rows[i].least;
        ends[2 * i + 1] = h->rows[i].most;
    }
    pj_column_text all = pj_profile_view_column(v, sums, h->named);
    pj_column_text range = pj_profile_view_column(v, ends, 2 * h->named);
    h->titles[TEXT_ALL] = pj_profile_view_head(v, all, "In all");
    h->titles[TEXT_SHARE] = "%";
    h->titles[TEXT_LEAST] = pj_profile_view_head(v, range, "Least");
    h->titles[TEXT_MOST] = pj_profile_view_head(v, range, "Most");
    h->titles[TEXT_CARRIERS] = "95\u00a0% on";
    for (uint32_t i = 0; i < h->named; i++) {
        const heat_row *row = &h->rows[i];
        h->texts[i][TEXT_ALL] = pj_profile_view_number(v, all, row->sum);
        h->texts[i][TEXT_SHARE] = pj_profile_view_percent(v, row->sum, v->total);
        h->texts[i][TEXT_LEAST] = pj_profile_view_number(v, range, row->least);
        h->texts[i][TEXT_MOST] = pj_profile_view_number(v, range, row->most);
        h->texts[i][TEXT_CARRIERS] =
            pj_arena_format(v->arena, "%u of %u", row->carriers, v->location_count);
    }
}

static void make_texts(heat *h, const pj_draw *draw)
{
    const pj_profile_view *v = &h->values.view;
    h->texts = pj_arena_alloc(v->arena, sizeof *h->texts * (h->named + (size_t)1));
    fill_texts(h);
    for (unsigned c = 0; c < TEXTS; c++) {
        h->widths[c] = pj_textbox_width(draw, h->titles[c], head_style);
        for (uint32_t i = 0; i < h->named; i++)
            h->widths[c] =
                fmax(h->widths[c], pj_textbox_width(draw, h->texts[i][c], (pj_style){.size = 11}));
    }
}

/// As many of them as leave room for the cells.
static void choose_texts(heat *h)
{
    const double cells_least = 330;
    double width = h->opts.width > 0 ? h->opts.width : width_usual;
    unsigned most = h->values.view.location_count < 2 ? TEXT_LEAST : TEXTS;
    for (unsigned c = 0; c < most; c++) {
        double with = h->texts_width + h->widths[c] + column_gap;
        double pair = c == TEXT_LEAST ? h->widths[TEXT_MOST] + column_gap : 0; // both or none
        if (width - label_most - with - pair < cells_least)
            return;
        h->texts_width = with;
        h->text_count++;
    }
}

// ---- the frame

static pj_axis ranks_axis(const heat *h)
{
    const pj_profile_view *v = &h->values.view;
    const char **labels = pj_new_n(v->arena, const char *, v->location_count + (size_t)1);
    for (uint32_t c = 0; c < v->location_count; c++)
        labels[c] = h->values.names[h->place[c]];
    pj_axis axis = pj_axis_categories(v->arena, labels, v->location_count);
    axis.title = axis_title(h);
    return axis;
}

static const char *more_of(pj_arena *arena, uint32_t count)
{
    char text[32];
    text[pj_format_grouped(count, text)] = 0;
    return pj_arena_format(arena, "%s more", text);
}

/// Names from top to bottom.
static pj_axis names_axis(heat *h, const pj_draw *draw)
{
    const pj_profile_view *v = &h->values.view;
    const char **labels = pj_new_n(v->arena, const char *, h->named + (size_t)2);
    uint32_t *regions = pj_new_n(v->arena, uint32_t, h->named + (size_t)1);
    for (uint32_t i = 0; i < h->named; i++)
        regions[i] = h->rows[i].region;
    const char **names = pj_function_names(v->profile, regions, h->named, v->arena);
    for (uint32_t i = 0; i < h->named; i++) {
        h->rows[i].name = names[i];
        labels[i] =
            pj_textbox_squeeze(draw, v->arena, h->rows[i].name, (pj_style){.size = 11}, label_most);
    }
    uint32_t count = h->named;
    if (h->rest > 0)
        labels[count++] = more_of(v->arena, h->count - h->named);
    pj_axis axis = pj_axis_categories(v->arena, labels, count);
    axis.from = h->named + h->rest - 0.5;
    axis.to = -0.5;
    if (h->rest > 0)
        axis.ticks[h->named].value = h->named + h->rest / 2 - 0.5;
    axis.title = "Function";
    return axis;
}

static size_t take_keys(const heat *h, pj_chart_key keys[PJ_FAMILY_COUNT + 1])
{
    static const char *const names[] = {[PJ_FAMILY_WORK] = "Functions",
                                        [PJ_FAMILY_BUILTIN] = "Built-in and system",
                                        [PJ_FAMILY_WAIT] = "Communication and waiting"};
    bool there[PJ_FAMILY_COUNT] = {false}, absent = false;
    size_t count = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        there[h->rows[i].family] = true;
        absent = absent || h->rows[i].with < h->values.view.location_count;
    }
    for (unsigned f = 0; f < PJ_FAMILY_COUNT; f++)
        if (there[f])
            keys[count++] = (pj_chart_key){names[f], pj_heat_colour((pj_function_family)f, 0.45)};
    if (absent)
        keys[count++] = (pj_chart_key){"Never called (\u00b7)", PJ_HEAT_ABSENT};
    return count;
}

static pj_chart frame_of(heat *h, double width, double height, const pj_draw *draw)
{
    const pj_profile_view *v = &h->values.view;
    pj_chart_key keys[PJ_FAMILY_COUNT + 1];
    size_t key_count = take_keys(h, keys);
    const char *what = part_of(v) == PJ_EXCLUSIVE ? "own" : "with callees";
    const char *title = pj_arena_format(v->arena, "%s of functions at each rank (%s): %s",
                                        v->profile->measures[v->measure].title, what, v->name);
    return pj_chart_new((pj_chart_opts){.title = h->opts.title ? h->opts.title : title,
                                        .subtitle = h->said,
                                        .width = width,
                                        .height = height,
                                        .x = ranks_axis(h),
                                        .y = names_axis(h, draw),
                                        .room = h->texts_width + 6,
                                        .keys = keys,
                                        .key_count = key_count},
                        draw);
}

static void make_frame(heat *h, const pj_draw *draw)
{
    static const double trial_height = 2000;
    double width = h->opts.width > 0 ? h->opts.width : width_usual;
    pj_chart trial = frame_of(h, width, trial_height, draw);
    double around = trial_height - (trial.bottom - trial.top), rows = h->named + h->rest;
    pj_figure_free(trial.figure);
    double scale = h->terminal ? 3 * PJ_CELL_HEIGHT : PJ_HEAT_SCALE_HEIGHT;
    double room = (h->opts.height - around - scale) / rows;
    h->row = h->terminal             ? PJ_CELL_HEIGHT
             : !(h->opts.height > 0) ? row_usual
                                     : fmin(fmax(room, row_least), row_most);
    h->chart = frame_of(h, width, around + rows * h->row, draw);
    h->top = h->chart.top;
    if (h->terminal) // labels and cells share rows
        h->top = round(h->top / PJ_CELL_HEIGHT) * PJ_CELL_HEIGHT;
}

// ---- cells

static double left_of(const heat *h, double column)
{
    const pj_chart *chart = &h->chart;
    return chart->left + column * (chart->right - chart->left) / h->values.view.location_count;
}

static double top_of(const heat *h, double row)
{
    return h->top + row * h->row;
}

static pj_colour colour_of(const heat *h, const heat_row *row, double value)
{
    if (isnan(value))
        return PJ_HEAT_ABSENT;
    return pj_heat_colour(row->family, pj_profile_sums_size(value) / h->largest);
}

static const char *cell_hover(const heat *h, const heat_row *row, uint32_t k)
{
    const pj_profile_view *v = &h->values.view;
    const char *where = pj_profile_view_location(v, v->locations[k]);
    if (isnan(row->of[k]))
        return pj_arena_format(v->arena, "%s, %s: never called", row->name, where);
    return pj_arena_format(v->arena, "%s, %s: %s", row->name, where,
                           pj_profile_view_amount(v, row->of[k]));
}

static bool has_number(const heat *h, const pj_mark *cell, double value)
{
    return cell->w >= 46 && cell->h >= 14 && !h->terminal && value > 0;
}

/// In the unit of the largest one.
static void add_number(const heat *h, double x, double y, pj_mark cell, double value)
{
    const pj_profile_view *v = &h->values.view;
    pj_textbox_put(
        h->chart.figure, x + cell.w / 2, y + cell.h / 2 + 3.5, pj_profile_view_amount(v, value),
        (pj_style){.size = 10, .colour = pj_palette_ink(cell.fill), .anchor = PJ_ANCHOR_MIDDLE});
}

static void add_cell(const heat *h, uint32_t i, uint32_t c)
{
    const heat_row *row = &h->rows[i];
    uint32_t k = h->place[c];
    double x = left_of(h, c), y = top_of(h, i);
    double gap = left_of(h, 1) - left_of(h, 0) > 6 && !h->terminal ? 1 : 0;
    pj_mark mark = {.kind = PJ_MARK_RECT,
                    .x = x,
                    .y = y,
                    .w = left_of(h, c + 1.0) - x - gap,
                    .h = top_of(h, i + 1.0) - y - (h->terminal ? 0 : 1),
                    .fill = colour_of(h, row, row->of[k]),
                    .hover = cell_hover(h, row, k),
                    .key = pj_arena_format(h->values.view.arena, "cell:%u:%u", i, k)};
    bool number = has_number(h, &mark, row->of[k]);
    if (number)
        mark.fill = pj_palette_legible(mark.fill);
    pj_figure_add(h->chart.figure, mark);
    if (isnan(row->of[k]) && mark.w >= 5)
        pj_textbox_put(h->chart.figure, x + mark.w / 2, y + mark.h / 2 + 4, "\u00b7",
                       (pj_style){.size = 11, .colour = PJ_MUTED, .anchor = PJ_ANCHOR_MIDDLE});
    if (number)
        add_number(h, x, y, mark, row->of[k]);
}

/// Rows from `from` on as an image of at most so many lines and columns; each pixel is the largest
/// of what falls on it.
static void add_image(heat *h, uint32_t from, uint32_t count, uint32_t lines_most)
{
    uint32_t locations = h->values.view.location_count;
    uint32_t lines = count < lines_most ? count : lines_most;
    uint32_t columns = locations < COLUMNS_MOST ? locations : COLUMNS_MOST;
    pj_colour *pixels = pj_new_n(h->chart.arena, pj_colour, (size_t)lines * columns + 1);
    double *largest = pj_new_n(h->values.view.arena, double, (size_t)lines *columns + 1);
    memset(largest, 0xff, sizeof *largest * lines * columns); // NaN
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < locations; c++) {
            size_t at = (size_t)((uint64_t)i * lines / count) * columns +
                        (size_t)((uint64_t)c * columns / locations);
            double value = h->rows[from + i].of[h->place[c]];
            if (isnan(value) || value <= largest[at])
                continue;
            largest[at] = value;
            pixels[at] = colour_of(h, &h->rows[from + i], value);
        }
    for (size_t at = 0; at < (size_t)lines * columns; at++)
        pixels[at] = pixels[at] ? pixels[at] : PJ_HEAT_ABSENT;
    double top = top_of(h, from);
    double bottom = top_of(h, from < h->named ? from + (double)count : h->named + h->rest);
    pj_figure_add(h->chart.figure, (pj_mark){.kind = PJ_MARK_IMAGE,
                                             .x = h->chart.left,
                                             .y = top,
                                             .w = h->chart.right - h->chart.left,
                                             .h = bottom - top,
                                             .pixels = pixels,
                                             .pixel_columns = columns,
                                             .pixel_rows = lines});
}

/// What lies under the pointer in rows that are an image.
static void add_row_hover(const heat *h, uint32_t i)
{
    const heat_row *row = &h->rows[i];
    pj_figure_add(h->chart.figure,
                  (pj_mark){.kind = PJ_MARK_RECT,
                            .x = h->chart.left,
                            .y = top_of(h, i),
                            .w = h->chart.right - h->chart.left,
                            .h = top_of(h, i + 1.0) - top_of(h, i),
                            .hover = pj_arena_format(
                                h->values.view.arena, "%s\n%s, 95\u00a0%% of it on %s", row->name,
                                range_text(h, row), h->texts[i][TEXT_CARRIERS])});
}

static void add_named(heat *h)
{
    pj_figure_add(h->chart.figure, (pj_mark){.kind = PJ_MARK_RECT, // over the lines of the grid
                                             .x = h->chart.left,
                                             .y = h->top,
                                             .w = h->chart.right - h->chart.left + 1,
                                             .h = h->chart.bottom - h->top - 1,
                                             .fill = PJ_PAPER});
    uint32_t locations = h->values.view.location_count;
    if ((uint64_t)h->named * locations > CELLS_MOST) {
        for (uint32_t i = 0; i < h->named; i++) { // an image each, with a rim of paper
            add_image(h, i, 1, 1);
            pj_figure_add(h->chart.figure, (pj_mark){.kind = PJ_MARK_LINE,
                                                     .x = h->chart.left,
                                                     .y = top_of(h, i),
                                                     .w = h->chart.right,
                                                     .h = top_of(h, i),
                                                     .stroke = PJ_PAPER,
                                                     .stroke_width = 1});
            add_row_hover(h, i);
        }
        return;
    }
    for (uint32_t i = 0; i < h->named; i++)
        for (uint32_t c = 0; c < locations; c++)
            add_cell(h, i, c);
}

static void add_rest(heat *h)
{
    if (!(h->rest > 0))
        return;
    add_image(h, h->named, h->count - h->named, REST_LINES_MOST);
    pj_figure_add(h->chart.figure, (pj_mark){.kind = PJ_MARK_LINE,
                                             .x = h->chart.left,
                                             .y = top_of(h, h->named),
                                             .w = h->chart.right,
                                             .h = top_of(h, h->named),
                                             .stroke = PJ_PAPER,
                                             .stroke_width = 2});
}

// ---- beside them

static void add_texts(const heat *h)
{
    double right = h->chart.right + 6;
    for (unsigned c = 0; c < h->text_count; c++) {
        pj_style style = {
            .size = 11, .anchor = PJ_ANCHOR_END, .colour = c <= TEXT_SHARE ? PJ_INK : PJ_MUTED};
        right += h->widths[c] + column_gap;
        pj_textbox_put(h->chart.figure, right - 6, h->chart.top - 14, h->titles[c], head_style);
        for (uint32_t i = 0; h->row >= 9 && i < h->named; i++)
            pj_textbox_put(h->chart.figure, right - 6, top_of(h, i + 0.5) + 4, h->texts[i][c],
                           style);
    }
}

/// Above the columns: which kind of ranks they are.
static void add_kinds(const heat *h)
{
    const pj_profile_view *v = &h->values.view;
    if (!h->split)
        return;
    const char *by = pj_function_short(v->profile, h->kinds.by, v->arena);
    for (unsigned kind = 0; kind < 2; kind++) {
        double from = left_of(h, kind ? h->split : 0);
        double to = left_of(h, kind ? v->location_count : h->split) - 2;
        uint32_t count = kind ? v->location_count - h->split : h->split;
        const char *text = pj_arena_format(v->arena, kind ? "%u never call%s %s" : "%u call%s %s",
                                           count, count == 1 ? "s" : "", by);
        pj_style style = pj_textbox_note;
        text = pj_textbox_elide(h->chart.draw, v->arena, text, style, fmax(to - from, 20));
        pj_textbox_put(h->chart.figure, from, h->chart.top - 14, text, style);
        pj_figure_add(h->chart.figure, (pj_mark){.kind = PJ_MARK_RECT,
                                                 .x = from,
                                                 .y = h->chart.top - 7,
                                                 .w = to - from,
                                                 .h = 3,
                                                 .fill = kind ? PJ_MUTED : PJ_RULE});
    }
    double border = left_of(h, h->split) - 0.5;
    pj_figure_add(h->chart.figure, (pj_mark){.kind = PJ_MARK_LINE,
                                             .x = border,
                                             .y = h->chart.top - 8,
                                             .w = border,
                                             .h = h->chart.bottom,
                                             .stroke = PJ_INK,
                                             .stroke_width = 1.5});
}

static void add_scale(heat *h)
{
    const pj_profile_view *v = &h->values.view;
    bool there[PJ_FAMILY_COUNT] = {false};
    const char *labels[PJ_HEAT_LABELS];
    for (uint32_t i = 0; i < h->count; i++)
        there[h->rows[i].family] = true;
    for (unsigned l = 0; l < PJ_HEAT_LABELS; l++) {
        double part = l / (PJ_HEAT_LABELS - 1.0);
        labels[l] = l ? pj_profile_view_amount(v, part * part * h->largest) : "0";
    }
    pj_heat_scale_add(&h->chart, there, labels, h->terminal);
}

static pj_figure *draw_it(heat *h, const pj_draw *draw, pj_err *err)
{
    const pj_profile_view *v = &h->values.view;
    measure_rows(h);
    if (h->count == 0) {
        pj_fail(err, PJ_E_MISSING, NULL, 0, "the profile tells no time of functions by rank");
        return NULL;
    }
    order_columns(h);
    say(h);
    make_texts(h, draw);
    choose_texts(h);
    make_frame(h, draw);
    add_named(h);
    add_rest(h);
    add_kinds(h);
    add_texts(h);
    add_scale(h);
    h->chart.figure->searched = true;
    h->chart.figure->summary = pj_arena_format(
        h->chart.arena,
        "A heat map of %u functions at %u ranks or threads, stronger where they take "
        "longer. %s. Most: %s, %s.",
        h->count, v->location_count, h->said, h->rows[0].name,
        pj_profile_view_amount(v, h->rows[0].sum));
    return h->chart.figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    heat h = {.opts = opts, .terminal = draw == &pj_draw_terminal};
    pj_figure *figure = NULL;
    if (pj_rank_values_new(data.profile, opts.profile, arena, &h.values, err))
        figure = draw_it(&h, draw, err);
    pj_rank_values_free(&h.values);
    return figure;
}

const pj_plot pj_plot_heat = {
    .name = "heat",
    .title = "Functions by rank",
    .help =
        "What every function takes at every rank, stronger the more; kinds of ranks stand apart.",
    .source = PJ_PLOT_PROFILE,
    .topic = "ranks",
    .make = make,
};
