// The efficiencies of a modelled run from its totals, set by set, as DEFINITIONS 4 has them;
// written apart from the program's own rows so that each checks the other.
#include "tests/support/trace/model_app.h"

#include <string.h>

/// Sums over a run; names as in the POP literature.
typedef struct figures {
    double ranks, threads, runtime, ideal;
    double useful_mean, useful_max, useful_sum; // over all threads
    double master_mean, master_max;             // useful of thread 0 over ranks
    double nonmpi_mean, nonmpi_max;             // serial useful + OpenMP time of thread 0
    double openmp_mean, serial_mean;            // of thread 0 over ranks
    double openmp_useful_mean;                  // over all threads
    double instructions, cycles;
    double outside_mean, outside_max; // outside MPI of thread 0 over ranks
    double mpi_sum, least_mpi;        // of all threads; of the rank that has least
    double process_mean, process_max; // what JSC takes for computation
} figures;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static figures figures_of(const pj_model_expected *run)
{
    figures f = {.ranks = run->ranks, .threads = (double)run->ranks * run->threads};
    f.runtime = (double)run->runtime;
    f.ideal = (double)run->ideal;
    f.least_mpi = f.runtime;
    for (uint32_t i = 0; i < run->ranks * run->threads; i++) {
        const pj_model_totals *t = &run->totals[i];
        f.useful_sum += (double)t->useful;
        f.useful_max = larger(f.useful_max, (double)t->useful);
        f.openmp_useful_mean += (double)t->openmp_useful / f.threads;
        f.instructions += (double)t->instructions;
        f.cycles += (double)t->cycles;
        if (i % run->threads)
            continue;
        double nonmpi = (double)(t->serial_useful + t->openmp);
        f.master_mean += (double)t->useful / f.ranks;
        f.master_max = larger(f.master_max, (double)t->useful);
        f.nonmpi_mean += nonmpi / f.ranks;
        f.nonmpi_max = larger(f.nonmpi_max, nonmpi);
        f.openmp_mean += (double)t->openmp / f.ranks;
        f.serial_mean += (double)t->serial_useful / f.ranks;
        double mpi = (double)(t->runtime - t->outside_mpi); // threads other than 0 have none
        f.mpi_sum += mpi;
        f.least_mpi = mpi < f.least_mpi ? mpi : f.least_mpi;
        f.outside_mean += (double)t->outside_mpi / f.ranks;
        f.outside_max = larger(f.outside_max, (double)t->outside_mpi);
        double process = t->openmp ? nonmpi : f.runtime - mpi;
        f.process_mean += process / f.ranks;
        f.process_max = larger(f.process_max, process);
    }
    f.useful_mean = f.useful_sum / f.threads;
    return f;
}

/// A run and its reference; `growth` is N / N0 in weak scaling, else 1.
typedef struct comparison {
    figures run, reference;
    double growth;
} comparison;

typedef double (*formula)(const comparison *c);

#define FORMULA(name, expression)                                                                  \
    static double name(const comparison *c)                                                        \
    {                                                                                              \
        const figures *r = &c->run;                                                                \
        (void)r;                                                                                   \
        return expression;                                                                         \
    }

FORMULA(parallel, r->useful_mean / r->runtime)
FORMULA(computation_scaling, c->reference.useful_sum / r->useful_sum * c->growth)
FORMULA(instruction_scaling, c->reference.instructions / r->instructions * c->growth)
FORMULA(ipc, r->instructions / r->cycles)
FORMULA(ghz, r->cycles / r->useful_sum)
FORMULA(ipc_scaling, ipc(c) / (c->reference.instructions / c->reference.cycles))
FORMULA(frequency_scaling, ghz(c) / (c->reference.cycles / c->reference.useful_sum))
FORMULA(speedup, c->reference.runtime / r->runtime * c->growth)
FORMULA(runtime_s, r->runtime / 1e9)
FORMULA(global, parallel(c) * computation_scaling(c))

FORMULA(mpi_balance, 1 - (r->master_max - r->master_mean) / r->runtime)
FORMULA(communication, r->nonmpi_max / r->runtime)
FORMULA(transfer, r->ideal / r->runtime)
FORMULA(serialisation_lost, 1 - (r->ideal - r->nonmpi_max) / r->runtime)
FORMULA(mpi_balance_quotient, r->master_mean / r->master_max)
FORMULA(serialisation_quotient, r->nonmpi_max / r->ideal)

FORMULA(region_lost, 1 - (r->openmp_mean - r->openmp_useful_mean) / r->runtime)
FORMULA(serial_lost, 1 - r->serial_mean * (1 - r->ranks / r->threads) / r->runtime)
FORMULA(thread_level, region_lost(c) + serial_lost(c) - 1)
FORMULA(process_level, r->nonmpi_mean / r->runtime)
FORMULA(hybrid_balance, 1 - (r->nonmpi_max - r->nonmpi_mean) / r->runtime)
FORMULA(hybrid_parallel, process_level(c) + thread_level(c) - 1)
FORMULA(hybrid_global, hybrid_parallel(c) * computation_scaling(c))

