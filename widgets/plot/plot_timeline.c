// States of threads over time. The height of a lane is shared by the states within a pixel, so that
// short ones are seen as long as there are many of them; messages are lines, thicker when one
// stands for several.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/run/timeline_table.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/lanes.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/plot.h"

#include <math.h>

enum { HOVERED_MOST = 700, LINES_HOVERED_MOST = 200, NARROW = 4 };

static const pj_colour colours[PJ_TIMELINE_KINDS] = {
    [PJ_TIMELINE_running] = PJ_COLOUR_RUNNING,
    [PJ_TIMELINE_transfer] = PJ_COLOUR_TRANSFER,
    [PJ_TIMELINE_launch] = PJ_COLOUR_LAUNCH,
    [PJ_TIMELINE_message] = PJ_COLOUR_MESSAGE,
    [PJ_TIMELINE_collective] = PJ_COLOUR_COLLECTIVE,
    [PJ_TIMELINE_synchronisation] = PJ_COLOUR_SYNC,
    [PJ_TIMELINE_io] = PJ_COLOUR_IO,
    [PJ_TIMELINE_loading] = PJ_COLOUR_LOADING,
    [PJ_TIMELINE_waiting] = PJ_COLOUR_WAITING,
    [PJ_TIMELINE_other] = PJ_COLOUR_OTHER,
    [PJ_TIMELINE_disabled] = PJ_COLOUR_DISABLED,
    [PJ_TIMELINE_idle] = PJ_COLOUR_IDLE,
};

/// Time by kind, and of all.
typedef struct shares {
    double ns[PJ_TIMELINE_KINDS];
    double sum;
    double whole; // what it would be if all states were known
} shares;

typedef struct timeline_plot {
    const pj_run *run;
    const pj_timeline *timeline;
    pj_lanes lanes;
    size_t block; // columns that share a hover text
} timeline_plot;

static void add_pixel(shares *s, const float *time, double part)
{
    for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++) {
        s->ns[k] += part * (double)time[k];
        s->sum += part * (double)time[k];
    }
}

/// Adds the time of a row between two columns of the picture.
static shares shares_of(const timeline_plot *p, size_t row, size_t from, size_t to)
{
    const pj_timeline *timeline = p->timeline;
    double scale = (double)(timeline->to_ns - timeline->from_ns) / (double)p->lanes.columns;
    double first = (double)from * scale / timeline->column_ns;
    double last = (double)to * scale / timeline->column_ns;
    size_t row_from = row * timeline->rows / p->lanes.rows;
    size_t row_to = (row + 1) * timeline->rows / p->lanes.rows;
    row_to = row_to > row_from ? row_to : row_from + 1;
    shares s = {.sum = 0};
    for (size_t r = row_from; r < row_to; r++)
        for (size_t c = (size_t)first; c < timeline->columns && (double)c < last; c++)
            add_pixel(&s, pj_timeline_at(timeline, r, c),
                      fmin(last, (double)c + 1) - fmax(first, (double)c));
    s.whole = (double)(to - from) * scale * (double)(row_to - row_from) * timeline->lanes /
              timeline->rows;
    return s;
}

static size_t largest(const shares *s)
{
    size_t best = 0;
    for (size_t k = 1; k < PJ_TIMELINE_KINDS; k++)
        if (s->ns[k] > s->ns[best])
            best = k;
    return best;
}

static void paint(timeline_plot *p)
{
    pj_lanes *lanes = &p->lanes;
    for (size_t row = 0; row < lanes->rows; row++)
        for (size_t column = 0; column < lanes->columns; column++) {
            shares s = shares_of(p, row, column, column + 1);
            if (s.sum <= s.whole / 100)
                continue;
            if (lanes->body < NARROW) {
                double part = fmin(s.sum / s.whole, 1);
                pj_lanes_paint(lanes, row, column, 0, 1,
                               pj_palette_mix(PJ_PAPER, colours[largest(&s)], part));
                continue;
            }
            double at = 0, all = fmax(s.whole, s.sum);
            for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++) {
                pj_lanes_paint(lanes, row, column, at / all, (at + s.ns[k]) / all, colours[k]);
                at += s.ns[k];
            }
        }
}

/// Where devices wait for other ranks for longer than a few pixels.
static void hatch_row(timeline_plot *p, size_t row)
{
    enum { LEAST = 3 };
    pj_lanes *lanes = &p->lanes;
    size_t since = 0;
    for (size_t c = 0; c <= lanes->columns; c++) {
        shares s = {.whole = 1};
        if (c < lanes->columns)
            s = shares_of(p, row, c, c + 1);
        if (s.ns[PJ_TIMELINE_waiting] > s.whole / 2)
            continue;
        if (c - since >= LEAST)
            pj_lanes_hatch(lanes, row, since, c);
        since = c + 1;
    }
}

