// Blocks are sorted by the library and merged; between blocks somebody may have asked to stop.
#include "metrics/base/sort.h"

#include "metrics/base/arena.h"
#include "metrics/base/tiny.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = PJ_SIZE(1 << 13, 1 << 4) }; // some ten milliseconds where comparing is slow

static bool stopped(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

typedef struct merge {
    const size_t *from;
    size_t middle, end; // of what is merged; it begins at `first`
    pj_sort_order *order;
    void *context;
    const atomic_bool *stop;
} merge;

static bool merge_two(const merge *m, size_t first, size_t *to)
{
    size_t left = first, right = m->middle;
    for (size_t i = first; i < m->end; i++) {
        if (i % BLOCK == 0 && stopped(m->stop))
            return false;
        bool from_left =
            right == m->end ||
            (left < m->middle && m->order(&m->from[left], &m->from[right], m->context) <= 0);
        to[i] = m->from[from_left ? left++ : right++];
    }
    return true;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

bool pj_sort(size_t *items, size_t count, pj_sort_order *order, void *context,
             const atomic_bool *stop)
{
    for (size_t at = 0; at < count; at += BLOCK) {
        if (stopped(stop))
            return false;
        qsort_r(items + at, smaller(BLOCK, count - at), sizeof *items, order, context);
    }
    if (count <= BLOCK)
        return true;
    size_t *spare = pj_take_memory(count * sizeof *spare), *from = items, *to = spare;
    bool good = true;
    for (size_t width = BLOCK; good && width < count; width *= 2) {
        for (size_t at = 0; good && at < count; at += 2 * width)
            good = merge_two(&(merge){.from = from,
                                      .middle = smaller(at + width, count),
                                      .end = smaller(at + 2 * width, count),
                                      .order = order,
                                      .context = context,
                                      .stop = stop},
                             at, to);
        size_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (good && from != items)
        memcpy(items, from, count * sizeof *items);
    free(spare);
    return good;
}

typedef struct records {
    char *items;
    size_t count, size;
    int (*order)(const void *a, const void *b);
} records;

static int order_places(const void *a, const void *b, void *context)
{
    const records *r = context;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return r->order(r->items + x * r->size, r->items + y * r->size);
}

/// Along the cycles of the places that they come from, which are all their own afterwards.
static void bring(const records *r, size_t *places)
{
    char *first = pj_take_memory(r->size);
    for (size_t i = 0; i < r->count; i++) {
        size_t to = i;
        if (places[i] == i)
            continue;
        memcpy(first, r->items + i * r->size, r->size);
        for (size_t from = places[to]; from != i; from = places[to]) {
            memcpy(r->items + to * r->size, r->items + from * r->size, r->size);
            places[to] = to;
            to = from;
        }
        memcpy(r->items + to * r->size, first, r->size);
        places[to] = to;
    }
    free(first);
}

bool pj_sort_records(void *items, size_t count, size_t size,
                     int (*order)(const void *a, const void *b), const atomic_bool *stop)
{
    if (count <= BLOCK) {
        if (count > 1)
            qsort(items, count, size, order);
        return !stopped(stop);
    }
    records r = {items, count, size, order};
    size_t *places = pj_take_memory(count * sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = i;
    bool good = pj_sort(places, count, order_places, &r, stop);
    if (good)
        bring(&r, places);
    free(places);
    return good;
}
