// Who calls whom: functions as boxes, calls as arrows, as wide as their time. What is shown is what
// gprof2dot shows; places come from graphviz, the drawing is our own.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/call_graph.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/figure/graph_layout.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/call_view.h"
#include "widgets/plot/profile/change_scale.h"
#include "widgets/plot/profile/graph_chains.h"
#include "widgets/plot/profile/graph_change.h"
#include "widgets/plot/profile/graph_dot.h"
#include "widgets/plot/profile/profile_view.h"

#include <math.h>

enum { NODES_MOST = 400, EDGES_MOST = 1200, STEPS = 8, CALLS_MOST = 999999 };
static const double margin = 18, pad = 9, line = 14, width_least = 520;
static const double name_most = 190, before_most = 280, narrow_most = 112, slight_most = 0.2;
static const double strip_height = 4;

typedef struct callgraph {
    pj_profile_view view;
    const pj_call_graph *graph, *whole; // as it is drawn; before chains are one box
    pj_graph_chains chains;
    const pj_graph_theme *theme; // NULL = our own colours
    pj_plot_opts opts;
    const pj_draw *draw;
    pj_figure *figure;
    pj_graph_layout layout;
    const char **before, **names, **numbers, **places; // lines of nodes
    const char **labels;                               // of edges
    bool by_calls;                                     // no time was measured
    bool narrow;                                       // boxes and labels of the least width
    const pj_graph_change *change; // since another profile; NULL = it is compared with none
} callgraph;

// ---- texts

static const char *percent(const callgraph *c, double part)
{
    return pj_profile_view_share(&c->view, part, 1);
}

static const char *count_of(const callgraph *c, double calls)
{
    char text[32];
    if (isnan(calls))
        return "";
    if (calls <= CALLS_MOST)
        text[pj_format_grouped((int64_t)calls, text)] = 0;
    else
        return pj_arena_format(c->view.arena, calls < 1e9 ? "%.3gM\u00d7" : "%.4gG\u00d7",
                               calls < 1e9 ? calls / 1e6 : calls / 1e9);
    return pj_arena_format(c->view.arena, "%s\u00d7", text);
}

/// What shares are shares of.
static const char *amount_of(const callgraph *c)
{
    return c->by_calls ? "calls" : "time";
}

static bool says_times(const callgraph *c)
{
    const char *label = c->opts.profile.label;
    return label && strncmp(label, "time", 4) == 0;
}

static const char *own_of(const callgraph *c, const pj_call_graph_node *n)
{
    if (isnan(n->self) || n->self < 0.0005 || c->narrow)
        return "";
    if (says_times(c))
        return pj_arena_format(
            c->view.arena, "  own %s",
            pj_profile_view_amount(&c->view, c->view.sums->regions.exclusive[n->region]));
    return pj_arena_format(c->view.arena, "  own %s", percent(c, n->self));
}

/// The source must tell times of functions by location: of call paths they are not added up here.
static bool has_strips(const callgraph *c)
{
    return c->view.location_count > 1 &&
           pj_profile_find(c->view.profile, PJ_AT_REGION, PJ_INCLUSIVE, c->view.measure);
}

/// Share, own share and calls; compared, the amount and by how much it has changed.
static const char *numbers_of(const callgraph *c, uint32_t i)
{
    const pj_call_graph_node *n = &c->graph->nodes[i];
    double whole = c->view.sums->regions.inclusive[n->region];
    const char *calls = count_of(c, c->view.sums->regions.calls[n->region]);
    if (c->change) {
        double then = pj_graph_change_then(c->change, i);
        const char *text = pj_change_text(&c->view, then, whole, c->change->most);
        return isnan(then) ? text
                           : pj_arena_format(c->view.arena, "%s  %s",
                                             pj_profile_view_amount(&c->view, whole), text);
    }
    return pj_arena_format(c->view.arena, "%s%s%s%s",
                           says_times(c) ? pj_profile_view_amount(&c->view, whole)
                                         : percent(c, n->total),
                           own_of(c, n), *calls ? "  " : "", calls);
}

