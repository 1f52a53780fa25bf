// Ranges of a thread nest: one that begins behind the end of the last outermost one is outermost.
#include "metrics/read/database/nsys_ranges.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"

#include <stdlib.h>

enum { LEAST = 3, RANGES_MOST = 1 << 20 }; // more are no steps

typedef struct range {
    pj_ai_rank *rank;
    int64_t begin, end;
    uint32_t name; // of the rank
} range;

struct pj_nsys_ranges {
    range *items; // outermost
    size_t count, cap;
    pj_map of_thread; // place in `ends`
    int64_t *ends;    // of the last outermost range of a thread
    size_t threads, thread_cap;
};

pj_nsys_ranges *pj_nsys_ranges_new(void)
{
    return pj_take_zeros(sizeof(pj_nsys_ranges));
}

void pj_nsys_ranges_free(pj_nsys_ranges *r)
{
    if (!r)
        return;
    pj_map_free(&r->of_thread);
    free(r->items);
    free(r->ends);
    free(r);
}

static int64_t *end_of(pj_nsys_ranges *r, int64_t thread)
{
    uint32_t found;
    if (pj_map_get(&r->of_thread, (uint64_t)thread, &found))
        return &r->ends[found];
    pj_map_put(&r->of_thread, (uint64_t)thread, (uint32_t)r->threads);
    pj_grow(r->ends, &r->thread_cap, r->threads + 1);
    r->ends[r->threads] = INT64_MIN;
    return &r->ends[r->threads++];
}

void pj_nsys_ranges_add(pj_nsys_ranges *r, pj_ai_rank *rank, int64_t thread, int64_t begin,
                        int64_t end, pj_str name)
{
    static const pj_str step = {"ProfilerStep#", 13};
    int64_t number, *last = end_of(r, thread);
    bool outermost = begin >= *last;
    if (outermost)
        *last = end;
    if (pj_str_starts(name, step) && pj_parse_i64(pj_str_from(name, step.len), &number)) {
        pj_ai_rank_add_step(rank, (pj_ai_step){.begin = begin, .end = end, .number = number});
        return;
    }
    if (!outermost || r->count == RANGES_MOST)
        return;
    pj_grow(r->items, &r->cap, r->count + 1);
    r->items[r->count++] = (range){rank, begin, end, pj_ai_rank_name(rank, name)};
}

static int by_name(const void *a, const void *b)
{
    const range *x = a, *y = b;
    if (x->rank != y->rank)
        return (uintptr_t)x->rank < (uintptr_t)y->rank ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/// The ranges from `first` to `end` are of one rank.
static void choose(const range *items, size_t first, size_t end)
{
    size_t best = end, best_end = end;
    int64_t most = 0;
    for (size_t i = first, next; i < end; i = next) {
        int64_t sum = 0;
        for (next = i; next < end && items[next].name == items[i].name; next++)
            sum += items[next].end - items[next].begin;
        if (next - i >= LEAST && sum > most) {
            most = sum;
            best = i;
            best_end = next;
        }
    }
    for (size_t i = best; i < best_end; i++)
        pj_ai_rank_add_step(items[i].rank, (pj_ai_step){.begin = items[i].begin,
                                                        .end = items[i].end,
                                                        .number = (int64_t)(i - best)});
}

void pj_nsys_ranges_finish(pj_nsys_ranges *r)
{
    if (r->count)
        qsort(r->items, r->count, sizeof *r->items, by_name);
    for (size_t i = 0, end; i < r->count; i = end) {
        for (end = i; end < r->count && r->items[end].rank == r->items[i].rank;)
            end++;
        if (!r->items[i].rank->step_count)
            choose(r->items, i, end);
    }
}
