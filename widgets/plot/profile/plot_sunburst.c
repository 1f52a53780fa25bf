// Where time goes by call path, in rings: the root is the disc in the middle, a ring for each
// depth.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/call_alive.h"
#include "widgets/plot/profile/call_view.h"
#include "widgets/plot/profile/profile_view.h"

#include <math.h>
#include <stdlib.h>

static const double margin = 18, width_usual = 900, ring_most = 62, ring_least = 14;
static const double least_arc = 0.005; // rad, as SnakeViz has it
static const double step = 0.03;       // rad between points of an arc
enum { STRIP_WIDTH = 64 };             // px
enum { LISTED_MOST = 18, STEPS_MOST = 255, POINTS_MOST = 2 * STEPS_MOST + 2 };

typedef struct sunburst {
    pj_call_view v;
    pj_figure *figure;
    const pj_draw *draw;
    pj_point centre;
    double ring; // width of a ring; the disc in the middle has it as radius
} sunburst;

static pj_point at(const sunburst *s, double radius, double angle)
{
    return (pj_point){s->centre.x + radius * sin(angle), s->centre.y - radius * cos(angle)};
}

typedef struct arc {
    double from, to;     // rad clockwise from the top
    double inner, outer; // px
} arc;

static arc arc_of(const sunburst *s, const pj_call_box *box)
{
    double row = box->depth - s->v.tree->boxes[s->v.first].depth;
    return (arc){2 * M_PI * box->start, 2 * M_PI * (box->start + box->size), row * s->ring,
                 (row + 1) * s->ring};
}

// ---- arcs

static void add_hatch(const sunburst *s, arc a, pj_colour colour)
{
    static const double distance = 7; // px
    double middle = (a.inner + a.outer) / 2, turn = distance / middle;
    for (double angle = a.from + turn / 2; angle + turn * 0.7 < a.to; angle += turn) {
        pj_point from = at(s, a.inner + 1, angle), to = at(s, a.outer - 1, angle + turn * 0.7);
        pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = from.x,
                                           .y = from.y,
                                           .w = to.x,
                                           .h = to.y,
                                           .stroke = colour,
                                           .stroke_width = 1});
    }
}

static void add_arc(const sunburst *s, uint32_t index)
{
    pj_point points[POINTS_MOST];
    const pj_call_box *box = &s->v.tree->boxes[index];
    arc a = arc_of(s, box);
    size_t steps = (size_t)fmin(ceil((a.to - a.from) / step) + 1, STEPS_MOST), count = 0;
    for (size_t i = 0; i <= steps; i++)
        points[count++] = at(s, a.outer, a.from + (a.to - a.from) * (double)i / (double)steps);
    for (size_t i = steps + 1; i-- > 0;)
        points[count++] = at(s, a.inner, a.from + (a.to - a.from) * (double)i / (double)steps);
    pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_PATH,
                                       .points = points,
                                       .point_count = count,
                                       .closed = true,
                                       .fill = s->v.colours[index],
                                       .stroke = PJ_PAPER,
                                       .stroke_width = a.to - a.from > 0.02 ? 1 : 0.4,
                                       .hover = pj_call_view_hover(&s->v, index),
                                       .key = pj_arena_format(s->v.view.arena, "box:%u", index)});
    if (box->estimated)
        add_hatch(s, a, pj_palette_mix(s->v.colours[index], PJ_PAPER, 0.5));
}

