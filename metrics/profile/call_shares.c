// Functions that reach each other are one unit; units are done callees first, so that the time of a
// callee is whole when its callers share it. Within a cycle time flows from each member that is
// called from outside, along calls that lead away from it.
#include "metrics/profile/call_shares.h"

#include "metrics/base/arena.h"
#include "metrics/profile/build/cycles.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

#include <math.h>

/// Steps within cycles that are worth their while: of more only what leaves the cycle is shared.
static const uint64_t STEPS_MOST = UINT64_C(1) << 28;

typedef struct sharing {
    const pj_profile_sums *s;
    pj_arena *arena;
    uint32_t regions;
    uint32_t *unit;  // of a region: its cycle, or one of its own
    bool *in_cycle;  // of a unit
    uint32_t *first; // of a unit: its members are members[first] up to members[next first]
    uint32_t *members;
    uint32_t units;
    double *ratio; // of an edge: the part of the callee's time
    double *whole; // of a unit
    pj_call_shares out;
    uint32_t *rank;   // of a region, within the cycle at hand: 1 + calls from where it was entered
    double *entering; // of a region: the ratios of the calls that lead away, together
    double *partial;  // of a region: what is below one entry
    uint32_t *queue;
    uint64_t steps;
} sharing;

static double size(double value)
{
    return pj_profile_sums_size(value);
}

/// 0 of 0 calls are all of them.
static double ratio_of(double part, double all)
{
    return all > 0 ? fmin(part / all, 1) : 1;
}

static bool is_inner(const sharing *t, uint32_t edge)
{
    const pj_profile_edge *e = &t->s->edge[edge];
    return t->unit[e->caller] == t->unit[e->callee];
}

static void find_units(sharing *t)
{
    uint32_t *cycle = pj_profile_cycles(t->s->profile, t->arena);
    uint32_t *size_of = pj_new_n(t->arena, uint32_t, t->regions + (size_t)1),
             *unit_of = pj_new_n(t->arena, uint32_t, t->regions + (size_t)1);
    t->unit = pj_new_n(t->arena, uint32_t, t->regions + (size_t)1);
    t->in_cycle = pj_new_n(t->arena, bool, t->regions + (size_t)1);
    for (uint32_t r = 0; r < t->regions; r++)
        size_of[cycle[r]]++;
    for (uint32_t r = 0; r < t->regions; r++) {
        bool shared = cycle[r] && size_of[cycle[r]] > 1; // one that calls itself is no cycle here
        uint32_t known = shared ? unit_of[cycle[r]] : 0;
        t->unit[r] = known ? known - 1 : t->units++;
        t->in_cycle[t->unit[r]] = shared;
        if (shared)
            unit_of[cycle[r]] = t->unit[r] + 1;
    }
    t->first = pj_new_n(t->arena, uint32_t, t->units + (size_t)2);
    t->members = pj_new_n(t->arena, uint32_t, t->regions + (size_t)1);
    for (uint32_t r = 0; r < t->regions; r++)
        t->first[t->unit[r] + 2]++;
    for (uint32_t u = 1; u < t->units; u++)
        t->first[u + 1] += t->first[u];
    for (uint32_t r = 0; r < t->regions; r++)
        t->members[t->first[t->unit[r] + 1]++] = r;
}

static void find_ratios(sharing *t)
{
    const pj_profile_sums *s = t->s;
    double *into = pj_new_n(t->arena, double, t->regions + (size_t)1),
           *into_unit = pj_new_n(t->arena, double, t->units + (size_t)1);
    t->ratio = pj_new_n(t->arena, double, s->edge_count + (size_t)1);
    for (uint32_t e = 0; e < s->edge_count; e++) {
        uint32_t callee = s->edge[e].callee;
        if (s->edge[e].caller == callee)
            continue;
        into[callee] += size(s->edges.calls[e]);
        if (!is_inner(t, e))
            into_unit[t->unit[callee]] += size(s->edges.calls[e]);
    }
    for (uint32_t e = 0; e < s->edge_count; e++) {
        uint32_t callee = s->edge[e].callee;
        bool enters = t->in_cycle[t->unit[callee]] && !is_inner(t, e);
        t->ratio[e] =
            ratio_of(size(s->edges.calls[e]), enters ? into_unit[t->unit[callee]] : into[callee]);
    }
}

/// Ranks of the members that can be reached from an entry, which stand in the queue in their order.
static uint32_t rank_from(sharing *t, uint32_t entry)
{
    uint32_t count = 0;
    t->queue[count++] = entry;
    t->rank[entry] = 1;
    for (uint32_t done = 0; done < count; done++) {
        uint32_t r = t->queue[done];
        for (uint32_t i = t->s->callees.first[r]; i < t->s->callees.first[r + 1]; i++) {
            uint32_t e = t->s->callees.items[i], callee = t->s->edge[e].callee;
            t->steps++;
            if (!is_inner(t, e) || callee == r)
                continue;
            if (!t->rank[callee]) {
                t->rank[callee] = t->rank[r] + 1;
                t->queue[count++] = callee;
            }
            if (t->rank[callee] > t->rank[r])
                t->entering[callee] += t->ratio[e];
        }
    }
    return count;
}