static void hatch(timeline_plot *p)
{
    for (size_t row = p->timeline->threads;
         row < p->lanes.rows && p->lanes.rows == p->lanes.lane_count; row++)
        hatch_row(p, row);
}

// Hover texts

static void add_time(pj_buf *out, const char *before, double ns)
{
    char text[32];
    pj_format_duration(ns, text);
    pj_buf_addf(out, "%s%s", before, text);
}

/// "Device D0 (node1)", "Device D0 stream S7".
static void add_device(const timeline_plot *p, uint32_t index, pj_buf *out)
{
    const pj_timeline_device *device = &p->timeline->devices[index];
    pj_str name = pj_device_name(device->key), node = pj_device_node(device->key);
    pj_buf_addf(out, "Device " PJ_STR_FMT, PJ_STR_ARG(name));
    if (device->stream)
        pj_buf_addf(out, " stream %s",
                    pj_timeline_device_name(p->timeline, index, p->lanes.chart.arena));
    else if (node.len)
        pj_buf_addf(out, " of " PJ_STR_FMT, PJ_STR_ARG(node));
}

/// "Rank 3", "Rank 3 thread 1", or a device.
static void add_lane(const timeline_plot *p, size_t lane, pj_buf *out)
{
    const pj_layout *layout = &p->run->layout;
    if (lane >= p->timeline->threads) {
        add_device(p, (uint32_t)lane - p->timeline->threads, out);
        return;
    }
    uint32_t location = p->timeline->first_location + (uint32_t)lane;
    uint32_t rank = layout->rank_of[location];
    pj_buf_addf(out, "Rank %u", rank);
    if (pj_layout_threads(layout, rank) > 1)
        pj_buf_addf(out, " thread %u", location - layout->first_location[rank]);
}

static void add_row(const timeline_plot *p, size_t row, pj_buf *out)
{
    const pj_lanes *lanes = &p->lanes;
    size_t first = (row * lanes->lane_count + lanes->rows - 1) / lanes->rows;
    size_t last = ((row + 1) * lanes->lane_count + lanes->rows - 1) / lanes->rows - 1;
    add_lane(p, first, out);
    if (last <= first)
        return;
    pj_buf_puts(out, " to ");
    add_lane(p, last, out);
}

static void add_shares(const shares *s, pj_buf *out)
{
    for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++) {
        char part[32];
        if (s->ns[k] < s->sum / 1000)
            continue;
        pj_format_fixed(100 * s->ns[k] / s->sum, 1, part);
        pj_buf_addf(out, "\n%s: %s %%", pj_timeline_kind_title((pj_timeline_kind)k), part);
        add_time(out, ", ", s->ns[k]);
    }
}

