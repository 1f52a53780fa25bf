// Ends of messages by time.
// Records come nearly in order of time, so that nearly all ends go to the end of a sorted ring; a
// binary heap takes the others and bounds the cost of any order.
#include "metrics/trace/ends.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

enum {
    SHIFT_MOST = 32, // ends of the ring that a new one may push back
    LOOK_MOST = 64,  // of those looked at for one
};

static bool before(const pj_end *a, const pj_end *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static pj_end *sorted_at(const pj_ends *ends, size_t i)
{
    return &ends->sorted[(ends->first + i) & (ends->cap - 1)];
}

static void grow(pj_ends *ends)
{
    size_t cap = ends->cap ? ends->cap * 2 : 16;
    ends->sorted = pj_widen_ring(ends->sorted, ends->cap, ends->first, cap, sizeof *ends->sorted);
    ends->cap = cap;
    ends->first = 0;
}

static void heap_add(pj_ends *ends, pj_end end)
{
    pj_grow(ends->heap, &ends->heap_cap, ends->heap_count + 1);
    size_t at = ends->heap_count++;
    while (at > 0 && before(&end, &ends->heap[(at - 1) / 2])) {
        ends->heap[at] = ends->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    ends->heap[at] = end;
}

static void heap_pop(pj_ends *ends)
{
    pj_end last = ends->heap[--ends->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= ends->heap_count)
            break;
        if (child + 1 < ends->heap_count && before(&ends->heap[child + 1], &ends->heap[child]))
            child++;
        if (before(&last, &ends->heap[child]))
            break;
        ends->heap[at] = ends->heap[child];
        at = child;
    }
    ends->heap[at] = last;
}

void pj_ends_add(pj_ends *ends, uint64_t time, uint64_t order, uint32_t message)
{
    pj_end end = {time, order, message};
    if (ends->count > SHIFT_MOST && before(&end, sorted_at(ends, ends->count - SHIFT_MOST - 1))) {
        heap_add(ends, end);
        return;
    }
    if (ends->count == ends->cap)
        grow(ends);
    size_t mask = ends->cap - 1, at = ends->first + ends->count++;
    for (; at > ends->first && before(&end, &ends->sorted[(at - 1) & mask]); at--)
        ends->sorted[at & mask] = ends->sorted[(at - 1) & mask];
    ends->sorted[at & mask] = end;
}

bool pj_ends_pop(pj_ends *ends, uint64_t until, pj_end *out)
{
    const pj_end *sorted = ends->count ? &ends->sorted[ends->first] : NULL;
    bool from_heap = ends->heap_count > 0 && !(sorted && before(sorted, ends->heap));
    const pj_end *first = from_heap ? ends->heap : sorted;
    if (!first || first->time > until)
        return false;
    *out = *first;
    if (from_heap) {
        heap_pop(ends);
    } else {
        ends->first = (ends->first + 1) & (ends->cap - 1);
        ends->count--;
    }
    return true;
}

uint64_t pj_ends_order_of(const pj_ends *ends, uint32_t message, pj_end_kind kind, uint64_t until)
{
    for (size_t i = 0; i < ends->count && i < LOOK_MOST; i++) {
        const pj_end *end = sorted_at(ends, i);
        if (end->message == message && pj_end_kind_of(*end) == kind && end->time <= until)
            return pj_end_rank_of(*end);
    }
    return UINT64_MAX;
}

void pj_ends_free(pj_ends *ends)
{
    free(ends->sorted);
    free(ends->heap);
    *ends = (pj_ends){.count = 0};
}