/// "main \u203a run \u203a": the functions that do nothing but call the next one; "" = none.
static const char *before_of(const callgraph *c, uint32_t i)
{
    pj_auto_buf text = {0};
    for (uint32_t k = 0; c->chains.chains && k < c->chains.chains[i].count; k++)
        pj_buf_addf(
            &text, "%s%s \u203a", k ? " " : "",
            pj_function_short(c->view.profile, c->chains.chains[i].regions[k], c->view.arena));
    return pj_textbox_squeeze(c->draw, c->view.arena,
                              pj_arena_text(c->view.arena, pj_buf_str(&text)),
                              (pj_style){.size = 10}, c->narrow ? narrow_most : before_most);
}

static void say_node(callgraph *c, uint32_t i)
{
    const pj_call_graph_node *n = &c->graph->nodes[i];
    pj_arena *arena = c->view.arena;
    pj_style bold = {.size = 12, .bold = true}, plain = {.size = 11}, small = {.size = 10};
    const char *name = pj_function_short(c->view.profile, n->region, arena);
    double most = c->narrow ? narrow_most : name_most;
    c->names[i] = pj_textbox_squeeze(c->draw, arena, name, bold, most);
    c->before[i] = before_of(c, i);
    c->numbers[i] = numbers_of(c, i);
    c->places[i] = pj_textbox_squeeze(
        c->draw, arena, pj_function_place(c->view.profile, n->region, arena), small, most);
    double width = fmax(pj_textbox_width(c->draw, c->names[i], bold),
                        fmax(pj_textbox_width(c->draw, c->numbers[i], plain),
                             pj_textbox_width(c->draw, c->places[i], small)));
    width = fmax(width, pj_textbox_width(c->draw, c->before[i], small));
    bool strip = has_strips(c);
    c->layout.nodes[i] = (pj_layout_node){.width = fmax(width, strip ? 90 : 0) + 2 * pad,
                                          .height = (2 + !!*c->places[i] + !!*c->before[i]) * line +
                                                    pad + (strip ? strip_height + 3 : 0)};
}

/// By how much the time of a call has changed; "" where neither tells one.
static const char *edge_change(const callgraph *c, uint32_t i)
{
    double now = pj_graph_change_edge_now(c->change, i);
    double then = pj_graph_change_edge_then(c->change, i);
    return isnan(now) ? "" : pj_change_text(&c->view, then, now, c->change->most_edge);
}

static void say_edge(callgraph *c, uint32_t i)
{
    const pj_call_graph_edge *e = &c->graph->edges[i];
    const char *share = isnan(e->total) ? "" : percent(c, e->total);
    const char *calls = c->narrow && *share ? "" : count_of(c, e->calls);
    c->labels[i] = c->change ? edge_change(c, i)
                             : pj_arena_format(c->view.arena, "%s%s%s", share,
                                               *share && *calls ? " " : "", calls);
    double width = pj_textbox_width(c->draw, c->labels[i], (pj_style){.size = 10.5});
    c->layout.edges[i] = (pj_layout_edge){.from = e->caller,
                                          .to = e->callee,
                                          .width = *c->labels[i] ? width + 8 : 0,
                                          .height = line,
                                          .weight = e->weight};
}

// ---- colours

static pj_colour node_colour(const callgraph *c, const pj_call_graph_node *n)
{
    static const pj_colour strong[PJ_FAMILY_COUNT] = {[PJ_FAMILY_WORK] = 0x2a6db0ff,
                                                      [PJ_FAMILY_BUILTIN] = 0x66707dff,
                                                      [PJ_FAMILY_WAIT] = 0xdd7a12ff};
    if (c->change) {
        double then = pj_graph_change_then(c->change, (uint32_t)(n - c->graph->nodes));
        double now = c->view.sums->regions.inclusive[n->region];
        return pj_change_colour(now - (isnan(then) ? 0 : then), c->change->most);
    }
    if (c->theme)
        return c->theme->solid ? PJ_PAPER : pj_graph_theme_colour(c->theme, n->weight);
    pj_function_family family = pj_function_family_of(c->view.profile, n->region);
    return pj_palette_legible(
        pj_palette_mix(PJ_PAPER, strong[family], 0.1 + 0.75 * sqrt(fmax(n->weight, 0))));
}

