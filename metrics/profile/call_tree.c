// Boxes are made row by row, so that children stand together behind their parents. In SnakeViz a
// box is as wide as the leaves below it: what the cut-off drops makes all boxes above narrower.
#include "metrics/profile/call_tree.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

#include <stdlib.h>

enum { BOXES_MOST = 1 << 21, VISITS_MOST = 1 << 27 };
static const double usual_cutoff = 1e-3, usual_least = 1 / 20000.0;
static const double tolerance = 5e-3; // what is shared out by less counts as known

/// Nodes of a tree that a box stands for: members[first] and on.
typedef struct member {
    uint32_t node, region, parameters, index;
    double value;
} member;

typedef struct members {
    member *at;
    size_t count, cap;
} members;

typedef struct growth {
    const pj_profile_sums *s;
    const pj_profile *p;
    pj_call_tree_opts opts;
    bool tree, rooted;
    pj_call_box *boxes;
    size_t count, cap;
    members sets;      // of all boxes
    size_t *set_first; // of a box in `sets`, and of the next one
    size_t set_cap;
    members found;     // of the box that is being looked into
    uint32_t *on_path; // by region: 1 + the last box below which it was on the path
    double least;      // value
    uint64_t visits, left_out;
    uint32_t top;    // the box that is looked at, as soon as it is known
    uint32_t others; // of the box that is being looked into
    double others_value;
} growth;

static void add_member(members *to, member is)
{
    pj_grow(to->at, &to->cap, to->count + 1);
    is.index = (uint32_t)to->count;
    to->at[to->count++] = is;
}

static pj_call_box *add_box(growth *g, pj_call_box box)
{
    pj_grow(g->boxes, &g->cap, g->count + 1);
    pj_grow(g->set_first, &g->set_cap, g->count + 2);
    g->boxes[g->count] = box;
    g->set_first[g->count] = g->set_first[g->count + 1] = g->sets.count;
    return &g->boxes[g->count++];
}

static void keep_member(growth *g, member is)
{
    add_member(&g->sets, is);
    g->set_first[g->count] = g->sets.count;
}

/// Whether a box is one of those that the path leads through, or its end.
static bool is_on_way(const growth *g, const pj_call_box *box)
{
    return !box->self && box->depth < g->opts.path_count && box->region == g->opts.path[box->depth];
}

/// A child whose value is known: a box of its own, dropped, or one of many small ones. The parent's
/// own pointer is stale afterwards.
static bool add_child(growth *g, uint32_t parent, pj_call_box child)
{
    pj_call_box *above = &g->boxes[parent];
    child.parent = parent;
    child.depth = above->depth + 1;
    bool kept = is_on_way(g, &child);
    if (!kept && !child.self && !(child.value > g->opts.cutoff * above->value)) {
        g->left_out++;
        return false;
    }
    if ((!kept && child.value < g->least) || g->count >= BOXES_MOST) {
        g->others += !child.self;
        g->others_value += child.value;
        return false;
    }
    above->count++;
    add_box(g, child);
    return true;
}

/// What many small ones take together.
static void add_others(growth *g, uint32_t parent)
{
    if (g->others_value > 0) {
        g->boxes[parent].count++;
        add_box(g, (pj_call_box){.region = PJ_NO_ITEM,
                                 .node = PJ_NO_ITEM,
                                 .edge = PJ_NO_ITEM,
                                 .parent = parent,
                                 .depth = g->boxes[parent].depth + 1,
                                 .value = g->others_value,
                                 .others = g->others});
    }
    g->left_out += g->others;
    g->others = 0;
    g->others_value = 0;
}

static void add_self(growth *g, uint32_t parent, double value, bool estimated)
{
    pj_call_box self = g->boxes[parent];
    self.first = self.count = 0;
    self.value = value;
    self.self = true;
    self.estimated = estimated;
    if (value > 0)
        add_child(g, parent, self);
}

// ---- graphs

/// Marks the functions above and including a box.
static void mark_path(growth *g, uint32_t box)
{
    for (uint32_t at = box; at != PJ_NO_ITEM; at = g->boxes[at].parent)
        if (g->boxes[at].region != PJ_NO_ITEM)
            g->on_path[g->boxes[at].region] = box + 1;
}

