// What a thread has open, constructs and regions, of which any kind may end at any time: the
// innermost of a kind is found at once, however many lie above it.
// Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_NESTING_H
#define PJ_NESTING_H

#include "metrics/base/map.h"

typedef struct pj_open {
    uint64_t kind, begin, value; // what the caller gave
    uint32_t under;        // the next outer one of its kind, or the next free place; from 1 on
    uint32_t outer, inner; // named neighbours; 0 = none
    bool named;
} pj_open;

typedef struct pj_nesting {
    pj_open *items;
    size_t count; // open ones
    size_t used, cap;
    uint32_t free, innermost; // a free place; the innermost named one; 0 = none
    pj_map last;              // the innermost of each kind
} pj_nesting;

/// Opens one; `named`: pj_nesting_name may give it. The fields behind `named` are not read.
void pj_nesting_push(pj_nesting *nesting, pj_open open);
/// Takes the innermost of this kind out; false when none is open.
bool pj_nesting_pop(pj_nesting *nesting, uint64_t kind, pj_open *out);
/// The innermost named one; NULL = none.
const pj_open *pj_nesting_name(const pj_nesting *nesting);
void pj_nesting_free(pj_nesting *nesting);

#endif
