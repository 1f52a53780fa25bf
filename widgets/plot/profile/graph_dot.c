// Numbers have the formats of gprof2dot; nodes are numbered by function, which is free.
#include "widgets/plot/profile/graph_dot.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/profile/call_graph.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/profile/graph_pairs.h"

#include <math.h>
#include <stdio.h>

static const pj_graph_theme themes[] = {
    {"color", {2 / 3.0, 0.8, 0.25}, {0, 1, 0.5}, 1, 10, 10, 0.5, 4, false, 0},
    {"pink", {0, 1, 0.9}, {0, 1, 0.5}, 2.2, 10, 10, 0.5, 4, false, 0},
    {"gray", {0, 0, 0.85}, {0, 0, 0}, 2.2, 10, 10, 0.5, 4, false, 0},
    {"bw", {0, 0, 0}, {0, 0, 0}, 2.2, 8, 24, 0.1, 8, false, 0},
    {"print", {0, 0, 0}, {0, 0, 0}, 2.2, 18, 30, 0.1, 8, true, 0},
};

const pj_graph_theme *pj_graph_theme_of(const char *name, pj_err *err)
{
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++)
        if (!name || strcmp(themes[i].name, name) == 0)
            return &themes[i];
    pj_auto_buf known = {0};
    for (size_t i = 0; i < sizeof themes / sizeof *themes; i++)
        pj_buf_addf(&known, "%s%s", i ? ", " : "", themes[i].name);
    pj_fail(err, PJ_E_USAGE, NULL, 0, "call graphs have no colours %s; they have %s", name,
            known.at);
    return NULL;
}

static double of_hue(double m1, double m2, double h)
{
    h -= floor(h);
    if (h * 6 < 1)
        return m1 + (m2 - m1) * h * 6;
    if (h * 2 < 1)
        return m2;
    return h * 3 < 2 ? m1 + (m2 - m1) * (2 / 3.0 - h) * 6 : m1;
}

pj_colour pj_graph_theme_colour(const pj_graph_theme *theme, double weight)
{
    double hsl[3];
    weight = isnan(weight) ? 0 : fmin(fmax(weight, 0), 1);
    if (theme->skew > 0 && theme->skew != 1)
        weight = (pow(theme->skew, weight) - 1) / (theme->skew - 1);
    for (int i = 0; i < 3; i++)
        hsl[i] = theme->from[i] + weight * (theme->to[i] - theme->from[i]);
    double m2 = hsl[2] <= 0.5 ? hsl[2] * (hsl[1] + 1) : hsl[2] + hsl[1] - hsl[2] * hsl[1];
    double m1 = hsl[2] * 2 - m2;
    pj_colour colour = 0;
    for (int i = 0; i < 3; i++) {
        double part = pow(of_hue(m1, m2, hsl[0] + (1 - i) / 3.0), theme->gamma);
        colour = colour << 8 | (pj_colour)(255 * part + 0.5);
    }
    return colour << 8 | 0xff;
}

// ---- labels

/// Takes away all pairs of brackets with what is between them; brackets without another stay.
static void drop_pairs(pj_buf *text, char opens, char closes, pj_arena *arena)
{
    size_t *places = pj_new_n(arena, size_t, text->len + 1), open = 0, len = 0;
    for (size_t i = 0; i < text->len; i++) {
        char c = text->at[i];
        if (c == closes && open) {
            len = places[--open];
            continue;
        }
        if (c == opens)
            places[open++] = len;
        text->at[len++] = c;
    }
    text->len = len;
}

/// As gprof2dot's stripped_name: parameters, then a const behind them, then template arguments.
static const char *stripped(const char *name, pj_arena *arena)
{
    pj_auto_buf text = {0};
    pj_buf_puts(&text, name);
    drop_pairs(&text, '(', ')', arena);
    pj_str bare = pj_str_trim(pj_buf_str(&text));
    if (pj_str_ends(bare, PJ_S(" const")))
        text.len = pj_str_trim(pj_str_head(bare, bare.len - 6)).len;
    drop_pairs(&text, '<', '>', arena);
    return pj_arena_text(arena, pj_buf_str(&text));
}

static void replace_all(pj_buf *text, pj_str what, pj_str by)
{
    pj_auto_buf made = {0};
    for (size_t i = 0; i < text->len;) {
        bool here = pj_str_starts(pj_str_from(pj_buf_str(text), i), what);
        if (here)
            pj_buf_add(&made, by);
        else
            pj_buf_add_char(&made, text->at[i]);
        i += here ? what.len : 1;
    }
    text->len = 0;
    pj_buf_add(text, pj_buf_str(&made));
}