FORMULA(region_quotient,
        (r->openmp_useful_mean + r->serial_mean) / (r->openmp_mean + r->serial_mean))
FORMULA(serial_quotient, r->useful_mean / (r->openmp_useful_mean + r->serial_mean))
FORMULA(thread_quotient, r->useful_mean / (r->openmp_mean + r->serial_mean))
FORMULA(hybrid_balance_quotient, r->nonmpi_mean / r->nonmpi_max)

FORMULA(lost_global, 1 - hybrid_global(c))
FORMULA(lost_parallel, 1 - hybrid_parallel(c))
FORMULA(lost_process, 1 - process_level(c))
FORMULA(lost_balance, 1 - hybrid_balance(c))
FORMULA(lost_communication, 1 - communication(c))
FORMULA(lost_transfer, 1 - transfer(c))
FORMULA(lost_serialisation, 1 - serialisation_lost(c))
FORMULA(lost_thread, 1 - thread_level(c))
FORMULA(lost_region, 1 - region_lost(c))
FORMULA(lost_serial, 1 - serial_lost(c))

FORMULA(thread_balance, r->useful_mean / r->useful_max)
FORMULA(thread_communication, r->useful_max / r->runtime)
FORMULA(openmp_parallel, parallel(c) / process_level(c))
FORMULA(openmp_balance, thread_balance(c) / hybrid_balance_quotient(c))
FORMULA(openmp_communication, thread_communication(c) / communication(c))
FORMULA(bsc_serialisation, r->useful_max / r->ideal)
FORMULA(bsc_transfer, thread_communication(c) / bsc_serialisation(c))

FORMULA(jsc_parallel, r->process_mean / r->runtime)
FORMULA(jsc_global, jsc_parallel(c) * computation_scaling(c))
FORMULA(jsc_balance, r->process_mean / r->process_max)
FORMULA(jsc_communication, r->process_max / r->runtime)

FORMULA(talp_v1_mpi, r->useful_sum / (r->useful_sum + r->mpi_sum))
FORMULA(talp_v1_mean, 1 - r->mpi_sum / r->threads / r->runtime)
FORMULA(talp_v1_communication, 1 - r->least_mpi / (r->threads / r->ranks) / r->runtime)
FORMULA(talp_v1_balance, talp_v1_mean(c) / talp_v1_communication(c))

FORMULA(outside_mean, r->outside_mean / r->runtime)
FORMULA(outside_balance, r->outside_mean / r->outside_max)
FORMULA(outside_communication, r->outside_max / r->runtime)
FORMULA(outside_serialisation, r->outside_max / r->ideal)
FORMULA(outside_transfer, outside_communication(c) / outside_serialisation(c))
FORMULA(added_parallel, parallel(c) / outside_mean(c))
FORMULA(added_balance, thread_balance(c) / outside_balance(c))
FORMULA(added_communication, thread_communication(c) / outside_communication(c))
FORMULA(nothing_lost, r->useful_sum / r->useful_sum)

