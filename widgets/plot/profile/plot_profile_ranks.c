// A profile over its ranks: where the time of each goes, or (-f) what one function takes at each.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "metrics/profile/rank_kinds.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/call_view.h"
#include "widgets/plot/profile/profile_view.h"
#include "widgets/plot/profile/rank_list.h"
#include "widgets/plot/profile/rank_values.h"

#include <stdlib.h>

enum { PARTS_MOST = 10, BARS_MOST = 1024, HOVERED_MOST = 256 };
static const double width_usual = 900, pale_then = 0.55;

typedef struct part {
    uint32_t region; // PJ_NO_ITEM = all others
    const char *name;
    const double *of;
    const double *then; // by location of the profile of before; NULL = it has none
    double sum;
    pj_colour colour;
} part;

typedef struct ranks_plot {
    pj_rank_values values, then; // then = what they are compared with
    bool compared;
    uint32_t *places; // by location: that of `then`
    uint32_t *order;  // by bar: the location that it is of
    uint32_t means;   // bars of means behind them
    double room;      // px right of them
    pj_plot_opts opts;
    part parts[PARTS_MOST + 1]; // from the bottom of the bars
    size_t part_count;
    double *whole; // by location
    double *whole_then;
    double most; // of them
    pj_column_text form;
} ranks_plot;

// ---- order of the bars

typedef struct bar {
    double value;
    uint32_t location;
} bar;

static int by_value(const void *a, const void *b)
{
    const bar *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->location > y->location) - (x->location < y->location);
}

/// As ranks are numbered, or the largest first.
static void put_in_order(ranks_plot *p, const double *values)
{
    const pj_profile_view *v = &p->values.view;
    bar *bars = pj_new_n(v->arena, bar, v->location_count + (size_t)1);
    p->order = pj_new_n(v->arena, uint32_t, v->location_count + (size_t)1);
    for (uint32_t k = 0; k < v->location_count; k++)
        bars[k] = (bar){pj_profile_sums_size(values[k]), k};
    if (v->opts.by_value)
        qsort(bars, v->location_count, sizeof *bars, by_value);
    for (uint32_t k = 0; k < v->location_count; k++)
        p->order[k] = bars[k].location;
}

// ---- parts of the bars