static pj_colour edge_colour(const callgraph *c, const pj_call_graph_edge *e)
{
    if (c->theme)
        return pj_graph_theme_colour(c->theme, e->weight);
    return pj_palette_mix(0x9aa3aeff, PJ_INK, 0.75 * sqrt(fmin(fmax(e->weight, 0), 1)));
}

// ---- drawing

static pj_point placed(pj_point at, double left, double top)
{
    return (pj_point){at.x + left, at.y + top};
}

static void add_arrow_head(const callgraph *c, pj_point from, pj_point tip, double pen,
                           pj_colour colour)
{
    double dx = tip.x - from.x, dy = tip.y - from.y, length = hypot(dx, dy);
    double size = 6 + 1.6 * pen;
    if (!(length > 0))
        return;
    dx /= length;
    dy /= length;
    pj_point back = {tip.x - dx * size, tip.y - dy * size};
    pj_point points[] = {tip,
                         {back.x - dy * size * 0.42, back.y + dx * size * 0.42},
                         {back.x + dy * size * 0.42, back.y - dx * size * 0.42}};
    pj_figure_add(c->figure, (pj_mark){.kind = PJ_MARK_PATH,
                                       .points = points,
                                       .point_count = 3,
                                       .closed = true,
                                       .fill = colour});
}

