// From nodes to regions and edges: an edge is the sum over nodes (region of the parent, region), a
// region over its nodes; of recursion only the outermost call counts as inclusive.
#include "metrics/profile/profile_graph.h"

#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"

#include <math.h>

static pj_profile_column *new_column(const pj_profile *p, pj_value_part part, uint32_t measure,
                                     pj_arena *arena)
{
    pj_profile_column *column = pj_new(arena, pj_profile_column);
    size_t cells = (size_t)p->count[PJ_AT_NODE] * p->location_count;
    *column = (pj_profile_column){.site = PJ_AT_NODE, .part = part, .measure = measure};
    column->real = pj_new_n(arena, double, cells);
    return column;
}

/// The values of another column as doubles.
static void copy_cells(const pj_profile *p, const pj_profile_column *from, double *to)
{
    size_t width = p->location_count;
    if (!from->whole) {
        memcpy(to, from->real, p->count[PJ_AT_NODE] * width * sizeof *to);
        return;
    }
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++)
        for (uint32_t at = 0; at < width; at++)
            to[n * width + at] = pj_profile_value(p, from, n, at);
}

/// Values are finite: a sum that is no number has an absent one.
static void fold_row(double *to, const double *own, size_t count, pj_measure_fold fold)
{
    if (fold != PJ_MEASURE_SUM) {
        for (size_t i = 0; i < count; i++)
            pj_measure_fold_in(&to[i], own[i], fold);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        double sum = to[i] + own[i];
        if (!isnan(sum))
            to[i] = sum;
        else if (isnan(to[i]))
            to[i] = own[i];
    }
}

static void take_from_row(double *rest, const double *own, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double less = rest[i] - own[i];
        rest[i] = isnan(less) ? rest[i] : less;
    }
}

/// Sums over subtrees: absent where nothing below has a value.
static const pj_profile_column *sum_up(const pj_profile *p, const pj_profile_column *exclusive,
                                       pj_arena *arena)
{
    pj_profile_column *made = new_column(p, PJ_INCLUSIVE, exclusive->measure, arena);
    size_t width = p->location_count;
    pj_measure_fold fold = p->measures[exclusive->measure].fold;
    copy_cells(p, exclusive, made->real);
    for (uint32_t n = p->count[PJ_AT_NODE]; n-- > 0;) {
        if (p->nodes[n].parent == PJ_NO_ITEM)
            continue;
        fold_row(made->real + p->nodes[n].parent * width, made->real + n * width, width, fold);
    }
    return made;
}

static const pj_profile_column *take_apart(const pj_profile *p, const pj_profile_column *inclusive,
                                           pj_arena *arena)
{
    pj_profile_column *made = new_column(p, PJ_EXCLUSIVE, inclusive->measure, arena);
    size_t width = p->location_count;
    copy_cells(p, inclusive, made->real);
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        if (p->nodes[n].parent == PJ_NO_ITEM)
            continue;
        // Parents before children: what is taken from a parent is whole still.
        take_from_row(made->real + p->nodes[n].parent * width, made->real + n * width, width);
    }
    return made;
}

pj_profile_paths pj_profile_paths_of(const pj_profile *p, uint32_t measure, pj_arena *arena)
{
    pj_profile_paths paths = {pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, measure),
                              pj_profile_find(p, PJ_AT_NODE, PJ_INCLUSIVE, measure)};
    bool folds = p->measures[measure].kind != PJ_MEASURE_RATIO;
    bool sums = folds && p->measures[measure].fold == PJ_MEASURE_SUM;
    if (paths.exclusive && !paths.inclusive && folds)
        paths.inclusive = sum_up(p, paths.exclusive, arena);
    else if (paths.inclusive && !paths.exclusive && sums)
        paths.exclusive = take_apart(p, paths.inclusive, arena);
    return paths;
}

bool *pj_profile_outermost(const pj_profile *p, pj_arena *arena)
{
    uint32_t nodes = p->count[PJ_AT_NODE];
    bool *outermost = pj_new_n(arena, bool, nodes);
    pj_auto_arena scratch = pj_arena_new(NULL);
    uint32_t *child = pj_new_n(scratch, uint32_t, nodes),
             *next = pj_new_n(scratch, uint32_t, nodes);
    uint32_t *active = pj_new_n(scratch, uint32_t, p->count[PJ_AT_REGION]);
    uint32_t roots = PJ_NO_ITEM;
    memset(child, 0xff, nodes * sizeof *child);
    for (uint32_t n = nodes; n-- > 0;) {
        uint32_t parent = p->nodes[n].parent;
        uint32_t *first = parent == PJ_NO_ITEM ? &roots : &child[parent];
        next[n] = *first;
        *first = n;
    }
    // Down to the first child, over to the next one, and up again: without a stack.
    for (uint32_t n = roots; n != PJ_NO_ITEM;) {
        outermost[n] = active[p->nodes[n].region]++ == 0;
        if (child[n] != PJ_NO_ITEM) {
            n = child[n];
            continue;
        }
        while (n != PJ_NO_ITEM) {
            active[p->nodes[n].region]--;
            if (next[n] != PJ_NO_ITEM)
                break;
            n = p->nodes[n].parent;
        }
        n = n == PJ_NO_ITEM ? n : next[n];
    }
    return outermost;
}