/// Along the arc where it is short and wide, else across the ring, never upside down.
static void add_label(const sunburst *s, uint32_t index)
{
    static const double height = 13;
    const pj_call_box *box = &s->v.tree->boxes[index];
    arc a = arc_of(s, box);
    double middle = (a.from + a.to) / 2, radius = (a.inner + a.outer) / 2;
    double along = 2 * a.inner * sin(fmin((a.to - a.from) / 2, M_PI / 2)) - 8;
    double across = s->ring - 8;
    along = fmin(along, sqrt(8 * radius * fmax(s->ring - height - 4, 0))); // straight in a bend
    pj_style style = {.size = 11,
                      .anchor = PJ_ANCHOR_MIDDLE,
                      .italic = box->self,
                      .colour = pj_palette_ink(s->v.colours[index])};
    const char *name = pj_call_view_name(&s->v, index);
    double need = pj_textbox_width(s->draw, name, style);
    bool tangent = along >= fmin(need, across);
    double room = tangent ? along : across, angle = -middle * 180 / M_PI;
    if ((a.to - a.from) * a.inner < height || s->ring < height || room < 20)
        return;
    const char *shown = pj_textbox_squeeze(s->draw, s->figure->arena, name, style, room);
    if (!pj_call_view_says(shown))
        return;
    bool left = middle > M_PI, below = middle > M_PI / 2 && middle < 3 * M_PI / 2;
    style.angle = tangent ? angle + (below ? 180 : 0) : angle + (left ? -90 : 90);
    double turn = style.angle * M_PI / 180; // the middle of the letters lies on the arc's middle
    pj_point place = at(s, radius, middle);
    pj_textbox_put(s->figure, place.x + 4 * sin(turn), place.y + 4 * cos(turn), shown, style);
}

static void add_middle(const sunburst *s)
{
    const pj_call_view *v = &s->v;
    pj_colour fill = v->colours[v->first];
    pj_style style = {
        .size = 12, .bold = true, .anchor = PJ_ANCHOR_MIDDLE, .colour = pj_palette_ink(fill)};
    double room = 2 * s->ring - 14;
    const pj_call_box *box = &v->tree->boxes[v->first];
    const char *name = box->region == PJ_NO_ITEM
                           ? "all"
                           : pj_function_short(v->view.profile, box->region, v->view.arena);
    pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_DISC,
                                       .x = s->centre.x,
                                       .y = s->centre.y,
                                       .w = s->ring,
                                       .fill = fill,
                                       .stroke = PJ_PAPER,
                                       .stroke_width = 1,
                                       .hover = pj_call_view_hover(v, v->first)});
    pj_textbox_put(s->figure, s->centre.x, s->centre.y - 2,
                   pj_textbox_squeeze(s->draw, s->figure->arena, name, style, room), style);
    style.bold = false;
    pj_textbox_put(s->figure, s->centre.x, s->centre.y + 14,
                   pj_profile_view_amount(&v->view, box->value), style);
}

// ---- the list beside the rings

typedef struct listed {
    uint32_t region, box; // the largest of its boxes
    const char *name;
    double own, whole;
} listed;

static int by_whole(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    if (x->whole != y->whole)
        return x->whole > y->whole ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

/// The functions that are drawn, the largest first: what the picture says in words.
static size_t list_functions(const sunburst *s, listed *out)
{
    const pj_call_tree *tree = s->v.tree;
    const pj_profile *p = s->v.view.profile;
    listed *all = pj_new_n(s->v.view.arena, listed, p->count[PJ_AT_REGION] + (size_t)1);
    size_t count = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const pj_call_box *box = &tree->boxes[i];
        if (!s->v.drawn[i] || box->self || box->region == PJ_NO_ITEM ||
            box->depth < tree->boxes[s->v.first].depth)
            continue;
        if (!(all[box->region].whole > 0)) {
            all[box->region] =
                (listed){box->region, i, NULL, s->v.view.sums->regions.exclusive[box->region],
                         s->v.view.sums->regions.inclusive[box->region]};
        }
    }
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
        if (all[r].whole > 0)
            all[count++] = all[r];
    qsort(all, count, sizeof *all, by_whole);
    count = count < LISTED_MOST ? count : LISTED_MOST;
    uint32_t *regions = pj_new_n(s->v.view.arena, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        regions[i] = all[i].region;
    const char **names = pj_function_names(p, regions, count, s->v.view.arena);
    for (size_t i = 0; i < count; i++) {
        out[i] = all[i];
        out[i].name = names[i];
    }
    return count;
}

/// Its ranks; nothing where nobody knows them.
static void add_strip(const sunburst *s, uint32_t box, double x, double y)
{
    const double *values = s->draw == &pj_draw_terminal ? NULL : pj_call_view_spread(&s->v, box);
    size_t cells = STRIP_WIDTH;
    if (!values)
        return;
    pj_colour *strip = pj_call_view_strip(&s->v, values, s->v.colours[box], &cells);
    pj_colour *kept = pj_new_n(s->figure->arena, pj_colour, cells + 1);
    memcpy(kept, strip, cells * sizeof *kept);
    pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_IMAGE,
                                       .x = x,
                                       .y = y - 8,
                                       .w = STRIP_WIDTH,
                                       .h = 8,
                                       .pixels = kept,
                                       .pixel_columns = cells,
                                       .pixel_rows = 1});
}

