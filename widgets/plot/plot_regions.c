// The OpenMP parallel regions of a run over time, a lane for each rank, coloured by load balance.
// Regions narrower than a pixel share it: it takes their mean colour, as pale as they are sparse.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/run/regions.h"
#include "metrics/run/regions_table.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/lanes.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"

#include <math.h>

enum { HOVERED_MOST = 400, SCALE_STEPS = 300, SCALE_ROWS = 18 };
static const double bar_least = 16; // columns of a region with a hover text of its own

/// What falls into a pixel, or into a cell of several that share a hover text.
typedef struct cell {
    double covered;  // ns of rows of a lane
    double balanced; // the same times load balance
    size_t count;    // regions that begin here
    const pj_region_instance *worst;
} cell;

typedef struct region_plot {
    const pj_run *run;
    const pj_regions *regions;
    pj_palette palette;
    pj_lanes lanes;
    cell *cells;        // by row and column of pixels
    cell *blocks;       // by row and block of columns
    size_t block;       // columns of a block
    size_t block_count; // of a row
} region_plot;

static const char *name_or(const char *name, const char *otherwise)
{
    return *name ? name : otherwise;
}

static void add_duration(pj_buf *out, const char *what, double ns)
{
    char text[32];
    pj_format_duration(ns, text);
    pj_buf_addf(out, "\n%s: %s", what, text);
}

static void add_ratio(pj_buf *out, const char *what, double value)
{
    char text[32];
    pj_format_fixed(value, 3, text);
    pj_buf_addf(out, "\n%s: %s", what, text);
}