/// As gprof2dot's wrap_function_name: lines end at blanks, words stay whole.
static const char *wrapped(const char *name, pj_arena *arena)
{
    enum { WIDTH = 32 };
    pj_str rest = pj_str_of(name);
    pj_auto_buf text = {0};
    size_t column = 0;
    bool split = pj_utf8_columns(rest) > WIDTH;
    while (split && rest.len) {
        pj_str word = pj_str_cut(&rest, ' ');
        size_t width = pj_utf8_columns(word);
        if (!word.len)
            continue;
        if (text.len)
            pj_buf_add_char(&text, column + 1 + width > WIDTH ? '\n' : ' ');
        column = text.len && text.at[text.len - 1] == ' ' ? column + 1 + width : width;
        pj_buf_add(&text, word);
    }
    if (!split)
        pj_buf_puts(&text, name);
    replace_all(&text, PJ_S(", "), PJ_S(","));
    replace_all(&text, PJ_S("> >"), PJ_S(">>"));
    replace_all(&text, PJ_S("> >"), PJ_S(">>"));
    return pj_arena_text(arena, pj_buf_str(&text));
}

static const char *shaped(const char *name, pj_graph_dot_opts opts, pj_arena *arena)
{
    name = opts.strip ? stripped(name, arena) : name;
    return opts.wrap ? wrapped(name, arena) : name;
}

/// gprof2dot tells functions of Python by module, line and name, others as their source has them.
static const char *name_of(const pj_profile *p, uint32_t region, pj_graph_dot_opts opts,
                           pj_arena *arena)
{
    pj_str module = pj_profile_text(p, p->regions[region].module);
    pj_str name = pj_profile_name(p, region);
    if (p->by_line)
        return shaped(pj_function_label(p, region, arena), opts, arena);
    const char *shown = shaped(pj_arena_text(arena, name), opts, arena);
    return module.len ? pj_arena_format(arena, PJ_STR_FMT "\n%s", PJ_STR_ARG(module), shown)
                      : shown;
}

static void add_calls(pj_buf *out, double calls)
{
    if (!isnan(calls))
        pj_buf_addf(out, "%s%.0f\u00d7", out->len ? "\n" : "", calls);
}

// ---- comparisons

/// As Python prints the rounded number: "0.45", "2.0".
static void add_rounded(pj_buf *out, double value, double tolerance)
{
    char text[64];
    int decimals = (int)fmin(fmax(-floor(log10(tolerance)), 0), 12);
    int length = snprintf(text, sizeof text, "%.*f", decimals, value);
    bool point = strchr(text, '.') != NULL;
    while (point && text[length - 1] == '0' && text[length - 2] != '.')
        text[--length] = 0;
    pj_buf_addf(out, "%s%s", text, point ? "" : ".0");
}

typedef struct comparison {
    const pj_call_graph *graph;
    pj_graph_pairs pairs;
    pj_graph_dot_opts opts;
    double least, most; // changes of functions that are in both, percent
} comparison;

static double tolerance_of(const comparison *c)
{
    return c->opts.tolerance > 0 ? c->opts.tolerance : 0.001;
}

/// Percent of all time; NAN where the function is not in both.
static double change_of(const comparison *c, uint32_t node)
{
    uint32_t same = c->pairs.nodes ? c->pairs.nodes[node] : PJ_NO_ITEM;
    return same == PJ_NO_ITEM
               ? NAN
               : 100 * (c->opts.other->nodes[same].total - c->graph->nodes[node].total);
}

static bool is_marked(const comparison *c, double change)
{
    return fabs(change) >= tolerance_of(c) && !(change > 0 && c->opts.marked == PJ_GRAPH_FASTER) &&
           !(change < 0 && c->opts.marked == PJ_GRAPH_SLOWER);
}

/// "17.94% - 0.445%".
static void add_change(const comparison *c, const char *format, double before, double now,
                       bool marked, pj_buf *out)
{
    double change = fabs(now - before) * 100;
    pj_buf_addf(out, format, 100 * before);
    if (!marked || !(change >= tolerance_of(c)))
        return;
    pj_buf_puts(out, now > before ? " + " : " - ");
    add_rounded(out, change, tolerance_of(c));
    pj_buf_add_char(out, '%');
}

/// Behind each part stand the calls of both, as gprof2dot 2026-07 has them.
static void add_both_calls(const comparison *c, uint32_t node, pj_buf *out)
{
    const pj_call_graph *other = c->opts.other;
    double calls = c->graph->sums->regions.calls[c->graph->nodes[node].region];
    double then = other->sums->regions.calls[other->nodes[c->pairs.nodes[node]].region];
    if (!isnan(calls) && !isnan(then))
        pj_buf_addf(out, "\n%.0f \u00d7/ %.0f \u00d7", calls, then);
}

