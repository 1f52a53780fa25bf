// How long the first threads of ranks are in which region of the program, node by node. Ownership:
// new/free.
#ifndef PJ_ENERGY_REGIONS_H
#define PJ_ENERGY_REGIONS_H

#include "metrics/run/run.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pj_energy_regions pj_energy_regions;

/// NULL where the trace names no regions of the program, or too many.
pj_energy_regions *pj_energy_regions_new(const pj_run *run);
void pj_energy_regions_free(pj_energy_regions *regions);

/// How many there are, with one behind them for the time outside of all; the name of each, its own
/// NULL.
size_t pj_energy_regions_count(const pj_energy_regions *regions);
const char *pj_energy_regions_name(const pj_energy_regions *regions, size_t at);

/// A first thread enters or leaves a region (an index in pj_run.names.regions); calls come in order
/// of time.
void pj_energy_regions_enter(pj_energy_regions *regions, uint32_t rank, uint64_t time,
                             uint64_t region);
void pj_energy_regions_leave(pj_energy_regions *regions, uint32_t rank, uint64_t time,
                             uint64_t region);
/// The ns that the ranks of a node, or PJ_METER_ALL_NODES, have been in each by `time`, that within
/// others in the inner one; borrow. Ranks are advanced.
const double *pj_energy_regions_at(pj_energy_regions *regions, uint32_t node, uint64_t time);

#endif
