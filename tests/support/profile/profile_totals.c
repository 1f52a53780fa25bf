// A node counts as recursive when a node above it has its region.
#include "tests/support/profile/profile_totals.h"

static bool is_recursive(const pj_profile *p, uint32_t node)
{
    for (uint32_t above = p->nodes[node].parent; above != PJ_NO_ITEM;
         above = p->nodes[above].parent)
        if (p->nodes[above].region == p->nodes[node].region)
            return true;
    return false;
}

static double or_zero(double value)
{
    return isnan(value) ? 0 : value;
}

static void add_location(const pj_profile *p, uint32_t measure, uint32_t location,
                         profile_totals *totals)
{
    const pj_profile_column *exclusive = pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, measure);
    const pj_profile_column *calls = pj_profile_find(p, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM);
    pj_auto_arena arena = pj_arena_new(NULL);
    double *with = pj_new_n(arena, double, p->count[PJ_AT_NODE]);
    for (uint32_t n = p->count[PJ_AT_NODE]; n-- > 0;) {
        profile_totals *to = &totals[p->nodes[n].region];
        double own = or_zero(pj_profile_value(p, exclusive, n, location));
        double count = or_zero(pj_profile_value(p, calls, n, location));
        with[n] += own;
        if (p->nodes[n].parent != PJ_NO_ITEM)
            with[p->nodes[n].parent] += with[n];
        to->exclusive += own;
        to->calls += count;
        if (is_recursive(p, n))
            continue;
        to->inclusive += with[n];
        to->primitive += count;
    }
}

profile_totals *profile_totals_of(const pj_profile *p, const char *key, uint32_t location,
                                  pj_arena *arena)
{
    profile_totals *totals = pj_new_n(arena, profile_totals, p->count[PJ_AT_REGION] + 1);
    uint32_t measure = pj_profile_measure(p, pj_str_of(key));
    for (uint32_t at = 0; at < p->location_count; at++)
        if (location == PJ_NO_ITEM || location == at)
            add_location(p, measure, at, totals);
    return totals;
}

profile_totals profile_totals_named(const pj_profile *p, const profile_totals *totals, pj_str name)
{
    profile_totals sum = {0};
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++) {
        if (!pj_str_equal(pj_profile_name(p, r), name))
            continue;
        sum.exclusive += totals[r].exclusive;
        sum.inclusive += totals[r].inclusive;
        sum.calls += totals[r].calls;
        sum.primitive += totals[r].primitive;
    }
    return sum;
}

profile_totals profile_totals_at(const pj_profile *profile, const char *key, uint32_t location,
                                 const char *name)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    profile_totals *totals = profile_totals_of(profile, key, location, arena);
    return profile_totals_named(profile, totals, pj_str_of(name));
}
