// Slices of one thread, in whatever order a file has them, into calls that nest.
// Ownership: the caller's arrays.
#ifndef PJ_SLICE_NEST_H
#define PJ_SLICE_NEST_H

#include "metrics/base/job.h"
#include "metrics/profile/build/profile_build.h"

#define PJ_SLICE_ORDER_MAX ((UINT32_C(1) << 30) - 1)

typedef enum pj_slice_kind {
    PJ_SLICE_WHOLE, // from `ts` for `dur`
    PJ_SLICE_BEGIN,
    PJ_SLICE_END,
} pj_slice_kind;

typedef struct pj_slice {
    double ts, dur; // microseconds
    uint32_t name;  // a number; PJ_NO_ITEM ends any slice
    uint32_t order : 30, kind : 2;
} pj_slice;

/// Where the calls go.
typedef struct pj_nest_out {
    pj_build *build;
    const uint32_t *regions; // by name
    uint32_t location;
    uint32_t exclusive, calls; // columns of nodes: seconds, and how often
} pj_nest_out;

/// Adds the calls that the slices make: nested by their times, at one time by the rules of
/// speedscope's importer (1.15), except that a slice with a known end is ended by its own. Sorts
/// `slices`. What does not fit is counted in the builder.
void pj_slice_nest(pj_slice *slices, size_t count, const pj_nest_out *out, pj_job *job);

#endif
