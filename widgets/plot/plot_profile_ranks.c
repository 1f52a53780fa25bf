// A profile over its ranks: where the time of each goes, or (-f) what one function takes at each.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/call_view.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile_view.h"
#include "widgets/plot/rank_values.h"

#include <stdlib.h>

enum { PARTS_MOST = 10, BARS_MOST = 1024, HOVERED_MOST = 256 };
static const double width_usual = 900;

typedef struct part {
    uint32_t region; // PJ_NO_ITEM = all others
    const double *of;
    double sum;
} part;

typedef struct ranks_plot {
    pj_rank_values values;
    pj_plot_opts opts;
    part parts[PARTS_MOST + 1]; // from the bottom of the bars
    size_t part_count;
    double *whole; // by location
    double most;   // of them
    pj_column_text form;
} ranks_plot;

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
        all[r] = (part){r, NULL, pj_profile_sums_size(v->sums->regions.exclusive[r])};
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
            p->parts[p->part_count++] = (part){all[i].region, of, all[i].sum};
    }
    part rest = {PJ_NO_ITEM, others, 0};
    for (uint32_t k = 0; k < locations; k++) {
        rest.sum += others[k];
        p->most = fmax(p->most, p->whole[k]);
    }
    if (rest.sum > 0)
        p->parts[p->part_count++] = rest;
}

static pj_colour colour_of(const ranks_plot *p, size_t i)
{
    uint32_t region = p->parts[i].region;
    return region == PJ_NO_ITEM ? PJ_COLOUR_OTHERS
                                : pj_function_colour(p->values.view.profile, region);
}

static const char *name_of(const ranks_plot *p, size_t i)
{
    const pj_profile_view *v = &p->values.view;
    uint32_t region = p->parts[i].region;
    return region == PJ_NO_ITEM ? "all others" : pj_function_short(v->profile, region, v->arena);
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
    pj_axis x = pj_axis_categories(v->arena, p->values.names, v->location_count);
    pj_chart_key keys[PARTS_MOST + 1];
    x.title = v->ranks == v->location_count ? "Rank" : "Rank.thread";
    for (size_t i = 0; i < p->part_count; i++)
        keys[i] =
            (pj_chart_key){pj_arena_format(v->arena, "%s %s", name_of(p, i),
                                           pj_profile_view_share(v, p->parts[i].sum, v->total)),
                           colour_of(p, i)};
    return pj_chart_new((pj_chart_opts){.title = p->opts.title ? p->opts.title : title,
                                        .subtitle = subtitle,
                                        .width = p->opts.width > 0 ? p->opts.width : width_usual,
                                        .height = p->opts.height,
                                        .x = x,
                                        .y = time_axis(p, most),
                                        .keys = keys,
                                        .key_count = p->part_count},
                        draw);
}

static double slot_of(const ranks_plot *p, const pj_chart *chart)
{
    return (chart->right - chart->left) / p->values.view.location_count;
}

static void add_bar(const ranks_plot *p, pj_chart *chart, uint32_t k, pj_mark look)
{
    double slot = slot_of(p, chart), gap = slot > 6 ? slot * 0.14 : 0;
    look.kind = PJ_MARK_RECT;
    look.x = chart->left + k * slot + gap;
    look.w = slot - 2 * gap;
    pj_figure_add(chart->figure, look);
}

// ---- all functions

static void add_stack(const ranks_plot *p, pj_chart *chart, uint32_t k)
{
    const pj_profile_view *v = &p->values.view;
    double below = 0;
    for (size_t i = 0; i < p->part_count; i++) {
        double value = pj_profile_sums_size(p->parts[i].of[k]);
        double bottom = pj_chart_y(chart, shown(p, below));
        double top = pj_chart_y(chart, shown(p, below + value));
        below += value;
        if (bottom - top < 0.05)
            continue;
        const char *hover = v->location_count > HOVERED_MOST
                                ? NULL
                                : pj_arena_format(v->arena, "%s, %s\nown %s, %s of %s",
                                                  pj_profile_view_location(v, v->locations[k]),
                                                  name_of(p, i), pj_profile_view_amount(v, value),
                                                  pj_profile_view_share(v, value, p->whole[k]),
                                                  pj_profile_view_amount(v, p->whole[k]));
        add_bar(p, chart, k,
                (pj_mark){.y = top,
                          .h = bottom - top,
                          .fill = colour_of(p, i),
                          .stroke = bottom - top > 2 ? PJ_PAPER : PJ_NONE,
                          .stroke_width = 0.8,
                          .hover = hover});
    }
}

