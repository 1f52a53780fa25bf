// What a thread did between two times: its state clock, remembered and compared.
// Ownership: plain data.
#ifndef PJ_STATE_MARK_H
#define PJ_STATE_MARK_H

#include "metrics/run/run.h"
#include "metrics/stat/state_clock.h"

/// Sums of a state clock at some time.
typedef struct pj_state_mark {
    uint64_t sums[PJ_STATE_CLOCK_SUMS];
    uint64_t spent[PJ_STATE_CLOCK_SPENT];
    uint64_t openmp_ns, called_ns;
} pj_state_mark;

pj_state_mark pj_state_mark_of(const pj_state_clock *clock);
/// From the mark to now; times of records are none of it.
pj_totals pj_state_mark_since(const pj_state_mark *mark, const pj_state_clock *clock);
/// Useful time of it.
uint64_t pj_state_mark_useful(const pj_state_mark *mark, const pj_state_clock *clock);
/// Time inside MPI calls, in any state that the trace tells.
uint64_t pj_state_mark_in_mpi(const pj_state_mark *mark, const pj_state_clock *clock);
void pj_totals_add(pj_totals *to, const pj_totals *more);

#endif
