// A picture has at most a few thousand boxes, so that a page of it stays small: the smallest of
// more are left out and counted.
#include "widgets/plot/profile/call_view.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/profile/call_change.h"
#include "widgets/plot/profile/profile_view.h"

#include <stdlib.h>

enum { BOXES_MOST = 4000, SPREADS_MOST = 400 };
static const double chain = 0.995, own_pale = 0.62, narrow = 0.012;

// ---- which boxes

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/// The size below which boxes are not drawn.
static double threshold(const pj_call_tree *tree, double least, pj_arena *arena)
{
    double *sizes = pj_new_n(arena, double, tree->count);
    size_t count = 0;
    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->boxes[i].size > least)
            sizes[count++] = tree->boxes[i].size;
    if (count <= BOXES_MOST)
        return least;
    qsort(sizes, count, sizeof *sizes, descending);
    return sizes[BOXES_MOST];
}

/// Whether a box is, or lies in, the one that is looked at, or above it.
static bool is_looked_at(const pj_call_view *v, uint32_t box, const bool *inside)
{
    const pj_call_tree *tree = v->tree;
    uint32_t at = tree->top;
    if (inside[box])
        return true;
    while (at != PJ_NO_ITEM && at > box)
        at = tree->boxes[at].parent;
    return at == box;
}

static void choose_boxes(pj_call_view *v, double least)
{
    const pj_call_tree *tree = v->tree;
    pj_arena *arena = v->view.arena;
    least = threshold(tree, least, arena);
    v->drawn = pj_new_n(arena, bool, tree->count);
    v->left_out = tree->left_out;
    bool *inside = pj_new_n(arena, bool, tree->count);
    for (uint32_t i = 0; i < tree->count; i++) {
        const pj_call_box *box = &tree->boxes[i];
        bool above = box->parent == PJ_NO_ITEM || v->drawn[box->parent];
        bool rest = i > 0 && box->region == PJ_NO_ITEM; // drawn with what is too small
        inside[i] = i == tree->top || (box->parent != PJ_NO_ITEM && inside[box->parent]);
        v->drawn[i] = i == 0 || (above && !rest && box->size > least && is_looked_at(v, i, inside));
        v->left_out += inside[i] && !v->drawn[i] && !rest && !box->self;
    }
}

/// Below boxes of one child there is nothing to see until they part.
static void fold_chain(pj_call_view *v)
{
    const pj_call_tree *tree = v->tree;
    uint32_t at = 0;
    for (;;) {
        const pj_call_box *box = &tree->boxes[at];
        const pj_call_box *child = box->count ? &tree->boxes[tree->order[box->first]] : NULL;
        if (!child || child->self || child->region == PJ_NO_ITEM || child->count == 0 ||
            child->size < chain * box->size)
            break;
        at = tree->order[box->first];
    }
    v->first = tree->top ? tree->top : tree->boxes[at].depth >= 2 ? at : 0;
}

static bool is_below_first(const pj_call_view *v, const pj_call_box *box)
{
    return box->depth >= v->tree->boxes[v->first].depth;
}

/// Rows of nothing but narrow boxes would make a tall picture of little: they are left out unless a
/// depth was asked for.
static void choose_rows(pj_call_view *v)
{
    enum { ROWS_LEAST = 6 };
    const pj_call_tree *tree = v->tree;
    uint32_t top = tree->boxes[v->first].depth, deepest = top, last = top + ROWS_LEAST - 1;
    for (uint32_t i = 0; i < tree->count; i++) {
        const pj_call_box *box = &tree->boxes[i];
        deepest = v->drawn[i] && box->depth > deepest ? box->depth : deepest;
        last = box->size >= narrow && !box->self && box->depth > last ? box->depth : last;
    }
    last = v->view.opts.depth || last > deepest ? deepest : last;
    for (uint32_t i = 0; i < tree->count; i++)
        if (v->drawn[i] && tree->boxes[i].depth > last) {
            v->drawn[i] = false;
            v->cut = true;
            v->left_out += !tree->boxes[i].self;
        }
    v->rows = last - top + 1;
}

// ---- colours

static bool like_snakeviz(const pj_call_view *v)
{
    const char *colours = v->view.opts.colours;
    return colours && strcmp(colours, "snakeviz") == 0;
}

