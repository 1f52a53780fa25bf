// Open constructs of a thread.
// Each kind is a stack of its own, whose top a map knows; the named ones are a list besides.
#include "metrics/stat/nesting.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

static uint32_t take_place(pj_nesting *nesting)
{
    uint32_t place = nesting->free;
    if (place) {
        nesting->free = nesting->items[place - 1].under;
        return place;
    }
    pj_grow(nesting->items, &nesting->cap, nesting->used + 1);
    return (uint32_t)++nesting->used;
}

void pj_nesting_push(pj_nesting *nesting, pj_open open)
{
    uint32_t place = take_place(nesting);
    open.under = open.inner = 0;
    open.outer = open.named ? nesting->innermost : 0;
    pj_map_get(&nesting->last, open.kind, &open.under);
    pj_map_put(&nesting->last, open.kind, place);
    nesting->items[place - 1] = open;
    if (open.outer)
        nesting->items[open.outer - 1].inner = place;
    if (open.named)
        nesting->innermost = place;
    nesting->count++;
}

bool pj_nesting_pop(pj_nesting *nesting, uint64_t kind, pj_open *out)
{
    uint32_t place = 0;
    if (!pj_map_get(&nesting->last, kind, &place) || !place)
        return false;
    pj_open *items = nesting->items, *open = &items[place - 1];
    *out = *open;
    pj_map_put(&nesting->last, kind, open->under);
    if (open->outer)
        items[open->outer - 1].inner = open->inner;
    if (open->inner)
        items[open->inner - 1].outer = open->outer;
    else if (open->named)
        nesting->innermost = open->outer;
    open->under = nesting->free;
    nesting->free = place;
    nesting->count--;
    return true;
}

const pj_open *pj_nesting_name(const pj_nesting *nesting)
{
    return nesting->innermost ? &nesting->items[nesting->innermost - 1] : NULL;
}

void pj_nesting_free(pj_nesting *nesting)
{
    free(nesting->items);
    pj_map_free(&nesting->last);
    *nesting = (pj_nesting){.count = 0};
}
