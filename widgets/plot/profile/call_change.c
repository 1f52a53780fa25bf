// Paths are matched from the root on; what is gone is listed by its highest boxes.
#include "widgets/plot/profile/call_change.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/change_scale.h"
#include "widgets/plot/profile/profile_view.h"

#include <math.h>
#include <stdlib.h>

static const pj_colour noise = 0xd9dde3ff;
static const double deviations = 2;

// ---- matching

typedef struct matching {
    const pj_call_tree *now, *then;
    pj_buckets places; // boxes of then
    uint32_t *to;      // by box of now: box of then
    bool *taken;       // by box of then
} matching;

static uint32_t hash_of(const pj_call_tree *tree, uint32_t box, uint32_t parent)
{
    const pj_call_box *b = &tree->boxes[box];
    uint64_t above = (uint64_t)parent << 1 | b->self;
    if (b->region == PJ_NO_ITEM)
        return pj_buckets_hash(above, b->others);
    uint64_t name = pj_fingerprint_of(pj_profile_name(tree->profile, b->region));
    uint64_t module = pj_fingerprint_of(pj_function_module(tree->profile, b->region));
    return pj_buckets_hash(name ^ above * 31, module);
}

static bool is_same(const matching *m, uint32_t now, uint32_t then, bool line)
{
    const pj_call_box *a = &m->now->boxes[now], *b = &m->then->boxes[then];
    const pj_profile *p = m->now->profile, *q = m->then->profile;
    if (a->self != b->self || a->region == PJ_NO_ITEM || b->region == PJ_NO_ITEM)
        return false;
    return (!line || p->regions[a->region].line == q->regions[b->region].line) &&
           pj_str_equal(pj_profile_name(p, a->region), pj_profile_name(q, b->region)) &&
           pj_str_equal(pj_function_module(p, a->region), pj_function_module(q, b->region));
}

/// Below the match of its parent; first by line, then without.
static uint32_t find(const matching *m, uint32_t box, uint32_t above)
{
    uint32_t hash = hash_of(m->now, box, above);
    for (unsigned line = 2; line-- > 0;) {
        size_t place = hash;
        for (uint32_t at; (at = pj_buckets_next(&m->places, hash, &place)) != PJ_NO_ITEM;)
            if (!m->taken[at] && m->then->boxes[at].parent == above &&
                is_same(m, box, at, line == 1))
                return at;
    }
    return PJ_NO_ITEM;
}

static void match(matching *m, pj_arena *arena)
{
    m->to = pj_new_n(arena, uint32_t, m->now->count);
    m->taken = pj_new_n(arena, bool, m->then->count);
    for (uint32_t i = 1; i < m->then->count; i++)
        pj_buckets_put(&m->places, hash_of(m->then, i, m->then->boxes[i].parent), i);
    for (uint32_t i = 1; i < m->now->count; i++) { // the roots are one
        uint32_t above = m->to[m->now->boxes[i].parent];
        m->to[i] = above == PJ_NO_ITEM ? PJ_NO_ITEM : find(m, i, above);
        if (m->to[i] != PJ_NO_ITEM)
            m->taken[m->to[i]] = true;
    }
    m->taken[0] = true;
    pj_buckets_free(&m->places);
}

// ---- what is gone

typedef struct lost {
    double value;
    uint32_t box;
} lost;

static int by_value(const void *a, const void *b)
{
    const lost *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return x->box < y->box ? -1 : x->box > y->box;
}

/// The highest boxes of paths that are no longer there.
static const char *list_gone(const pj_call_change *c, const matching *m, double factor)
{
    enum { LISTED = 6 };
    pj_arena *arena = c->view->arena;
    lost *all = pj_new_n(arena, lost, m->then->count);
    size_t count = 0;
    for (uint32_t i = 1; i < m->then->count; i++) {
        const pj_call_box *box = &m->then->boxes[i];
        if (!m->taken[i] && m->taken[box->parent] && !box->self && box->region != PJ_NO_ITEM)
            all[count++] = (lost){box->value * factor, i};
    }
    qsort(all, count, sizeof *all, by_value);
    pj_auto_buf text = {0};
    for (size_t i = 0; i < count && i < LISTED; i++)
        pj_buf_addf(&text, "%s%s %s", i ? ", " : "",
                    pj_function_short(m->then->profile, m->then->boxes[all[i].box].region, arena),
                    pj_profile_view_amount(c->view, all[i].value));
    if (count > LISTED)
        pj_buf_addf(&text, " and %zu more", count - LISTED);
    return text.len ? pj_arena_text(arena, pj_buf_str(&text)) : "";
}

