// Shifts x are wanted with x[to] - x[from] >= need for every pair: difference constraints, solved
// by relaxation (Bellman, Ford). The least solution from one rank on and the largest one towards it
// span all others, and so does every mean of the two.
#include "metrics/read/otf2_sync.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"

#include <stdlib.h>

enum { DENSE_RANKS = 512, ROUNDS_MOST = 2000 };

#define FAR (INT64_C(1) << 61)  // "not bound"
#define MOST (INT64_C(1) << 58) // of a need or a shift, ns: what damaged times may ask for

typedef struct need { // x[to] - x[from] >= ns
    uint32_t from, to;
    int64_t ns;
} need;

struct pj_otf2_sync {
    uint32_t ranks;
    need *needs;
    size_t count, cap;
    uint32_t *dense; // index + 1 in `needs`, by from and to; NULL with many ranks
    pj_map sparse;
    pj_otf2_violations found;
};

pj_otf2_sync *pj_otf2_sync_new(uint32_t ranks)
{
    pj_otf2_sync *sync = pj_take_memory(sizeof *sync);
    *sync = (pj_otf2_sync){.ranks = ranks};
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
    free(sync->needs);
    free(sync);
}

static need *need_of(pj_otf2_sync *sync, uint32_t from, uint32_t to)
{
    uint32_t index;
    uint32_t *at = sync->dense ? &sync->dense[(size_t)from * sync->ranks + to] : NULL;
    uint64_t key = (uint64_t)from << 32 | to;
    if (at ? *at != 0 : pj_map_get(&sync->sparse, key, &index))
        return &sync->needs[at ? *at - 1 : index];
    index = (uint32_t)sync->count++;
    pj_grow(sync->needs, &sync->cap, sync->count);
    sync->needs[index] = (need){from, to, -FAR};
    if (at)
        *at = index + 1;
    else
        pj_map_put(&sync->sparse, key, index);
    return &sync->needs[index];
}

void pj_otf2_sync_bind(pj_otf2_sync *sync, uint32_t from, uint64_t cause, uint32_t to,
                       uint64_t effect)
{
    int64_t ns = (int64_t)(cause - effect);
    if (from == to || ns > MOST || ns < -MOST)
        return;
    need *n = need_of(sync, from, to);
    if (ns > n->ns)
        n->ns = ns;
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

/// Raises x until it meets every need less `slack`; false when it never does.
static bool raise(const pj_otf2_sync *sync, int64_t slack, int64_t *x)
{
    for (uint32_t round = 0; round <= sync->ranks && round < ROUNDS_MOST; round++) {
        bool changed = false;
        for (size_t i = 0; i < sync->count; i++) {
            const need *n = &sync->needs[i];
            int64_t least = x[n->from] + n->ns - slack;
            if (x[n->from] <= -FAR || x[n->to] >= least)
                continue;
            if (least > MOST)
                return false;
            x[n->to] = least;
            changed = true;
        }
        if (!changed)
            return true;
    }
    return false;
}

/// Lowers x in the same way.
static void lower(const pj_otf2_sync *sync, int64_t slack, int64_t *x)
{
    bool changed = true;
    for (uint32_t round = 0; changed && round <= sync->ranks; round++) {
        changed = false;
        for (size_t i = 0; i < sync->count; i++) {
            const need *n = &sync->needs[i];
            int64_t most = x[n->to] - n->ns + slack;
            if (x[n->to] >= FAR || x[n->from] <= most)
                continue;
            if (most < -MOST)
                return;
            x[n->from] = most;
            changed = true;
        }
    }
}

static void fill(int64_t *x, uint32_t n, int64_t value)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] = value;
}

/// The least slack with which all needs can be met.
static int64_t least_slack(const pj_otf2_sync *sync, int64_t *x)
{
    int64_t low = -1, high = 1;
    for (;; high *= 2) {
        fill(x, sync->ranks, 0);
        if (high >= MOST || raise(sync, high, x))
            break;
        low = high;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        fill(x, sync->ranks, 0);
        if (raise(sync, middle, x))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/// The mean of the least and the largest shifts against rank 0, in `x`; false when some rank is not
/// bound from both sides, or their distance is larger than the largest shift: then the clocks
/// are nearly right, and the smallest change is the best one.
static bool centre(const pj_otf2_sync *sync, int64_t slack, int64_t *x, int64_t *most)
{
    fill(x, sync->ranks, -FAR);
    fill(most, sync->ranks, FAR);
    x[0] = most[0] = 0;
    raise(sync, slack, x);
    lower(sync, slack, most);
    int64_t widest = 0, largest = 0;
    for (uint32_t i = 0; i < sync->ranks; i++) {
        if (x[i] <= -FAR || most[i] >= FAR)
            return false;
        int64_t width = most[i] - x[i];
        x[i] += width / 2;
        widest = width > widest ? width : widest;
        largest = llabs(x[i]) > largest ? llabs(x[i]) : largest;
    }
    return largest > widest;
}

bool pj_otf2_sync_solve(const pj_otf2_sync *sync, int64_t *shifts)
{
    int64_t *most = pj_take_memory((sync->ranks + 1) * sizeof *most);
    fill(shifts, sync->ranks, 0);
    bool fits = raise(sync, 0, shifts);
    int64_t slack = fits ? 0 : least_slack(sync, shifts);
    if (!centre(sync, slack, shifts, most)) {
        fill(shifts, sync->ranks, 0);
        raise(sync, slack, shifts);
    }
    free(most);
    return fits;
}
