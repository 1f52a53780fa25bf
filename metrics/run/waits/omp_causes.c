// What threads lose in OpenMP by its causes.
// In parallel regions they lose all that is not useful: what their account does not tell is its
// rest. Outside of them all but the first one lose what that one computes.
#include "metrics/run/waits/omp_causes.h"

#include "metrics/run/waits/omp_waits.h"
#include "metrics/trace/layout.h"

/// Adds what a rank loses in regions; gives what it loses outside of them.
static double add_rank(const pj_run *run, uint32_t rank, double *in_regions)
{
    uint32_t threads = pj_layout_threads(&run->layout, rank);
    const pj_totals *totals = run->totals + run->layout.first_location[rank];
    double useful = 0;
    if (threads == 0) // in damaged summaries
        return 0;
    for (uint32_t t = 0; t < threads; t++)
        useful += (double)totals[t].openmp_useful_ns;
    *in_regions += (double)totals->openmp_ns - useful / threads;
    return (double)totals->serial_useful_ns * (1 - 1.0 / threads);
}

const pj_omp_cause *pj_omp_causes(const pj_run *run, pj_arena *arena, uint32_t *count)
{
    pj_omp_cause *causes = pj_new_n(arena, pj_omp_cause, PJ_OMP_PATTERNS + 1);
    double rest = 0, serial = 0;
    for (uint32_t rank = 0; rank < run->layout.ranks; rank++)
        serial += add_rank(run, rank, &rest);
    for (unsigned p = 0; p < PJ_OMP_PATTERNS; p++)
        causes[p] = (pj_omp_cause){.cause = pj_omp_pattern_rows[p].key,
                                   .title = pj_omp_pattern_rows[p].title};
    for (size_t i = 0; i < run->omp_waits->count; i++) {
        const pj_omp_wait *wait = &run->omp_waits->items[i];
        uint32_t threads = pj_layout_threads(&run->layout, wait->rank);
        if (wait->pattern == PJ_OMP_WAIT_omp_idle_threads || threads == 0)
            continue; // idle ones are so also while the first one is in MPI
        double ns = (double)wait->ns / threads;
        causes[wait->pattern].loss_ns += ns;
        rest -= ns;
    }
    causes[PJ_OMP_WAIT_omp_idle_threads].serial = true;
    causes[PJ_OMP_WAIT_omp_idle_threads].loss_ns = serial;
    causes[PJ_OMP_PATTERNS] =
        (pj_omp_cause){"omp_others", "Else in regions, not useful", false, rest};
    *count = PJ_OMP_PATTERNS + 1;
    return causes;
}