static pj_point on_curve(const pj_point *p, double t)
{
    double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
    return (pj_point){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                      a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

static const char *edge_hover(const callgraph *c, const pj_call_graph_edge *e)
{
    const pj_profile *p = c->view.profile;
    pj_arena *arena = c->view.arena;
    const char *calls = count_of(c, e->calls);
    return pj_arena_format(arena, "%s calls %s\n%s%s%s",
                           pj_function_short(p, c->graph->nodes[e->caller].region, arena),
                           pj_function_short(p, c->graph->nodes[e->callee].region, arena),
                           isnan(e->total) ? ""
                                           : pj_arena_format(arena, "%s of all %s, ",
                                                             percent(c, e->total), amount_of(c)),
                           *calls ? calls : "calls are not counted", *calls ? " called" : "");
}

static void add_edge(const callgraph *c, uint32_t i, double left, double top)
{
    const pj_call_graph_edge *e = &c->graph->edges[i];
    const pj_layout_edge *found = &c->layout.edges[i];
    double pen = fmax(5 * e->weight, 0.8);
    pj_colour colour = edge_colour(c, e);
    size_t curves = found->point_count / 3, count = 0;
    if (curves == 0)
        return;
    pj_point *points = pj_new_n(c->view.arena, pj_point, curves * STEPS + 2);
    for (size_t k = 0; k < curves; k++)
        for (int step = k ? 1 : 0; step <= STEPS; step++)
            points[count++] =
                placed(on_curve(&found->points[3 * k], (double)step / STEPS), left, top);
    pj_point end = points[count - 1], tip = placed(found->tip, left, top);
    points[count++] = (pj_point){(end.x + tip.x) / 2, (end.y + tip.y) / 2}; // into the head
    pj_figure_add(c->figure, (pj_mark){.kind = PJ_MARK_PATH,
                                       .points = points,
                                       .point_count = count,
                                       .stroke = colour,
                                       .stroke_width = pen});
    add_arrow_head(c, end, tip, pen, colour);
    if (!(found->width > 0))
        return;
    pj_textbox_put(
        c->figure, found->x + left, found->y + top + 4, c->labels[i],
        (pj_style){.size = 10.5, .colour = PJ_MUTED, .anchor = PJ_ANCHOR_MIDDLE, .halo = true});
    pj_figure_add(c->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                       .x = found->x + left - found->width / 2,
                                       .y = found->y + top - line / 2,
                                       .w = found->width,
                                       .h = line,
                                       .hover = edge_hover(c, e)});
}

static void add_strip(const callgraph *c, const pj_call_graph_node *n, double x, double y,
                      double width)
{
    pj_colour fill = node_colour(c, n);
    double *values = has_strips(c)
                         ? pj_profile_view_spread(&c->view, PJ_AT_REGION, n->region, PJ_INCLUSIVE)
                         : NULL;
    if (!values)
        return;
    size_t cells = (size_t)width;
    pj_call_view strips = {.view = c->view};
    pj_colour *strip = pj_call_view_strip(&strips, values, fill, &cells);
    pj_colour *kept = pj_new_n(c->figure->arena, pj_colour, cells + 1);
    memcpy(kept, strip, cells * sizeof *kept);
    pj_figure_add(c->figure, (pj_mark){.kind = PJ_MARK_IMAGE,
                                       .x = x,
                                       .y = y,
                                       .w = width,
                                       .h = strip_height,
                                       .pixels = kept,
                                       .pixel_columns = cells,
                                       .pixel_rows = 1});
}

/// The first line names all functions of the box.
static const char *node_hover(const callgraph *c, uint32_t i)
{
    const pj_call_graph_node *n = &c->graph->nodes[i];
    pj_auto_buf known = {0}, text = {0};
    pj_profile_view_describe(&c->view, n->region, &known);
    pj_str rest = pj_buf_str(&known), name = pj_str_cut(&rest, '\n');
    pj_buf_add(&text, name);
    for (uint32_t k = 0; c->chains.chains && k < c->chains.chains[i].count; k++)
        pj_buf_addf(
            &text, "%s%s", k ? ", " : ", called through: ",
            pj_function_short(c->view.profile, c->chains.chains[i].regions[k], c->view.arena));
    pj_buf_addf(&text, "\n" PJ_STR_FMT, PJ_STR_ARG(rest));
    if (c->change)
        pj_buf_addf(&text, "\nwith callees: %s",
                    pj_change_sentence(&c->view, pj_graph_change_then(c->change, i),
                                       pj_graph_change_now(c->change, i)));
    return pj_arena_text(c->figure->arena, pj_buf_str(&text));
}

static void add_node(const callgraph *c, uint32_t i, double left, double top)
{
    const pj_call_graph_node *n = &c->graph->nodes[i];
    const pj_layout_node *at = &c->layout.nodes[i];
    double x = at->x + left - at->width / 2, y = at->y + top - at->height / 2;
    pj_colour fill = node_colour(c, n), ink = pj_palette_ink(fill);
    pj_figure_add(c->figure,
                  (pj_mark){.kind = PJ_MARK_RECT,
                            .x = x,
                            .y = y,
                            .w = at->width,
                            .h = at->height,
                            .radius = 4,
                            .fill = fill,
                            .stroke = pj_palette_mix(fill, PJ_INK, 0.35),
                            .stroke_width = 1,
                            .hover = node_hover(c, i),
                            .key = pj_arena_format(c->view.arena, "node:%u", n->region)});
    double middle = x + at->width / 2, base = y + pad / 2 + 10.5;
    pj_style style = {.size = 12, .bold = true, .colour = ink, .anchor = PJ_ANCHOR_MIDDLE};
    pj_style small = {
        .size = 10, .colour = pj_palette_faded(ink, fill, 0.12), .anchor = PJ_ANCHOR_MIDDLE};
    if (*c->before[i]) {
        pj_textbox_put(c->figure, middle, base, c->before[i], small);
        base += line;
    }
    pj_textbox_put(c->figure, middle, base, c->names[i], style);
    style = (pj_style){.size = 11, .colour = ink, .anchor = PJ_ANCHOR_MIDDLE};
    pj_textbox_put(c->figure, middle, base + line, c->numbers[i], style);
    if (*c->places[i])
        pj_textbox_put(c->figure, middle, base + 2 * line, c->places[i], small);
    add_strip(c, n, x + pad, y + at->height - strip_height - 4, at->width - 2 * pad);
}

// ---- the frame

static const char *note_of(const callgraph *c)
{
    pj_auto_buf text = {0};
    double node = c->opts.profile.least_node, edge = c->opts.profile.least_edge;
    pj_buf_addf(&text,
                "%u of %u functions: smaller ones than %g %% of all %s are left out (-n), "
                "calls of less than %g %% too (-e). ",
                c->whole->node_count, c->whole->functions,
                node > 0   ? 100 * node
                : node < 0 ? 0
                           : 0.5,
                amount_of(c),
                edge > 0   ? 100 * edge
                : edge < 0 ? 0
                           : 0.1);
    if (c->chains.folded)
        pj_buf_addf(&text, "%u that only call the next one stand above its name. ",
                    c->chains.folded);
    if (pj_profile_sums_repeat(c->view.profile))
        pj_buf_puts(&text, "Callers, also those that start threads, share what a function takes by "
                           "what their calls cost: recursion counts once. ");
    if (c->change && *c->change->gone)
        pj_buf_addf(&text, "Of before not shown now: %s. ", c->change->gone);
    if (has_strips(c))
        pj_buf_addf(&text,
                    "The strip in a box is its %u ranks or threads from left to right, "
                    "stronger where it takes more.",
                    c->view.location_count);
    return pj_arena_text(c->view.arena, pj_str_trim(pj_buf_str(&text)));
}

static size_t take_keys(const callgraph *c, pj_chart_key keys[PJ_FAMILY_COUNT])
{
    static const pj_chart_key all[PJ_FAMILY_COUNT] = {
        [PJ_FAMILY_WORK] = {"Functions", 0x7fa7d0ff},
        [PJ_FAMILY_BUILTIN] = {"Built-in and system", 0xa3a9b1ff},
        [PJ_FAMILY_WAIT] = {"Communication and waiting", 0xeaaf71ff}};
    bool there[PJ_FAMILY_COUNT] = {false};
    size_t count = 0;
    if (c->change)
        pj_change_keys(&c->view, c->change->most, keys);
    if (c->change || c->theme)
        return c->change ? PJ_CHANGE_KEYS : 0;
    for (uint32_t n = 0; n < c->graph->node_count; n++)
        there[pj_function_family_of(c->view.profile, c->graph->nodes[n].region)] = true;
    for (size_t i = 0; i < PJ_FAMILY_COUNT; i++)
        if (there[i])
            keys[count++] = all[i];
    return count;
}

static double add_keys(const callgraph *c, double y)
{
    pj_chart_key keys[PJ_FAMILY_COUNT];
    double x = margin;
    size_t count = take_keys(c, keys);
    for (size_t i = 0; i < count; i++) {
        bool pale = pj_palette_contrast(keys[i].colour, PJ_PAPER) < 1.3;
        pj_figure_add(c->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                           .x = x,
                                           .y = y - 9.5,
                                           .w = 11,
                                           .h = 11,
                                           .radius = 2.5,
                                           .fill = keys[i].colour,
                                           .stroke = pale ? PJ_RULE : PJ_NONE,
                                           .stroke_width = pale ? 1 : 0});
        pj_textbox_put(c->figure, x + 17, y, keys[i].name, (pj_style){.size = 12});
        x += 17 + pj_textbox_width(c->draw, keys[i].name, (pj_style){.size = 12}) + 16;
    }
    bool own = c->opts.profile.by_self;
    const char *what =
        c->change ? ""
                  : pj_arena_format(c->view.arena, "stronger = more %s%s%s", own ? "own " : "",
                                    amount_of(c), own ? "" : " with callees");
    pj_textbox_put(c->figure, x, y, what, (pj_style){.size = 12, .colour = PJ_MUTED});
    return y + 14;
}

