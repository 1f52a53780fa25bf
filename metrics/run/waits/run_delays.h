// Who made ranks wait, and what bounds the runtime: delays and critical path of a run as it was
// measured, over the regions of the program. Rules: DEFINITIONS 9. Ownership: the run's arena.
#ifndef PJ_RUN_DELAYS_H
#define PJ_RUN_DELAYS_H

#include "metrics/run/waits/run_waits.h"

/// Waits of a pattern in calls that were made in a region.
typedef struct pj_region_waits {
    uint64_t instances, wait_ns;
} pj_region_waits;

/// A user function, an MPI call as far as it does not wait, or "outside any function".
typedef struct pj_delay_region {
    const char *name;
    uint64_t time_ns; // of all ranks, without waits
    uint64_t path_ns; // of the critical path
    pj_region_waits waits[PJ_WAIT_PATTERNS];
} pj_delay_region;

/// What a rank does too long in a region.
typedef struct pj_delay {
    uint32_t culprit, region; // PJ_CULPRIT_OTHERS, PJ_REGION_OTHERS: of many
    double short_ns;          // waits of others for it
    double long_ns;           // waits that these waits have led to
} pj_delay;

#define PJ_REGION_OTHERS UINT32_MAX

/// Time of the critical path that a rank spends in a region.
typedef struct pj_path_part {
    uint32_t rank, region; // PJ_CULPRIT_OTHERS: ranks are not told apart, as there are many
    uint64_t ns;
} pj_path_part;

typedef struct pj_delays {
    pj_delay_region *regions;
    uint32_t region_count;
    pj_delay *delays; // in the order of culprit, region
    uint32_t delay_count;
    double unattributed_ns; // waits that nothing longer has led to
    uint64_t far;           // waits whose ranks last met too long ago
    pj_path_part *path;     // in the order of region, rank
    uint32_t path_count;
    uint32_t last_rank; // that ends last
} pj_delays;

#endif