static void add_row(const sunburst *s, const listed *of, pj_column_text form, pj_point at,
                    double width)
{
    static const double amount_least = 48;
    const pj_profile_view *view = &s->v.view;
    double x = at.x, y = at.y;
    pj_style style = {.size = 11.5}, faint = {.size = 11, .colour = PJ_MUTED};
    const char *amount = pj_profile_view_number(view, form, of->whole);
    double right = fmax(pj_textbox_width(s->draw, amount, faint), amount_least) + 56;
    if (s->v.view.location_count > 1) {
        right += STRIP_WIDTH + 10;
        add_strip(s, of->box, x + width - right, y);
    }
    pj_auto_buf hover = {0};
    pj_profile_view_describe(view, of->region, &hover);
    pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                       .x = x,
                                       .y = y - 9.5,
                                       .w = 11,
                                       .h = 11,
                                       .radius = 2.5,
                                       .fill = s->v.colours[of->box]});
    pj_textbox_put(
        s->figure, x + 17, y,
        pj_textbox_squeeze(s->draw, s->figure->arena, of->name, style, width - right - 27), style);
    faint.anchor = PJ_ANCHOR_END;
    pj_textbox_put(s->figure, x + width - 46, y, amount, faint);
    pj_textbox_put(s->figure, x + width, y, pj_profile_view_percent(view, of->whole, view->total),
                   faint);
    pj_figure_add(s->figure,
                  (pj_mark){.kind = PJ_MARK_RECT,
                            .x = x,
                            .y = y - 13,
                            .w = width,
                            .h = 18,
                            .hover = pj_arena_text(s->figure->arena, pj_buf_str(&hover))});
}

static double add_keys(const sunburst *s, double x, double y)
{
    for (size_t i = 0; i < s->v.key_count; i++, y += 18) {
        pj_figure_add(s->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                           .x = x,
                                           .y = y - 9.5,
                                           .w = 11,
                                           .h = 11,
                                           .radius = 2.5,
                                           .fill = s->v.keys[i].colour,
                                           .stroke = PJ_RULE,
                                           .stroke_width = 0.5});
        pj_textbox_put(s->figure, x + 17, y, s->v.keys[i].name,
                       (pj_style){.size = 11, .colour = PJ_MUTED});
    }
    return y;
}

/// Returns where it ends.
static double add_list(const sunburst *s, double x, double y, double width)
{
    listed list[LISTED_MOST];
    double wholes[LISTED_MOST];
    size_t count = list_functions(s, list);
    for (size_t i = 0; i < count; i++)
        wholes[i] = list[i].whole;
    pj_column_text form = pj_profile_view_column(&s->v.view, wholes, count);
    pj_style head = {.size = 12, .bold = true, .colour = PJ_MUTED};
    pj_textbox_put(s->figure, x, y, "With callees", head);
    head.anchor = PJ_ANCHOR_END;
    pj_textbox_put(s->figure, x + width - 46, y, pj_profile_view_head(&s->v.view, form, ""), head);
    pj_textbox_put(s->figure, x + width, y, "%", head);
    y += 20;
    for (size_t i = 0; i < count; i++, y += 18)
        add_row(s, &list[i], form, (pj_point){x, y}, width);
    return add_keys(s, x, y + 12);
}

// ---- the whole