/// Of an edge as seen from a box: of callers of a function that is looked at for its own time, that
/// time is shared out.
static double edge_value(const growth *g, const pj_call_box *box, uint32_t edge)
{
    bool own = g->opts.reverse && !g->rooted && box->depth == 1;
    return pj_profile_sums_size((own ? g->s->edges.exclusive : g->s->edges.inclusive)[edge]);
}

static uint32_t other_end(const growth *g, uint32_t edge)
{
    return g->opts.reverse ? g->s->edge[edge].caller : g->s->edge[edge].callee;
}

typedef struct sharing {
    double sum, scale;
    uint32_t shares; // functions among which it is shared out
    bool cycle;      // one of its callees is on the path, too
} sharing;

static sharing share_out(const growth *g, uint32_t at, const uint32_t *edges, uint32_t count)
{
    const pj_call_box *box = &g->boxes[at];
    sharing is = {.scale = 1};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t end = other_end(g, edges[k]);
        double value = edge_value(g, box, edges[k]);
        bool on_path = g->on_path[end] == at + 1;
        is.cycle |= on_path && end != box->region && value > 0;
        is.sum += on_path ? 0 : value;
        is.shares += !on_path && value > 0;
    }
    double whole = box->value;
    if (g->opts.reverse && (g->rooted || box->depth > 1))
        whole = pj_profile_sums_size(g->s->regions.inclusive[box->region]);
    if (is.sum > whole || (g->opts.reverse && whole > box->value))
        is.scale = box->value / fmax(is.sum, whole);
    return is;
}

static bool same(double a, double b)
{
    return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

/// Whether the values of the callees of a box are those of this path: all of the function's time
/// is.
static bool is_guessed(const growth *g, const pj_call_box *box, sharing is)
{
    if (g->opts.reverse)
        return box->estimated || (box->depth > (g->rooted ? 0 : 1) && is.shares > 1);
    return box->estimated || !same(is.scale, 1) ||
           !same(box->value, g->s->regions.inclusive[box->region]);
}

static void look_into_graph(growth *g, uint32_t at)
{
    const pj_profile_sums_list *list = g->opts.reverse ? &g->s->callers : &g->s->callees;
    pj_call_box box = g->boxes[at];
    const uint32_t *edges = &list->items[list->first[box.region]];
    uint32_t count = list->first[box.region + 1] - list->first[box.region];
    g->visits += count;
    if (count == 0 || g->visits > VISITS_MOST)
        return;
    mark_path(g, at);
    sharing is = share_out(g, at, edges, count);
    bool guessed = is_guessed(g, &box, is);
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t end = other_end(g, edges[k]);
        double value = edge_value(g, &box, edges[k]) * is.scale;
        if (g->on_path[end] == at + 1 || value <= 0)
            continue;
        sum += value;
        add_child(g, at,
                  (pj_call_box){.region = end,
                                .node = PJ_NO_ITEM,
                                .edge = edges[k],
                                .value = value,
                                .estimated = guessed});
    }
    add_self(g, at, box.value - sum, guessed || is.cycle);
    add_others(g, at);
}

/// The functions by their own time, below the first box of a reversed graph.
static void look_into_all(growth *g, uint32_t at)
{
    for (uint32_t r = 0; r < g->p->count[PJ_AT_REGION]; r++) {
        double value = pj_profile_sums_size(g->s->regions.exclusive[r]);
        if (value > 0)
            add_child(
                g, at,
                (pj_call_box){.region = r, .node = PJ_NO_ITEM, .edge = PJ_NO_ITEM, .value = value});
    }
    add_others(g, at);
}

/// Functions that are neither called nor call are none of SnakeViz's.
static bool is_linked(const pj_profile_sums *s, uint32_t region, bool *called)
{
    *called = s->callers.first[region + 1] > s->callers.first[region];
    return *called || s->callees.first[region + 1] > s->callees.first[region];
}

static uint32_t root_of_graph(const pj_profile_sums *s)
{
    uint32_t only = PJ_NO_ITEM, largest = PJ_NO_ITEM, roots = 0;
    const double *inclusive = s->regions.inclusive;
    for (uint32_t r = 0; r < s->profile->count[PJ_AT_REGION]; r++) {
        bool called;
        if (!is_linked(s, r, &called))
            continue;
        if (!called) {
            roots++;
            only = r;
        }
        if (largest == PJ_NO_ITEM ||
            pj_profile_sums_size(inclusive[r]) > pj_profile_sums_size(inclusive[largest]))
            largest = r;
    }
    return roots == 1 && inclusive[only] > 0 ? only : largest;
}