static const char *compared_label(const comparison *c, uint32_t node, pj_arena *arena)
{
    const pj_call_graph_node *n = &c->graph->nodes[node];
    const pj_profile *p = c->graph->sums->profile;
    uint32_t same = c->pairs.nodes ? c->pairs.nodes[node] : PJ_NO_ITEM;
    if (same == PJ_NO_ITEM)
        return pj_graph_dot_label(c->graph, node, c->opts, arena);
    const pj_call_graph_node *m = &c->opts.other->nodes[same];
    pj_auto_buf text = {0};
    const char *name = p->by_line ? pj_function_label(p, n->region, arena)
                                  : pj_arena_text(arena, pj_profile_name(p, n->region));
    pj_buf_puts(&text, c->opts.wrap ? wrapped(name, arena) : name);
    pj_buf_add_char(&text, '\n');
    add_change(c, "%.2f%%", n->total, m->total, is_marked(c, change_of(c, node)), &text);
    add_both_calls(c, node, &text);
    if (!isnan(n->self) && !isnan(m->self)) {
        pj_buf_add_char(&text, '\n');
        add_change(c, "(%.2f%%)", n->self, m->self, true, &text);
        add_both_calls(c, node, &text);
    }
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// Of a function that has changed, by how much between the least and the most; else 0.
static double compared_weight(const comparison *c, uint32_t node)
{
    double change = change_of(c, node);
    if (!c->opts.by_difference)
        return c->graph->nodes[node].weight;
    if (isnan(change) || !is_marked(c, change) || !(c->most > c->least))
        return 0;
    return (fabs(change) - c->least) / (c->most - c->least);
}

static comparison *compare(const pj_call_graph *graph, pj_graph_dot_opts opts, pj_arena *arena)
{
    comparison *c = pj_new(arena, comparison);
    *c = (comparison){.graph = graph, .opts = opts, .least = INFINITY};
    if (opts.other)
        c->pairs = pj_graph_pairs_of(graph, opts.other, arena);
    for (uint32_t n = 0; opts.other && n < graph->node_count; n++) {
        double change = fabs(change_of(c, n));
        c->least = isnan(change) ? c->least : fmin(c->least, change);
        c->most = isnan(change) ? c->most : fmax(c->most, change);
    }
    return c;
}

const char *pj_graph_dot_label(const pj_call_graph *graph, uint32_t node, pj_graph_dot_opts opts,
                               pj_arena *arena)
{
    const pj_call_graph_node *n = &graph->nodes[node];
    const pj_profile_sums *s = graph->sums;
    pj_auto_buf text = {0};
    pj_buf_puts(&text, name_of(s->profile, n->region, opts, arena));
    if (opts.times)
        pj_buf_addf(&text, "\n%.7g\n(%.7g)", s->regions.inclusive[n->region],
                    s->regions.exclusive[n->region]);
    else if (!isnan(n->self))
        pj_buf_addf(&text, "\n%.2f%%\n(%.2f%%)", 100 * n->total, 100 * n->self);
    else
        pj_buf_addf(&text, "\n%.2f%%", 100 * n->total);
    add_calls(&text, s->regions.calls[n->region]);
    return pj_arena_text(arena, pj_buf_str(&text));
}

static void add_quoted(pj_buf *out, pj_str text)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean(&clean, text);
    pj_buf_add_char(out, '"');
    for (size_t i = 0; i < clean.len; i++) {
        char c = clean.at[i];
        if (c == '\n')
            pj_buf_puts(out, "\\n");
        else if (c == '\r')
            pj_buf_puts(out, "\\r");
        else if (c == '\t')
            pj_buf_puts(out, "\\t");
        else if (c == '"' || c == '\\')
            pj_buf_addf(out, "\\%c", c);
        else if ((unsigned char)c >= ' ')
            pj_buf_add_char(out, c);
    }
    pj_buf_add_char(out, '"');
}

// ---- nodes and edges

static double clamped(double weight)
{
    return isnan(weight) ? 0 : fmin(fmax(weight, 0), 1);
}

/// Slower ones point to the right, faster ones downwards.
static void add_shape(const comparison *c, uint32_t node, pj_buf *out)
{
    double change = change_of(c, node);
    bool marked = !isnan(change) && is_marked(c, change);
    pj_buf_addf(out, ", orientation=%d, shape=%s", marked && change < 0 ? 90 : 0,
                marked ? "cds" : "box");
}