static const char *hover_of(const region_plot *p, const pj_region_instance *instance,
                            pj_arena *arena)
{
    pj_auto_buf text = {.at = NULL};
    pj_buf_addf(&text, "Function: %s\nLocation: %s\nRank: %u",
                name_or(p->regions->functions[instance->function].name, "not in the trace"),
                name_or(p->regions->locations[instance->location].name, "not in the trace"),
                instance->rank);
    add_duration(&text, "Start", (double)instance->start_ns);
    add_duration(&text, "Length", pj_region_length(instance));
    add_ratio(&text, "Load balance", pj_region_load_balance(instance));
    add_ratio(&text, "Parallel efficiency", pj_region_efficiency(instance));
    add_duration(&text, "Mean computation", pj_region_mean(instance));
    add_duration(&text, "Largest computation", (double)instance->max_ns);
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// Spreads a region over the cells of its row; `width` columns make a cell.
static void spread(const region_plot *p, cell *row, size_t width,
                   const pj_region_instance *instance)
{
    const pj_lanes *lanes = &p->lanes;
    double scale = (double)(lanes->to_ns - lanes->from_ns) / (double)lanes->columns;
    double from = pj_lanes_column(lanes, instance->start_ns) / (double)width;
    double to = pj_lanes_column(lanes, instance->end_ns) / (double)width;
    size_t count = (lanes->columns + width - 1) / width;
    double balance = pj_region_load_balance(instance);
    for (size_t i = (size_t)fmax(from, 0); i < count && (double)i < to; i++) {
        double part = fmin(to, (double)i + 1) - fmax(from, (double)i);
        row[i].covered += part * scale * (double)width;
        row[i].balanced += part * scale * (double)width * balance;
    }
    cell *first = &row[(size_t)fmin(fmax(from, 0), (double)count - 1)];
    first->count++;
    if (!first->worst || balance < pj_region_load_balance(first->worst))
        first->worst = instance;
}

static void gather(region_plot *p)
{
    pj_lanes *lanes = &p->lanes;
    p->block = 16;
    while (lanes->rows * (lanes->columns / p->block) > HOVERED_MOST)
        p->block *= 2;
    p->block_count = (lanes->columns + p->block - 1) / p->block;
    p->cells = pj_new_n(lanes->chart.arena, cell, lanes->rows * lanes->columns);
    p->blocks = pj_new_n(lanes->chart.arena, cell, lanes->rows * p->block_count);
    for (size_t i = 0; i < p->regions->count; i++) {
        const pj_region_instance *instance = &p->regions->instances[i];
        size_t row = pj_lanes_row(lanes, instance->rank);
        spread(p, &p->cells[row * lanes->columns], 1, instance);
        spread(p, &p->blocks[row * p->block_count], p->block, instance);
    }
}

static void paint(region_plot *p)
{
    pj_lanes *lanes = &p->lanes;
    double whole = (double)(lanes->to_ns - lanes->from_ns) / (double)lanes->columns;
    double ranks = (double)lanes->lane_count / (double)lanes->rows; // that share a row
    for (size_t i = 0; i < lanes->rows * lanes->columns; i++) {
        const cell *c = &p->cells[i];
        if (c->covered <= 0)
            continue;
        pj_colour fill = pj_palette_fill(p->palette, c->balanced / c->covered, false);
        double part = fmin(c->covered / (whole * ranks), 1);
        pj_lanes_paint(lanes, i / lanes->columns, i % lanes->columns, 0, 1,
                       pj_palette_mix(PJ_PAPER, fill, 0.15 + 0.85 * part));
    }
}

static const char *block_hover(const region_plot *p, size_t row, const cell *c, pj_arena *arena)
{
    const pj_lanes *lanes = &p->lanes;
    size_t first = (row * lanes->lane_count + lanes->rows - 1) / lanes->rows;
    size_t last = ((row + 1) * lanes->lane_count + lanes->rows - 1) / lanes->rows - 1;
    pj_auto_buf text = {.at = NULL};
    if (last > first)
        pj_buf_addf(&text, "Ranks %zu to %zu: ", first, last);
    pj_buf_addf(&text, "%zu regions", c->count);
    add_ratio(&text, "Load balance, mean", c->balanced / c->covered);
    pj_buf_addf(&text, "\nThe worst of them:\n%s", hover_of(p, c->worst, arena));
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// Wide regions have texts of their own, the others share those of blocks.
static void add_hovers(region_plot *p)
{
    pj_lanes *lanes = &p->lanes;
    pj_arena *arena = lanes->chart.arena;
    for (size_t row = 0; row < lanes->rows; row++)
        for (size_t b = 0; b < p->block_count; b++) {
            const cell *c = &p->blocks[row * p->block_count + b];
            if (!c->worst || c->covered <= 0)
                continue;
            double from = (double)(b * p->block);
            const char *text =
                c->count == 1 ? hover_of(p, c->worst, arena) : block_hover(p, row, c, arena);
            pj_lanes_hover(lanes, row, from, from + (double)p->block, text);
        }
    size_t added = 0;
    for (size_t i = 0; i < p->regions->count && added < HOVERED_MOST; i++) {
        const pj_region_instance *instance = &p->regions->instances[i];
        double from = pj_lanes_column(lanes, instance->start_ns);
        double to = pj_lanes_column(lanes, instance->end_ns);
        if (to - from < bar_least || lanes->rows < lanes->lane_count)
            continue;
        pj_lanes_hover(lanes, pj_lanes_row(lanes, instance->rank), from, to,
                       hover_of(p, instance, arena));
        added++;
    }
}

/// The colours of load balance from 0 to 1, in the corner above the plot.
static void add_scale(region_plot *p)
{
    pj_chart *chart = &p->lanes.chart;
    const double width = 150, height = 9, right = chart->right, top = chart->top - 37;
    pj_style style = {.size = 11, .colour = PJ_MUTED, .anchor = PJ_ANCHOR_END};
    pj_colour *pixels = pj_new_n(chart->arena, pj_colour, SCALE_STEPS * SCALE_ROWS);
    for (size_t i = 0; i < SCALE_STEPS * SCALE_ROWS; i++)
        pixels[i] =
            pj_palette_fill(p->palette, ((double)(i % SCALE_STEPS) + 0.5) / SCALE_STEPS, false);
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_IMAGE,
                                           .x = right - width,
                                           .y = top,
                                           .w = width,
                                           .h = height,
                                           .pixels = pixels,
                                           .pixel_columns = SCALE_STEPS,
                                           .pixel_rows = SCALE_ROWS});
    pj_textbox_put(chart->figure, right - width - 8, top + height, "Load balance of the region",
                   style);
    double good = pj_palette_resolve(p->palette).good;
    const double ticks[] = {0, pj_palette_resolve(p->palette).bad, good, 1};
    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        char text[32];
        pj_format_double(ticks[i], text);
        style.anchor = PJ_ANCHOR_MIDDLE;
        pj_textbox_put(chart->figure, right - width + ticks[i] * width, top + height + 12, text,
                       style);
    }
}

