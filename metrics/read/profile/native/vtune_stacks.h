// Functions with their callers below them, as VTune lists stacks: what a function takes is shared
// out among the stacks that lead to it, and becomes values of call paths.
// Ownership: new/free; the builder and the columns are borrowed.
#ifndef PJ_VTUNE_STACKS_H
#define PJ_VTUNE_STACKS_H

#include "metrics/profile/build/profile_build.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pj_vtune_caller pj_vtune_caller;

typedef struct pj_vtune_stacks {
    pj_build *build;
    const uint32_t *columns; // of the profile; PJ_NO_ITEM = left out
    size_t width;            // of them
    pj_vtune_caller *callers;
    size_t count, cap; // that are open: the function and its callers so far
    double *amounts;   // of each: all of it, and what is not shared out yet
    size_t amount_cap;
} pj_vtune_stacks;

/// A function (`depth` 0), or a caller of the one that was put at `depth` - 1 last: `values` are
/// its part of that one's, NAN = absent; NULL = all of them.
void pj_vtune_stacks_put(pj_vtune_stacks *stacks, size_t depth, uint32_t region, uint32_t location,
                         const double *values);
/// Shares out what is open.
void pj_vtune_stacks_end(pj_vtune_stacks *stacks);
void pj_vtune_stacks_free(pj_vtune_stacks *stacks);

#endif