static const char *block_hover(const timeline_plot *p, size_t row, const size_t columns[2],
                               const shares *s, pj_arena *arena)
{
    const pj_lanes *lanes = &p->lanes;
    double scale = (double)(lanes->to_ns - lanes->from_ns) / (double)lanes->columns;
    double from = (double)lanes->from_ns;
    pj_auto_buf text = {.at = NULL};
    add_row(p, row, &text);
    add_time(&text, "\nFrom ", from + (double)columns[0] * scale);
    add_time(&text, " to ", from + (double)columns[1] * scale);
    add_shares(s, &text);
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// The kind of a block that holds nothing else; PJ_TIMELINE_KINDS when it is mixed.
static size_t only_kind(const shares *s)
{
    size_t k = largest(s);
    return s->ns[k] > 0.999 * s->sum ? k : PJ_TIMELINE_KINDS;
}

/// Blocks that hold one and the same state share their text.
static void hover_row(timeline_plot *p, size_t row)
{
    pj_lanes *lanes = &p->lanes;
    for (size_t c = 0, end; c < lanes->columns; c = end) {
        end = c + p->block < lanes->columns ? c + p->block : lanes->columns;
        shares s = shares_of(p, row, c, end);
        if (s.sum <= 0)
            continue;
        size_t kind = only_kind(&s);
        while (kind < PJ_TIMELINE_KINDS && end < lanes->columns) {
            size_t next = end + p->block < lanes->columns ? end + p->block : lanes->columns;
            shares more = shares_of(p, row, end, next);
            if (more.sum <= 0 || only_kind(&more) != kind)
                break;
            s.ns[kind] += more.ns[kind];
            s.sum += more.sum;
            end = next;
        }
        pj_lanes_hover(lanes, row, (double)c, (double)end,
                       block_hover(p, row, (size_t[]){c, end}, &s, lanes->chart.arena));
    }
}

static const char *call_hover(const timeline_plot *p, const pj_timeline_call *c, pj_arena *arena)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(c->call);
    pj_auto_buf text = {.at = NULL};
    add_lane(p, c->lane, &text);
    pj_buf_addf(&text, "\n%s", row ? row->name : "unknown MPI call");
    add_time(&text, ": ", (double)(c->end_ns - c->begin_ns));
    add_time(&text, "\nFrom ", (double)c->begin_ns);
    add_time(&text, " to ", (double)c->end_ns);
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// Calls that are wide enough to be pointed at, where each lane has a row of its own.
static void hover_calls(timeline_plot *p)
{
    enum { LEAST_COLUMNS = 6 };
    pj_lanes *lanes = &p->lanes;
    size_t hovered = 0;
    for (size_t i = 0; i < p->timeline->call_count && lanes->rows == lanes->lane_count; i++) {
        const pj_timeline_call *c = &p->timeline->calls[i];
        double from = fmax(pj_lanes_column(lanes, c->begin_ns), 0);
        double to = fmin(pj_lanes_column(lanes, c->end_ns), (double)lanes->columns);
        if (to - from >= LEAST_COLUMNS && hovered++ < HOVERED_MOST)
            pj_lanes_hover(lanes, c->lane, from, to, call_hover(p, c, lanes->chart.arena));
    }
}

// Messages

static const char *bundle_hover(const timeline_plot *p, const pj_timeline_bundle *b,
                                pj_arena *arena)
{
    char bytes[32];
    pj_auto_buf text = {.at = NULL};
    pj_format_bytes(b->bytes, bytes);
    if (b->messages == 1)
        pj_buf_addf(&text, "Message of %s\nfrom ", bytes);
    else
        pj_buf_addf(&text, "%llu messages, %s together\nfrom ", (unsigned long long)b->messages,
                    bytes);
    add_lane(p, b->from, &text);
    pj_buf_puts(&text, b->messages > 1 ? " or near to " : " to ");
    add_lane(p, b->to, &text);
    add_time(&text, b->messages > 1 ? "\nSent, in the mean: " : "\nSent: ", b->sent_ns);
    add_time(&text, b->messages > 1 ? "\nReceived, in the mean: " : "\nReceived: ", b->received_ns);
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// Cuts a line off at the edges of the plot area.
static void clip(pj_mark *line, double left, double right)
{
    double slope = line->w != line->x ? (line->h - line->y) / (line->w - line->x) : 0;
    double x = fmin(fmax(line->x, left), right), w = fmin(fmax(line->w, left), right);
    line->y += slope * (x - line->x);
    line->h += slope * (w - line->w);
    line->x = x;
    line->w = w;
}

static void draw_messages(timeline_plot *p)
{
    const pj_timeline *timeline = p->timeline;
    pj_lanes *lanes = &p->lanes;
    pj_figure *figure = lanes->chart.figure;
    unsigned alpha = timeline->bundle_count > 300  ? 0x48
                     : timeline->bundle_count > 80 ? 0x80
                                                   : 0xc0;
    double width = timeline->bundle_count > 300 ? 0.4 : 0.7;
    for (size_t i = 0; i < timeline->bundle_count; i++) {
        const pj_timeline_bundle *b = &timeline->bundles[i];
        pj_mark line = {.kind = PJ_MARK_LINE,
                        .x = pj_lanes_x(lanes, b->sent_ns),
                        .y = pj_lanes_y(lanes, b->from),
                        .w = pj_lanes_x(lanes, b->received_ns),
                        .h = pj_lanes_y(lanes, b->to),
                        .stroke = (PJ_INK & 0xffffff00u) | alpha,
                        .stroke_width = width * (1 + 0.2 * log2((double)b->messages))};
        bool ends = line.w <= lanes->chart.right && line.w >= lanes->chart.left;
        clip(&line, lanes->chart.left, lanes->chart.right);
        pj_figure_add(figure, line);
        if (timeline->bundle_count > LINES_HOVERED_MOST || !ends)
            continue;
        pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_DISC,
                                        .x = line.w,
                                        .y = line.h,
                                        .w = 1.6,
                                        .fill = PJ_INK,
                                        .hover = bundle_hover(p, b, lanes->chart.arena)});
    }
}