static void add_node(const comparison *c, uint32_t node, pj_arena *arena, pj_buf *out)
{
    const pj_call_graph *graph = c->graph;
    const pj_graph_theme *theme = c->opts.theme;
    const pj_call_graph_node *n = &graph->nodes[node];
    const pj_profile *p = graph->sums->profile;
    double weight = clamped(c->opts.other ? compared_weight(c, node) : n->weight);
    pj_str file = pj_profile_text(p, p->regions[n->region].file);
    pj_colour colour = pj_graph_theme_colour(theme, weight);
    pj_buf_addf(out,
                "\t%u [color=\"#%06x\", fontcolor=\"#%06x\", fontsize=\"%.*f\", label=", n->region,
                colour >> 8, theme->solid ? colour >> 8 : 0xffffff, c->opts.other ? 6 : 2,
                fmax(weight * weight * theme->font_most, theme->font_least));
    add_quoted(out, pj_str_of(c->opts.other ? compared_label(c, node, arena)
                                            : pj_graph_dot_label(graph, node, c->opts, arena)));
    if (c->opts.other)
        add_shape(c, node, out);
    if (file.len) {
        pj_buf_puts(out, ", tooltip=");
        add_quoted(out, file);
    }
    pj_buf_puts(out, "];\n");
}

/// "13.93% / 5.58%" and the calls of both, where the call is in both.
static void add_edge_label(const comparison *c, uint32_t edge, pj_buf *out)
{
    const pj_call_graph_edge *e = &c->graph->edges[edge];
    uint32_t same = c->pairs.edges ? c->pairs.edges[edge] : PJ_NO_ITEM;
    const pj_call_graph_edge *f = same == PJ_NO_ITEM ? e : &c->opts.other->edges[same];
    bool totals = !isnan(e->total) && !isnan(f->total);
    if (!isnan(e->total))
        pj_buf_addf(out, "%.2f%%", 100 * e->total);
    if (f != e && totals)
        pj_buf_addf(out, " / %.2f%%", 100 * f->total);
    add_calls(out, e->calls);
    if (f != e && !isnan(e->calls) && !isnan(f->calls))
        pj_buf_addf(out, " / %.0f\u00d7", f->calls);
}

static void add_edge(const comparison *c, uint32_t edge, pj_buf *out)
{
    const pj_call_graph *graph = c->graph;
    const pj_call_graph_edge *e = &graph->edges[edge];
    const pj_graph_theme *theme = c->opts.theme;
    double weight = c->opts.other && c->opts.by_difference ? 0 : clamped(e->weight);
    double pen = fmax(weight * theme->pen_most, theme->pen_least);
    unsigned colour = pj_graph_theme_colour(theme, weight) >> 8;
    pj_auto_buf label = {0};
    add_edge_label(c, edge, &label);
    pj_buf_addf(out,
                "\t%u -> %u [arrowsize=\"%.2f\", color=\"#%06x\", fontcolor=\"#%06x\", "
                "fontsize=\"%.2f\", label=",
                graph->nodes[e->caller].region, graph->nodes[e->callee].region, 0.5 * sqrt(pen),
                colour, colour, fmax(weight * weight * theme->font_most, theme->font_least));
    add_quoted(out, pj_buf_str(&label));
    pj_buf_addf(out, ", labeldistance=\"%.2f\", penwidth=\"%.2f\"];\n", pen, pen);
}

void pj_graph_dot(const pj_call_graph *graph, pj_graph_dot_opts opts, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_buf_addf(out,
                "digraph {\n\ttooltip=\" \"\n"
                "\tgraph [fontname=Arial, nodesep=0.125, ranksep=0.25];\n"
                "\tnode [fontcolor=%s, fontname=Arial, height=0, %sstyle=%s, width=0];\n"
                "\tedge [fontname=Arial];\n",
                opts.theme->solid ? "black" : "white", opts.other ? "" : "shape=box, ",
                opts.theme->solid ? "solid" : "filled");
    const comparison *c = compare(graph, opts, arena);
    uint32_t edge = 0;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        add_node(c, n, arena, out);
        for (; edge < graph->edge_count && graph->edges[edge].caller == n; edge++)
            add_edge(c, edge, out);
    }
    pj_buf_puts(out, "}\n");
}

bool pj_graph_dot_profile(const pj_profile *profile, pj_buf *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t measure = pj_profile_sums_usual_measure(profile);
    const pj_profile_sums *sums = pj_profile_sums_new(profile, measure, NULL, arena);
    const pj_call_graph *graph = pj_call_graph_new(sums, (pj_call_graph_opts){0}, arena, err);
    if (graph)
        pj_graph_dot(graph, (pj_graph_dot_opts){.theme = &themes[0]}, out);
    return graph;
}