static const char *title_of(const callgraph *c)
{
    if (c->opts.title)
        return c->opts.title;
    return c->change ? pj_arena_format(c->view.arena, "What changed in the calls: %s",
                                       pj_profile_view_against(&c->view, c->change->then.profile,
                                                               c->change->then.name))
                     : pj_arena_format(c->view.arena, "Call graph of %s", c->view.name);
}

static const char *subtitle_of(const callgraph *c)
{
    const pj_profile_view *view = &c->view;
    const char *finding = c->change ? "" : view->told;
    const char *said = c->opts.profile.normalise && c->change ? "both as if they took as long"
                       : c->by_calls ? "no time was measured: shares are those of calls"
                       : c->change   ? pj_change_sentence(view, c->change->then.total, view->total)
                                     : pj_profile_view_whole(view, view->total);
    return pj_arena_format(view->arena, "%s%s%s%s%s", said, *view->where ? ", " : "", view->where,
                           *finding ? ". " : "", finding);
}

static void draw_all(callgraph *c)
{
    double width = fmax(c->layout.width + 2 * margin, width_least);
    const char *title = title_of(c), *subtitle = subtitle_of(c);
    c->figure = pj_figure_new(width, 0, title);
    double y = pj_textbox_heading(c->figure, c->draw, (pj_point){margin, margin + 13},
                                  width - 2 * margin, title, pj_textbox_title_style);
    y = pj_textbox_heading(c->figure, c->draw, (pj_point){margin, y}, width - 2 * margin, subtitle,
                           (pj_style){.size = 12, .colour = PJ_MUTED});
    double top = add_keys(c, y + 4) + 6, left = (width - c->layout.width) / 2;
    for (uint32_t e = 0; e < c->graph->edge_count; e++)
        add_edge(c, e, left, top);
    for (uint32_t n = 0; n < c->graph->node_count; n++)
        add_node(c, n, left, top);
    y = pj_textbox_paragraph(c->figure, c->draw, (pj_point){margin, top + c->layout.height + 26},
                             width - 2 * margin, note_of(c));
    c->figure->height = y + margin - 8;
}

