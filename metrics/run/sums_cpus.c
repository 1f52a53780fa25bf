// Every rank's time is shared out over MPI, workers that wait for it, and the three losses of
// OpenMP.
#include "metrics/run/sums_cpus.h"

#include "metrics/run/regions.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stdlib.h>

/// What the CPUs of a rank, or of a node, lose: ns.
typedef struct account {
    double cpus, mpi, worker_idle, imbalance, scheduling, serial;
} account;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static const pj_totals *totals_of(const pj_run *run, uint32_t rank)
{
    return &run->totals[run->layout.first_location[rank]];
}

/// Time that workers idle outside parallel regions, whatever their rank does meanwhile.
static double idle_outside(const pj_run *run, uint32_t rank, const pj_region_loss *loss)
{
    uint32_t threads = pj_layout_threads(&run->layout, rank);
    const pj_totals *totals = totals_of(run, rank);
    double useful = 0;
    for (uint32_t t = 0; t < threads; t++)
        useful += (double)totals[t].useful_ns;
    double workers = useful - (double)loss->total_ns - (double)totals[0].serial_useful_ns;
    return (threads - 1) * ((double)run->runtime_ns - (double)loss->length_ns) - larger(workers, 0);
}

static account account_of(const pj_run *run, uint32_t rank, bool teams)
{
    uint32_t threads = pj_layout_threads(&run->layout, rank);
    const pj_totals *totals = totals_of(run, rank);
    account a = {.cpus = threads};
    for (uint32_t t = 0; t < threads; t++)
        a.mpi += (double)totals[t].mpi_ns;
    if (!run->has_openmp || threads == 0)
        return a;
    if (!teams) {
        a.worker_idle = a.imbalance = a.scheduling = a.serial = NAN;
        return a;
    }
    const pj_region_loss *loss = &run->openmp_regions->losses[rank];
    a.worker_idle = (threads - 1) * (double)totals[0].mpi_serial_ns;
    a.imbalance = (double)loss->imbalance_ns;
    a.scheduling = (double)loss->scheduling_ns;
    a.serial = larger(idle_outside(run, rank, loss) - a.worker_idle, 0);
    return a;
}

static void add(account *sum, const account *a)
{
    sum->cpus += a->cpus;
    sum->mpi += a->mpi;
    sum->worker_idle += a->worker_idle;
    sum->imbalance += a->imbalance;
    sum->scheduling += a->scheduling;
    sum->serial += a->serial;
}

/// Elapsed time less MPI, by CPU: with the workers that wait for it (version 2 of TALP) or without.
static double outside(double elapsed, const account *a, bool workers)
{
    return elapsed - (a->mpi + (workers ? a->worker_idle : 0)) / a->cpus;
}

/// Keeps the larger, and what is no number.
static void raise(double *most, double value)
{
    *most = isnan(value) || isnan(*most) ? NAN : larger(*most, value);
}

static bool knows_nodes(const pj_layout *layout)
{
    for (uint32_t i = 0; i < layout->locations; i++)
        if (!layout->node_of || layout->node_of[i] == 0)
            return false;
    return layout->locations > 0;
}

static uint32_t node_count(const pj_layout *layout)
{
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < layout->locations; i++)
        nodes = layout->node_of[i] > nodes ? layout->node_of[i] : nodes;
    return nodes;
}

/// A rank counts for the node of its first thread.
static void add_nodes(const pj_run *run, const account *ranks, pj_sums *m)
{
    const pj_layout *layout = &run->layout;
    m->cpu_outside_mpi_node_max = m->cpu_v1_outside_mpi_node_max = NAN;
    if (!knows_nodes(layout) || node_count(layout) > layout->locations)
        return;
    uint32_t nodes = node_count(layout);
    account *of = calloc(nodes + 1, sizeof *of);
    if (!of)
        return;
    for (uint32_t r = 0; r < layout->ranks; r++)
        if (pj_layout_threads(layout, r))
            add(&of[layout->node_of[layout->first_location[r]]], &ranks[r]);
    m->cpu_outside_mpi_node_max = m->cpu_v1_outside_mpi_node_max = 0;
    for (uint32_t n = 1; n <= nodes; n++) {
        if (of[n].cpus == 0)
            continue;
        raise(&m->cpu_outside_mpi_node_max, outside(m->runtime, &of[n], true));
        raise(&m->cpu_v1_outside_mpi_node_max, outside(m->runtime, &of[n], false));
    }
    free(of);
}

static void add_input_output(const pj_run *run, pj_sums *m)
{
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        const pj_totals *t = &run->totals[i];
        double mpi = (double)t->mpi_io_ns, posix = (double)t->spent_ns[PJ_SPENT_IO] - mpi;
        if (run->io_unknown)
            mpi = posix = 0;
        m->mpi_io_sum += mpi;
        m->posix_io_sum += posix;
        m->mpi_io_max = larger(m->mpi_io_max, mpi);
        m->posix_io_max = larger(m->posix_io_max, posix);
        m->omp_fork_sum += (double)t->spent_ns[PJ_SPENT_FORK];
    }
}

static void add_masters(const pj_run *run, pj_sums *m)
{
    for (uint32_t r = 0; r < run->layout.ranks; r++) {
        uint32_t threads = pj_layout_threads(&run->layout, r);
        if (threads == 0)
            continue;
        const pj_totals *master = totals_of(run, r);
        m->outside_mpi_weighted += (double)master->outside_mpi_ns * threads / m->threads;
        if (run->has_openmp)
            m->omp_serial_idle_sum +=
                ((double)master->serial_useful_ns + (double)master->mpi_ns) * (threads - 1);
    }
}

void pj_sums_add_cpus(const pj_run *run, pj_sums *m)
{
    const pj_layout *layout = &run->layout;
    bool teams = run->openmp_regions && run->openmp_regions->losses;
    account *ranks = calloc(layout->ranks + 1, sizeof *ranks), all = {.cpus = 0};
    if (!ranks)
        return;
    m->mpi_elapsed = m->runtime;
    for (uint32_t r = 0; r < layout->ranks; r++) {
        ranks[r] = account_of(run, r, teams);
        if (ranks[r].cpus == 0)
            continue;
        add(&all, &ranks[r]);
        raise(&m->cpu_outside_mpi_max, outside(m->runtime, &ranks[r], true));
        raise(&m->cpu_v1_outside_mpi_max, outside(m->runtime, &ranks[r], false));
    }
    m->mpi_sum = all.mpi;
    m->mpi_worker_idle_sum = all.worker_idle;
    m->omp_imbalance_sum = all.imbalance;
    m->omp_scheduling_sum = all.scheduling;
    m->omp_serial_sum = all.serial;
    m->cpu_outside_mpi_mean = outside(m->runtime, &all, true);
    m->cpu_v1_outside_mpi_mean = outside(m->runtime, &all, false);
    add_nodes(run, ranks, m);
    free(ranks);
    add_input_output(run, m);
    add_masters(run, m);
}