// ---- trees

static int by_key(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    if (x->parameters != y->parameters)
        return x->parameters < y->parameters ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_of(const member *a, const member *b)
{
    return a->region == b->region && a->parameters == b->parameters;
}

/// The nodes below (or above) those of a box.
static void find_members(growth *g, uint32_t at)
{
    const pj_profile_sums_list *children = &g->s->children;
    g->found.count = 0;
    for (size_t k = g->set_first[at]; k < g->set_first[at + 1]; k++) {
        member of = g->sets.at[k];
        uint32_t parent = g->p->nodes[of.node].parent;
        if (g->opts.reverse && parent != PJ_NO_ITEM)
            add_member(
                &g->found,
                (member){.node = parent, .region = g->p->nodes[parent].region, .value = of.value});
        for (uint32_t i = children->first[of.node];
             !g->opts.reverse && i < children->first[of.node + 1]; i++) {
            uint32_t node = children->items[i];
            add_member(&g->found,
                       (member){.node = node,
                                .region = g->p->nodes[node].region,
                                .parameters = g->p->nodes[node].parameters,
                                .value = pj_profile_sums_size(g->s->nodes.inclusive[node])});
        }
    }
}

static double value_of(const member *of, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += of[i].value;
    return sum;
}

/// A box of each group of what was found, in the order of their first ones.
static void add_groups(growth *g, uint32_t at, double scale)
{
    member *found = g->found.at;
    size_t count = g->found.count, next;
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && is_of(&found[i], &found[next]);)
            next++;
        bool kept = add_child(g, at,
                              (pj_call_box){.region = found[i].region,
                                            .node = found[i].node,
                                            .edge = PJ_NO_ITEM,
                                            .value = value_of(&found[i], next - i) * scale});
        for (size_t k = i; kept && k < next; k++)
            keep_member(g, found[k]);
    }
}

static void look_into_tree(growth *g, uint32_t at)
{
    find_members(g, at);
    g->visits += g->found.count;
    if (g->visits > VISITS_MOST)
        return;
    if (g->set_first[at + 1] - g->set_first[at] > 1 || at == 0)
        qsort(g->found.at, g->found.count, sizeof *g->found.at, by_key);
    double value = g->boxes[at].value, sum = value_of(g->found.at, g->found.count);
    add_groups(g, at, sum > value ? value / sum : 1);
    if (g->found.count)
        add_self(g, at, value - sum, false);
    add_others(g, at);
}

static void take_all_roots(growth *g)
{
    const pj_profile_sums *s = g->s;
    uint32_t nodes = g->p->count[PJ_AT_NODE];
    g->found.count = 0;
    for (uint32_t i = s->children.first[nodes]; i < s->children.first[nodes + 1]; i++) {
        uint32_t node = s->children.items[i];
        add_member(&g->found, (member){.node = node,
                                       .region = g->p->nodes[node].region,
                                       .parameters = g->p->nodes[node].parameters,
                                       .value = pj_profile_sums_size(s->nodes.inclusive[node])});
    }
}

static void take_all_nodes(growth *g)
{
    g->found.count = 0;
    for (uint32_t n = 0; n < g->p->count[PJ_AT_NODE]; n++)
        if (g->s->nodes.exclusive[n] > 0)
            add_member(&g->found, (member){.node = n,
                                           .region = g->p->nodes[n].region,
                                           .value = g->s->nodes.exclusive[n]});
}

/// The outermost nodes of a region.
static void take_nodes_of(growth *g, uint32_t region)
{
    uint32_t count = g->p->count[PJ_AT_NODE];
    bool *inside = pj_take_memory(count + (size_t)1);
    g->found.count = 0;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t parent = g->p->nodes[n].parent;
        bool below = parent != PJ_NO_ITEM && inside[parent];
        inside[n] = below || g->p->nodes[n].region == region;
        if (inside[n] && !below)
            add_member(&g->found,
                       (member){.node = n,
                                .region = region,
                                .value = pj_profile_sums_size(g->s->nodes.inclusive[n])});
    }
    free(inside);
}