static const char *summary_of(const callgraph *c)
{
    const pj_call_graph_node *most = NULL;
    for (uint32_t n = 0; n < c->graph->node_count; n++)
        if (!isnan(c->graph->nodes[n].self) && (!most || c->graph->nodes[n].self > most->self))
            most = &c->graph->nodes[n];
    return pj_arena_format(
        c->figure->arena, "%u functions and %u calls of %s; most own time: %s, %s.",
        c->whole->node_count, c->whole->edge_count, c->view.name,
        most ? pj_function_short(c->view.profile, most->region, c->view.arena) : "not told",
        most ? percent(c, most->self) : "");
}

/// A figure of nothing but the graph in graphviz's language.
static void keep_lack(callgraph *c, const pj_err *err)
{
    c->figure = pj_figure_new(width_least, 100, "Call graph");
    c->figure->lack = pj_arena_text(c->figure->arena, pj_str_of(err->text));
    pj_textbox_paragraph(c->figure, c->draw, (pj_point){margin, 40}, width_least - 2 * margin,
                         c->figure->lack);
}

static bool lay_out(callgraph *c, pj_err *err)
{
    pj_arena *arena = c->view.arena;
    uint32_t nodes = c->graph->node_count, edges = c->graph->edge_count;
    if (nodes > NODES_MOST || edges > EDGES_MOST)
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "%u functions and %u calls are too many for a picture: raise -n and -e, or "
                       "export .dot",
                       nodes, edges);
    c->before = pj_new_n(arena, const char *, nodes + 1);
    c->names = pj_new_n(arena, const char *, nodes + 1);
    c->numbers = pj_new_n(arena, const char *, nodes + 1);
    c->places = pj_new_n(arena, const char *, nodes + 1);
    c->labels = pj_new_n(arena, const char *, edges + 1);
    c->layout = (pj_graph_layout){.nodes = pj_new_n(arena, pj_layout_node, nodes + 1),
                                  .edges = pj_new_n(arena, pj_layout_edge, edges + 1),
                                  .node_count = nodes,
                                  .edge_count = edges};
    for (uint32_t n = 0; n < nodes; n++)
        say_node(c, n);
    for (uint32_t e = 0; e < edges; e++)
        say_edge(c, e);
    return pj_graph_lay_out(&c->layout, arena, err);
}

