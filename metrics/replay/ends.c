// A binary heap: records come nearly in order of time, so that adding costs about one comparison.
#include "metrics/replay/ends.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

static bool before(const pj_end *a, const pj_end *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

void pj_ends_add(pj_ends *ends, pj_end end)
{
    pj_grow(ends->items, &ends->cap, ends->count + 1);
    size_t at = ends->count++;
    while (at > 0 && before(&end, &ends->items[(at - 1) / 2])) {
        ends->items[at] = ends->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    ends->items[at] = end;
}

void pj_ends_pop(pj_ends *ends)
{
    pj_end last = ends->items[--ends->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= ends->count)
            break;
        child += child + 1 < ends->count && before(&ends->items[child + 1], &ends->items[child]);
        if (before(&last, &ends->items[child]))
            break;
        ends->items[at] = ends->items[child];
        at = child;
    }
    ends->items[at] = last;
}

void pj_ends_free(pj_ends *ends)
{
    free(ends->items);
    *ends = (pj_ends){0};
}