// ---- the first box

static void begin_graph(growth *g, uint32_t root)
{
    if (root == PJ_NO_ITEM && !g->opts.reverse)
        root = root_of_graph(g->s);
    g->rooted = root != PJ_NO_ITEM;
    double value = g->rooted ? pj_profile_sums_size(g->s->regions.inclusive[root]) : 0;
    for (uint32_t r = 0; !g->rooted && r < g->p->count[PJ_AT_REGION]; r++)
        value += pj_profile_sums_size(g->s->regions.exclusive[r]);
    add_box(g, (pj_call_box){.region = root,
                             .node = PJ_NO_ITEM,
                             .edge = PJ_NO_ITEM,
                             .parent = PJ_NO_ITEM,
                             .value = value});
}

/// One root is the first box itself; above several there is a box of the whole.
static void begin_tree(growth *g, uint32_t root)
{
    g->rooted = root != PJ_NO_ITEM;
    if (g->rooted)
        take_nodes_of(g, root);
    else if (g->opts.reverse)
        take_all_nodes(g);
    else
        take_all_roots(g);
    bool one = g->rooted || (!g->opts.reverse && g->found.count == 1);
    uint32_t region = one && g->found.count ? g->found.at[0].region : PJ_NO_ITEM;
    add_box(g, (pj_call_box){.region = region,
                             .node = one && g->found.count ? g->found.at[0].node : PJ_NO_ITEM,
                             .edge = PJ_NO_ITEM,
                             .parent = PJ_NO_ITEM,
                             .value = value_of(g->found.at, g->found.count)});
    g->least = g->boxes[0].value * g->opts.least;
    for (size_t k = 0; one && k < g->found.count; k++)
        keep_member(g, g->found.at[k]);
    if (one)
        return;
    qsort(g->found.at, g->found.count, sizeof *g->found.at, by_key);
    add_groups(g, 0, 1);
    add_others(g, 0);
}

static uint32_t last_of_way(const growth *g)
{
    return g->opts.path_count ? g->opts.path_count - 1 : 0;
}

/// False for what lies beside the way; its end is the whole of what lies below it.
static bool follow_way(growth *g, uint32_t at)
{
    const pj_call_box *box = &g->boxes[at];
    if (box->depth >= g->opts.path_count)
        return true;
    if (!is_on_way(g, box))
        return false;
    if (box->depth + 1 == g->opts.path_count) {
        g->top = at;
        g->least = box->value * g->opts.least;
    }
    return true;
}

static void grow(growth *g, uint32_t root)
{
    if (g->tree)
        begin_tree(g, root);
    else
        begin_graph(g, root);
    g->least = g->boxes[0].value * g->opts.least;
    for (uint32_t at = 0; at < g->count; at++) {
        pj_call_box *box = &g->boxes[at];
        if (!follow_way(g, at))
            continue;
        bool known = box->region != PJ_NO_ITEM;
        box->first = box->count ? box->first : (uint32_t)g->count;
        if (at == 0 && g->count > 1)
            box->first = 1; // its children are there
        else if (box->self || (at > 0 && !known) || !(box->value > 0))
            continue; // nothing is below what stands for a rest
        else if (box->depth >= g->opts.depth + last_of_way(g))
            box->more = true;
        else if (g->tree)
            look_into_tree(g, at);
        else if (known)
            look_into_graph(g, at);
        else
            look_into_all(g, at);
    }
}

// ---- widths

typedef struct place {
    uint32_t box;
    double size;
} place;

static int larger_first(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->box < y->box ? -1 : x->box > y->box;
}

static void set_sizes(pj_call_tree *t)
{
    for (uint32_t i = t->count; i-- > 0;) {
        pj_call_box *box = &t->boxes[i];
        if (box->count == 0)
            box->size = box->value;
        if (box->parent != PJ_NO_ITEM)
            t->boxes[box->parent].size += box->size;
    }
}