/// SnakeViz gives out its colours as its boxes are drawn.
static void colour_by_appearance(pj_call_view *v)
{
    pj_arena *arena = v->view.arena;
    const uint32_t *order = pj_call_tree_preorder(v->tree, arena);
    uint32_t *seen = pj_new_n(arena, uint32_t, v->view.profile->count[PJ_AT_REGION] + (size_t)1);
    uint32_t count = 0;
    for (uint32_t k = 0; k < v->tree->count; k++) {
        uint32_t region = v->tree->boxes[order[k]].region;
        if (!v->drawn[order[k]] || region == PJ_NO_ITEM)
            continue;
        if (!seen[region])
            seen[region] = ++count;
        v->colours[order[k]] = pj_function_colour_of_snakeviz(seen[region] - 1);
    }
}

static void choose_colours(pj_call_view *v)
{
    const pj_call_tree *tree = v->tree;
    v->colours = pj_new_n(v->view.arena, pj_colour, tree->count);
    if (like_snakeviz(v)) {
        colour_by_appearance(v);
        return;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        const pj_call_box *box = &tree->boxes[i];
        if (!v->drawn[i])
            continue;
        if (v->change) {
            v->colours[i] = pj_call_change_colour(v->change, i);
            continue;
        }
        pj_colour colour = box->region == PJ_NO_ITEM
                               ? PJ_COLOUR_OTHERS
                               : pj_function_colour(v->view.profile, box->region);
        v->colours[i] = box->self ? pj_palette_mix(colour, PJ_PAPER, own_pale) : colour;
    }
}

// ---- spread over ranks

/// Of a tree that stores what functions take without callees: each node counts for the nearest box
/// above it that is shown with a strip, these for the next one.
static void spread_tree(pj_call_view *v, double least)
{
    const pj_profile *p = v->view.profile;
    const pj_call_tree *tree = v->tree;
    uint32_t locations = v->view.location_count, nodes = p->count[PJ_AT_NODE];
    const pj_profile_column *own = pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, v->view.measure);
    if (!own || (uint64_t)tree->count * locations > (1 << 22))
        return;
    uint32_t *box_of = pj_new_n(v->view.arena, uint32_t, nodes + (size_t)1);
    v->spreads = pj_new_n(v->view.arena, double, (size_t)tree->count *locations);
    for (uint32_t i = 0; i < tree->count; i++) // 1 + box; 0 = of its parent
        if (v->drawn[i] && !tree->boxes[i].self && tree->boxes[i].node != PJ_NO_ITEM &&
            tree->boxes[i].size >= least)
            box_of[tree->boxes[i].node] = i + 1;
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t parent = p->nodes[n].parent;
        box_of[n] = box_of[n] ? box_of[n] : parent == PJ_NO_ITEM ? 0 : box_of[parent];
        for (uint32_t k = 0; box_of[n] && k < locations; k++) {
            double value = pj_profile_value(p, own, n, v->view.locations[k]);
            v->spreads[(size_t)(box_of[n] - 1) * locations + k] += isnan(value) ? 0 : value;
        }
    }
    for (uint32_t i = tree->count; i-- > 1;)
        for (uint32_t k = 0; tree->boxes[i].parent != PJ_NO_ITEM && k < locations; k++)
            v->spreads[(size_t)tree->boxes[i].parent * locations + k] +=
                v->spreads[(size_t)i * locations + k];
}

const double *pj_call_view_spread(const pj_call_view *view, uint32_t box)
{
    const pj_call_box *b = &view->tree->boxes[box];
    const pj_profile_opts *opts = &view->view.opts;
    bool merged = opts->reverse || (b->node != PJ_NO_ITEM && opts->root);
    if (view->view.location_count < 2 || b->self || b->region == PJ_NO_ITEM || merged)
        return NULL;
    if (view->spreads)
        return &view->spreads[(size_t)box * view->view.location_count];
    if (b->node != PJ_NO_ITEM)
        return pj_profile_view_spread(&view->view, PJ_AT_NODE, b->node, PJ_INCLUSIVE);
    if (b->edge != PJ_NO_ITEM)
        return pj_profile_view_spread(&view->view, PJ_AT_EDGE, b->edge, PJ_INCLUSIVE);
    return pj_profile_view_spread(&view->view, PJ_AT_REGION, b->region, PJ_INCLUSIVE);
}