static int by_sum(const void *a, const void *b)
{
    const part *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

/// The functions with the most own time, and what is left.
static void choose_parts(ranks_plot *p)
{
    const pj_profile_view *v = &p->values.view;
    uint32_t regions = v->profile->count[PJ_AT_REGION], locations = v->location_count;
    part *all = pj_new_n(v->arena, part, regions + (size_t)1);
    double *others = pj_new_n(v->arena, double, locations + (size_t)1);
    for (uint32_t r = 0; r < regions; r++)
        all[r] = (part){.region = r, .sum = pj_profile_sums_size(v->sums->regions.exclusive[r])};
    qsort(all, regions, sizeof *all, by_sum);
    p->whole = pj_new_n(v->arena, double, locations + (size_t)1);
    for (uint32_t i = 0; i < regions && all[i].sum > 0; i++) {
        const double *of = pj_rank_values_of(&p->values, all[i].region, PJ_EXCLUSIVE);
        bool own_part = p->part_count < PARTS_MOST && all[i].sum > 0.002 * v->total;
        for (uint32_t k = 0; k < locations; k++) {
            p->whole[k] += pj_profile_sums_size(of[k]);
            others[k] += own_part ? 0 : pj_profile_sums_size(of[k]);
        }
        if (own_part)
            p->parts[p->part_count++] =
                (part){.region = all[i].region, .of = of, .sum = all[i].sum};
    }
    part rest = {.region = PJ_NO_ITEM, .of = others};
    for (uint32_t k = 0; k < locations; k++) {
        rest.sum += others[k];
        p->most = fmax(p->most, p->whole[k]);
    }
    if (rest.sum > 0)
        p->parts[p->part_count++] = rest;
}

/// Of the profile of before, at the same rank.
static double value_then(const ranks_plot *p, const double *of, uint32_t k)
{
    bool there = of && p->places[k] != PJ_NO_ITEM;
    return there ? pj_profile_sums_size(of[p->places[k]]) : 0;
}

/// The same parts of the profile of before.
static void choose_parts_then(ranks_plot *p)
{
    const pj_profile_view *v = &p->values.view, *w = &p->then.view;
    double *others = pj_new_n(v->arena, double, w->location_count + (size_t)1);
    p->whole_then = pj_new_n(v->arena, double, w->location_count + (size_t)1);
    for (uint32_t r = 0; r < w->profile->count[PJ_AT_REGION]; r++) {
        const double *of = pj_rank_values_of(&p->then, r, PJ_EXCLUSIVE);
        for (uint32_t k = 0; k < w->location_count; k++)
            p->whole_then[k] += pj_profile_sums_size(of[k]);
    }
    memcpy(others, p->whole_then, w->location_count * sizeof *others);
    for (size_t i = 0; i < p->part_count; i++) {
        part *at = &p->parts[i];
        uint32_t same = at->region == PJ_NO_ITEM
                            ? PJ_NO_ITEM
                            : pj_rank_values_same(&p->values, at->region, &p->then);
        at->then = same == PJ_NO_ITEM ? NULL : pj_rank_values_of(&p->then, same, PJ_EXCLUSIVE);
        for (uint32_t k = 0; at->then && k < w->location_count; k++)
            others[k] = fmax(0, others[k] - pj_profile_sums_size(at->then[k]));
    }
    if (p->part_count && p->parts[p->part_count - 1].region == PJ_NO_ITEM)
        p->parts[p->part_count - 1].then = others;
    for (uint32_t k = 0; k < v->location_count; k++)
        p->most = fmax(p->most, value_then(p, p->whole_then, k));
}

static pj_colour usual_colour(const ranks_plot *p, size_t i)
{
    uint32_t region = p->parts[i].region;
    return region == PJ_NO_ITEM ? PJ_COLOUR_OTHERS
                                : pj_function_colour(p->values.view.profile, region);
}

/// The colours of their functions; where some share one, the smaller ones are darker.
static void colour_parts(ranks_plot *p)
{
    static const double darker = 0.22;
    for (size_t i = 0; i < p->part_count; i++) {
        pj_colour usual = usual_colour(p, i);
        double ink = 0;
        for (size_t k = 0; k < i; k++)
            ink += usual_colour(p, k) == usual ? darker : 0;
        p->parts[i].colour = pj_palette_mix(usual, PJ_INK, fmin(ink, 0.9));
    }
}

static void name_parts(ranks_plot *p)
{
    const pj_profile_view *v = &p->values.view;
    uint32_t regions[PARTS_MOST + 1];
    size_t named = 0;
    for (size_t i = 0; i < p->part_count; i++)
        if (p->parts[i].region != PJ_NO_ITEM)
            regions[named++] = p->parts[i].region;
    const char **names = pj_function_names(v->profile, regions, named, v->arena);
    for (size_t i = 0, k = 0; i < p->part_count; i++)
        p->parts[i].name = p->parts[i].region == PJ_NO_ITEM ? "all others" : names[k++];
}

// ---- the frame

static pj_axis time_axis(ranks_plot *p, double most)
{
    const pj_profile_view *v = &p->values.view;
    const pj_measure *measure = &v->profile->measures[v->measure];
    p->form = pj_column_text_unit(v->is_time ? PJ_UNIT_NS : PJ_UNIT_NONE, most * v->factor);
    pj_axis axis = pj_axis_new(PJ_AXIS_LINEAR, 0, most * v->factor * p->form.factor * 1.02, true);
    const char *unit = *p->form.unit ? p->form.unit : measure->unit;
    axis.title =
        *unit ? pj_arena_format(v->arena, "%s [%s]", measure->title, unit) : measure->title;
    return axis;
}

static double shown(const ranks_plot *p, double value)
{
    return value * p->values.view.factor * p->form.factor;
}

static pj_chart frame(ranks_plot *p, const char *title, const char *subtitle, double most,
                      const pj_draw *draw)
{
    const pj_profile_view *v = &p->values.view;
    const char **names = pj_new_n(v->arena, const char *, v->location_count + (size_t)2);
    for (uint32_t k = 0; k < v->location_count; k++)
        names[k] = p->values.names[p->order[k]];
    names[v->location_count] = "mean";
    pj_axis x = pj_axis_categories(v->arena, names, v->location_count + p->means);
    if (p->means) // told whatever other labels there is room for
        x.ticks[v->location_count].label = "";
    pj_chart_key keys[PARTS_MOST + 1];
    x.title = v->ranks == v->location_count ? "Rank" : "Rank.thread";
    for (size_t i = 0; i < p->part_count; i++)
        keys[i] =
            (pj_chart_key){pj_arena_format(v->arena, "%s %s", p->parts[i].name,
                                           pj_profile_view_share(v, p->parts[i].sum, v->total)),
                           p->parts[i].colour};
    return pj_chart_new((pj_chart_opts){.title = p->opts.title ? p->opts.title : title,
                                        .subtitle = subtitle,
                                        .width = p->opts.width > 0 ? p->opts.width : width_usual,
                                        .height = p->opts.height,
                                        .room = p->room,
                                        .x = x,
                                        .y = time_axis(p, most),
                                        .keys = keys,
                                        .key_count = p->part_count},
                        draw);
}

static double slot_of(const ranks_plot *p, const pj_chart *chart)
{
    return (chart->right - chart->left) / (p->values.view.location_count + p->means);
}

/// At a place from the left. Of a rank that is compared, `then` is the left half.
static void add_bar(const ranks_plot *p, pj_chart *chart, uint32_t place, bool then, pj_mark look)
{
    double slot = slot_of(p, chart), gap = slot > 6 ? slot * 0.14 : 0;
    look.kind = PJ_MARK_RECT;
    look.x = chart->left + place * slot + gap;
    look.w = slot - 2 * gap;
    if (p->compared) {
        look.w /= 2;
        look.x += then ? 0 : look.w;
        look.fill = then ? pj_palette_mix(look.fill, PJ_PAPER, pale_then) : look.fill;
    }
    pj_figure_add(chart->figure, look);
}

// ---- all functions

static const char *part_hover(const ranks_plot *p, uint32_t k, size_t i, bool then, double value)
{
    const pj_profile_view *v = &p->values.view;
    double whole = then ? value_then(p, p->whole_then, k) : p->whole[k];
    if (v->location_count > HOVERED_MOST)
        return NULL;
    return pj_arena_format(
        v->arena, "%s, %s%s\nown %s, %s of %s", pj_profile_view_location(v, v->locations[k]),
        p->parts[i].name, then ? ", before" : "", pj_profile_view_amount(v, value),
        pj_profile_view_share(v, value, whole), pj_profile_view_amount(v, whole));
}

static void add_stack(const ranks_plot *p, pj_chart *chart, uint32_t place, bool then)
{
    uint32_t k = p->order[place];
    double below = 0;
    for (size_t i = 0; i < p->part_count; i++) {
        double value =
            then ? value_then(p, p->parts[i].then, k) : pj_profile_sums_size(p->parts[i].of[k]);
        double bottom = pj_chart_y(chart, shown(p, below));
        double top = pj_chart_y(chart, shown(p, below + value));
        below += value;
        if (bottom - top < 0.05)
            continue;
        add_bar(p, chart, place, then,
                (pj_mark){.y = top,
                          .h = bottom - top,
                          .fill = p->parts[i].colour,
                          .stroke = bottom - top > 2 ? PJ_PAPER : PJ_NONE,
                          .stroke_width = 0.8,
                          .hover = part_hover(p, k, i, then, value)});
    }
}

/// The mean over all ranks, as one more bar.
static void add_mean_stack(const ranks_plot *p, pj_chart *chart)
{
    const pj_profile_view *v = &p->values.view;
    uint32_t locations = v->location_count;
    double below = 0, whole = 0;
    for (size_t i = 0; i < p->part_count; i++)
        whole += p->parts[i].sum / locations;
    for (size_t i = 0; i < p->part_count; i++) {
        double value = p->parts[i].sum / locations;
        double bottom = pj_chart_y(chart, shown(p, below));
        double top = pj_chart_y(chart, shown(p, below + value));
        below += value;
        if (bottom - top < 0.05)
            continue;
        const char *hover = pj_arena_format(v->arena, "mean of %u, %s\nown %s, %s of %s", locations,
                                            p->parts[i].name, pj_profile_view_amount(v, value),
                                            pj_profile_view_share(v, value, whole),
                                            pj_profile_view_amount(v, whole));
        add_bar(p, chart, locations, false,
                (pj_mark){.y = top,
                          .h = bottom - top,
                          .fill = p->parts[i].colour,
                          .stroke = bottom - top > 2 ? PJ_PAPER : PJ_NONE,
                          .stroke_width = 0.8,
                          .hover = hover});
    }
    double slot = slot_of(p, chart), border = chart->left + locations * slot;
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = border,
                                           .y = chart->top,
                                           .w = border,
                                           .h = chart->bottom,
                                           .stroke = PJ_RULE,
                                           .stroke_width = 1});
    pj_style style = {.size = 11, .anchor = PJ_ANCHOR_END, .halo = true};
    double room = pj_textbox_width(chart->draw, "mean", style), margin = 4;
    double right = fmin(border + 3 + room, chart->figure->width - margin); // right of the border
    pj_textbox_put(chart->figure, fmax(chart->right, right), pj_chart_y(chart, shown(p, whole)) - 4,
                   "mean", style);
}