static void set_order(pj_call_tree *t, pj_arena *arena)
{
    t->order = pj_new_n(arena, uint32_t, t->count);
    place *places = pj_new_n(arena, place, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        const pj_call_box *box = &t->boxes[i];
        for (uint32_t k = 0; k < box->count; k++)
            places[k] = (place){box->first + k, t->boxes[box->first + k].size};
        qsort(places, box->count, sizeof *places, larger_first);
        double start = box->start;
        for (uint32_t k = 0; k < box->count; k++) {
            t->order[box->first + k] = places[k].box;
            t->boxes[places[k].box].start = start;
            start += places[k].size;
        }
    }
    double whole = t->boxes[t->top].size, left = t->boxes[t->top].start;
    for (uint32_t i = t->count; i-- > 0;) {
        pj_call_box *box = &t->boxes[i];
        box->start = (box->start - left) / whole;
        box->size /= whole;
    }
}

static pj_call_tree *finish(growth *g, pj_arena *arena)
{
    pj_call_tree *t = pj_new(arena, pj_call_tree);
    *t = (pj_call_tree){.profile = g->p,
                        .sums = g->s,
                        .count = (uint32_t)g->count,
                        .top = g->top,
                        .reversed = g->opts.reverse,
                        .left_out = g->left_out};
    t->boxes = pj_new_n(arena, pj_call_box, g->count);
    memcpy(t->boxes, g->boxes, g->count * sizeof *t->boxes);
    for (uint32_t i = 0; i < t->count; i++) {
        t->depth = t->boxes[i].depth > t->depth ? t->boxes[i].depth : t->depth;
        t->estimated |= t->boxes[i].estimated;
    }
    set_sizes(t);
    set_order(t, arena);
    return t;
}

static void free_growth(growth *g)
{
    free(g->boxes);
    free(g->sets.at);
    free(g->set_first);
    free(g->found.at);
}

// ---- the whole

static bool has_paths(const pj_profile_sums *s, pj_err *err)
{
    const pj_profile *p = s->profile;
    if (p->count[PJ_AT_NODE] == 0 && s->edge_count == 0)
        return pj_profile_sums_lack_paths(s, err);
    return pj_profile_sums_total(s) > 0 ||
           pj_fail(err, PJ_E_MISSING, p->file_count ? p->files[0] : NULL, 0,
                   "holds no time to draw");
}

static pj_call_tree_opts completed(pj_call_tree_opts opts, bool tree)
{
    opts.depth = opts.depth ? opts.depth : tree ? PJ_CALL_TREE_DEPTH : PJ_CALL_DEPTH;
    opts.depth = opts.depth < PJ_CALL_DEPTH_MOST ? opts.depth : PJ_CALL_DEPTH_MOST;
    opts.cutoff = opts.cutoff > 0 ? opts.cutoff : opts.cutoff < 0 || tree ? 0 : usual_cutoff;
    opts.least = opts.least > 0 ? opts.least : usual_least;
    return opts;
}

pj_call_tree *pj_call_tree_new(const pj_profile_sums *sums, pj_call_tree_opts opts, pj_arena *arena,
                               pj_err *err)
{
    const pj_profile *p = sums->profile;
    uint32_t root = PJ_NO_ITEM;
    if (!has_paths(sums, err))
        return NULL;
    if (opts.root.len &&
        (root = pj_function_find(p, opts.root, sums->regions.inclusive, err)) == PJ_NO_ITEM)
        return NULL;
    growth g = {.s = sums, .p = p, .tree = p->count[PJ_AT_NODE] > 0};
    g.opts = completed(opts, g.tree);
    g.on_path = pj_new_n(arena, uint32_t, p->count[PJ_AT_REGION] + (size_t)1);
    grow(&g, root);
    pj_call_tree *tree = NULL;
    if (g.boxes[0].value > 0)
        tree = finish(&g, arena);
    else
        pj_fail(err, PJ_E_MISSING, NULL, 0, "there is no time in %s",
                root == PJ_NO_ITEM ? "the profile" : pj_function_short(p, root, arena));
    free_growth(&g);
    return tree;
}

uint32_t *pj_call_tree_preorder(const pj_call_tree *tree, pj_arena *arena)
{
    uint32_t *out = pj_new_n(arena, uint32_t, tree->count);
    uint32_t *stack = pj_new_n(arena, uint32_t, tree->count);
    size_t waiting = 0, done = 0;
    stack[waiting++] = 0;
    while (waiting) {
        const pj_call_box *box = &tree->boxes[out[done++] = stack[--waiting]];
        for (uint32_t k = box->count; k-- > 0;)
            stack[waiting++] = box->first + k;
    }
    return out;
}