static pj_figure *draw_stacks(ranks_plot *p, const pj_draw *draw)
{
    const pj_profile_view *v = &p->values.view;
    const char *subtitle = *v->finding
                               ? v->finding
                               : pj_arena_format(v->arena, "Own time of functions, %s in all",
                                                 pj_profile_view_amount(v, v->total));
    pj_chart chart = frame(p, pj_arena_format(v->arena, "Time of each rank: %s", v->name), subtitle,
                           p->most, draw);
    for (uint32_t k = 0; k < v->location_count; k++)
        add_stack(p, &chart, k);
    chart.figure->summary = pj_arena_format(
        chart.arena, "Stacked bars of %u ranks or threads by function. %s. Most: %s.",
        v->location_count, subtitle, p->part_count ? name_of(p, 0) : "nothing");
    return chart.figure;
}

// ---- one function

static void add_level(const ranks_plot *p, pj_chart *chart, double value, const char *text)
{
    double y = pj_chart_y(chart, shown(p, value));
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = chart->left,
                                           .y = y,
                                           .w = chart->right,
                                           .h = y,
                                           .stroke = PJ_MUTED,
                                           .stroke_width = 1.2,
                                           .dash = 4});
    pj_textbox_put(
        chart->figure, chart->right, y - 4, text,
        (pj_style){.size = 11, .colour = PJ_MUTED, .anchor = PJ_ANCHOR_END, .halo = true});
}

static pj_figure *draw_function(ranks_plot *p, uint32_t region, const pj_draw *draw, pj_err *err)
{
    const pj_profile_view *v = &p->values.view;
    const double *of = pj_rank_values_of(&p->values, region, PJ_INCLUSIVE);
    const double *own = pj_rank_values_of(&p->values, region, PJ_EXCLUSIVE);
    pj_rank_spread spread = pj_rank_spread_of(&p->values, of);
    const char *name = pj_function_short(v->profile, region, v->arena);
    if (spread.count == 0 || !(spread.most > 0)) {
        pj_fail(err, PJ_E_MISSING, NULL, 0, "no rank spends time in %s", name);
        return NULL;
    }
    const char *subtitle = pj_rank_spread_text(&p->values, spread);
    pj_chart chart = frame(p, pj_arena_format(v->arena, "%s over ranks: %s", name, v->name),
                           subtitle, spread.most, draw);
    pj_colour fill = pj_palette_mix(pj_function_colour(v->profile, region), PJ_INK, 0.12);
    for (uint32_t k = 0; k < v->location_count; k++) {
        if (!(of[k] > 0))
            continue;
        double top = pj_chart_y(&chart, shown(p, of[k]));
        const char *hover = pj_arena_format(
            v->arena, "%s\nwith callees %s, own %s", pj_profile_view_location(v, v->locations[k]),
            pj_profile_view_amount(v, of[k]), pj_profile_view_amount(v, own[k]));
        add_bar(p, &chart, k,
                (pj_mark){.y = top, .h = chart.bottom - top, .fill = fill, .hover = hover});
    }
    add_level(p, &chart, spread.mean,
              pj_arena_format(v->arena, "mean %s", pj_profile_view_amount(v, spread.mean)));
    chart.figure->summary = pj_arena_format(chart.arena, "Bars of %s at each of %u ranks: %s.",
                                            name, v->location_count, subtitle);
    return chart.figure;
}

// ---- the whole

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
    choose_parts(p);
    if (p->most > 0)
        return draw_stacks(p, draw);
    pj_fail(err, PJ_E_MISSING, NULL, 0, "the profile tells no own time of functions by rank");
    return NULL;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    ranks_plot p = {.opts = opts};
    pj_figure *figure = NULL;
    if (pj_rank_values_new(data.profile, opts.profile, arena, &p.values, err))
        figure = draw_it(&p, draw, err);
    pj_rank_values_free(&p.values);
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
