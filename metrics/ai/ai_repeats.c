// Ranges of a thread nest: one that begins behind the end of the last outermost one is outermost.
#include "metrics/ai/ai_repeats.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"

#include <stdlib.h>

enum { LEAST = 3, RANGES_MOST = 1 << 20 }; // more are no steps

typedef struct range {
    int64_t thread, begin, end;
    uint32_t name; // of the rank
} range;

struct pj_ai_repeats {
    range *items;
    size_t count, cap;
    pj_map of_thread; // the last of its items
};

pj_ai_repeats *pj_ai_repeats_new(void)
{
    return pj_take_zeros(sizeof(pj_ai_repeats));
}

void pj_ai_repeats_free(pj_ai_repeats *r)
{
    if (!r)
        return;
    pj_map_free(&r->of_thread);
    free(r->items);
    free(r);
}

size_t pj_ai_repeats_bytes(const pj_ai_repeats *r)
{
    return r ? r->cap * sizeof *r->items : 0;
}

/// Most of those that are nested come right behind the one they lie in.
static bool is_nested(const pj_ai_repeats *r, int64_t thread, int64_t begin, int64_t end)
{
    uint32_t last;
    return pj_map_get(&r->of_thread, (uint64_t)thread, &last) && begin >= r->items[last].begin &&
           end <= r->items[last].end;
}

void pj_ai_repeats_add(pj_ai_rank *rank, int64_t thread, int64_t begin, int64_t end, pj_str name)
{
    static const pj_str step = {"ProfilerStep#", 13};
    pj_ai_repeats *r = rank->repeats;
    int64_t number;
    if (!r || end < begin)
        return;
    if (pj_str_starts(name, step) && pj_parse_i64(pj_str_from(name, step.len), &number)) {
        pj_ai_rank_add_step(rank, (pj_ai_step){.begin = begin, .end = end, .number = number});
        return;
    }
    if (pj_str_starts(name, PJ_S("nccl")) || r->count == RANGES_MOST ||
        is_nested(r, thread, begin, end))
        return;
    pj_grow(r->items, &r->cap, r->count + 1);
    r->items[r->count] = (range){thread, begin, end, pj_ai_rank_name(rank, name)};
    pj_map_put(&r->of_thread, (uint64_t)thread, (uint32_t)r->count++);
}

/// The outer one of those that begin together first.
static int by_thread(const void *a, const void *b)
{
    const range *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

static int by_name(const void *a, const void *b)
{
    const range *x = a, *y = b;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void keep_outermost(pj_ai_repeats *r)
{
    size_t kept = 0;
    int64_t thread = 0, last = INT64_MIN;
    qsort(r->items, r->count, sizeof *r->items, by_thread);
    for (size_t i = 0; i < r->count; i++) {
        const range of = r->items[i];
        if (of.thread == thread && of.begin < last)
            continue;
        thread = of.thread;
        last = of.end;
        r->items[kept++] = of;
    }
    r->count = kept;
}

void pj_ai_repeats_finish(pj_ai_rank *rank)
{
    pj_ai_repeats *r = rank->repeats;
    size_t best = 0, best_end = 0;
    double most = 0;
    if (!r || !r->count || rank->step_count)
        return;
    keep_outermost(r);
    qsort(r->items, r->count, sizeof *r->items, by_name);
    for (size_t i = 0, next; i < r->count; i = next) {
        double sum = 0;
        for (next = i; next < r->count && r->items[next].name == r->items[i].name; next++)
            sum += (double)(r->items[next].end - r->items[next].begin);
        if (next - i >= LEAST && sum > most) {
            most = sum;
            best = i;
            best_end = next;
        }
    }
    for (size_t i = best; i < best_end; i++) {
        rank->repeated = r->items[i].name;
        pj_ai_rank_add_step(rank, (pj_ai_step){.begin = r->items[i].begin,
                                               .end = r->items[i].end,
                                               .number = (int64_t)(i - best)});
    }
}