/// "cpu_*.prof", "after.prof against before.prof".
static const char *titled(const ranks_plot *p)
{
    const pj_profile_view *v = &p->values.view;
    const pj_profile_view *then = &p->then.view;
    return p->compared ? pj_profile_view_against(v, then->profile, then->name) : v->name;
}

/// What the profile says of its ranks; compared, how all of it has changed.
static const char *said(const ranks_plot *p)
{
    const pj_profile_view *v = &p->values.view;
    const char *total = pj_profile_view_amount(v, v->total);
    pj_auto_buf text = {0};
    if (p->compared)
        return pj_arena_format(v->arena,
                               "%s in all, before %s; of each rank the pale bar on the left is "
                               "before",
                               total, pj_profile_view_amount(v, p->then.view.total));
    pj_rank_kinds kinds =
        pj_rank_kinds_of(v->profile, v->measure, v->locations, v->location_count, v->arena);
    pj_rank_kinds_say(&kinds, v->profile, v->locations, v->location_count, &text);
    if (text.len)
        return pj_arena_text(v->arena, pj_buf_str(&text));
    const char *gap = pj_rank_gap_said(&p->values, p->whole);
    if (*v->finding)
        return v->finding;
    return pj_arena_format(v->arena, "%s%s%s in all%s%s", gap, *gap ? ". " : "", total,
                           *gap || !*v->told ? "" : ". ", *gap ? "" : v->told);
}

