// What metrics need of a run: sums, means and maxima over its threads and ranks.
// Ownership: plain data.
#ifndef PJ_SUMS_H
#define PJ_SUMS_H

#include "metrics/run/run.h"

/// Times in ns, counters in counts; one field per row of sums.def.
typedef struct pj_sums {
#define MEASURE(name, needs, unit, sentence) double name;
#include "metrics/run/sums.def"
#undef MEASURE
} pj_sums;

/// The same by row of sums.def, for who takes one after another.
enum { PJ_SUM_ROWS = sizeof(pj_sums) / sizeof(double) };
const char *pj_sum_name(size_t row);
double pj_sum_get(const pj_sums *sums, size_t row);
void pj_sum_set(pj_sums *sums, size_t row, double value);

/// Adds up locations in order, so that every number of workers gives the same digits; of a run from
/// a summary, what was added up when it was written.
pj_sums pj_sums_of(const pj_run *run);

/// Sums rank by rank, of what the threads of each one did, its first thread first: from
/// pj_sums_of_ranks, and after the last one divided. `ranks`, `threads`, `runtime` and counters are
/// the caller's; what follows counters in sums.def is no number.
pj_sums pj_sums_of_ranks(void);
void pj_sums_add_rank(pj_sums *sums, const pj_totals *totals, uint32_t threads);
void pj_sums_divide(pj_sums *sums);

/// No number in every field: to be filled with what is known.
pj_sums pj_sums_unknown(void);

#endif
