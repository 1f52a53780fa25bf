// What calls waited for, as tables. Ownership: new.
#ifndef PJ_WAITS_TABLE_H
#define PJ_WAITS_TABLE_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

typedef enum pj_waits_by {
    PJ_WAITS_ACCOUNT, // all time of the ranks: outside MPI, waits by pattern, transfer, end
    PJ_WAITS_PATTERN,
    PJ_WAITS_CULPRIT, // pattern and culprit
    PJ_WAITS_PAIR,    // pattern, rank and culprit
    PJ_WAITS_CALL,    // pattern and call
    PJ_WAITS_RANK,    // all time of each rank (pj_waits_ranks)
    PJ_WAITS_CAUSES,  // which rows of the efficiencies the waits cost how much
    PJ_WAITS_BLAMES,  // the same by the rank waited for
} pj_waits_by;

/// Each rank in ns: outside MPI, by the patterns that there are, transfer, end, and what others
/// waited for it. Columns: the rank, then outside_mpi_ns, late_sender_ns, ..., transfer_ns, end_ns,
/// caused_ns.
pj_table *pj_waits_ranks(const pj_run *run);
/// Whether a column of these is a part of the rank's time in MPI.
bool pj_waits_is_in_mpi(pj_str column);

/// The longest waits one by one, `most` of PJ_WORST_WAITS at most: pattern, rank, culprit, call,
/// wait_ns, at_ns, range of a timeline. Errors: PJ_E_MISSING as below.
PJ_CHECKED pj_table *pj_waits_worst(const pj_run *run, uint64_t most, pj_err *err);

/// Errors: PJ_E_MISSING when the run has no waits (or, for causes, no ideal ones).
PJ_CHECKED pj_table *pj_waits_table(const pj_run *run, pj_waits_by by, pj_err *err);
/// The same of the ideal network, where calls take no more time than their waits. Errors:
/// PJ_E_MISSING also for causes, which are about both.
PJ_CHECKED pj_table *pj_waits_ideal_table(const pj_run *run, pj_waits_by by, pj_err *err);

#endif
