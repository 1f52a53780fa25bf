// Values are made anew when the metric or the kind of items changes.
#include "widgets/view/pane_state.h"

#include "metrics/base/str.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile_names.h"
#include "metrics/profile/profile_sums.h"

#include <math.h>
#include <string.h>
#include <strings.h>

bool pj_pane_state_has(const pj_pane_state *s, size_t pane, uint32_t item)
{
    const pj_pane_choice *c = &s->sets[pane];
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i] == item)
            return true;
    return c->count == 0 && s->chosen[pane] == item;
}

void pj_pane_state_toggle(pj_pane_state *s, size_t pane, uint32_t item)
{
    pj_pane_choice *c = &s->sets[pane];
    if (c->count == 0 && s->chosen[pane] != PJ_NO_ITEM)
        c->items[c->count++] = s->chosen[pane];
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i] == item) {
            memmove(c->items + i, c->items + i + 1, (--c->count - i) * sizeof *c->items);
            s->chosen[pane] = c->count ? c->items[c->count - 1] : PJ_NO_ITEM;
            return;
        }
    if (item != PJ_NO_ITEM && c->count < PJ_PANE_CHOSEN_MOST)
        c->items[c->count++] = item;
    if (item == PJ_NO_ITEM) // with everything nothing is added
        c->count = 0;
    s->chosen[pane] = item;
}

void pj_pane_state_choose(pj_pane_state *s, size_t pane, uint32_t item)
{
    s->sets[pane].count = 0;
    s->chosen[pane] = item;
}

bool pj_pane_state_is_metric(const pj_profile *p, uint32_t m)
{
    return !p->measures[m].reason && p->measures[m].kind != PJ_MEASURE_RATIO;
}

uint32_t pj_pane_state_item_count(const pj_pane_state *s)
{
    return pj_pane_state_items(s)->count[s->values.paths ? PJ_AT_NODE : PJ_AT_REGION];
}

bool pj_pane_state_is_wanted(const pj_pane_state *s, uint32_t region)
{
    const char *wanted = s->search;
    pj_str name = pj_profile_name(pj_pane_state_items(s), region);
    size_t length = strlen(wanted);
    for (size_t i = 0; length && i + length <= name.len; i++)
        if (strncasecmp(name.at + i, wanted, length) == 0)
            return true;
    return false;
}

const char *pj_pane_state_item_name(const pj_pane_state *s, uint32_t item, pj_arena *arena)
{
    const pj_profile *p = pj_pane_state_items(s);
    const char *name = pj_function_short(p, pj_pane_state_region(s, item), arena);
    uint32_t parameters = s->values.paths ? p->nodes[item].parameters : 0;
    if (!parameters)
        return name;
    return pj_arena_format(arena, "%s (" PJ_STR_FMT ")", name,
                           PJ_STR_ARG(pj_profile_text(p, parameters)));
}

uint32_t pj_pane_state_roots(const pj_pane_state *s)
{
    const pj_profile *p = pj_pane_state_items(s);
    uint32_t roots = 0;
    for (uint32_t n = 0; s->values.paths && n < p->count[PJ_AT_NODE]; n++)
        roots += p->nodes[n].parent == PJ_NO_ITEM;
    return roots;
}

pj_pane_amount pj_pane_state_amount(const pj_pane_state *s, double whole)
{
    pj_pane_amount how = pj_pane_amount_of(s->profile, s->chosen[PJ_PANE_METRICS]);
    how.mode = s->mode;
    how.total = s->values.total;
    how.whole = whole;
    return how;
}

bool pj_pane_state_asks_with(const pj_pane_state *s, uint32_t item)
{
    return item == PJ_NO_ITEM || (s->values.paths && !s->open_items[item]);
}

double pj_pane_state_item_value(const pj_pane_state *s, uint32_t item, uint32_t location)
{
    return pj_location_value(&s->values, item, location, pj_pane_state_asks_with(s, item));
}