typedef struct turning {
    const pj_profile *from;
    pj_build *build;
    const bool *outermost;
    uint32_t *edges; // of nodes; PJ_NO_ITEM = a root, or edges are not asked for
    bool with_edges;
} turning;

static void copy_items(turning *t, pj_arena *arena)
{
    const pj_profile *p = t->from;
    pj_build *b = t->build;
    for (uint32_t i = 0; i < p->text_count; i++)
        pj_build_text(b, p->texts[i]); // each once, in the same order: the numbers stay
    for (uint32_t i = 0; i < p->location_count; i++)
        pj_build_location(b, p->locations[i]);
    for (uint32_t i = 0; i < p->file_count; i++)
        pj_build_file(b, p->files[i]);
    for (uint32_t i = 0; i < p->measure_count; i++)
        pj_build_measure(b, p->measures[i]);
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++) {
        const pj_profile_region *from = &p->regions[r];
        uint32_t made = pj_build_region_apart(b, from->name, from->file, from->line, from->apart);
        pj_profile_region *to = pj_build_region_at(b, made);
        to->kind = from->kind;
        to->module = from->module;
        to->end_line = from->end_line;
        if (from->group_count)
            pj_build_groups(b, made, &p->groups[from->first_group], from->group_count);
    }
    t->edges = pj_new_n(arena, uint32_t, p->count[PJ_AT_NODE]);
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        uint32_t parent = p->nodes[n].parent;
        t->edges[n] = parent == PJ_NO_ITEM || !t->with_edges
                          ? PJ_NO_ITEM
                          : pj_build_edge(b, p->nodes[parent].region, p->nodes[n].region);
    }
}

/// Adds the cells of nodes to their regions and edges; of all nodes or of the outermost ones.
static void add_up(turning *t, const pj_profile_column *column, pj_value_part part, bool outermost)
{
    const pj_profile *p = t->from;
    if (!column)
        return;
    uint32_t region = pj_build_column(t->build, PJ_AT_REGION, part, column->measure, column->whole);
    uint32_t edge = PJ_NO_ITEM;
    if (t->with_edges)
        edge = pj_build_column(t->build, PJ_AT_EDGE, part, column->measure, column->whole);
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE] && pj_build_ok(t->build); n++) {
        if (outermost && !t->outermost[n])
            continue;
        pj_build_add_cells(t->build, region, p->nodes[n].region, column, n);
        if (t->edges[n] != PJ_NO_ITEM)
            pj_build_add_cells(t->build, edge, t->edges[n], column, n);
    }
}

/// A strip of locations of all nodes, which fits a cache: what is not stored is made in it, so that
/// it needs no memory for all locations at once.
typedef struct strip {
    const pj_profile_column *stored;
    pj_value_part part; // that is made
    pj_measure_fold fold;
    double *values; // by node, `width` each
    size_t first, width;
} strip;

static void copy_strip(const turning *t, strip *at)
{
    const pj_profile *p = t->from;
    const pj_profile_column *from = at->stored;
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        double *to = at->values + n * at->width;
        for (size_t i = 0; i < at->width && from->whole; i++)
            to[i] = pj_profile_value(p, from, n, (uint32_t)(at->first + i));
        if (!from->whole)
            memcpy(to, from->real + (size_t)n * p->location_count + at->first,
                   at->width * sizeof *to);
    }
}

/// A node's values into its parent's: sums over subtrees, children before parents.
static void sum_strip(const turning *t, strip *at)
{
    const pj_profile *p = t->from;
    for (uint32_t n = p->count[PJ_AT_NODE]; n-- > 0;) {
        const double *own = at->values + n * at->width;
        if (p->nodes[n].parent == PJ_NO_ITEM)
            continue;
        fold_row(at->values + p->nodes[n].parent * at->width, own, at->width, at->fold);
    }
}

/// A node's values out of its parent's, parents before children: theirs are whole still.
static void part_strip(const turning *t, strip *at)
{
    const pj_profile *p = t->from;
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        const double *own = at->values + n * at->width;
        if (p->nodes[n].parent == PJ_NO_ITEM)
            continue;
        take_from_row(at->values + p->nodes[n].parent * at->width, own, at->width);
    }
}

static void add_row(turning *t, uint32_t column, uint32_t item, const strip *at, const double *own)
{
    double *row = pj_build_row(t->build, column, item);
    if (row)
        fold_row(row + at->first, own, at->width, at->fold);
}

