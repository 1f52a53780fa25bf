// What a run holds, as tables. Ownership: new tables that hold one reference.
#ifndef PJ_RUN_TABLE_H
#define PJ_RUN_TABLE_H

#include "metrics/run/run.h"
#include "metrics/table/table.h"

/// Statistics: rank, thread, useful_ns, serial_useful_ns, openmp_useful_ns, openmp_ns,
/// outside_mpi_ns, runtime_ns, instructions, cycles; one row per thread, both from 0.
pj_table *pj_run_table_stats(const pj_run *run);
/// Columns of the statistics; NULL past the end.
const pj_column *pj_run_table_stats_column(size_t column);
pj_cell pj_run_table_stats_cell(const pj_run *run, uint32_t location, size_t column);
/// Oddities met while reading: key, severity, count, first_line, sentence; only those that
/// occurred.
pj_table *pj_run_table_import(const pj_run *run);
/// The ideal-network replay: rank, finish_ns, compute_ns; no rows without a replay (the note says
/// why).
pj_table *pj_run_table_ideal(const pj_run *run);

/// Why a run has no such counter: "the trace has no cycle counter (PAPI_TOT_CYC)"; NULL when it
/// has. `counter` is PJ_COUNTER_INSTRUCTIONS or PJ_COUNTER_CYCLES.
const char *pj_run_lacks_states(const pj_run *run);
const char *pj_run_lacks_counter(const pj_run *run, unsigned counter);

#endif
