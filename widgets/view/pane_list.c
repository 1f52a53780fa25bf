// Rows of call paths are those of a walk over the open ones.
#include "widgets/view/pane_list.h"

#include "metrics/base/str.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/location_values.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/figure/figure.h"
#include "widgets/view/pane.h"

#include <math.h>
#include <stdlib.h>

static const pj_colour strong[PJ_FAMILY_COUNT] = {
    [PJ_FAMILY_WORK] = 0x2a6db0ff, [PJ_FAMILY_BUILTIN] = 0x66707dff, [PJ_FAMILY_WAIT] = 0xdd7a12ff};
static const pj_colour neutral = 0x2a6db0ff;

static unsigned metric_depth(const pj_profile *p, uint32_t m)
{
    unsigned depth = 0;
    for (; p->measures[m].above && depth < 16; m = p->measures[m].above - 1)
        depth++;
    return depth;
}

void pj_pane_list_metrics(const pj_pane_state *s, pj_pane_rows *r, pj_arena *arena)
{
    const pj_profile *p = s->profile;
    for (uint32_t m = 0; m <= p->measure_count; m++) {
        bool calls = m == p->measure_count;
        if ((calls && isnan(s->totals[m])) || (!calls && !pj_pane_state_is_metric(p, m)))
            continue;
        pj_pane_amount one = pj_pane_amount_of(p, calls ? PJ_NO_ITEM : m);
        pj_pane_amount_fit(&one, &s->totals[m], 1);
        const char *value = pj_arena_format(
            arena, "%s %s", pj_pane_amount_text(&one, s->totals[m], arena), one.unit);
        pj_pane_rows_add(
            r,
            (pj_pane_row){.item = calls ? PJ_NO_ITEM : m,
                          .depth = calls ? 0 : metric_depth(p, m),
                          .value = value,
                          .name = calls ? "Calls" : p->measures[m].title,
                          .tip = calls ? "Calls, visits" : p->measures[m].key,
                          .part = 0,
                          .colour = neutral,
                          .chosen = s->chosen[PJ_PANE_METRICS] == (calls ? PJ_NO_ITEM : m)},
            s->totals[m]);
    }
    pj_pane_rows_align(r, arena);
}

static const char *item_tip(const pj_pane_state *s, uint32_t item, pj_arena *arena)
{
    const pj_profile *p = pj_pane_state_items(s);
    uint32_t region = pj_pane_state_region(s, item);
    const char *place = pj_function_place(p, region, arena);
    return pj_arena_format(arena, PJ_STR_FMT "%s%s", PJ_STR_ARG(pj_profile_name(p, region)),
                           *place ? ", " : "", place);
}

/// Shut: with what lies below; open: its own.
static void add_item(const pj_pane_state *s, pj_pane_rows *r, uint32_t item, unsigned depth,
                     bool holds, pj_arena *arena)
{
    bool open = holds && s->open_items[item];
    uint32_t region = pj_pane_state_region(s, item);
    pj_pane_rows_add(
        r,
        (pj_pane_row){.item = item,
                      .depth = depth,
                      .holds = holds,
                      .open = open,
                      .name = pj_pane_state_item_name(s, item, arena),
                      .tip = item_tip(s, item, arena),
                      .colour = strong[pj_function_family_of(pj_pane_state_items(s), region)],
                      .wanted = pj_pane_state_is_wanted(s, region),
                      .chosen = pj_pane_state_has(s, PJ_PANE_ITEMS, item)},
        pj_location_value(&s->values, item, PJ_NO_ITEM, !open && s->values.paths));
}

static void add_paths(const pj_pane_state *s, pj_pane_rows *r, pj_arena *arena)
{
    const pj_profile *p = pj_pane_state_items(s);
    uint32_t nodes = p->count[PJ_AT_NODE], *first = pj_new_n(arena, uint32_t, nodes + (size_t)1);
    uint32_t *next = pj_new_n(arena, uint32_t, nodes + (size_t)1), roots = PJ_NO_ITEM, count = 0;
    for (uint32_t n = 0; n < nodes; n++)
        first[n] = PJ_NO_ITEM;
    for (uint32_t n = nodes; n-- > 0;) {
        uint32_t *to = p->nodes[n].parent == PJ_NO_ITEM ? &roots : &first[p->nodes[n].parent];
        next[n] = *to;
        *to = n;
        count += p->nodes[n].parent == PJ_NO_ITEM;
    }
    unsigned shift = count > 1;
    for (uint32_t n = roots; n != PJ_NO_ITEM && r->count < PJ_PANE_ROWS_MOST;) {
        add_item(s, r, n, p->nodes[n].depth + shift, first[n] != PJ_NO_ITEM, arena);
        if (first[n] != PJ_NO_ITEM && s->open_items[n]) {
            n = first[n];
            continue;
        }
        while (n != PJ_NO_ITEM && next[n] == PJ_NO_ITEM)
            n = p->nodes[n].parent;
        n = n == PJ_NO_ITEM ? PJ_NO_ITEM : next[n];
    }
}

