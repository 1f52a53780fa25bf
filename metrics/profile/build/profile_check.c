// The invariants of profiles: what a source may not have measured, or what was read wrong.
#include "metrics/profile/build/profile_check.h"

#include "metrics/base/arena.h"
#include "metrics/profile/build/cycles.h"
#include "metrics/profile/build/oddities.h"

static const double RELATIVE = 1e-9, TICK = 1e-6; // where the source does not tell its clock

static double slack(const pj_profile *p, double value)
{
    return fabs(value) * RELATIVE + (p->tick > 0 ? p->tick : TICK);
}

static void count(pj_profile *p, pj_oddity oddity, bool is_odd)
{
    p->oddities.count[oddity] += is_odd;
}

static bool is_sum_of_times(const pj_profile *p, uint32_t measure)
{
    return p->measures[measure].kind == PJ_MEASURE_TIME &&
           p->measures[measure].fold == PJ_MEASURE_SUM;
}

static void check_signs(pj_profile *p, const pj_profile_column *column)
{
    size_t cells = (size_t)p->count[column->site] * p->location_count;
    if (column->measure == PJ_NO_ITEM || p->measures[column->measure].kind != PJ_MEASURE_TIME)
        return;
    uint64_t signs = 0; // nearly always there is no negative value to look at
    for (size_t i = 0; i < cells && !column->whole; i++) {
        uint64_t bits;
        memcpy(&bits, &column->real[i], sizeof bits);
        signs |= bits;
    }
    for (size_t i = 0; signs >> 63 && i < cells; i++)
        count(p, PJ_ODDITY_negative_time, column->real[i] < -slack(p, 0));
}

/// Inclusive values against exclusive ones where both are stored. Not of edges: of recursion they
/// have the inclusive time of the outermost call and the exclusive time of all.
static void check_pair(pj_profile *p, const pj_profile_column *inclusive)
{
    const pj_profile_column *exclusive =
        pj_profile_find(p, inclusive->site, PJ_EXCLUSIVE, inclusive->measure);
    if (!exclusive || inclusive->whole || exclusive->whole ||
        p->measures[inclusive->measure].kind != PJ_MEASURE_TIME)
        return;
    size_t cells = (size_t)p->count[inclusive->site] * p->location_count;
    for (size_t i = 0; i < cells; i++) {
        double with = inclusive->real[i], without = exclusive->real[i];
        count(p, PJ_ODDITY_inclusive_less, with + slack(p, with) < without);
    }
}

/// Of a tree with both: inclusive is exclusive and the children's.
static void check_paths(pj_profile *p, const pj_profile_column *inclusive)
{
    const pj_profile_column *exclusive =
        pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, inclusive->measure);
    uint32_t nodes = p->count[PJ_AT_NODE];
    if (!exclusive || !is_sum_of_times(p, inclusive->measure))
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    double *parts = pj_new_n(arena, double, nodes);
    for (uint32_t at = 0; at < p->location_count; at++) {
        memset(parts, 0, nodes * sizeof *parts);
        for (uint32_t n = nodes; n-- > 0;) {
            double with = pj_profile_value(p, inclusive, n, at);
            double own = pj_profile_value(p, exclusive, n, at);
            parts[n] += isnan(own) ? 0 : own;
            count(p, PJ_ODDITY_paths_not_sum, fabs(with - parts[n]) > slack(p, with));
            if (p->nodes[n].parent != PJ_NO_ITEM)
                parts[p->nodes[n].parent] += isnan(with) ? parts[n] : with;
        }
    }
}

/// Callers cannot give a function more time than it has, unless it is in a cycle, where sources
/// record only the outermost activation.
static void check_edges(pj_profile *p, const pj_profile_column *edges)
{
    const pj_profile_column *own = pj_profile_find(p, PJ_AT_REGION, PJ_INCLUSIVE, edges->measure);
    uint32_t regions = p->count[PJ_AT_REGION];
    if (!own || !is_sum_of_times(p, edges->measure))
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    double *given = pj_new_n(arena, double, regions);
    const uint32_t *cycles = NULL;
    for (uint32_t at = 0; at < p->location_count; at++) {
        memset(given, 0, regions * sizeof *given);
        for (uint32_t e = 0; e < p->count[PJ_AT_EDGE]; e++) {
            double value = pj_profile_value(p, edges, e, at);
            given[p->edges[e].callee] += isnan(value) ? 0 : value;
        }
        for (uint32_t r = 0; r < regions; r++) {
            double has = pj_profile_value(p, own, r, at);
            if (!(given[r] > has + slack(p, has)))
                continue;
            if (!cycles)
                cycles = pj_profile_cycles(p, arena);
            count(p, PJ_ODDITY_edges_not_sum, cycles[r] == 0);
        }
    }
}

static bool has_value(const pj_profile *p, uint32_t region)
{
    for (uint32_t c = 0; c < p->column_count; c++)
        if (p->columns[c].site == PJ_AT_REGION)
            for (uint32_t at = 0; at < p->location_count; at++)
                if (!isnan(pj_profile_value(p, &p->columns[c], region, at)))
                    return true;
    return false;
}

static void check_callers(pj_profile *p)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *seen = pj_new_n(arena, bool, p->count[PJ_AT_REGION]);
    for (uint32_t e = 0; e < p->count[PJ_AT_EDGE]; e++) {
        uint32_t caller = p->edges[e].caller;
        if (!seen[caller])
            count(p, PJ_ODDITY_caller_unknown, !has_value(p, caller));
        seen[caller] = true;
    }
}

void pj_profile_check(pj_profile *p)
{
    for (uint32_t c = 0; c < p->column_count; c++) {
        const pj_profile_column *column = &p->columns[c];
        check_signs(p, column);
        if (column->part != PJ_INCLUSIVE)
            continue;
        if (column->site != PJ_AT_EDGE)
            check_pair(p, column);
        if (column->site == PJ_AT_NODE)
            check_paths(p, column);
        else if (column->site == PJ_AT_EDGE)
            check_edges(p, column);
    }
    check_callers(p);
    bool none = p->count[PJ_AT_REGION] == 0 && p->series_count == 0 && p->event_count == 0;
    count(p, PJ_ODDITY_empty, none);
}