static pj_figure *draw_stacks(ranks_plot *p, const pj_draw *draw)
{
    const pj_profile_view *v = &p->values.view;
    const char *subtitle = said(p);
    put_in_order(p, p->whole);
    p->means = !p->compared && v->location_count > 1 ? 1 : 0;
    pj_chart chart = frame(p, pj_arena_format(v->arena, "Time of each rank: %s", titled(p)),
                           subtitle, p->most, draw);
    for (uint32_t k = 0; k < v->location_count; k++) {
        if (p->compared)
            add_stack(p, &chart, k, true);
        add_stack(p, &chart, k, false);
    }
    if (p->means)
        add_mean_stack(p, &chart);
    chart.figure->searched = true;
    chart.figure->summary = pj_arena_format(
        chart.arena, "Stacked bars of %u ranks or threads by function. %s. Most: %s.",
        v->location_count, subtitle, p->part_count ? p->parts[0].name : "nothing");
    return chart.figure;
}

// ---- one function

static const pj_style level_style = {.size = 11, .colour = PJ_MUTED};
static const double level_gap = 6;

/// A line of the mean, told right of the bars.
static void add_mean(const ranks_plot *p, pj_chart *chart, double mean, const char *text)
{
    double y = pj_chart_y(chart, shown(p, mean)), line = PJ_TEXTBOX_LINE;
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = chart->left,
                                           .y = y,
                                           .w = chart->right,
                                           .h = y,
                                           .stroke = PJ_MUTED,
                                           .stroke_width = 1.2,
                                           .dash = 4});
    pj_textbox_put(chart->figure, chart->right + level_gap, y + 4 - line / 2, "mean", level_style);
    pj_textbox_put(chart->figure, chart->right + level_gap, y + 4 + line / 2, text, level_style);
}