static const struct {
    const char *set; // "" = every set that has no row of its own
    const char *key;
    formula value;
} rows[] = {
    {"mpi", "mpi_load_balance", mpi_balance},
    {"mpi", "mpi_communication_efficiency", communication},
    {"mpi", "mpi_transfer_efficiency", transfer},
    {"mpi", "mpi_serialisation_efficiency", serialisation_lost},
    {"mpi-mult", "mpi_load_balance", mpi_balance_quotient},
    {"mpi-mult", "mpi_communication_efficiency", communication},
    {"mpi-mult", "mpi_transfer_efficiency", transfer},
    {"mpi-mult", "mpi_serialisation_efficiency", serialisation_quotient},
    {"hybrid", "global_efficiency", hybrid_global},
    {"hybrid", "parallel_efficiency", hybrid_parallel},
    {"hybrid", "process_level_efficiency", process_level},
    {"hybrid", "mpi_load_balance", hybrid_balance},
    {"hybrid", "mpi_communication_efficiency", communication},
    {"hybrid", "mpi_transfer_efficiency", transfer},
    {"hybrid", "mpi_serialisation_efficiency", serialisation_lost},
    {"hybrid", "thread_level_efficiency", thread_level},
    {"hybrid", "openmp_region_efficiency", region_lost},
    {"hybrid", "serial_region_efficiency", serial_lost},
    {"hybrid-mult", "process_level_efficiency", process_level},
    {"hybrid-mult", "mpi_load_balance", hybrid_balance_quotient},
    {"hybrid-mult", "mpi_communication_efficiency", communication},
    {"hybrid-mult", "mpi_transfer_efficiency", transfer},
    {"hybrid-mult", "mpi_serialisation_efficiency", serialisation_quotient},
    {"hybrid-mult", "thread_level_efficiency", thread_quotient},
    {"hybrid-mult", "openmp_region_efficiency", region_quotient},
    {"hybrid-mult", "serial_region_efficiency", serial_quotient},
    {"hybrid-ineff", "global_inefficiency", lost_global},
    {"hybrid-ineff", "parallel_inefficiency", lost_parallel},
    {"hybrid-ineff", "process_level_inefficiency", lost_process},
    {"hybrid-ineff", "mpi_load_imbalance", lost_balance},
    {"hybrid-ineff", "mpi_communication_inefficiency", lost_communication},
    {"hybrid-ineff", "mpi_transfer_inefficiency", lost_transfer},
    {"hybrid-ineff", "mpi_serialisation_inefficiency", lost_serialisation},
    {"hybrid-ineff", "thread_level_inefficiency", lost_thread},
    {"hybrid-ineff", "openmp_region_inefficiency", lost_region},
    {"hybrid-ineff", "serial_region_inefficiency", lost_serial},
    {"openmp", "openmp_region_efficiency", region_lost},
    {"openmp", "serial_region_efficiency", serial_lost},
    {"hybrid-bsc", "hybrid_parallel_efficiency", parallel},
    {"hybrid-bsc", "mpi_parallel_efficiency", process_level},
    {"hybrid-bsc", "mpi_load_balance", hybrid_balance_quotient},
    {"hybrid-bsc", "mpi_communication_efficiency", communication},
    {"hybrid-bsc", "openmp_parallel_efficiency", openmp_parallel},
    {"hybrid-bsc", "openmp_communication_efficiency", openmp_communication},
    {"hybrid-bsc", "openmp_load_balance", openmp_balance},
    {"hybrid-bsc", "hybrid_communication_efficiency", thread_communication},
    {"hybrid-bsc", "hybrid_load_balance", thread_balance},
    {"bsc", "load_balance", thread_balance},
    {"bsc", "communication_efficiency", thread_communication},
    {"bsc", "serialisation_efficiency", bsc_serialisation},
    {"bsc", "transfer_efficiency", bsc_transfer},
    {"bsc-2026", "load_balance", thread_balance},
    {"bsc-2026", "communication_efficiency", thread_communication},
    {"bsc-2026", "serialisation_efficiency", bsc_serialisation},
    {"bsc-2026", "transfer_efficiency", bsc_transfer},
    {"bsc-2026", "mpi_parallel_efficiency", outside_mean},
    {"bsc-2026", "mpi_load_balance", outside_balance},
    {"bsc-2026", "mpi_communication_efficiency", outside_communication},
    {"bsc-2026", "mpi_serialisation_efficiency", outside_serialisation},
    {"bsc-2026", "mpi_transfer_efficiency", outside_transfer},
    {"bsc-2026", "openmp_parallel_efficiency", added_parallel},
    {"bsc-2026", "openmp_load_balance", added_balance},
    {"bsc-2026", "openmp_communication_efficiency", added_communication},
    {"bsc-2026", "io_efficiency", nothing_lost},
    {"jsc", "global_efficiency", jsc_global},
    {"jsc", "parallel_efficiency", jsc_parallel},
    {"jsc", "load_balance", jsc_balance},
    {"jsc", "communication_efficiency", jsc_communication},
    {"talp-v1", "mpi_parallel_efficiency", talp_v1_mpi},
    {"talp-v1", "mpi_communication_efficiency", talp_v1_communication},
    {"talp-v1", "mpi_load_balance", talp_v1_balance},
    {"", "ipc", ipc},
    {"", "frequency_ghz", ghz},
    {"", "global_efficiency", global},
    {"", "parallel_efficiency", parallel},
    {"", "computation_scaling", computation_scaling},
    {"", "instruction_scaling", instruction_scaling},
    {"", "ipc_scaling", ipc_scaling},
    {"", "frequency_scaling", frequency_scaling},
    {"", "speedup", speedup},
    {"", "runtime_s", runtime_s},
};

bool pj_model_metric(const char *set, const char *key, const pj_model_expected *run,
                     const pj_model_expected *reference, bool weak, double *value)
{
    comparison c = {figures_of(run), figures_of(reference), 1};
    if (weak)
        c.growth = c.run.threads / c.reference.threads;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((rows[i].set[0] == '\0' || strcmp(rows[i].set, set) == 0) &&
            strcmp(rows[i].key, key) == 0) {
            *value = rows[i].value(&c);
            return true;
        }
    return false;
}
