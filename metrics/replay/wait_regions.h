// Which function of the program a rank is in, as events of the trace tell it ahead of the replay,
// and what was done when. Ownership: new/free.
#ifndef PJ_WAIT_REGIONS_H
#define PJ_WAIT_REGIONS_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

typedef struct pj_wait_regions pj_wait_regions;

/// Numbers below are less than this; when there are more, the rest has PJ_WAIT_REGION_REST.
enum { PJ_WAIT_REGIONS_MOST = 1024, PJ_WAIT_REGION_NONE = 0, PJ_WAIT_REGION_REST = 1 };

pj_wait_regions *pj_wait_regions_new(const pj_run *run);
void pj_wait_regions_free(pj_wait_regions *regions);

/// Events that enter or leave functions; others are none of its business.
void pj_wait_regions_event(pj_wait_regions *regions, const pj_event *event);
/// The number of an MPI function.
uint32_t pj_wait_regions_call(pj_wait_regions *regions, pj_mpi_call call);

/// What a rank was in for `ns` from `from` on.
typedef struct pj_region_piece {
    uint32_t region;
    uint64_t ns;
} pj_region_piece;
/// The next piece of a rank from *from to `to`, and moves *from behind it; false when there is
/// none.
bool pj_wait_regions_next(pj_wait_regions *regions, uint32_t rank, uint64_t *from, uint64_t to,
                          pj_region_piece *piece);
/// What each rank is in there, and when that changes as far as events have told.
typedef struct pj_region_now {
    uint64_t until; // ns; UINT64_MAX = nothing is told
    uint32_t region;
} pj_region_now;
const pj_region_now *pj_wait_regions_now(const pj_wait_regions *regions);

uint32_t pj_wait_regions_count(const pj_wait_regions *regions);
const char *pj_wait_regions_name(const pj_wait_regions *regions, uint32_t number, pj_arena *arena);
/// Bytes in use.
size_t pj_wait_regions_bytes(const pj_wait_regions *regions);

#endif