/// What one function takes at each location as shown.
typedef struct of_function {
    const double *of, *with, *own; // what is drawn; with callees; its own
    const double *then;            // of the profile of before; NULL = there is none
    bool shows_own;
} of_function;

static void add_function_bar(const ranks_plot *p, pj_chart *chart, uint32_t place,
                             const of_function *f, pj_colour fill)
{
    const pj_profile_view *v = &p->values.view;
    uint32_t k = p->order[place];
    const char *where = pj_profile_view_location(v, v->locations[k]);
    double then = value_then(p, f->then, k);
    if (then > 0) {
        double high = pj_chart_y(chart, shown(p, then));
        add_bar(p, chart, place, true,
                (pj_mark){.y = high,
                          .h = chart->bottom - high,
                          .fill = fill,
                          .hover = pj_arena_format(v->arena, "%s, before\n%s %s", where,
                                                   f->shows_own ? "own" : "with callees",
                                                   pj_profile_view_amount(v, then))});
    }
    if (!(f->of[k] > 0))
        return;
    double top = pj_chart_y(chart, shown(p, f->of[k]));
    const char *hover = pj_arena_format(v->arena, "%s\nwith callees %s, own %s", where,
                                        pj_profile_view_amount(v, f->with[k]),
                                        pj_profile_view_amount(v, f->own[k]));
    add_bar(p, chart, place, false,
            (pj_mark){.y = top, .h = chart->bottom - top, .fill = fill, .hover = hover});
}

static of_function take_function(const ranks_plot *p, uint32_t region)
{
    bool own = p->values.view.opts.own;
    pj_value_part which = own ? PJ_EXCLUSIVE : PJ_INCLUSIVE;
    of_function f = {.of = pj_rank_values_of(&p->values, region, which),
                     .with = pj_rank_values_of(&p->values, region, PJ_INCLUSIVE),
                     .own = pj_rank_values_of(&p->values, region, PJ_EXCLUSIVE),
                     .shows_own = own};
    uint32_t same = p->compared ? pj_rank_values_same(&p->values, region, &p->then) : PJ_NO_ITEM;
    if (same != PJ_NO_ITEM)
        f.then = pj_rank_values_of(&p->then, same, which);
    return f;
}

/// How the ranks differ; compared, how that has changed. `*most` is the longest bar.
static const char *function_said(const ranks_plot *p, const of_function *f, pj_rank_spread spread,
                                 double *most)
{
    const pj_profile_view *v = &p->values.view;
    pj_rank_spread was = f->then ? pj_rank_spread_of(&p->then, f->then) : (pj_rank_spread){0};
    *most = fmax(spread.most, was.most);
    if (!p->compared)
        return pj_rank_spread_said(&p->values, f->of, spread);
    return pj_arena_format(
        v->arena,
        "mean %s, before %s; most %s, before %s; of each rank the pale bar on "
        "the left is before",
        pj_profile_view_amount(v, spread.mean), pj_profile_view_amount(v, was.mean),
        pj_profile_view_amount(v, spread.most), pj_profile_view_amount(v, was.most));
}