/// What a member and those further away have below one entry; the latter are done.
static void flow_into(sharing *t, uint32_t r, double entered)
{
    double sum = entered * size(t->s->regions.exclusive[r]);
    for (uint32_t i = t->s->callees.first[r]; i < t->s->callees.first[r + 1]; i++) {
        uint32_t e = t->s->callees.items[i], callee = t->s->edge[e].callee;
        if (callee == r)
            continue;
        if (!is_inner(t, e)) {
            sum += entered * t->out.edges[e];
        } else if (t->rank[callee] > t->rank[r]) {
            double part = ratio_of(t->ratio[e], t->entering[callee]) * t->partial[callee];
            t->out.edges[e] = (isnan(t->out.edges[e]) ? 0 : t->out.edges[e]) + part;
            sum += part;
        }
    }
    t->partial[r] = sum;
    t->out.regions[r] += sum;
}

static void enter_cycle(sharing *t, uint32_t entry, double entered)
{
    uint32_t count = rank_from(t, entry);
    for (uint32_t i = count; i-- > 0;)
        flow_into(t, t->queue[i], entered);
    for (uint32_t i = 0; i < count; i++) {
        t->rank[t->queue[i]] = 0;
        t->entering[t->queue[i]] = 0;
    }
}

/// The part of its unit's calls from outside that enter it here.
static double entered_at(const sharing *t, uint32_t r)
{
    double sum = 0;
    for (uint32_t i = t->s->callers.first[r]; i < t->s->callers.first[r + 1]; i++)
        if (!is_inner(t, t->s->callers.items[i]))
            sum += t->ratio[t->s->callers.items[i]];
    return sum;
}

/// Own time and that of callees outside of the unit.
static double below(const sharing *t, uint32_t r)
{
    double sum = size(t->s->regions.exclusive[r]);
    for (uint32_t i = t->s->callees.first[r]; i < t->s->callees.first[r + 1]; i++)
        if (!is_inner(t, t->s->callees.items[i]))
            sum += t->out.edges[t->s->callees.items[i]];
    return sum;
}

/// Callees are done: the unit's time, and what each of its callers bears of it.
static void share_unit(sharing *t, uint32_t unit)
{
    uint32_t from = t->first[unit], to = t->first[unit + 1];
    for (uint32_t m = from; m < to; m++)
        t->whole[unit] += below(t, t->members[m]);
    for (uint32_t m = from; m < to; m++) {
        uint32_t r = t->members[m];
        double entered = t->in_cycle[unit] ? entered_at(t, r) : 0;
        if (!t->in_cycle[unit])
            t->out.regions[r] = t->whole[unit];
        else if (t->steps > STEPS_MOST)
            t->out.regions[r] = below(t, r);
        else if (entered > 0)
            enter_cycle(t, r, entered);
        for (uint32_t i = t->s->callers.first[r]; i < t->s->callers.first[r + 1]; i++)
            if (!is_inner(t, t->s->callers.items[i]))
                t->out.edges[t->s->callers.items[i]] =
                    t->ratio[t->s->callers.items[i]] * t->whole[unit];
    }
}

static void share(sharing *t)
{
    const pj_profile_sums *s = t->s;
    uint32_t *left = pj_new_n(t->arena, uint32_t, t->units + (size_t)1),
             *ready = pj_new_n(t->arena, uint32_t, t->units + (size_t)1);
    uint32_t count = 0;
    for (uint32_t e = 0; e < s->edge_count; e++)
        left[t->unit[s->edge[e].caller]] += !is_inner(t, e);
    for (uint32_t u = 0; u < t->units; u++)
        if (!left[u])
            ready[count++] = u;
    for (uint32_t done = 0; done < count; done++) {
        share_unit(t, ready[done]);
        for (uint32_t m = t->first[ready[done]]; m < t->first[ready[done] + 1]; m++)
            for (uint32_t i = s->callers.first[t->members[m]];
                 i < s->callers.first[t->members[m] + 1]; i++) {
                uint32_t e = s->callers.items[i], caller = t->unit[s->edge[e].caller];
                if (!is_inner(t, e) && --left[caller] == 0)
                    ready[count++] = caller;
            }
    }
}

pj_call_shares pj_call_shares_new(const pj_profile_sums *sums, pj_arena *arena)
{
    sharing t = {.s = sums, .arena = arena, .regions = sums->profile->count[PJ_AT_REGION]};
    find_units(&t);
    find_ratios(&t);
    t.whole = pj_new_n(arena, double, t.units + (size_t)1);
    t.rank = pj_new_n(arena, uint32_t, t.regions + (size_t)1);
    t.queue = pj_new_n(arena, uint32_t, t.regions + (size_t)1);
    t.entering = pj_new_n(arena, double, t.regions + (size_t)1);
    t.partial = pj_new_n(arena, double, t.regions + (size_t)1);
    t.out.regions = pj_new_n(arena, double, t.regions + (size_t)1);
    t.out.edges = pj_new_n(arena, double, sums->edge_count + (size_t)1);
    for (uint32_t e = 0; e < sums->edge_count; e++)
        t.out.edges[e] = NAN;
    share(&t);
    return t.out;
}
