// How many ranks take how long for a function: two humps are two kinds of ranks.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/profile_view.h"
#include "widgets/plot/profile/rank_values.h"

enum { BINS = 10 };

typedef struct histogram {
    pj_rank_values values;
    const double *of;
    pj_rank_spread spread;
    uint32_t region;
    uint32_t counts[BINS];
} histogram;

static double edge_of(const histogram *h, size_t bin)
{
    return h->spread.least + (h->spread.most - h->spread.least) * (double)bin / BINS;
}

/// The bin whose edges are around a value, as the texts tell them.
static size_t bin_of(const histogram *h, double value)
{
    size_t bin = BINS - 1;
    while (bin && value < edge_of(h, bin))
        bin--;
    return h->spread.most > h->spread.least ? bin : 0;
}

/// "ranks 0 to 3, 7": those of a bin, of which the last one has the largest of all too.
static const char *ranks_of(const histogram *h, size_t bin)
{
    const pj_profile_view *v = &h->values.view;
    bool is_last = bin + 1 == BINS || !(h->spread.most > h->spread.least);
    double below = is_last ? INFINITY : edge_of(h, bin + 1);
    return pj_arena_format(v->arena, "%s%s %s", v->ranks == v->location_count ? "rank" : "thread",
                           h->counts[bin] == 1 ? "" : "s",
                           pj_rank_values_list(&h->values, h->of, edge_of(h, bin), below));
}

static const char *hover_of(const histogram *h, size_t bin)
{
    const pj_profile_view *v = &h->values.view;
    const char *from = pj_profile_view_amount(v, edge_of(h, bin));
    const char *to = pj_profile_view_amount(v, edge_of(h, bin + 1));
    return pj_arena_format(v->arena, "%u from %s to %s\n%s", h->counts[bin], from, to,
                           ranks_of(h, bin));
}

static pj_chart frame(const histogram *h, pj_plot_opts opts, const pj_draw *draw)
{
    const pj_profile_view *v = &h->values.view;
    const char *labels[BINS];
    double middles[BINS];
    uint32_t most = 0;
    for (size_t b = 0; b < BINS; b++) {
        middles[b] = (edge_of(h, b) + edge_of(h, b + 1)) / 2;
        most = h->counts[b] > most ? h->counts[b] : most;
    }
    pj_column_text form = pj_profile_view_column(v, middles, BINS);
    for (size_t b = 0; b < BINS; b++)
        labels[b] = pj_profile_view_number(v, form, middles[b]);
    pj_axis y = pj_axis_new(PJ_AXIS_LINEAR, 0, most, true);
    y.whole = true;
    y.title = v->ranks == v->location_count ? "Ranks" : "Threads";
    pj_axis x = pj_axis_categories(v->arena, labels, BINS);
    const char *name = pj_function_short(v->profile, h->region, v->arena);
    const char *what =
        pj_arena_format(v->arena, "Time of %s, %s", name, v->opts.own ? "own" : "with callees");
    x.title = pj_profile_view_head(v, form, what);
    return pj_chart_new(
        (pj_chart_opts){.title = opts.title
                                     ? opts.title
                                     : pj_arena_format(v->arena, "Ranks by their time in %s: %s",
                                                       name, v->name),
                        .subtitle = pj_rank_spread_said(&h->values, h->of, h->spread),
                        .width = opts.width > 0 ? opts.width : PJ_CHART_WIDTH,
                        .height = opts.height,
                        .x = x,
                        .y = y},
        draw);
}

/// Up a bar of that width and height, in as many lines as it holds.
static void put_upwards(pj_chart *chart, const char *text, double middle, double width,
                        double height)
{
    pj_style style = {.size = 11, .angle = 90};
    const char **lines;
    size_t room = (size_t)fmax(width / PJ_TEXTBOX_LINE, 1);
    size_t count = pj_textbox_wrap(chart->draw, chart->arena, text, style, height, &lines);
    size_t shown = count < room ? count : room;
    double x = middle + 4 - (double)(shown - 1) * PJ_TEXTBOX_LINE / 2;
    for (size_t i = 0; i < shown; i++, x += PJ_TEXTBOX_LINE) {
        bool cut = i + 1 == shown && count > shown;
        const char *line = cut ? pj_arena_format(chart->arena, "%s ...", lines[i]) : lines[i];
        line = pj_textbox_elide(chart->draw, chart->arena, line, style, height);
        pj_textbox_put(chart->figure, x, chart->bottom - 6, line, style);
    }
}