/// Whether a shut one above it, which is chosen, too, counts it already.
static bool is_counted_above(const pj_pane_state *s, uint32_t item)
{
    const pj_profile *p = pj_pane_state_items(s);
    if (!s->values.paths || item == PJ_NO_ITEM)
        return false;
    for (uint32_t at = p->nodes[item].parent; at != PJ_NO_ITEM; at = p->nodes[at].parent)
        if (!s->open_items[at] && pj_pane_state_has(s, PJ_PANE_ITEMS, at))
            return true;
    return false;
}

double pj_pane_state_place_value(const pj_pane_state *s, uint32_t location)
{
    const pj_pane_choice *c = &s->sets[PJ_PANE_ITEMS];
    double sum = NAN;
    for (size_t i = 0; i < c->count; i++)
        if (!is_counted_above(s, c->items[i]))
            sum = pj_location_values_fold(&s->values, sum,
                                          pj_pane_state_item_value(s, c->items[i], location));
    return c->count ? sum : pj_pane_state_item_value(s, s->chosen[PJ_PANE_ITEMS], location);
}

uint32_t pj_pane_state_rank_end(const pj_pane_state *s, uint32_t k)
{
    uint32_t end = k + 1;
    while (end < s->profile->location_count && pj_pane_state_rank(s, end) >= 0 &&
           pj_pane_state_rank(s, end) == pj_pane_state_rank(s, k))
        end++;
    return end;
}

const char *pj_pane_state_place_name(const pj_pane_state *s, uint32_t k, bool of_rank,
                                     pj_arena *arena)
{
    const pj_profile_location *at = &s->profile->locations[k];
    const char *what = at->kind == PJ_LOCATION_GPU ? "GPU" : of_rank ? "rank" : "thread";
    long long number = of_rank ? at->rank < 0 ? k : at->rank : at->thread < 0 ? k : at->thread;
    pj_str name = pj_profile_text(s->profile, at->name);
    if (name.len && !of_rank)
        return pj_arena_format(arena, "%s %lld, " PJ_STR_FMT, what, number, PJ_STR_ARG(name));
    return pj_arena_format(arena, "%s %lld", what, number);
}

bool pj_pane_state_take_values(pj_pane_state *s, pj_err *err)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_location_values values;
    if (!pj_location_values_new(s->profile, s->chosen[PJ_PANE_METRICS], !s->flat, arena, &values,
                                err)) {
        pj_arena_free(arena);
        return false;
    }
    if (s->made) {
        pj_location_values_free(&s->values);
        pj_arena_free(s->made);
    }
    s->made = arena;
    s->values = values;
    return true;
}

/// What each metric has in all, once.
static bool take_totals(pj_pane_state *s, pj_err *err)
{
    const pj_profile *p = s->profile;
    s->totals = pj_new_n(s->arena, double, p->measure_count + (size_t)1);
    for (uint32_t m = 0; m <= p->measure_count; m++) {
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_location_values values;
        s->totals[m] = NAN;
        if (m < p->measure_count && !pj_pane_state_is_metric(p, m))
            continue;
        uint32_t measure = m < p->measure_count ? m : PJ_NO_ITEM;
        if (!pj_location_values_new(s->profile, measure, true, arena, &values, err))
            return false;
        s->totals[m] = values.total;
        pj_location_values_free(&values);
    }
    return true;
}

bool pj_pane_state_begin(pj_pane_state *s, pj_err *err)
{
    const pj_profile *p = s->profile;
    s->chosen[PJ_PANE_METRICS] = pj_profile_sums_usual_measure(p);
    if (s->chosen[PJ_PANE_METRICS] == PJ_NO_ITEM)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "the profile has no values of functions");
    s->open_items = pj_new_n(s->arena, bool, p->count[PJ_AT_NODE] + p->count[PJ_AT_REGION] + 1);
    s->open_places = pj_new_n(s->arena, bool, p->location_count + (size_t)1);
    s->open_all = true;
    s->chosen[PJ_PANE_ITEMS] = s->chosen[PJ_PANE_PLACES] = PJ_NO_ITEM;
    if (!take_totals(s, err) || !pj_pane_state_take_values(s, err))
        return false;
    s->open_items[0] = pj_pane_state_roots(s) == 1;
    return true;
}

void pj_pane_state_end(pj_pane_state *s)
{
    if (s->made)
        pj_location_values_free(&s->values);
    pj_arena_free(s->made);
}
