// Repairing clocks of ranks by what messages and collectives need.
// Every tie of two ranks is a need: a least difference of what their clocks are shifted by. Those
// of constant shifts are kept as they come; rates come from the hulls of the ties.
#include "metrics/read/otf2/otf2_sync.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/read/otf2/otf2_fit.h"
#include "metrics/read/otf2/otf2_hull.h"

#include <math.h>
#include <stdlib.h>

enum {
    DENSE_RANKS = 512,
    HULLS_MOST = 1 << 15, // pairs with a hull: those that are tied first
};

struct pj_otf2_sync {
    pj_otf2_needs needs; // of constant shifts, ns
    pj_otf2_hull *hulls; // of the first of them
    size_t hull_count, hull_cap;
    uint32_t *dense; // index + 1 in `needs`, by from and to; NULL with many ranks
    pj_map sparse;
    pj_otf2_violations found;
};

pj_otf2_sync *pj_otf2_sync_new(uint32_t ranks)
{
    pj_otf2_sync *sync = pj_take_memory(sizeof *sync);
    *sync = (pj_otf2_sync){.needs = {.ranks = ranks}};
    if (ranks <= DENSE_RANKS) {
        size_t size = (size_t)ranks * ranks * sizeof *sync->dense;
        sync->dense = memset(pj_take_memory(size + 1), 0, size);
    }
    return sync;
}

void pj_otf2_sync_free(pj_otf2_sync *sync)
{
    if (!sync)
        return;
    pj_map_free(&sync->sparse);
    free(sync->dense);
    for (size_t i = 0; i < sync->hull_count; i++)
        pj_otf2_hull_free(&sync->hulls[i]);
    free(sync->hulls);
    free(sync->needs.items);
    free(sync);
}

/// Index of the need of this pair; false when there is none.
static bool find_need(const pj_otf2_sync *sync, uint32_t from, uint32_t to, uint32_t *index)
{
    if (!sync->dense)
        return pj_map_get(&sync->sparse, (uint64_t)from << 32 | to, index);
    *index = sync->dense[(size_t)from * sync->needs.ranks + to] - 1;
    return *index != UINT32_MAX;
}

static uint32_t new_need(pj_otf2_sync *sync, uint32_t from, uint32_t to)
{
    pj_otf2_needs *needs = &sync->needs;
    uint32_t index = (uint32_t)needs->count++;
    pj_grow(needs->items, &needs->cap, needs->count);
    needs->items[index] = (pj_otf2_need){from, to, -PJ_OTF2_NEED_MOST};
    if (sync->dense)
        sync->dense[(size_t)from * needs->ranks + to] = index + 1;
    else
        pj_map_put(&sync->sparse, (uint64_t)from << 32 | to, index);
    if (index < HULLS_MOST) {
        pj_grow(sync->hulls, &sync->hull_cap, ++sync->hull_count);
        sync->hulls[index] = (pj_otf2_hull){.ties = NULL};
    }
    return index;
}

void pj_otf2_sync_bind(pj_otf2_sync *sync, uint32_t from, uint64_t cause, uint32_t to,
                       uint64_t effect)
{
    int64_t ns = (int64_t)(cause - effect);
    uint32_t index;
    if (from == to || ns > PJ_OTF2_NEED_MOST || ns < -PJ_OTF2_NEED_MOST)
        return;
    if (!find_need(sync, from, to, &index))
        index = new_need(sync, from, to);
    pj_otf2_need *need = &sync->needs.items[index];
    if (ns > need->least)
        need->least = ns;
    if (index < sync->hull_count)
        pj_otf2_hull_add(&sync->hulls[index], (pj_otf2_tie){(int64_t)cause, (int64_t)effect});
}

static void note(pj_otf2_sync *sync, int64_t worst, uint64_t *violated)
{
    if (worst <= 0)
        return;
    (*violated)++;
    if ((uint64_t)worst > sync->found.worst_ns)
        sync->found.worst_ns = (uint64_t)worst;
}