typedef struct sized {
    double value;
    uint32_t item;
} sized;

static int by_value(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

/// By their own values, the largest first.
static void add_functions(const pj_pane_state *s, pj_pane_rows *r, pj_arena *arena)
{
    uint32_t count = pj_pane_state_item_count(s);
    sized *list = pj_new_n(arena, sized, count + (size_t)1);
    for (uint32_t i = 0; i < count; i++) {
        double value = pj_location_value(&s->values, i, PJ_NO_ITEM, false);
        list[i] = (sized){isnan(value) ? -INFINITY : value, i};
    }
    qsort(list, count, sizeof *list, by_value);
    for (uint32_t i = 0; i < count && r->count < PJ_PANE_ROWS_MOST; i++)
        if (isfinite(list[i].value))
            add_item(s, r, list[i].item, 1, false, arena);
}

void pj_pane_list_items(const pj_pane_state *s, pj_pane_rows *r, pj_arena *arena)
{
    if (pj_pane_state_roots(s) != 1)
        pj_pane_rows_add(r,
                         (pj_pane_row){.item = PJ_NO_ITEM,
                                       .holds = s->values.paths,
                                       .open = s->values.paths,
                                       .name = s->values.paths ? "all call paths" : "all functions",
                                       .tip = "Everything",
                                       .colour = neutral,
                                       .chosen = pj_pane_state_has(s, PJ_PANE_ITEMS, PJ_NO_ITEM)},
                         s->values.total);
    if (s->values.paths)
        add_paths(s, r, arena);
    else
        add_functions(s, r, arena);
}

pj_pane_amount pj_pane_list_amount(const pj_pane_state *s)
{
    pj_pane_amount how = pj_pane_state_amount(s, s->values.total);
    how.ranks = (double)pj_profile_rank_count(s->profile);
    return how;
}

static void add_place(const pj_pane_state *s, pj_pane_rows *r, uint32_t k, uint32_t end,
                      pj_arena *arena)
{
    bool holds = end - k > 1, open = holds && s->open_places[k];
    double value = open ? 0 : NAN;
    for (uint32_t i = k; !open && i < end; i++)
        value = pj_location_values_fold(&s->values, value, pj_pane_state_place_value(s, i));
    pj_pane_row row = {.item = k,
                       .depth = 1,
                       .holds = holds,
                       .open = open,
                       .name = pj_pane_state_place_name(s, k, true, arena),
                       .colour = neutral,
                       .chosen = pj_pane_state_has(s, PJ_PANE_PLACES, k)};
    row.tip = isnan(value) ? "it has nothing of it" : row.name;
    pj_pane_rows_add(r, row, value);
    for (uint32_t i = k; open && i < end; i++)
        pj_pane_rows_add(r,
                         (pj_pane_row){.item = s->profile->location_count + i,
                                       .depth = 2,
                                       .name = pj_pane_state_place_name(s, i, false, arena),
                                       .tip = "A thread",
                                       .colour = neutral,
                                       .chosen = pj_pane_state_has(s, PJ_PANE_PLACES,
                                                                   s->profile->location_count + i)},
                         pj_pane_state_place_value(s, i));
}

void pj_pane_list_places(const pj_pane_state *s, double whole, pj_pane_rows *r, pj_arena *arena)
{
    pj_pane_rows_add(r,
                     (pj_pane_row){.item = PJ_NO_ITEM,
                                   .holds = true,
                                   .open = s->open_all,
                                   .name = "all ranks",
                                   .tip = "All ranks and threads",
                                   .colour = neutral,
                                   .chosen = pj_pane_state_has(s, PJ_PANE_PLACES, PJ_NO_ITEM)},
                     s->open_all ? 0 : whole);
    for (uint32_t k = 0; s->open_all && k < s->profile->location_count;) {
        uint32_t end = pj_pane_state_rank_end(s, k);
        add_place(s, r, k, end, arena);
        k = end;
    }
}
