// Where the time of each thread goes: parts that add up to the runtime of the run, to the
// nanosecond. Ownership: the table is new.
#ifndef PJ_BREAKDOWN_H
#define PJ_BREAKDOWN_H

#include "metrics/run/run.h"
#include "metrics/table/table.h"

/// PART(name, title, sentence) in breakdown.def.
typedef enum pj_breakdown_part {
#define PART(name, title, sentence) PJ_TIME_##name,
#include "metrics/run/breakdown.def"
#undef PART
    PJ_TIME_PARTS // number of parts
} pj_breakdown_part;

/// "mpi_p2p_ns", "MPI point-to-point".
const char *pj_breakdown_key(pj_breakdown_part part);
const char *pj_breakdown_title(pj_breakdown_part part);

/// Whether runs of this kind have the part: that of devices comes with calls of their runtime.
bool pj_breakdown_has(const pj_run *run, pj_breakdown_part part);

/// Why a run has none; NULL = it has.
const char *pj_breakdown_lack(const pj_run *run);
/// The parts of a thread in ns; their sum is run->runtime_ns.
void pj_breakdown_of(const pj_run *run, uint32_t location, uint64_t ns[PJ_TIME_PARTS]);
/// A row for each thread: rank, thread, the parts that it has and their sum; without rows, but with
/// a note, where the run has none.
pj_table *pj_breakdown_table(const pj_run *run);

#endif
