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

#include <math.h>

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

static void add_node(const pj_call_graph *graph, uint32_t node, pj_graph_dot_opts opts,
                     pj_arena *arena, pj_buf *out)
{
    const pj_graph_theme *theme = opts.theme;
    const pj_call_graph_node *n = &graph->nodes[node];
    const pj_profile *p = graph->sums->profile;
    double weight = clamped(n->weight);
    pj_str file = pj_profile_text(p, p->regions[n->region].file);
    pj_colour colour = pj_graph_theme_colour(theme, weight);
    pj_buf_addf(out,
                "\t%u [color=\"#%06x\", fontcolor=\"#%06x\", fontsize=\"%.2f\", label=", n->region,
                colour >> 8, theme->solid ? colour >> 8 : 0xffffff,
                fmax(weight * weight * theme->font_most, theme->font_least));
    add_quoted(out, pj_str_of(pj_graph_dot_label(graph, node, opts, arena)));
    if (file.len) {
        pj_buf_puts(out, ", tooltip=");
        add_quoted(out, file);
    }
    pj_buf_puts(out, "];\n");
}

static void add_edge(const pj_call_graph *graph, const pj_call_graph_edge *e,
                     const pj_graph_theme *theme, pj_buf *out)
{
    double weight = clamped(e->weight);
    double pen = fmax(weight * theme->pen_most, theme->pen_least);
    unsigned colour = pj_graph_theme_colour(theme, weight) >> 8;
    pj_auto_buf label = {0};
    if (!isnan(e->total))
        pj_buf_addf(&label, "%.2f%%", 100 * e->total);
    add_calls(&label, e->calls);
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
                "\tnode [fontcolor=%s, fontname=Arial, height=0, shape=box, style=%s, width=0];\n"
                "\tedge [fontname=Arial];\n",
                opts.theme->solid ? "black" : "white", opts.theme->solid ? "solid" : "filled");
    uint32_t edge = 0;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        add_node(graph, n, opts, arena, out);
        for (; edge < graph->edge_count && graph->edges[edge].caller == n; edge++)
            add_edge(graph, &graph->edges[edge], opts.theme, out);
    }
    pj_buf_puts(out, "}\n");
}