static pj_figure *draw_function(ranks_plot *p, uint32_t region, const pj_draw *draw, pj_err *err)
{
    const pj_profile_view *v = &p->values.view;
    of_function f = take_function(p, region);
    pj_rank_spread spread = pj_rank_spread_of(&p->values, f.of);
    const char *name = pj_function_short(v->profile, region, v->arena);
    double most = 0;
    if (spread.count == 0 || !(spread.most > 0)) {
        pj_fail(err, PJ_E_MISSING, NULL, 0, "no rank spends time in %s", name);
        return NULL;
    }
    const char *subtitle = function_said(p, &f, spread, &most);
    put_in_order(p, f.of);
    const char *mean = pj_profile_view_amount(v, spread.mean);
    p->room = level_gap + fmax(pj_textbox_width(draw, mean, level_style),
                               pj_textbox_width(draw, "mean", level_style));
    pj_chart chart = frame(p,
                           pj_arena_format(v->arena, "%s over ranks%s: %s", name,
                                           f.shows_own ? ", own time" : "", titled(p)),
                           subtitle, most, draw);
    pj_colour fill = pj_function_colour(v->profile, region);
    for (uint32_t place = 0; place < v->location_count; place++)
        add_function_bar(p, &chart, place, &f, fill);
    add_mean(p, &chart, spread.mean, mean);
    chart.figure->searched = true;
    chart.figure->summary = pj_arena_format(chart.arena, "Bars of %s at each of %u ranks: %s.",
                                            name, v->location_count, subtitle);
    return chart.figure;
}

// ---- the whole

static const char no_own_time[] = "the profile tells no own time of functions by rank";

static pj_figure *draw_it(ranks_plot *p, const pj_draw *draw, pj_err *err)
{
    const pj_profile_view *v = &p->values.view;
    if (v->location_count > BARS_MOST) {
        pj_fail(err, PJ_E_MISSING, NULL, 0,
                "%u bars are too many for a picture; histogram shows all ranks", v->location_count);
        return NULL;
    }
    if (p->opts.profile.function) {
        uint32_t region = pj_rank_values_function(&p->values, err);
        return region == PJ_NO_ITEM ? NULL : draw_function(p, region, draw, err);
    }
    if (v->location_count == 1 && !p->compared) {
        pj_figure *list = pj_rank_list(&p->values, p->opts, draw);
        if (!list)
            pj_fail(err, PJ_E_MISSING, NULL, 0, "%s", no_own_time);
        return list;
    }
    choose_parts(p);
    colour_parts(p);
    name_parts(p);
    if (p->compared)
        choose_parts_then(p);
    if (p->most > 0)
        return draw_stacks(p, draw);
    pj_fail(err, PJ_E_MISSING, NULL, 0, "%s", no_own_time);
    return NULL;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    ranks_plot p = {.opts = opts};
    pj_figure *figure = NULL;
    bool ok = pj_rank_values_new(data.profile, opts.profile, arena, &p.values, err);
    if (ok && opts.profile.before) {
        ok = pj_rank_values_new(opts.profile.before, opts.profile, arena, &p.then, err);
        p.places = ok ? pj_rank_values_places(&p.values, &p.then) : NULL;
        p.compared = ok;
    }
    if (ok)
        figure = draw_it(&p, draw, err);
    pj_rank_values_free(&p.values);
    pj_rank_values_free(&p.then);
    return figure;
}

const pj_plot pj_plot_profile_ranks = {
    .name = "ranks",
    .title = "Profile over ranks",
    .help = "Where the time of each rank of a profile goes, or of one function over ranks (-f).",
    .source = PJ_PLOT_PROFILE,
    .topic = "ranks",
    .make = make,
};
