// Who made ranks wait, and what bounds the runtime: delays of a run as it was measured, critical
// paths of it and of its replay on the ideal network, over the regions of the program. Rules:
// DEFINITIONS 9. Ownership: the run's arena.
#ifndef PJ_RUN_DELAYS_H
#define PJ_RUN_DELAYS_H

#include "metrics/run/waits/run_waits.h"

/// Waits of a pattern in calls that were made in a region.
typedef struct pj_region_waits {
    uint64_t instances, wait_ns;
    uint64_t longest_ns, longest_at_ns; // the first of the longest, and when it began
} pj_region_waits;

typedef enum pj_path_clock {
    PJ_PATH_MEASURED,
    PJ_PATH_IDEAL, // MPI calls take no time but waits: the path has none of them
    PJ_PATHS       // number of clocks
} pj_path_clock;

/// What a region costs all ranks for as long as the critical path lasts: together they are that,
/// times the ranks (after Scalasca's performance impact).
typedef struct pj_path_impact {
    uint64_t on_path_ns; // what each does of it, up to what the path does of it
    double imbalance_ns; // waits of those who do less of it than the path
    uint64_t off_path_ns;
} pj_path_impact;

/// A user function, an MPI call as far as it does not wait, or "outside any function".
typedef struct pj_delay_region {
    const char *name;
    uint64_t time_ns[PJ_PATHS]; // of all ranks, without waits
    uint64_t path_ns[PJ_PATHS]; // of the critical path
    pj_path_impact impact[PJ_PATHS];
    pj_region_waits waits[PJ_WAIT_PATTERNS];
    uint64_t ideal_wait_ns[PJ_WAIT_PATTERNS];
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

/// The critical path of a run, of the rank that ends last; with a region of interest what of it
/// lies in that.
typedef struct pj_critical_path {
    pj_path_part *parts; // in the order of region, rank
    uint32_t count;
    uint32_t last_rank;
    uint64_t length_ns; // until that rank ends; in a region of interest the part in it
    uint64_t lost;      // waits of ranks on any path whose culprit had gone on too far
    bool has_impact;    // else there are too many ranks and regions
    const char *lacks;  // why there is no path; NULL when there is
} pj_critical_path;

/// Of a region of interest: the whole run is followed, and what lies in it is told; a delay costs
/// what its waits have in it.
typedef struct pj_delays {
    unsigned aspects; // what was asked for, of PJ_HISTORY; the regions and their waits are there
    pj_delay_region *regions;
    uint32_t region_count;
    pj_delay *delays; // in the order of culprit, region
    uint32_t delay_count;
    double unattributed_ns; // waits that nothing longer has led to
    uint64_t far;           // waits whose ranks last met too long ago
    pj_critical_path paths[PJ_PATHS];
} pj_delays;

#endif
