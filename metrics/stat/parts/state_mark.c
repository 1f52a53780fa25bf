// Differences of state clocks.
#include "metrics/stat/parts/state_mark.h"

#include "metrics/stat/useful.h"

#include <string.h>

pj_state_mark pj_state_mark_of(const pj_state_clock *clock)
{
    pj_state_mark mark = {.openmp_ns = clock->openmp_ns, .called_ns = pj_state_clock_called(clock)};
    memcpy(mark.sums, clock->sums, sizeof mark.sums);
    memcpy(mark.spent, clock->spent, sizeof mark.spent);
    return mark;
}

pj_totals pj_state_mark_since(const pj_state_mark *mark, const pj_state_clock *clock)
{
    pj_state_clock since = {.openmp_ns = clock->openmp_ns - mark->openmp_ns,
                            .called_ns = pj_state_clock_called(clock) - mark->called_ns};
    for (unsigned i = 0; i < PJ_STATE_CLOCK_SUMS; i++)
        since.sums[i] = clock->sums[i] - mark->sums[i];
    for (unsigned i = 0; i < PJ_STATE_CLOCK_SPENT; i++)
        since.spent[i] = clock->spent[i] - mark->spent[i];
    return pj_useful_totals(&since);
}

uint64_t pj_state_mark_useful(const pj_state_mark *mark, const pj_state_clock *clock)
{
    uint64_t useful = 0;
    for (unsigned i = PJ_CLASS_RUNNING; i < PJ_CLASS_OTHER; i++)
        useful += clock->sums[i] - mark->sums[i];
    return useful;
}

uint64_t pj_state_mark_in_mpi(const pj_state_mark *mark, const pj_state_clock *clock)
{
    uint64_t inside = 0;
    for (unsigned i = 0; i < PJ_STATE_CLOCK_SUMS; i++)
        inside += i & PJ_IN_MPI ? clock->sums[i] - mark->sums[i] : 0;
    return inside;
}

void pj_totals_add(pj_totals *to, const pj_totals *more)
{
    to->useful_ns += more->useful_ns;
    to->serial_useful_ns += more->serial_useful_ns;
    to->openmp_useful_ns += more->openmp_useful_ns;
    to->openmp_ns += more->openmp_ns;
    to->outside_mpi_ns += more->outside_mpi_ns;
    to->runtime_ns += more->runtime_ns;
    to->mpi_ns += more->mpi_ns;
    to->mpi_serial_ns += more->mpi_serial_ns;
    to->mpi_io_ns += more->mpi_io_ns;
    to->device_calls_ns += more->device_calls_ns;
    for (unsigned i = 0; i < PJ_SPENT_KINDS; i++)
        to->spent_ns[i] += more->spent_ns[i];
}
