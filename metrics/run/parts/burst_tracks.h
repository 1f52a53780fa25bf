// Clusters of bursts of several runs that are the same computation (DEFINITIONS 12).
// Ownership: arena; a new table.
#ifndef PJ_BURST_TRACKS_H
#define PJ_BURST_TRACKS_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

#include <stddef.h>
#include <stdint.h>

#define PJ_NO_CLUSTER UINT32_MAX

typedef struct pj_burst_tracks {
    uint32_t count;
    uint32_t **track_of; // by run and cluster, from 0
    uint32_t **before;   // the cluster of the case before that each follows; PJ_NO_CLUSTER
    pj_burst_sum *sums;  // by run and track
} pj_burst_tracks;

/// The tracks of cases that were all read with their bursts: the clusters of the first case, and
/// those of others that are like none before. A cluster belongs to that of the case before it which
/// is nearest in log10 of instructions (strong scaling: times ranks) and IPC (1 = the largest of
/// all); of two that are as near to the one whose place among the bursts of a thread is nearer,
/// then to the longer one. Several may belong to one. What is near none follows one that comes as
/// often at the same place and that nobody else follows. PJ_E_MISSING: a run has no bursts with
/// counters.
PJ_CHECKED bool pj_burst_tracks_find(const pj_study *study, pj_burst_tracks *out, pj_arena *arena,
                                     pj_err *err);
static inline const pj_burst_sum *pj_burst_tracks_at(const pj_burst_tracks *tracks, size_t run,
                                                     uint32_t track)
{
    return &tracks->sums[run * tracks->count + track];
}

/// One row for each track and case that has it: track, trace, ranks, clusters, bursts, time_ns,
/// share, instructions, ipc, and how the last ones but share differ from the first case that has
/// the track, and position. The note says which clusters split. Errors as above.
PJ_CHECKED pj_table *pj_burst_tracks_table(const pj_study *study, pj_err *err);

#endif