static const char **rank_names(pj_arena *arena, uint32_t ranks)
{
    const char **names = pj_new_n(arena, const char *, ranks + 1);
    for (uint32_t r = 0; r < ranks; r++)
        names[r] = pj_arena_format(arena, "%u", r);
    return names;
}

static pj_lanes_opts frame_of(const pj_run *run, pj_plot_opts opts, pj_arena *arena)
{
    const pj_regions *regions = run->openmp_regions;
    pj_lanes_opts frame = {
        .title = opts.title ? opts.title
                            : pj_arena_format(arena, "OpenMP regions over time: %s", run->name),
        .subtitle = pj_arena_format(arena, "%zu region instances on %u rank%s",
                                    regions->count + (size_t)regions->left_out, run->layout.ranks,
                                    run->layout.ranks == 1 ? "" : "s"),
        .width = opts.width,
        .height = opts.height,
        .lane_title = "Rank",
        .names = rank_names(arena, run->layout.ranks),
        .lane_count = run->layout.ranks,
        .from_ns = run->roi.set ? run->roi.from_ns : 0,
        .to_ns = run->roi.set ? run->roi.to_ns : run->end_ns,
    };
    if (regions->left_out)
        frame.note = pj_arena_format(arena, "%llu instances are too many to be kept and not drawn.",
                                     (unsigned long long)regions->left_out);
    return frame;
}

static const char *summary_of(const region_plot *p, pj_arena *arena)
{
    double length = 0, balanced = 0;
    const pj_region_instance *worst = p->regions->instances;
    for (size_t i = 0; i < p->regions->count; i++) {
        const pj_region_instance *instance = &p->regions->instances[i];
        length += pj_region_length(instance);
        balanced += pj_region_length(instance) * pj_region_load_balance(instance);
        if (pj_region_load_balance(instance) < pj_region_load_balance(worst))
            worst = instance;
    }
    char mean[32], least[32];
    pj_format_fixed(length > 0 ? balanced / length : 1, 3, mean);
    pj_format_fixed(pj_region_load_balance(worst), 3, least);
    return pj_arena_format(arena,
                           "A bar for each OpenMP parallel region of each rank over time, coloured "
                           "by load balance: %s in the mean by length, %s at worst (rank %u, %s).",
                           mean, least, worst->rank,
                           name_or(p->regions->functions[worst->function].name, "a region"));
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    const pj_run *run = data.run;
    if (!run->openmp_regions || run->openmp_regions->count == 0 || run->end_ns == 0) {
        bool sums = run->openmp_regions && run->openmp_regions->left_out;
        pj_fail(err, PJ_E_MISSING, run->path, 0,
                sums ? "the summary has only sums of its OpenMP regions; give its trace"
                     : "has no OpenMP regions to draw");
        return NULL;
    }
    pj_auto_arena arena = pj_arena_new(NULL);
    region_plot p = {.run = run, .regions = run->openmp_regions, .palette = opts.palette};
    p.lanes = pj_lanes_new(frame_of(run, opts, arena), draw);
    gather(&p);
    paint(&p);
    pj_lanes_finish(&p.lanes);
    add_hovers(&p);
    add_scale(&p);
    p.lanes.chart.figure->summary = summary_of(&p, p.lanes.chart.arena);
    return p.lanes.chart.figure;
}

static pj_table *numbers(const pj_run *run)
{
    return pj_regions_table(run, PJ_REGIONS_EACH, NULL);
}

const pj_plot pj_plot_regions = {
    .name = "regions",
    .title = "OpenMP regions over time",
    .help = "Every OpenMP parallel region of every rank over time, coloured by load balance.",
    .source = PJ_PLOT_RUN,
    .aspects = PJ_WANT(openmp_regions),
    .numbers = numbers,
    .make = make,
};