pj_colour *pj_call_view_strip(const pj_call_view *view, const double *values, pj_colour fill,
                              size_t *cells)
{
    size_t count = view->view.location_count < *cells ? view->view.location_count : *cells;
    double most = 0;
    double *largest = pj_new_n(view->view.arena, double, count + 1);
    pj_colour *strip = pj_new_n(view->view.arena, pj_colour, count + 1);
    for (size_t k = 0; k < view->view.location_count; k++) {
        double *cell = &largest[k * count / view->view.location_count];
        *cell = fmax(*cell, pj_profile_sums_size(values[k]));
        most = fmax(most, *cell);
    }
    for (size_t k = 0; k < count; k++) {
        double part = most > 0 ? largest[k] / most : 0;
        strip[k] = largest[k] > 0 ? pj_palette_mix(pj_palette_mix(fill, PJ_PAPER, 0.55),
                                                   pj_palette_mix(fill, PJ_INK, 0.8), part)
                                  : PJ_PAPER;
    }
    *cells = count;
    return strip;
}

// ---- texts

static const char *short_name(const pj_call_view *v, uint32_t box)
{
    const pj_call_box *b = &v->tree->boxes[box];
    if (b->region == PJ_NO_ITEM)
        return "all";
    return pj_function_short(v->view.profile, b->region, v->view.arena);
}

bool pj_call_view_says(const char *label)
{
    enum { LETTERS = 5 };
    static const char dots[] = "\u2026";
    return !pj_str_contains(pj_str_of(label), pj_str_of(dots)) ||
           strlen(label) >= LETTERS + strlen(dots);
}

const char *pj_call_view_name(const pj_call_view *view, uint32_t box)
{
    const pj_call_box *boxes = view->tree->boxes;
    if (boxes[box].self)
        return view->tree->reversed ? "called from outside" : "own";
    if (box != view->first)
        return short_name(view, box);
    const char *name = short_name(view, box);
    for (uint32_t at = boxes[box].parent; at != PJ_NO_ITEM; at = boxes[at].parent)
        name = pj_arena_format(view->view.arena, "%s \u203a %s", short_name(view, at), name);
    return name;
}

void pj_call_view_ranks(const pj_call_view *view, uint32_t box, pj_buf *out)
{
    const double *values = pj_call_view_spread(view, box);
    uint32_t least = 0, most = 0, count = 0, locations = view->view.location_count;
    double sum = 0;
    for (uint32_t k = 0; values && k < locations; k++) {
        double value = pj_profile_sums_size(values[k]);
        count += value > 0;
        sum += value;
        least = value < pj_profile_sums_size(values[least]) ? k : least;
        most = value > pj_profile_sums_size(values[most]) ? k : most;
    }
    if (count == 0)
        return;
    pj_buf_addf(out, "\nover %u: mean %s, ", locations,
                pj_profile_view_amount(&view->view, sum / locations));
    pj_buf_addf(out, "least %s (%s), ",
                pj_profile_view_amount(&view->view, pj_profile_sums_size(values[least])),
                pj_profile_view_location(&view->view, view->view.locations[least]));
    pj_buf_addf(out, "most %s (%s)", pj_profile_view_amount(&view->view, values[most]),
                pj_profile_view_location(&view->view, view->view.locations[most]));
    if (count < locations)
        pj_buf_addf(out, "; %u of %u have it", count, locations);
}

const char *pj_call_view_hover(const pj_call_view *view, uint32_t box)
{
    const pj_call_box *b = &view->tree->boxes[box];
    const pj_call_box *above = b->parent == PJ_NO_ITEM ? NULL : &view->tree->boxes[b->parent];
    pj_auto_buf text = {0};
    if (b->region == PJ_NO_ITEM)
        pj_buf_puts(&text, "All of the profile");
    else
        pj_profile_view_describe(&view->view, b->region, &text);
    pj_buf_addf(&text, "\n%s: %s%s (%s of all",
                b->self                ? pj_call_view_name(view, box)
                : view->tree->reversed ? "for this callee"
                                       : "on this path",
                b->estimated ? "about " : "", pj_profile_view_amount(&view->view, b->value),
                pj_profile_view_share(&view->view, b->value, view->tree->boxes[0].value));
    if (above && above->region != PJ_NO_ITEM)
        pj_buf_addf(&text, ", %s of %s", pj_profile_view_share(&view->view, b->value, above->value),
                    short_name(view, b->parent));
    pj_buf_puts(&text, b->estimated ? "), estimated" : ")");
    if (view->change)
        pj_buf_addf(&text, "\n%s", pj_call_change_text(view->change, box, true));
    pj_call_view_ranks(view, box, &text);
    if (b->more)
        pj_buf_puts(&text, "\nits callees lie below the last row");
    return pj_arena_text(view->view.arena, pj_buf_str(&text));
}