// Waits

static const char *wait_hover(const pj_one_wait *w, pj_arena *arena)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(w->call);
    pj_auto_buf text = {.at = NULL};
    pj_buf_addf(&text, "%s: rank %u waits", pj_wait_pattern_rows[w->pattern].title, w->rank);
    if (w->culprit != PJ_CULPRIT_OTHERS)
        pj_buf_addf(&text, " for rank %u", w->culprit);
    add_time(&text, "\n", (double)w->ns);
    pj_buf_addf(&text, " in %s", row ? row->name : "an unknown MPI call");
    add_time(&text, "\nFrom ", (double)w->begin);
    add_time(&text, " to ", (double)(w->begin + w->ns));
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// The lane of a rank's first thread; false where it is not shown.
static bool lane_of(const timeline_plot *p, uint32_t rank, size_t *lane)
{
    uint32_t first = p->timeline->first_location;
    uint32_t location = rank < p->run->layout.ranks ? p->run->layout.first_location[rank] : 0;
    *lane = location - first;
    return rank < p->run->layout.ranks && location >= first && *lane < p->timeline->threads;
}

static void draw_culprit(timeline_plot *p, const pj_one_wait *w, double x, double y)
{
    const pj_colour ink = (PJ_INK & 0xffffff00u) | 0xc0;
    size_t lane;
    if (w->culprit == w->rank || !lane_of(p, w->culprit, &lane))
        return;
    double to = pj_lanes_y(&p->lanes, lane);
    pj_figure *figure = p->lanes.chart.figure;
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_LINE,
                                    .x = x,
                                    .y = y,
                                    .w = x,
                                    .h = to,
                                    .stroke = ink,
                                    .stroke_width = 1,
                                    .dash = 3});
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_DISC, .x = x, .y = to, .w = 2.2, .fill = ink});
}

/// Those that are wide enough to be seen: hatched, and from their end a line to who ended them.
static void draw_waits(timeline_plot *p)
{
    enum { LEAST_PX = 3 };
    const pj_waits *waits = p->timeline->waits ? p->run->waits : NULL;
    const pj_lanes *lanes = &p->lanes;
    for (uint32_t i = 0; waits && i < waits->worst_count; i++) {
        const pj_one_wait *w = &waits->worst[i];
        double from = fmax(pj_lanes_x(lanes, (double)w->begin), lanes->chart.left);
        double to = fmin(pj_lanes_x(lanes, (double)(w->begin + w->ns)), lanes->chart.right);
        size_t lane;
        if (to - from < LEAST_PX || !lane_of(p, w->rank, &lane))
            continue;
        double y = pj_lanes_y(lanes, lane);
        pj_lanes_hatch_between(&p->lanes, y, from, to, wait_hover(w, lanes->chart.arena));
        if (w->begin + w->ns < p->timeline->to_ns)
            draw_culprit(p, w, to, y);
    }
}

// Frame

static const char **lane_names(const timeline_plot *p, pj_arena *arena)
{
    const pj_layout *layout = &p->run->layout;
    const char **names = pj_new_n(arena, const char *, p->timeline->lanes + 1);
    for (uint32_t i = p->timeline->threads; i < p->timeline->lanes; i++)
        names[i] = pj_timeline_device_name(p->timeline, i - p->timeline->threads, arena);
    for (uint32_t i = 0; i < p->timeline->threads; i++) {
        uint32_t location = p->timeline->first_location + i, rank = layout->rank_of[location];
        bool alone = pj_layout_threads(layout, rank) == 1;
        names[i] =
            alone ? pj_arena_format(arena, "%u", rank)
                  : pj_arena_format(arena, "%u.%u", rank, location - layout->first_location[rank]);
    }
    return names;
}

/// The kinds that are seen, in their order, and what the paper is.
static size_t keys_of(const shares *all, pj_chart_key *keys)
{
    size_t count = 0;
    for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
        if (all->ns[k] > 0)
            keys[count++] = (pj_chart_key){pj_timeline_kind_title((pj_timeline_kind)k), colours[k]};
    if (all->whole - all->sum > all->whole / 1000)
        keys[count++] = (pj_chart_key){"No record", PJ_PAPER};
    return count;
}

static shares all_shares(const pj_timeline *timeline)
{
    shares all = {.sum = 0};
    for (size_t i = 0; i < (size_t)timeline->rows * timeline->columns; i++)
        add_pixel(&all, &timeline->time[i * PJ_TIMELINE_KINDS], 1);
    all.whole = (double)(timeline->to_ns - timeline->from_ns) * timeline->lanes;
    return all;
}

