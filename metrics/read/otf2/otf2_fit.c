// Clock shifts that satisfy the needs of all pairs of ranks.
// Solved by relaxation (Bellman, Ford). The least solution from one rank on and the largest one
// towards it span all others, and so does every mean of the two.
#include "metrics/read/otf2/otf2_fit.h"

#include "metrics/base/arena.h"

#include <stdbool.h>
#include <stdlib.h>

enum { ROUNDS_MOST = 2000 };

#define FAR (INT64_C(1) << 61) // "not bound"
#define MOST PJ_OTF2_NEED_MOST

/// Raises x until it meets every need less `slack`; false when it never does.
static bool raise(const pj_otf2_needs *needs, int64_t slack, int64_t *x)
{
    for (uint32_t round = 0; round <= needs->ranks && round < ROUNDS_MOST; round++) {
        bool changed = false;
        for (size_t i = 0; i < needs->count; i++) {
            const pj_otf2_need *n = &needs->items[i];
            int64_t least = x[n->from] + n->least - slack;
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
static void lower(const pj_otf2_needs *needs, int64_t slack, int64_t *x)
{
    bool changed = true;
    for (uint32_t round = 0; changed && round <= needs->ranks; round++) {
        changed = false;
        for (size_t i = 0; i < needs->count; i++) {
            const pj_otf2_need *n = &needs->items[i];
            int64_t most = x[n->to] - n->least + slack;
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
static int64_t least_slack(const pj_otf2_needs *needs, int64_t *x)
{
    int64_t low = -1, high = 1;
    for (;; high *= 2) {
        fill(x, needs->ranks, 0);
        if (high >= MOST || raise(needs, high, x))
            break;
        low = high;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        fill(x, needs->ranks, 0);
        if (raise(needs, middle, x))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/// The mean of the least and the largest shifts against rank 0, in `x`; false when some rank is not
/// bound from both sides, or their distance is larger than the largest shift: then the clocks
/// are nearly right, and the smallest change is the best one.
static bool centre(const pj_otf2_needs *needs, int64_t slack, int64_t *x, int64_t *most)
{
    fill(x, needs->ranks, -FAR);
    fill(most, needs->ranks, FAR);
    x[0] = most[0] = 0;
    raise(needs, slack, x);
    lower(needs, slack, most);
    int64_t widest = 0, largest = 0;
    for (uint32_t i = 0; i < needs->ranks; i++) {
        if (x[i] <= -FAR || most[i] >= FAR)
            return false;
        int64_t width = most[i] - x[i];
        x[i] += width / 2;
        widest = width > widest ? width : widest;
        largest = llabs(x[i]) > largest ? llabs(x[i]) : largest;
    }
    return largest > widest;
}

int64_t pj_otf2_fit(const pj_otf2_needs *needs, int64_t *x)
{
    int64_t *most = pj_take_memory((needs->ranks + 1) * sizeof *most);
    fill(x, needs->ranks, 0);
    int64_t slack = raise(needs, 0, x) ? 0 : least_slack(needs, x);
    if (!centre(needs, slack, x, most)) {
        fill(x, needs->ranks, 0);
        raise(needs, slack, x);
    }
    free(most);
    return slack;
}
