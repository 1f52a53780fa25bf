// Waits summed by rank, culprit, pattern and call. Ownership: a zeroed struct is empty; free
// releases it.
#ifndef PJ_WAIT_SUMS_H
#define PJ_WAIT_SUMS_H

#include "metrics/base/map.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/mpi_call.h"

#include <stddef.h>

typedef struct pj_wait_sums {
    pj_map map; // key of a sum to its place
    pj_wait_sum *items;
    size_t count, cap;
    pj_one_wait worst[PJ_WORST_WAITS]; // the longest first
    uint32_t worst_count;
} pj_wait_sums;

void pj_wait_sums_add(pj_wait_sums *sums, const pj_one_wait *wait);
/// The same on the ideal network; its `begin` says nothing.
void pj_wait_sums_add_ideal(pj_wait_sums *sums, const pj_one_wait *wait);
/// In the order of pattern, rank, culprit, call.
void pj_wait_sums_sort(pj_wait_sums *sums);
void pj_wait_sums_free(pj_wait_sums *sums);
/// Bytes in use.
size_t pj_wait_sums_bytes(const pj_wait_sums *sums);

#endif
