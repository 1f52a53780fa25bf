// Clocks of ranks: what ends together on all of them tells how far they differ.
#include "metrics/ai/ai_match.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/sort.h"

#include <math.h>
#include <stdlib.h>

/// The difference of the ends of one instance on two ranks.
typedef struct difference {
    uint32_t low, high; // ranks
    int64_t ns;         // end of high less that of low
    int64_t end;        // of low
} difference;

typedef struct pair {
    uint32_t low, high;
    size_t count;
    int64_t median;
    double slope; // how the difference grows in each ns
} pair;

typedef struct fitting {
    pj_ai_rank *const *ranks;
    size_t count;
    difference *differences;
    size_t difference_count, difference_cap;
    pair *pairs;
    size_t pair_count, pair_cap;
} fitting;

static int by_pair(const void *a, const void *b)
{
    const difference *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/// The pair with most instances first.
static int by_count(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

static void add(fitting *f, const pj_ai_member *a, const pj_ai_member *b)
{
    const pj_ai_member *low = a->rank < b->rank ? a : b, *high = low == a ? b : a;
    int64_t end = f->ranks[low->rank]->exchanges[low->exchange].end;
    pj_grow(f->differences, &f->difference_cap, f->difference_count + 1);
    f->differences[f->difference_count++] = (difference){
        low->rank, high->rank, f->ranks[high->rank]->exchanges[high->exchange].end - end, end};
}

/// Of large groups the pairs with the first member suffice.
static void gather(fitting *f, const pj_ai_match *match)
{
    enum { ALL_PAIRS = 8 };
    for (size_t i = 0; i < match->instance_count; i++) {
        const pj_ai_instance *instance = &match->instances[i];
        const pj_ai_member *members = match->members + instance->first;
        pj_ai_ranks_pass(f->ranks, f->count, i);
        if (!instance->valid || !instance->symmetric)
            continue;
        uint32_t firsts = instance->count <= ALL_PAIRS ? instance->count : 1;
        for (uint32_t a = 0; a < firsts; a++)
            for (uint32_t b = a + 1; b < instance->count; b++)
                add(f, &members[a], &members[b]);
    }
}

static int by_end(const void *a, const void *b)
{
    const difference *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Theil and Sen: the median slope between two of them, of at most 256 spread over the time.
static double slope_of(difference *items, size_t count)
{
    enum { MOST = 256 };
    const int64_t long_enough = INT64_C(10000000000);
    const double least = 1e-6, most = 1e-3; // more is no clock
    qsort(items, count, sizeof *items, by_end);
    if (items[count - 1].end - items[0].end <= long_enough)
        return 0;
    size_t chosen = count < MOST ? count : MOST, slopes = 0;
    double *all = pj_take_memory((chosen * chosen + 1) * sizeof *all);
    for (size_t a = 0; a < chosen; a++)
        for (size_t b = a + 1; b < chosen; b++) {
            const difference *x = &items[a * count / chosen], *y = &items[b * count / chosen];
            if (y->end > x->end)
                all[slopes++] = (double)(y->ns - x->ns) / (double)(y->end - x->end);
        }
    if (slopes)
        qsort(all, slopes, sizeof *all, by_value);
    double median = slopes ? all[(slopes - 1) / 2] : 0;
    free(all);
    return fabs(median) > least && fabs(median) < most ? median : 0;
}

static size_t end_of_pair(const fitting *f, size_t first)
{
    size_t end = first;
    while (end < f->difference_count && f->differences[end].low == f->differences[first].low &&
           f->differences[end].high == f->differences[first].high)
        end++;
    return end;
}

static void find_pairs(fitting *f, const pj_job *job)
{
    for (size_t i = 0, end; i < f->difference_count && !pj_job_stopped(job); i = end) {
        difference *first = &f->differences[i];
        end = end_of_pair(f, i);
        int64_t median = f->differences[i + (end - i - 1) / 2].ns;
        pj_grow(f->pairs, &f->pair_cap, f->pair_count + 1);
        f->pairs[f->pair_count++] =
            (pair){first->low, first->high, end - i, median, slope_of(first, end - i)};
    }
}

/// Medians anew, of clocks that are straight.
static void find_medians(fitting *f)
{
    size_t at = 0;
    for (size_t i = 0, end; i < f->difference_count; i = end) {
        difference *first = &f->differences[i];
        const pj_ai_rank *low = f->ranks[first->low], *high = f->ranks[first->high];
        end = end_of_pair(f, i);
        for (size_t k = i; k < end; k++) {
            difference *d = &f->differences[k];
            d->ns = pj_ai_rank_common(high, d->end + d->ns) - pj_ai_rank_common(low, d->end);
        }
        qsort(first, end - i, sizeof *first, by_pair);
        f->pairs[at++].median = f->differences[i + (end - i - 1) / 2].ns;
    }
}

static uint32_t root_of(uint32_t *above, uint32_t rank)
{
    while (above[rank] != rank)
        rank = above[rank] = above[above[rank]];
    return rank;
}

/// Ranks of one machine have one clock.
static void join_machines(const fitting *f, uint32_t *above)
{
    for (uint32_t r = 0; r < f->count; r++)
        for (uint32_t q = 0; f->ranks[r]->clock && q < f->count; q++) {
            if (f->ranks[r]->clock != f->ranks[q])
                continue;
            uint32_t low = root_of(above, r), high = root_of(above, q);
            above[low > high ? low : high] = low < high ? low : high;
        }
}

/// Along the tree of the pairs that have most in common. `offset`: what is added to a rank's times;
/// `drift`: how that grows.
static void walk_tree(const fitting *f, int64_t *offset, double *drift)
{
    uint32_t *above = pj_take_memory((f->count + 1) * sizeof *above);
    for (uint32_t r = 0; r < f->count; r++)
        above[r] = r;
    join_machines(f, above);
    for (size_t i = 0; i < f->pair_count; i++) {
        const pair *p = &f->pairs[i];
        uint32_t low = root_of(above, p->low), high = root_of(above, p->high);
        if (low == high)
            continue;
        uint32_t keep = low < high ? low : high, move = low < high ? high : low;
        // Then the ends of both ranks agree: end_low + offset_low = end_high + offset_high.
        int64_t shift = offset[p->low] - p->median - offset[p->high];
        shift = move == high ? shift : -shift;
        double turn = drift[p->low] - p->slope - drift[p->high];
        turn = move == high ? turn : -turn;
        for (uint32_t r = 0; r < f->count; r++)
            if (root_of(above, r) == move) {
                offset[r] += shift;
                drift[r] += turn;
            }
        above[move] = keep;
    }
    free(above);
}

static bool any_symmetric(const pj_ai_match *match)
{
    for (size_t i = 0; i < match->instance_count; i++)
        if (match->instances[i].valid && match->instances[i].symmetric)
            return true;
    return false;
}

static int64_t size_of(int64_t value)
{
    return value < 0 ? -value : value;
}

static void span_of(const pj_ai_rank *rank, int64_t *first, int64_t *last)
{
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (size_t d = 0; d < rank->device_count; d++) {
        const pj_ai_device *device = &rank->devices[d];
        if (device->first >= device->last && !device->active)
            continue;
        *first = device->first < *first ? device->first : *first;
        *last = device->last > *last ? device->last : *last;
    }
}

/// Ranks that nothing ties together, and that hardly run at the same time, begin at 0 each.
static void settle_apart(pj_ai_rank *const *ranks, size_t count, pj_ai_match *match)
{
    int64_t from = INT64_MIN, to = INT64_MAX, shortest = INT64_MAX, first, last;
    for (size_t r = 0; r < count; r++) {
        span_of(ranks[r], &first, &last);
        if (first > last)
            continue;
        from = first > from ? first : from;
        to = last < to ? last : to;
        shortest = last - first < shortest ? last - first : shortest;
    }
    match->apart = count > 1 && shortest < INT64_MAX && (to < from || to - from < shortest / 2);
    for (size_t r = 0; match->apart && r < count; r++) {
        span_of(ranks[r], &first, &last);
        ranks[r]->offset = first > last ? 0 : -first;
    }
}

/// Pairs stand as their differences do; the tree is of sorted ones.
static void sort_and_walk(const fitting *f, int64_t *offset, double *drift)
{
    fitting sorted = *f;
    sorted.pairs = pj_take_memory((f->pair_count + 1) * sizeof *sorted.pairs);
    for (size_t i = 0; i < f->pair_count; i++)
        sorted.pairs[i] = f->pairs[i];
    if (sorted.pair_count)
        qsort(sorted.pairs, sorted.pair_count, sizeof *sorted.pairs, by_count);
    walk_tree(&sorted, offset, drift);
    free(sorted.pairs);
}

/// From the end of the first exchange on, of a machine that of all its ranks; the longest time from
/// there to the end of the last one.
static int64_t begin_drifts(const fitting *f)
{
    int64_t longest = 0;
    for (size_t r = 0; r < f->count; r++) {
        pj_ai_rank *rank = f->ranks[r];
        int64_t first = INT64_MAX, last = INT64_MIN;
        for (size_t i = 0; i < rank->exchange_count; i++) {
            pj_ai_ranks_pass(f->ranks, f->count, i);
            first = rank->exchanges[i].end < first ? rank->exchanges[i].end : first;
            last = rank->exchanges[i].end > last ? rank->exchanges[i].end : last;
        }
        rank->drift_from = rank->exchange_count ? first : 0;
        if (rank->exchange_count && last - first > longest)
            longest = last - first;
    }
    for (size_t r = 0; r < f->count; r++)
        if (f->ranks[r]->clock)
            f->ranks[r]->drift_from = f->ranks[r]->clock->drift_from;
    return longest;
}

static void align(fitting *f, pj_ai_match *match)
{
    const int64_t jitter = 100000; // smaller differences are those of ends, not of clocks
    int64_t *offset = pj_take_zeros((f->count + 1) * sizeof *offset);
    double *drift = pj_take_zeros((f->count + 1) * sizeof *drift), most = 0;
    sort_and_walk(f, offset, drift);
    for (size_t r = 0; r < f->count; r++)
        most = fmax(most, fabs(drift[r]));
    match->drift = most * (double)begin_drifts(f) > (double)jitter ? most : 0;
    for (size_t r = 0; r < f->count; r++) {
        f->ranks[r]->drift = match->drift > 0 ? drift[r] : 0;
        offset[r] = 0;
        drift[r] = 0;
    }
    find_medians(f);
    sort_and_walk(f, offset, drift);
    for (size_t r = 0; r < f->count; r++)
        if (size_of(offset[r]) > match->farthest)
            match->farthest = size_of(offset[r]);
    if (match->farthest <= jitter && match->drift == 0)
        match->farthest = 0;
    for (size_t r = 0; r < f->count; r++)
        f->ranks[r]->offset = match->farthest ? offset[r] : 0;
    free(offset);
    free(drift);
}

bool pj_ai_clock_fit(pj_ai_rank *const *ranks, size_t count, bool raw, pj_ai_match *match,
                     pj_job *job, pj_err *err)
{
    fitting f = {.ranks = ranks, .count = count};
    match->clocks_checked = any_symmetric(match);
    if (!match->clocks_checked && !raw)
        settle_apart(ranks, count, match);
    if (!match->clocks_checked)
        return true;
    gather(&f, match);
    bool ok = pj_sort_records(f.differences, f.difference_count, sizeof *f.differences, by_pair,
                              job->stop) ||
              pj_job_check(job, "", err);
    if (ok)
        find_pairs(&f, job);
    ok = ok && pj_job_check(job, "", err);
    if (ok)
        align(&f, match);
    for (size_t r = 0; raw && r < count; r++) {
        ranks[r]->offset = 0;
        ranks[r]->drift = 0;
    }
    free(f.differences);
    free(f.pairs);
    return ok;
}
