// Sums and maxima over the threads of a run.
// One loop over the threads, rank by rank.
#include "metrics/run/sums.h"

#include "metrics/base/arena.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "metrics/run/energy.h"
#include "metrics/run/parts/iterations.h"
#include "metrics/run/sums_cpus.h"
#include "metrics/run/sums_processes.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset; // of a double in pj_sums
} sum_rows[] = {
#define MEASURE(name, needs, unit, sentence) {#name, offsetof(pj_sums, name)},
#include "metrics/run/sums.def"
#undef MEASURE
};

const char *pj_sum_name(size_t row)
{
    return sum_rows[row].name;
}

double pj_sum_get(const pj_sums *sums, size_t row)
{
    return *(const double *)((const char *)sums + sum_rows[row].offset);
}

void pj_sum_set(pj_sums *sums, size_t row, double value)
{
    *(double *)((char *)sums + sum_rows[row].offset) = value;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

void pj_sums_add_rank(pj_sums *m, const pj_totals *totals, uint32_t threads)
{
    if (threads == 0)
        return;
    double useful = 0, openmp_useful = 0;
    for (uint32_t t = 0; t < threads; t++) {
        useful += (double)totals[t].useful_ns;
        openmp_useful += (double)totals[t].openmp_useful_ns;
        m->useful_max = larger(m->useful_max, (double)totals[t].useful_ns);
    }
    m->useful_sum += useful;
    m->useful_mean += useful / threads;
    m->openmp_useful_mean += openmp_useful / threads;

    const pj_totals *master = &totals[0];
    double serial = (double)master->serial_useful_ns, openmp = (double)master->openmp_ns;
    m->master_useful_mean += (double)master->useful_ns;
    m->master_useful_max = larger(m->master_useful_max, (double)master->useful_ns);
    m->nonmpi_mean += serial + openmp;
    m->nonmpi_max = larger(m->nonmpi_max, serial + openmp);
    m->outside_mpi_mean += (double)master->outside_mpi_ns;
    m->outside_mpi_max = larger(m->outside_mpi_max, (double)master->outside_mpi_ns);
    m->openmp_mean += openmp;
    m->openmp_lost_mean += openmp - openmp_useful / threads;
    m->serial_mean += serial;
    m->serial_lost_mean += serial * (1 - 1.0 / threads);
}

void pj_sums_divide(pj_sums *m)
{
    double *const means[] = {
        &m->useful_mean, &m->master_useful_mean, &m->nonmpi_mean,
        &m->openmp_mean, &m->openmp_useful_mean, &m->openmp_lost_mean,
        &m->serial_mean, &m->serial_lost_mean,   &m->outside_mpi_mean,
    };
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        *means[i] /= m->ranks;
}

pj_sums pj_sums_of_ranks(void)
{
    pj_sums sums = pj_sums_unknown();
    pj_sums empty = {.ranks = 0};
    size_t first = offsetof(pj_sums, ranks), behind = offsetof(pj_sums, mpi_sum);
    memcpy((char *)&sums + first, (const char *)&empty + first, behind - first);
    sums.devices = 0;
    return sums;
}

static double counter_sum(const pj_run *run, unsigned index)
{
    double sum = 0;
    for (uint32_t i = 0; run->counters[index].present && i < run->layout.locations; i++)
        sum += (double)run->counters[index].useful[i];
    return sum;
}

pj_sums pj_sums_unknown(void)
{
    return (pj_sums){
#define MEASURE(name, needs, unit, sentence) .name = NAN,
#include "metrics/run/sums.def"
#undef MEASURE
    };
}

static void add_devices(const pj_devices *devices, pj_sums *m)
{
    m->devices = devices->count;
    for (uint32_t d = 0; d < devices->count; d++) {
        const pj_device_sum *device = &devices->items[d];
        m->device_useful_sum += (double)device->useful_ns;
        m->device_useful_max = larger(m->device_useful_max, (double)device->useful_ns);
        m->device_active_max = larger(m->device_active_max, (double)pj_device_active_ns(device));
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// What devices wait for in exchanges is known of AI runs.
static double most_with_waits(const pj_ai_account *account)
{
    double most = 0;
    for (uint32_t d = 0; account && d < account->count; d++)
        most = larger(most, (double)(account->shares[d].useful + account->shares[d].wait));
    return account ? most : NAN;
}

/// The median over steps of what the longest rank takes.
static double step_of(const pj_ai_account *account)
{
    uint32_t count = account ? account->step_count : 0, steps = 0;
    double *lengths = pj_take_zeros((count + 1) * sizeof *lengths), median = NAN;
    for (uint32_t i = 0; i < count; i++) { // in the order of steps
        steps += !i || account->steps[i].number != account->steps[i - 1].number;
        lengths[steps - 1] = larger(lengths[steps - 1], (double)account->steps[i].length_ns);
    }
    if (steps) {
        qsort(lengths, steps, sizeof *lengths, by_value);
        median = lengths[(steps - 1) / 2];
    }
    free(lengths);
    return median;
}

/// Devices that send each other messages in several groups are a pipeline.
static bool is_pipeline(const pj_ai_account *account)
{
    const char *group = NULL;
    for (uint32_t i = 0; account && i < account->operation_count; i++) {
        const pj_ai_operation *row = &account->operations[i];
        if (strcmp(row->operation, "send") != 0 && strcmp(row->operation, "recv") != 0)
            continue;
        if (group && strcmp(group, row->group) != 0)
            return true;
        group = row->group;
    }
    return false;
}

/// Of parts, that of steps.
static double bubble_of(const pj_run *run)
{
    const pj_ai_account *account = run->ai;
    double wait = 0, between = 0, inside = 0;
    bool known = !run->part.whole || (account && account->step_count);
    if (!known || !is_pipeline(pj_run_whole(run)->ai))
        return NAN;
    for (uint32_t d = 0; d < account->count; d++) {
        const pj_ai_share *share = &account->shares[d];
        wait += (double)share->wait;
        between += (double)(pj_ai_share_idle(share) - share->idle[PJ_AI_IDLE_not_started] -
                            share->idle[PJ_AI_IDLE_ended]);
    }
    for (uint32_t i = 0; i < account->step_count; i++)
        inside += (double)account->steps[i].idle;
    return wait + (account->step_count ? inside : between);
}

static void add_energy(const pj_energy *energy, pj_sums *m)
{
    const double *states = energy->states;
    m->energy = energy->joules;
    m->energy_watts = energy->watts;
    m->energy_useful = states[PJ_ENERGY_USEFUL];
    m->energy_transfer = states[PJ_ENERGY_TRANSFER];
    m->energy_wait = states[PJ_ENERGY_WAIT] + states[PJ_ENERGY_MPI] + states[PJ_ENERGY_RUNTIME];
    m->energy_idle = states[PJ_ENERGY_IDLE];
}

/// Of a run that is looked at as a whole.
static double steps_of(const pj_run *run)
{
    const pj_iterations *found = run->iterations;
    bool whole = found && !found->lack && !run->roi.set;
    return whole ? (double)found->borders.count : NAN;
}

/// What threads do outside MPI where they call the runtime of devices. A trace may tell the calls
/// and no stream.
static void add_hosts(const pj_run *run, pj_sums *m)
{
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        const pj_totals *t = &run->totals[i];
        double runtime = (double)(run->devices ? run->devices->runtime_ns[i] : t->device_calls_ns);
        double outside =
            run->has_openmp ? (double)t->useful_ns + runtime : (double)t->outside_mpi_ns;
        m->gpu_runtime_sum += runtime;
        m->host_outside_sum += outside;
        m->host_outside_max = larger(m->host_outside_max, outside);
    }
}

pj_sums pj_sums_of(const pj_run *run)
{
    if (run->sums)
        return *run->sums;
    pj_sums m = {.ranks = run->layout.ranks,
                 .threads = run->layout.locations,
                 .runtime = (double)run->runtime_ns,
                 .ideal_runtime = run->ideal.runtime_ns,
                 .energy = NAN,
                 .energy_watts = NAN,
                 .energy_useful = NAN,
                 .energy_transfer = NAN,
                 .energy_wait = NAN,
                 .energy_idle = NAN,
                 .steps = steps_of(run),
                 .instructions = counter_sum(run, PJ_COUNTER_INSTRUCTIONS),
                 .cycles = counter_sum(run, PJ_COUNTER_CYCLES)};
    for (uint32_t r = 0; r < run->layout.ranks; r++)
        pj_sums_add_rank(&m, &run->totals[run->layout.first_location[r]],
                         pj_layout_threads(&run->layout, r));
    pj_sums_divide(&m);
    pj_sums_add_cpus(run, &m);
    pj_sums_add_processes(run, &m);
    m.device_wait_max = most_with_waits(run->ai);
    m.device_step = step_of(run->ai);
    m.device_bubble = bubble_of(run);
    if (run->devices)
        add_devices(run->devices, &m);
    if (run->devices || pj_run_calls_devices(run))
        add_hosts(run, &m);
    if (run->energy)
        add_energy(run->energy, &m);
    return m;
}