void pj_otf2_sync_message(pj_otf2_sync *sync, uint32_t from, uint64_t sent, uint32_t to,
                          uint64_t received)
{
    sync->found.messages_seen++;
    note(sync, (int64_t)(sent - received), &sync->found.messages);
    pj_otf2_sync_bind(sync, from, sent, to, received);
}

void pj_otf2_sync_collective(pj_otf2_sync *sync, int64_t worst)
{
    sync->found.collectives_seen++;
    note(sync, worst, &sync->found.collectives);
}

pj_otf2_violations pj_otf2_sync_violations(const pj_otf2_sync *sync)
{
    return sync->found;
}

// Drift

#define RATE_UNIT 0x1p50 // of the logarithm of a rate

static void add_need(pj_otf2_needs *needs, uint32_t from, uint32_t to, int64_t least)
{
    pj_grow(needs->items, &needs->cap, needs->count + 1);
    needs->items[needs->count++] = (pj_otf2_need){from, to, least};
}

/// Rates of the ranks that fit all pairs that are tied both ways; false when one is too large.
static bool find_rates(const pj_otf2_sync *sync, double *rates)
{
    pj_otf2_needs needs = {.ranks = sync->needs.ranks};
    uint32_t back;
    for (uint32_t i = 0; i < sync->hull_count; i++) {
        const pj_otf2_need *pair = &sync->needs.items[i];
        if (pair->from > pair->to || !find_need(sync, pair->to, pair->from, &back) ||
            back >= sync->hull_count)
            continue;
        pj_otf2_rates r = pj_otf2_hull_rates(&sync->hulls[i], &sync->hulls[back]);
        add_need(&needs, pair->from, pair->to, (int64_t)(log1p(r.least) * RATE_UNIT));
        add_need(&needs, pair->to, pair->from, (int64_t)(-log1p(r.most) * RATE_UNIT));
    }
    int64_t *logs = pj_take_memory((needs.ranks + 1) * sizeof *logs);
    pj_otf2_fit(&needs, logs);
    bool small = true;
    for (uint32_t i = 0; i < needs.ranks; i++) {
        rates[i] = expm1((double)logs[i] / RATE_UNIT);
        small &= fabs(rates[i]) <= PJ_OTF2_RATE_MOST;
    }
    free(logs);
    free(needs.items);
    return small;
}

/// The shifts that go with these rates; gives what some needs lack.
static int64_t fit_with_rates(const pj_otf2_sync *sync, const double *rates, int64_t *shifts)
{
    pj_otf2_needs needs = {.ranks = sync->needs.ranks};
    for (size_t i = 0; i < sync->hull_count; i++) {
        const pj_otf2_need *n = &sync->needs.items[i];
        add_need(&needs, n->from, n->to,
                 pj_otf2_hull_need(&sync->hulls[i], rates[n->from], rates[n->to]));
    }
    int64_t lacks = pj_otf2_fit(&needs, shifts);
    free(needs.items);
    return lacks;
}

int64_t pj_otf2_sync_solve(const pj_otf2_sync *sync, pj_otf2_shift *shifts)
{
    uint32_t ranks = sync->needs.ranks;
    int64_t *ns = pj_take_memory((ranks + 1) * sizeof *ns);
    int64_t *ns_too = pj_take_memory((ranks + 1) * sizeof *ns_too);
    double *rates = pj_take_memory((ranks + 1) * sizeof *rates);
    int64_t lacks = pj_otf2_fit(&sync->needs, ns);
    bool drift =
        lacks > 0 && find_rates(sync, rates) && fit_with_rates(sync, rates, ns_too) <= lacks / 2;
    for (uint32_t i = 0; i < ranks; i++)
        shifts[i] = drift ? (pj_otf2_shift){ns_too[i], rates[i]} : (pj_otf2_shift){ns[i], 0};
    free(rates);
    free(ns_too);
    free(ns);
    return lacks;
}