static void say_title(pj_call_view *v, const pj_plot_opts *opts, const char *kind)
{
    const pj_profile_view *view = &v->view;
    const pj_call_tree *tree = v->tree;
    pj_arena *arena = view->arena;
    const char *measure = view->is_time ? "" : view->profile->measures[view->measure].title;
    const char *root = tree->boxes[0].region == PJ_NO_ITEM ? NULL : short_name(v, 0);
    v->title = opts->title ? opts->title
               : v->change ? pj_arena_format(arena, "What changed: %s", v->change->named)
               : *measure  ? pj_arena_format(arena, "%s of %s: %s", kind, view->name, measure)
                           : pj_arena_format(arena, "%s of %s", kind, view->name);
    pj_auto_buf text = {0};
    pj_buf_puts(&text, v->change ? pj_call_change_said(v->change)
                                 : pj_profile_view_whole(view, tree->boxes[0].value));
    if (root)
        pj_buf_addf(&text, " in %s", root);
    if (*view->where)
        pj_buf_addf(&text, ", %s", view->where);
    pj_buf_puts(&text, tree->reversed ? "; callers stand on their callees" : "");
    if (*view->told && !v->change)
        pj_buf_addf(&text, ". %s", view->told);
    v->subtitle = pj_arena_text(arena, pj_buf_str(&text));
}

static void add_key(pj_call_view *v, const char *name, pj_colour colour)
{
    v->keys[v->key_count++] = (pj_chart_key){name, colour};
}

static void say_keys(pj_call_view *v)
{
    bool self = false, there[PJ_FAMILY_COUNT] = {false};
    for (uint32_t i = 0; i < v->tree->count; i++) {
        const pj_call_box *box = &v->tree->boxes[i];
        if (!v->drawn[i] || !is_below_first(v, box) || box->region == PJ_NO_ITEM)
            continue;
        self |= box->self;
        there[pj_function_family_of(v->view.profile, box->region)] = true;
    }
    if (v->change)
        v->key_count = pj_call_change_keys(v->change, v->keys);
    else if (!like_snakeviz(v))
        v->key_count = pj_function_keys(there, v->keys);
    if (self && !v->change)
        add_key(v, v->tree->reversed ? "Called from outside" : "Own time (pale)",
                pj_palette_mix(0x9ec5e8ff, PJ_PAPER, own_pale));
    if (v->left_out)
        add_key(v, "Too small to be drawn", PJ_COLOUR_OTHERS);
}

static void say_note(pj_call_view *v)
{
    const pj_profile *p = v->view.profile;
    pj_auto_buf text = {0};
    bool deeper = false, hatched = false;
    for (uint32_t i = 0; i < v->tree->count; i++)
        if (v->drawn[i]) {
            deeper |= v->tree->boxes[i].more;
            hatched |= v->tree->boxes[i].estimated;
        }
    if (v->change && *v->change->gone)
        pj_buf_addf(&text, "Only before: %s. ", v->change->gone);
    if (v->change)
        pj_buf_puts(&text, "Boxes are as wide as their paths take now. ");
    if (hatched)
        pj_buf_addf(&text,
                    "Hatched: estimated. A %s tells who calls whom, not on which path; time of "
                    "functions with several callers is shared out in proportion. ",
                    p->title ? p->title : "call graph");
    if (v->strip && v->view.location_count > 1 && !v->tree->reversed)
        pj_buf_addf(&text,
                    "The strip %s is its %u %s from left to right, stronger where it takes more. ",
                    v->strip, v->view.location_count,
                    v->view.opts.one_rank ? "threads" : "ranks or threads");
    v->about = text.len ? pj_arena_text(v->view.arena, pj_str_trim(pj_buf_str(&text))) : NULL;
    if (v->left_out) {
        char count[32];
        count[pj_format_grouped((int64_t)v->left_out, count)] = 0;
        pj_buf_addf(&text, "%s call%s too small to be drawn. ", count,
                    v->left_out == 1 ? " is" : "s are");
    }
    if (v->rows_beyond)
        pj_buf_addf(&text, "%u more row%s of calls would need a larger height. ", v->rows_beyond,
                    v->rows_beyond == 1 ? "" : "s");
    else if (v->cut)
        pj_buf_puts(&text, "Below the last row all calls are narrow (--depth shows them). ");
    else if (deeper)
        pj_buf_addf(&text, "Deeper than %u calls nothing is drawn (--depth). ", v->tree->depth);
    v->note = text.len ? pj_arena_text(v->view.arena, pj_str_trim(pj_buf_str(&text))) : NULL;
}