/// As gprof2dot --compare: the graph of before, with what it has become.
static void add_dot(callgraph *c, const pj_graph_theme *theme)
{
    const pj_profile_opts *opts = &c->opts.profile;
    pj_auto_buf dot = {0};
    pj_graph_dot_opts how = {.theme = theme,
                             .times = says_times(c),
                             .wrap = opts->wrap,
                             .strip = opts->strip,
                             .tolerance = opts->tolerance,
                             .marked = (pj_graph_marked)opts->marked,
                             .by_difference = opts->by_difference,
                             .other = c->change ? c->graph : NULL};
    pj_graph_dot(c->change ? c->change->was : c->whole, how, &dot);
    c->figure->dot = pj_arena_text(c->figure->arena, pj_buf_str(&dot));
}

/// The functions and calls to draw.
static bool choose(callgraph *c, pj_err *err)
{
    const pj_profile_opts *asked = &c->opts.profile;
    pj_call_graph_opts how = {.least_node = asked->least_node,
                              .least_edge = asked->least_edge,
                              .by_self = asked->by_self,
                              .root = asked->root,
                              .leaf = asked->leaf,
                              .path = asked->path,
                              .depth = asked->depth};
    c->graph = pj_call_graph_new(c->view.sums, how, c->view.arena, err);
    if (c->graph && asked->before)
        c->change = pj_graph_change_new(&c->view, c->graph, how, c->view.arena, err);
    if (!c->graph || (asked->before && !c->change))
        return false;
    c->whole = c->graph;
    if (!c->change) {
        c->chains = pj_graph_chains_of(c->graph, c->view.arena);
        c->graph = c->chains.graph;
    }
    return true;
}

/// A terminal has no room at its side: boxes are narrower there, and where that is not enough,
/// smaller functions are left out, unless somebody has said which.
static bool lay_out_fitting(callgraph *c, pj_err *err)
{
    double most = c->opts.width - 2 * margin, least = c->opts.profile.least_node;
    bool fitted = c->draw == &pj_draw_terminal && most > 0, asked = least != 0;
    bool done = lay_out(c, err);
    while (done && fitted && c->layout.width > most && !(c->narrow && asked) &&
           least < slight_most) {
        callgraph wide = *c;
        pj_err none = {0};
        if (c->narrow)
            c->opts.profile.least_node = least = least > 0 ? least * 1.5 : 0.0075;
        c->narrow = true;
        if ((wide.narrow && !choose(c, &none)) || !lay_out(c, &none)) {
            *c = wide;
            break;
        }
    }
    return done;
}

static pj_figure *draw_it(callgraph *c, const pj_graph_theme *theme)
{
    pj_err lack = {0};
    if (lay_out_fitting(c, &lack))
        draw_all(c);
    else
        keep_lack(c, &lack);
    add_dot(c, theme);
    c->figure->summary = summary_of(c);
    c->figure->searched = true;
    return c->figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    callgraph c = {.opts = opts, .draw = draw};
    const pj_graph_theme *known = pj_graph_theme_of(opts.profile.colours, err);
    pj_graph_theme skewed = known ? *known : (pj_graph_theme){0}, *theme = &skewed;
    skewed.skew = opts.profile.skew;
    if (!known || !pj_profile_view_untimed(data.profile, opts.profile, arena, &c.view, err))
        return NULL;
    c.by_calls = !opts.profile.before && pj_call_graph_by_calls(c.view.sums);
    if (!c.by_calls && !(c.view.total > 0) && !pj_profile_view_empty(&c.view, err))
        return NULL;
    c.theme = opts.profile.colours ? theme : NULL;
    return choose(&c, err) ? draw_it(&c, theme) : NULL;
}

const pj_plot pj_plot_callgraph = {
    .name = "callgraph",
    .title = "Call graph",
    .help = "Who calls whom in a profile, and where the time goes, as a graph.",
    .source = PJ_PLOT_PROFILE,
    .topic = "graph",
    .make = make,
};