static void add_strip(turning *t, uint32_t region, uint32_t edge, const strip *at)
{
    const pj_profile *p = t->from;
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        const double *own = at->values + n * at->width;
        if (at->part == PJ_INCLUSIVE && !t->outermost[n])
            continue;
        add_row(t, region, p->nodes[n].region, at, own);
        if (t->edges[n] != PJ_NO_ITEM)
            add_row(t, edge, t->edges[n], at, own);
    }
}

/// Values of regions and edges that follow from those stored by node.
static void add_made(turning *t, const pj_profile_column *stored, pj_value_part part,
                     pj_arena *arena)
{
    enum { STRIP_CELLS = 64 << 10, LEAST = 8 };
    const pj_profile *p = t->from;
    uint32_t measure = stored->measure;
    size_t all = p->location_count, width = STRIP_CELLS / (p->count[PJ_AT_NODE] + (size_t)1);
    width = width < LEAST ? LEAST : width;
    width = width < all ? width : all;
    strip at = {.stored = stored, .part = part, .fold = p->measures[measure].fold};
    at.values = pj_new_n(arena, double, p->count[PJ_AT_NODE] * width);
    uint32_t region = pj_build_column(t->build, PJ_AT_REGION, part, measure, false);
    uint32_t edge = PJ_NO_ITEM;
    if (t->with_edges)
        edge = pj_build_column(t->build, PJ_AT_EDGE, part, measure, false);
    for (; at.first < all && pj_build_ok(t->build); at.first += at.width) {
        at.width = width < all - at.first ? width : all - at.first;
        copy_strip(t, &at);
        if (part == PJ_INCLUSIVE)
            sum_strip(t, &at);
        else
            part_strip(t, &at);
        add_strip(t, region, edge, &at);
    }
}

static void add_measure(turning *t, uint32_t measure, pj_arena *arena)
{
    const pj_profile *p = t->from;
    const pj_profile_column *own = pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, measure);
    const pj_profile_column *with = pj_profile_find(p, PJ_AT_NODE, PJ_INCLUSIVE, measure);
    bool folds = p->measures[measure].kind != PJ_MEASURE_RATIO;
    bool sums = folds && p->measures[measure].fold == PJ_MEASURE_SUM;
    add_up(t, own, PJ_EXCLUSIVE, false);
    if (with && !own && sums)
        add_made(t, with, PJ_EXCLUSIVE, arena);
    add_up(t, with, PJ_INCLUSIVE, true);
    if (own && !with && folds)
        add_made(t, own, PJ_INCLUSIVE, arena);
}

/// Calls, and those that are not recursive: where nothing is, both are the same.
static void add_calls(turning *t)
{
    const pj_profile *p = t->from;
    const pj_profile_column *calls = pj_profile_find(p, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM);
    bool recursive = false;
    add_up(t, calls, PJ_CALLS, false);
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++)
        recursive = recursive || !t->outermost[n];
    if (recursive || t->with_edges || !calls) {
        add_up(t, calls, PJ_PRIMITIVE_CALLS, true);
        return;
    }
    uint32_t all = pj_build_column(t->build, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, calls->whole),
             primitive = pj_build_column(t->build, PJ_AT_REGION, PJ_PRIMITIVE_CALLS, PJ_NO_ITEM,
                                         calls->whole);
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION] && pj_build_ok(t->build); r++)
        if (pj_build_row(t->build, all, r))
            pj_build_add_cells(t->build, primitive, r, &pj_build_profile(t->build)->columns[all],
                               r);
}

/// `measure` PJ_NO_ITEM: all of them, with edges.
static pj_profile *turn(pj_profile *profile, uint32_t measure, bool with_edges, pj_job *job,
                        pj_err *err)
{
    const pj_profile *p = profile;
    if (p->shape != PJ_SHAPE_TREE)
        return pj_profile_hold(profile);
    pj_auto_arena arena = pj_arena_new(&job->memory_used);
    pj_auto_build build = pj_build_new(p->file_count ? p->files[0] : p->title, job);
    turning t = {.from = p,
                 .build = build,
                 .outermost = pj_profile_outermost(p, arena),
                 .with_edges = with_edges};
    copy_items(&t, arena);
    for (uint32_t m = 0; m < p->measure_count; m++) {
        if (!with_edges && m != measure)
            continue;
        add_measure(&t, m, arena);
    }
    add_calls(&t);
    pj_profile *made = pj_build_profile(build);
    made->shape = PJ_SHAPE_GRAPH;
    made->format = p->format;
    made->title = p->title;
    made->by_line = p->by_line;
    made->tick = p->tick;
    made->command = p->command;
    made->created = p->created;
    made->tool = p->tool;
    made->version = p->version;
    return pj_build_finish(build, err);
}

pj_profile *pj_profile_graph(pj_profile *profile, pj_job *job, pj_err *err)
{
    return turn(profile, PJ_NO_ITEM, true, job, err);
}

pj_profile *pj_profile_by_region(pj_profile *profile, uint32_t measure, pj_job *job, pj_err *err)
{
    return turn(profile, measure, false, job, err);
}
