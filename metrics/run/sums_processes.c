// A process lasts as long as the run; it is its first thread, or with OpenMP the time of that
// thread in OpenMP and serial parts.
#include "metrics/run/sums_processes.h"

#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stdlib.h>

/// What the threads of a process do in parallel regions: most and sum over them, ns.
typedef struct team {
    double compute_sum, compute_max;
    double working_max; // with waiting at barriers and locks, without forks and joins
    double open_max;    // with these, too
} team;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static team team_of(const pj_totals *totals, uint32_t threads)
{
    team found = {.compute_sum = 0};
    for (uint32_t t = 0; t < threads; t++) {
        double compute = (double)totals[t].openmp_useful_ns;
        double waits = (double)totals[t].spent_ns[PJ_SPENT_SYNC];
        double forks = (double)totals[t].spent_ns[PJ_SPENT_FORK];
        found.compute_sum += compute;
        found.compute_max = larger(found.compute_max, compute);
        found.working_max = larger(found.working_max, compute + waits);
        found.open_max = larger(found.open_max, compute + waits + forks);
    }
    return found;
}

/// Processes that never were in a parallel region have no such efficiency and do not count.
static void add_teams(const pj_run *run, pj_sums *m)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < run->layout.ranks; r++) {
        uint32_t threads = pj_layout_threads(&run->layout, r);
        team t = team_of(&run->totals[run->layout.first_location[r]], threads);
        if (!(t.compute_max > 0))
            continue;
        double balance = t.compute_sum / threads / t.compute_max;
        double serial = t.compute_max / t.working_max, management = t.working_max / t.open_max;
        double all = balance * serial * management;
        m->jsc_omp_balance_mean += balance;
        m->jsc_omp_serial_mean += serial;
        m->jsc_omp_management_mean += management;
        m->jsc_omp_mean += all;
        m->jsc_omp_min = count == 0 || all < m->jsc_omp_min ? all : m->jsc_omp_min;
        m->jsc_omp_max = larger(m->jsc_omp_max, all);
        count++;
    }
    double *const means[] = {&m->jsc_omp_mean, &m->jsc_omp_balance_mean, &m->jsc_omp_serial_mean,
                             &m->jsc_omp_management_mean};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        *means[i] = count ? *means[i] / count : NAN;
}

/// The eight patterns of the Cube advisor; one-sided calls and MPI_Init are not among them.
static bool is_wait_of_jsc(pj_wait_pattern pattern)
{
    static const bool counts[PJ_WAIT_PATTERNS] = {
        [PJ_WAIT_late_sender] = true,   [PJ_WAIT_late_sender_wrong_order] = true,
        [PJ_WAIT_late_receiver] = true, [PJ_WAIT_barrier_wait] = true,
        [PJ_WAIT_wait_at_nxn] = true,   [PJ_WAIT_late_broadcast] = true,
        [PJ_WAIT_early_reduce] = true,  [PJ_WAIT_early_scan] = true,
        [PJ_WAIT_finalize_wait] = true,
    };
    return counts[pattern];
}

/// By rank; NULL where waits are not known.
static double *waits_by_rank(const pj_run *run)
{
    double *waits = run->waits ? calloc(run->layout.ranks + 1, sizeof *waits) : NULL;
    for (uint32_t i = 0; waits && i < run->waits->sum_count; i++)
        if (is_wait_of_jsc(run->waits->sums[i].pattern))
            waits[run->waits->sums[i].rank] += (double)run->waits->sums[i].wait_ns;
    return waits;
}

static double ideal_of(const pj_run *run, uint32_t rank, const double *known)
{
    const pj_totals *t = &run->totals[run->layout.first_location[rank]];
    double mpi = (double)t->mpi_ns;
    double waits = known ? known[rank] : mpi > 0 ? NAN : 0;
    return (double)run->runtime_ns - (mpi - waits - (double)t->mpi_io_ns);
}

void pj_sums_add_processes(const pj_run *run, pj_sums *m)
{
    double *waits = waits_by_rank(run);
    for (uint32_t r = 0; r < run->layout.ranks; r++) {
        uint32_t threads = pj_layout_threads(&run->layout, r);
        if (threads == 0)
            continue;
        const pj_totals *t = &run->totals[run->layout.first_location[r]];
        double computes = run->has_openmp ? (double)(t->serial_useful_ns + t->openmp_ns)
                                          : (double)run->runtime_ns - (double)t->mpi_ns;
        double ideal = ideal_of(run, r, waits);
        m->process_max = larger(m->process_max, (double)run->runtime_ns);
        m->jsc_mean += computes * threads / m->threads;
        m->jsc_max = larger(m->jsc_max, computes);
        m->jsc_ideal_max =
            isnan(ideal) || isnan(m->jsc_ideal_max) ? NAN : larger(m->jsc_ideal_max, ideal);
    }
    free(waits);
    add_teams(run, m);
}