void pj_call_view_fit(pj_call_view *v, uint32_t rows)
{
    const pj_call_tree *tree = v->tree;
    uint32_t top = tree->boxes[v->first].depth;
    for (uint32_t i = 0; i < tree->count && rows < v->rows; i++)
        v->drawn[i] = v->drawn[i] && tree->boxes[i].depth < top + rows;
    v->rows_beyond += rows < v->rows ? v->rows - rows : 0;
    v->rows = rows < v->rows ? rows : v->rows;
    say_note(v);
}

static void say_summary(pj_call_view *v)
{
    const pj_call_tree *tree = v->tree;
    const pj_call_box *first = &tree->boxes[v->first];
    pj_auto_buf text = {0};
    pj_buf_addf(&text, "%s of %s; largest parts: ", v->subtitle, v->view.name);
    for (uint32_t k = 0; k < first->count && k < 3; k++) {
        uint32_t child = tree->order[first->first + k];
        if (!v->drawn[child])
            break;
        pj_buf_addf(
            &text, "%s%s %s", k ? ", " : "",
            tree->boxes[child].self ? "own time" : short_name(v, child),
            pj_profile_view_share(&v->view, tree->boxes[child].value, tree->boxes[0].value));
    }
    pj_buf_add_char(&text, '.');
    v->summary = pj_arena_text(v->view.arena, pj_buf_str(&text));
}

static bool is_known_scheme(const char *colours, pj_err *err)
{
    return !colours || strcmp(colours, "snakeviz") == 0 || strcmp(colours, "function") == 0 ||
           pj_fail(err, PJ_E_USAGE, NULL, 0, "boxes have the colours function and snakeviz, not %s",
                   colours);
}

/// Whether the profile does not store what the strips show.
static bool wants_spreads(const pj_call_view *v)
{
    const pj_profile *p = v->view.profile;
    return v->view.location_count > 1 && p->count[PJ_AT_NODE] && !v->view.opts.reverse &&
           !pj_profile_find(p, PJ_AT_NODE, PJ_INCLUSIVE, v->view.measure);
}

static void complete(pj_call_view *v, const pj_plot_opts *opts, pj_call_picture picture)
{
    choose_boxes(v, picture.least);
    fold_chain(v);
    choose_rows(v);
    choose_colours(v);
    if (wants_spreads(v))
        spread_tree(v, 30 * picture.least);
    say_title(v, opts, picture.kind);
    say_keys(v);
    say_note(v);
    say_summary(v);
}

bool pj_call_view_new(const pj_profile *profile, const pj_plot_opts *opts, pj_call_picture picture,
                      pj_arena *arena, pj_call_view *out, pj_err *err)
{
    *out = (pj_call_view){.strip = picture.strip};
    if (!is_known_scheme(opts->profile.colours, err) ||
        !pj_profile_view_new(profile, opts->profile, arena, &out->view, err))
        return false;
    out->tree = pj_call_tree_new(out->view.sums,
                                 (pj_call_tree_opts){.root = pj_str_of(opts->profile.root),
                                                     .reverse = opts->profile.reverse,
                                                     .path = opts->profile.zoom,
                                                     .path_count = opts->profile.zoom_count,
                                                     .depth = opts->profile.depth,
                                                     .cutoff = opts->profile.cutoff},
                                 arena, err);
    if (!out->tree)
        return false;
    if (opts->profile.before) {
        out->change = pj_call_change_new(&out->view, out->tree, arena, err);
        if (!out->change)
            return false;
    }
    complete(out, opts, picture);
    return true;
}