static const char *subtitle_of(const pj_run *run, pj_arena *arena)
{
    const pj_timeline *timeline = run->timeline;
    char length[32], from[32];
    pj_format_duration((double)(timeline->to_ns - timeline->from_ns), length);
    pj_format_duration((double)timeline->from_ns, from);
    const char *messages =
        timeline->messages == 0 ? ""
        : timeline->bundle_count &&
                timeline->bundle_count < timeline->messages // summaries only count
            ? pj_arena_format(arena, "; %llu messages in %zu bundles",
                              (unsigned long long)timeline->messages, timeline->bundle_count)
            : pj_arena_format(arena, "; %llu message%s", (unsigned long long)timeline->messages,
                              timeline->messages == 1 ? "" : "s");
    const char *waits = timeline->waits && run->waits
                            ? "; hatched: the longest waits, a dashed line leads to who ended them"
                            : "";
    return timeline->from_ns
               ? pj_arena_format(arena, "%s from %s on%s%s", length, from, messages, waits)
               : pj_arena_format(arena, "%s%s%s", length, messages, waits);
}

static const char *summary_of(const pj_timeline *timeline, const shares *all, pj_arena *arena)
{
    pj_auto_buf text = {.at = NULL};
    uint32_t devices = 0;
    for (uint32_t i = 0; i < timeline->lanes - timeline->threads; i++)
        devices += !timeline->devices[i].stream;
    pj_buf_addf(&text, "States of %u thread%s", timeline->threads,
                timeline->threads == 1 ? "" : "s");
    if (devices)
        pj_buf_addf(&text, " and %u device%s", devices, devices == 1 ? "" : "s");
    pj_buf_puts(&text, " over time, of all of it:");
    for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++) {
        char part[32];
        if (all->ns[k] <= 0)
            continue;
        pj_format_fixed(100 * all->ns[k] / all->sum, 1, part);
        pj_buf_addf(&text, " %s %s %%,", pj_timeline_kind_title((pj_timeline_kind)k), part);
    }
    pj_buf_addf(&text, " %llu messages.", (unsigned long long)timeline->messages);
    return pj_arena_text(arena, pj_buf_str(&text));
}

static void make_lanes(timeline_plot *p, pj_plot_opts opts, const shares *all, const pj_draw *draw)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_chart_key keys[PJ_TIMELINE_KINDS + 1];
    bool threads = p->run->layout.locations > p->run->layout.ranks;
    pj_lanes_opts frame = {
        .title = opts.title ? opts.title : pj_arena_format(arena, "Timeline: %s", p->run->name),
        .subtitle = subtitle_of(p->run, arena),
        .width = opts.width,
        .height = opts.height,
        .keys = keys,
        .key_count = keys_of(all, keys),
        .lane_title = pj_arena_format(arena, "%s%s", threads ? "Rank.thread" : "Rank",
                                      p->timeline->devices ? ", device" : ""),
        .names = lane_names(p, arena),
        .lane_count = p->timeline->lanes,
        .from_ns = p->timeline->from_ns,
        .to_ns = p->timeline->to_ns,
    };
    p->lanes = pj_lanes_new(frame, draw);
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    timeline_plot p = {.run = data.run, .timeline = data.run->timeline};
    shares all = {.sum = 0};
    if (p.timeline)
        all = all_shares(p.timeline);
    if (!p.timeline || all.sum <= 0) {
        pj_fail(err, PJ_E_MISSING, data.run->path, 0, "has no states to draw in this range");
        return NULL;
    }
    make_lanes(&p, opts, &all, draw);
    p.block = 16;
    while (p.lanes.rows * (p.lanes.columns / p.block) > HOVERED_MOST)
        p.block *= 2;
    paint(&p);
    pj_lanes_finish(&p.lanes);
    hatch(&p);
    for (size_t row = 0; row < p.lanes.rows; row++)
        hover_row(&p, row);
    hover_calls(&p);
    draw_messages(&p);
    draw_waits(&p);
    p.lanes.chart.figure->summary = summary_of(p.timeline, &all, p.lanes.chart.arena);
    return p.lanes.chart.figure;
}

const pj_plot pj_plot_timeline = {
    .name = "timeline",
    .title = "Timeline",
    .help = "States of every rank, thread and device over time, and the messages between them.",
    .source = PJ_PLOT_RUN,
    .aspects = PJ_WANT(timeline),
    .numbers = pj_timeline_table,
    .make = make,
};