// ---- the whole

static bool is_samples(const pj_profile_view *view)
{
    const pj_measure *measure = &view->profile->measures[view->measure];
    return measure->kind == PJ_MEASURE_COUNT &&
           (strcmp(measure->key, "samples") == 0 || strcmp(measure->key, "hits") == 0);
}

static double change_of(const pj_call_change *c, uint32_t box)
{
    double before = c->before[box];
    return c->tree->boxes[box].value - (isnan(before) ? 0 : before);
}

bool pj_call_change_is_noise(const pj_call_change *c, uint32_t box)
{
    double before = isnan(c->before[box]) ? 0 : c->before[box];
    double spread = sqrt(fmax(c->tree->boxes[box].value + before, 0));
    return c->counts && fabs(change_of(c, box)) < deviations * spread;
}

static void take_values(pj_call_change *c, const matching *m, double factor)
{
    c->before = pj_new_n(c->view->arena, double, c->tree->count);
    for (uint32_t i = 0; i < c->tree->count; i++) {
        c->before[i] = m->to[i] == PJ_NO_ITEM ? NAN : m->then->boxes[m->to[i]].value * factor;
        if (c->tree->boxes[i].region != PJ_NO_ITEM || i == 0)
            c->most = fmax(c->most, fabs(change_of(c, i)));
    }
}

pj_call_change *pj_call_change_new(const pj_profile_view *view, const pj_call_tree *tree,
                                   pj_arena *arena, pj_err *err)
{
    const pj_profile_opts *opts = &view->opts;
    pj_profile_opts of_before = *opts;
    pj_profile_view *then = pj_new(arena, pj_profile_view);
    if (!of_before.measure)
        of_before.measure = view->profile->measures[view->measure].key;
    if (!pj_profile_view_new(opts->before, of_before, arena, then, err))
        return NULL;
    pj_call_tree_opts how = {.root = pj_str_of(opts->root),
                             .reverse = opts->reverse,
                             .depth = tree->depth,
                             .cutoff = opts->cutoff,
                             .least = 1e-5}; // what is large now may have been small
    const pj_call_tree *old = pj_call_tree_new(then->sums, how, arena, err);
    if (!old)
        return NULL;
    pj_call_change *c = pj_new(arena, pj_call_change);
    *c = (pj_call_change){.view = view,
                          .tree = tree,
                          .scaled = opts->normalise,
                          .counts = is_samples(view),
                          .named = pj_profile_view_against(view, then->profile, then->name)};
    double factor =
        opts->normalise && old->boxes[0].value > 0 ? tree->boxes[0].value / old->boxes[0].value : 1;
    c->whole = old->boxes[0].value * factor;
    matching m = {.now = tree, .then = old};
    match(&m, arena);
    take_values(c, &m, factor);
    c->gone = list_gone(c, &m, factor);
    return c;
}

// ---- what is shown

pj_colour pj_call_change_colour(const pj_call_change *change, uint32_t box)
{
    double by = change_of(change, box);
    if (pj_change_is_seen(by, change->most) && pj_call_change_is_noise(change, box))
        return noise;
    return pj_change_colour(by, change->most);
}

const char *pj_call_change_text(const pj_call_change *change, uint32_t box, bool wide)
{
    double before = change->before[box], now = change->tree->boxes[box].value;
    if (!wide)
        return pj_change_text(change->view, before, now, change->most);
    return pj_arena_format(
        change->view->arena, "%s%s", pj_change_sentence(change->view, before, now),
        pj_call_change_is_noise(change, box) ? ", within the noise of sampling" : "");
}

size_t pj_call_change_keys(const pj_call_change *change, pj_chart_key keys[PJ_CALL_CHANGE_KEYS])
{
    size_t count = PJ_CHANGE_KEYS;
    pj_change_keys(change->view, change->most, keys);
    if (change->counts)
        keys[count++] = (pj_chart_key){"Within the noise of sampling", noise};
    return count;
}

const char *pj_call_change_said(const pj_call_change *change)
{
    double now = change->tree->boxes[0].value;
    if (!change->scaled && change->whole > 0)
        return pj_change_sentence(change->view, change->whole, now);
    return pj_arena_format(change->view->arena, "%s%s", pj_profile_view_amount(change->view, now),
                           change->scaled ? "; the profile of before is scaled to the same total"
                                          : "");
}