typedef struct extent {
    double left, right, top, bottom; // of the centre, in rings
} extent;

/// Rings are rarely full: the picture ends where their arcs do.
static extent extent_of(const sunburst *s)
{
    extent e = {1, 1, 1, 1};
    for (uint32_t i = 0; i < s->v.tree->count; i++) {
        const pj_call_box *box = &s->v.tree->boxes[i];
        double row = box->depth - s->v.tree->boxes[s->v.first].depth + 1.0;
        double from = 2 * M_PI * box->start, to = from + 2 * M_PI * box->size;
        if (!s->v.drawn[i] || box->depth < s->v.tree->boxes[s->v.first].depth)
            continue;
        for (double angle = from;; angle = fmin(angle + 2 * step, to)) {
            e.right = fmax(e.right, row * sin(angle));
            e.left = fmax(e.left, -row * sin(angle));
            e.top = fmax(e.top, row * cos(angle));
            e.bottom = fmax(e.bottom, -row * cos(angle));
            if (angle >= to)
                break;
        }
    }
    return e;
}

static pj_figure *draw_it(sunburst *s, pj_plot_opts opts)
{
    double width = opts.width > 0 ? opts.width : width_usual;
    double list = fmin(fmax(width * 0.36, 180), 340), rings = width - list - 3 * margin;
    extent e = extent_of(s);
    s->ring = fmax(fmin(rings / (e.left + e.right), ring_most), ring_least);
    s->figure = pj_figure_new(width, 0, s->v.title);
    double y = pj_textbox_heading(s->figure, s->draw, (pj_point){margin, margin + 13},
                                  width - 2 * margin, s->v.title, pj_textbox_title_style);
    y = pj_textbox_heading(s->figure, s->draw, (pj_point){margin, y}, width - 2 * margin,
                           s->v.subtitle, (pj_style){.size = 12, .colour = PJ_MUTED});
    if (opts.height > 0) // what stands below the rings is about as high as the margins
        s->ring =
            fmax(fmin(s->ring, (opts.height - y - 3 * margin) / (e.top + e.bottom)), ring_least);
    double spare = fmax(rings - s->ring * (e.left + e.right), 0);
    s->centre = (pj_point){margin + spare / 2 + e.left * s->ring, y + e.top * s->ring};
    for (uint32_t i = 0; i < s->v.tree->count; i++)
        if (s->v.drawn[i] && s->v.tree->boxes[i].depth > s->v.tree->boxes[s->v.first].depth)
            add_arc(s, i);
    for (uint32_t i = 0; i < s->v.tree->count; i++)
        if (s->v.drawn[i] && s->v.tree->boxes[i].depth > s->v.tree->boxes[s->v.first].depth)
            add_label(s, i);
    add_middle(s);
    double end = add_list(s, width - margin - list, y + 14, list);
    y = fmax(s->centre.y + e.bottom * s->ring, end) + 22;
    if (s->v.note)
        y = pj_textbox_paragraph(s->figure, s->draw, (pj_point){margin, y}, width - 2 * margin,
                                 s->v.note);
    s->figure->height = y + margin - 8;
    s->figure->summary = pj_arena_text(s->figure->arena, pj_str_of(s->v.summary));
    if (s->draw != &pj_draw_terminal)
        s->figure->alive =
            pj_call_alive(&s->v, (pj_call_alive_opts){.shape = "rings"}, s->figure->arena);
    return s->figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    sunburst s = {.draw = draw};
    pj_call_picture picture = {"Sunburst", least_arc / (2 * M_PI),
                               draw == &pj_draw_terminal ? NULL : "beside a name"};
    if (!pj_call_view_new(data.profile, &opts, picture, arena, &s.v, err))
        return NULL;
    return draw_it(&s, opts);
}

const pj_plot pj_plot_sunburst = {
    .name = "sunburst",
    .title = "Sunburst",
    .help = "Where the time of a profile goes by call path, in rings around the root.",
    .source = PJ_PLOT_PROFILE,
    .topic = "functions",
    .again = true,
    .make = make,
};
