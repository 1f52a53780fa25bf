// A rank that has nothing of it counts as 0.
#include "widgets/view/pane_spread.h"

#include "metrics/profile/location_values.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/view/pane_amount.h"

#include <math.h>

static uint32_t first_of_rank(const pj_pane_state *s, uint32_t k)
{
    while (k > 0 && pj_pane_state_rank(s, k) >= 0 &&
           pj_pane_state_rank(s, k - 1) == pj_pane_state_rank(s, k))
        k--;
    return k;
}

static const char *chosen_name(const pj_pane_state *s, pj_arena *arena)
{
    size_t count = s->sets[PJ_PANE_ITEMS].count;
    if (count > 1)
        return pj_arena_format(arena, "%zu %s together", count,
                               s->values.paths ? "call paths" : "functions");
    return s->chosen[PJ_PANE_ITEMS] == PJ_NO_ITEM
               ? "Everything"
               : pj_pane_state_item_name(s, s->chosen[PJ_PANE_ITEMS], arena);
}

/// "; 3 of them together 1.23 s", of ranks and threads; nothing for one.
static const char *chosen_places(const pj_pane_state *s, pj_arena *arena)
{
    const pj_pane_choice *c = &s->sets[PJ_PANE_PLACES];
    uint32_t locations = s->profile->location_count;
    double sum = NAN;
    for (size_t i = 0; i < c->count; i++) {
        uint32_t item = c->items[i], from = item < locations ? item : item - locations;
        uint32_t to = item < locations ? pj_pane_state_rank_end(s, from) : from + 1;
        bool counted =
            item >= locations && pj_pane_state_has(s, PJ_PANE_PLACES, first_of_rank(s, from));
        for (uint32_t k = from; k < to && !counted; k++)
            sum = pj_location_values_fold(&s->values, sum, pj_pane_state_place_value(s, k));
    }
    if (c->count < 2 || isnan(sum))
        return "";
    pj_pane_amount how = pj_pane_amount_of(s->profile, s->chosen[PJ_PANE_METRICS]);
    pj_pane_amount_fit(&how, &sum, 1);
    return pj_arena_format(arena, "; %zu of them together %s %s", c->count,
                           pj_pane_amount_text(&how, sum, arena), how.unit);
}

const char *pj_pane_spread(const pj_pane_state *s, pj_arena *arena)
{
    uint32_t ranks = 0, with = 0, least_at = 0, most_at = 0;
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (uint32_t k = 0; k < s->profile->location_count; ranks++) {
        uint32_t end = pj_pane_state_rank_end(s, k);
        double value = NAN;
        for (uint32_t i = k; i < end; i++)
            value = pj_location_values_fold(&s->values, value, pj_pane_state_place_value(s, i));
        with += isnan(value) ? 0 : 1;
        double size = isnan(value) ? 0 : value;
        sum += size;
        least_at = size < least ? k : least_at;
        most_at = size > most ? k : most_at;
        least = fmin(least, size);
        most = fmax(most, size);
        k = end;
    }
    pj_pane_amount how = pj_pane_amount_of(s->profile, s->chosen[PJ_PANE_METRICS]);
    pj_pane_amount_fit(&how, &most, 1);
    if (ranks < 2 || !(most > 0) || s->values.fold != PJ_MEASURE_SUM)
        return "";
    bool alone =
        !s->sets[PJ_PANE_ITEMS].count && !pj_pane_state_asks_with(s, s->chosen[PJ_PANE_ITEMS]);
    const char *text = pj_arena_format(
        arena, "%s%s over %u ranks: mean %s, least %s (%s), most %s (%s) %s; load balance %.3f%s",
        chosen_name(s, arena), alone ? " alone" : "", ranks,
        pj_pane_amount_text(&how, sum / ranks, arena), pj_pane_amount_text(&how, least, arena),
        pj_pane_state_place_name(s, least_at, true, arena), pj_pane_amount_text(&how, most, arena),
        pj_pane_state_place_name(s, most_at, true, arena), how.unit, sum / ranks / most,
        with < ranks ? pj_arena_format(arena, "; %u of %u ranks have it", with, ranks) : "");
    return pj_arena_format(arena, "%s%s", text, chosen_places(s, arena));
}
