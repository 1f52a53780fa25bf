// Clusters of bursts: computation between MPI calls that has about as many instructions at about
// the same IPC (DEFINITIONS 12). Ownership: arena.
#ifndef PJ_BURST_CLUSTERS_H
#define PJ_BURST_CLUSTERS_H

#include "metrics/base/arena.h"
#include "metrics/run/parts/burst_cells.h"

#include <stdbool.h>

/// Of the same place on both axes, whatever their durations.
typedef struct pj_burst_point {
    uint32_t x, y;    // as in pj_burst_cell
    uint32_t cluster; // 0 = none is near
    pj_burst_sum sum;
} pj_burst_point;

/// The function that most of a cluster's time is spent in.
typedef struct pj_burst_function {
    uint32_t number;  // as in pj_burst_cell; 0 = not known
    uint64_t time_ns; // in it
    const char *name; // NULL = not known
} pj_burst_function;

typedef struct pj_burst_clusters {
    pj_burst_sum *clusters; // the one that takes longest first
    uint32_t count;
    pj_burst_function *functions; // of the clusters; those who find them fill in the names
    double order;                 // mean number of the bursts of a thread; 0 = not known
    pj_burst_point *points;       // in the order of (x, y)
    size_t point_count;
    pj_burst_sum noise;   // of points without a cluster
    pj_burst_sum shorter; // bursts that are too short to matter: the last 5 % of the time
    pj_burst_sum unread;  // bursts that counters were not read for
    uint64_t cut;         // bursts that a border of the region of interest cuts
    bool timed;           // no burst has counters: clusters are of durations
    unsigned coarser;     // as in pj_burst_cells
} pj_burst_clusters;

/// Clusters of what lies in cells (DBSCAN; Ester, Kriegel, Sander, Xu 1996): those of the longest
/// durations that make up 95 % of the time.
void pj_burst_clusters_find(const pj_burst_cells *cells, pj_burst_clusters *out, pj_arena *arena);

/// Where bursts come among the `order` ones of a thread, on average: 0 = first, 1 = last.
static inline double pj_burst_position(const pj_burst_sum *sum, double order)
{
    double place = ((double)sum->order / (double)sum->bursts - 1) / (order - 1);
    return order > 1 ? place < 1 ? place : 1 : 0;
}

#endif