/// Names the ranks of a bin: up its bar where that is high enough, else above its number.
static void put_ranks(const histogram *h, const pj_draw *draw, pj_chart *chart, size_t bin)
{
    static const double least_height = 48, number_height = 18;
    pj_style style = {.size = 11, .halo = true};
    double slot = (chart->right - chart->left) / BINS, top = pj_chart_y(chart, h->counts[bin]);
    double x = chart->left + ((double)bin + 0.5) * slot, room = chart->bottom - top;
    const char *names = ranks_of(h, bin);
    if (room >= least_height) {
        put_upwards(chart, names, x, slot - 4, room - 12);
    } else if (pj_textbox_width(draw, names, style) <= slot) {
        style.anchor = PJ_ANCHOR_MIDDLE;
        style.colour = PJ_MUTED;
        pj_textbox_put(chart->figure, x, top - number_height, names, style);
    }
}

static pj_figure *draw_it(histogram *h, pj_plot_opts opts, const pj_draw *draw)
{
    const pj_profile_view *v = &h->values.view;
    for (uint32_t k = 0; k < v->location_count; k++)
        if (!isnan(h->of[k]))
            h->counts[bin_of(h, h->of[k])]++;
    pj_chart chart = frame(h, opts, draw);
    double slot = (chart.right - chart.left) / BINS;
    pj_colour fill = pj_function_colour(v->profile, h->region);
    for (size_t b = 0; b < BINS; b++) {
        double top = pj_chart_y(&chart, h->counts[b]);
        if (h->counts[b] == 0)
            continue;
        pj_figure_add(chart.figure, (pj_mark){.kind = PJ_MARK_RECT,
                                              .x = chart.left + (double)b * slot + 2,
                                              .y = top,
                                              .w = slot - 4,
                                              .h = chart.bottom - top,
                                              .fill = fill,
                                              .hover = hover_of(h, b)});
        put_ranks(h, draw, &chart, b);
        pj_textbox_put(chart.figure, chart.left + ((double)b + 0.5) * slot, top - 4,
                       pj_arena_format(v->arena, "%u", h->counts[b]),
                       (pj_style){.size = 11, .anchor = PJ_ANCHOR_MIDDLE, .halo = true});
    }
    chart.figure->searched = true;
    chart.figure->summary =
        pj_arena_format(chart.arena, "A histogram of %u ranks or threads: %s.", h->spread.count,
                        pj_rank_spread_said(&h->values, h->of, h->spread));
    return chart.figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    histogram h = {.region = PJ_NO_ITEM};
    pj_figure *figure = NULL;
    if (pj_rank_values_new(data.profile, opts.profile, arena, &h.values, err))
        h.region = pj_rank_values_function(&h.values, err);
    if (h.region != PJ_NO_ITEM) {
        h.of =
            pj_rank_values_of(&h.values, h.region, opts.profile.own ? PJ_EXCLUSIVE : PJ_INCLUSIVE);
        h.spread = pj_rank_spread_of(&h.values, h.of);
        if (h.spread.count)
            figure = draw_it(&h, opts, draw);
        else
            pj_fail(err, PJ_E_MISSING, NULL, 0, "no rank has a time for this function");
    }
    pj_rank_values_free(&h.values);
    return figure;
}

const pj_plot pj_plot_histogram = {
    .name = "histogram",
    .title = "Histogram over ranks",
    .help = "How many ranks of a profile take how long for a function (-f NAME).",
    .source = PJ_PLOT_PROFILE,
    .topic = "ranks",
    .again = true,
    .make = make,
};
