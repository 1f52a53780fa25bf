// The critical path: what has led to where each rank is, as time by region and rank. Waiting ranks
// take over the path of whoever they waited for; the one that ends last has the path of the run.
// After Scalasca's critical path (Boehme et al. 2012), forward. Ownership: new/free.
#ifndef PJ_WAIT_PATHS_H
#define PJ_WAIT_PATHS_H

#include "metrics/base/arena.h"
#include "metrics/replay/wait_delays.h"
#include "metrics/replay/wait_regions.h"
#include "metrics/run/waits/run_delays.h"

typedef struct pj_wait_paths pj_wait_paths;

/// Keeps so many calls of all ranks together.
pj_wait_paths *pj_wait_paths_new(uint32_t ranks, uint32_t of_all);
void pj_wait_paths_free(pj_wait_paths *paths);

/// A rank does something for so many ns that count, before its next call or behind its last one.
void pj_wait_paths_spend(pj_wait_paths *paths, uint32_t rank, pj_region_piece piece);
/// It enters a call.
void pj_wait_paths_begin(pj_wait_paths *paths, uint32_t rank, uint64_t enter, uint32_t region);
/// The number of its last step.
uint64_t pj_wait_paths_last(const pj_wait_paths *paths, uint32_t rank);
/// Its last call is over and took so many ns that count, with its wait.
void pj_wait_paths_leave(pj_wait_paths *paths, uint32_t rank, uint64_t ns);
/// A wait becomes known, of a step that does not have it yet: before it is over or afterwards.
void pj_wait_paths_wait(pj_wait_paths *paths, const pj_delayed *wait);
/// Nothing follows. Writes the path of a clock, whose last_rank and length_ns are known, and what
/// the regions have of it.
void pj_wait_paths_finish(pj_wait_paths *paths, pj_path_clock clock, pj_delays *out,
                          pj_arena *arena);
/// Bytes in use.
size_t pj_wait_paths_bytes(const pj_wait_paths *paths);

#endif
