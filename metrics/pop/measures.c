// Measures of a case: its sums, and what it lacks for them.
#include "metrics/pop/measures.h"

#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "metrics/run/energy.h"
#include "metrics/run/run_table.h"
#include "metrics/run/study/study.h"

#include <math.h>

static const pj_measures_row rows[] = {
#define MEASURE(name, needs, unit, sentence)                                                       \
    {#name, sentence, PJ_NEEDS_##needs, PJ_UNIT_##unit, offsetof(pj_measures, name)},
#include "metrics/run/sums.def"
#undef MEASURE
};

const pj_measures_row *pj_measures_row_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

pj_cell pj_measures_value(const pj_measures_row *measure, const pj_measures *measures)
{
    const char *lack = pj_measures_lack(measures, measure->needs);
    if (lack)
        return pj_cell_empty(lack);
    return pj_cell_real(*(const double *)((const char *)measures + measure->offset));
}

/// What a run lacks of what its own times do not tell.
static const struct {
    unsigned needs;
    const char *reason;
} told_by_few[] = {
    {PJ_NEEDS_TEAMS, "what threads lose in OpenMP regions is not known of this run"},
    {PJ_NEEDS_NODES, "the nodes that ranks ran on are not known"},
    {PJ_NEEDS_WAITS, "waits of single MPI calls are not known of this run"},
    {PJ_NEEDS_DEVICES, "no device activity in the trace"},
    {PJ_NEEDS_DEVICE_CALLS, "no device activity in the trace"},
    {PJ_NEEDS_OPENMP, "the run has no OpenMP"},
    {PJ_NEEDS_MPI_IO, "no MPI-I/O is known of the run"},
    {PJ_NEEDS_MPI_TOLD, "the trace does not tell MPI calls"},
    {PJ_NEEDS_EXCHANGES, "what devices wait for in exchanges is not known of this run"},
    {PJ_NEEDS_POSIX_IO, "no input or output outside MPI is known of the run"},
    {PJ_NEEDS_STEPS, "no iterations are known of the whole run"},
    {PJ_NEEDS_DEVICE_STEPS, "the run marks no steps of devices; ranges that come again are looked "
                            "for by iterations and --roi steps"},
    {PJ_NEEDS_PIPELINE, "devices send no messages in several groups: the run is no pipeline"},
    {PJ_NEEDS_IO, "no input or output is known of the run"},
};

static const char *lack_told_by_few(unsigned lacks)
{
    for (size_t i = 0; i < sizeof told_by_few / sizeof *told_by_few; i++)
        if (lacks & told_by_few[i].needs)
            return told_by_few[i].reason;
    return NULL;
}

/// Which of them: sums are no number, or 0 where nothing was done.
static unsigned lacks_told_by_few(const pj_measures *m)
{
    return (isnan(m->omp_imbalance_sum) ? PJ_NEEDS_TEAMS : 0) |
           (isnan(m->cpu_outside_mpi_node_max) && isnan(m->cpu_v1_outside_mpi_node_max)
                ? PJ_NEEDS_NODES
                : 0) |
           (isnan(m->jsc_ideal_max) ? PJ_NEEDS_WAITS : 0) |
           (m->devices > 0 ? 0 : PJ_NEEDS_DEVICES) |
           (m->devices > 0 || m->gpu_runtime_sum > 0 ? 0 : PJ_NEEDS_DEVICE_CALLS) |
           (m->mpi_io_max > 0 ? 0 : PJ_NEEDS_MPI_IO) |
           (m->posix_io_max > 0 ? 0 : PJ_NEEDS_POSIX_IO) |
           (m->mpi_io_max > 0 || m->posix_io_max > 0 ? 0 : PJ_NEEDS_IO) |
           (isnan(m->device_wait_max) ? PJ_NEEDS_EXCHANGES : 0) |
           (isnan(m->device_step) ? PJ_NEEDS_DEVICE_STEPS : 0) |
           (isnan(m->device_bubble) ? PJ_NEEDS_PIPELINE : 0) |
           (isnan(m->energy) ? PJ_NEEDS_ENERGY : 0) |
           (isnan(m->energy_idle) ? PJ_NEEDS_ENERGY_STATES : 0) |
           (m->steps > 0 ? 0 : PJ_NEEDS_STEPS);
}

bool pj_measures_unknown(const pj_measures *measures)
{
    for (const pj_measures_row *row = rows; row < rows + sizeof rows / sizeof *rows; row++)
        if (isnan(*(const double *)((const char *)measures + row->offset)))
            return true;
    return false;
}

/// A region that all ranks cross at one moment of the ideal network has no efficiencies there.
static const char *lack_ideal(const pj_measures *m)
{
    if (!m->run->ideal.available)
        return m->run->ideal.reason ? m->run->ideal.reason
                                    : "there is no ideal-network replay of the trace";
    return m->run->roi.set ? "on the ideal network no time is left between the borders of the "
                             "region of interest; put them behind a collective of all ranks, or "
                             "make it longer"
                           : "on the ideal network the run takes no time";
}

/// A part of an AI run that is no step of it.
static bool is_other_part(const pj_run *run)
{
    return run->part.whole && run->ai && !run->ai->step_count;
}

const char *pj_measures_lack(const pj_measures *measures, unsigned needs)
{
    unsigned lacks = measures->lacks & needs;
    if (lacks & PJ_NEEDS_STATES)
        return pj_run_lacks_states(measures->run);
    if (lacks & (PJ_NEEDS_DEVICES | PJ_NEEDS_DEVICE_CALLS))
        return pj_devices_lack(measures->run);
    if (lacks & PJ_NEEDS_ENERGY)
        return pj_energy_lack(measures->run);
    if (lacks & PJ_NEEDS_ENERGY_STATES)
        return pj_energy_lack_states(measures->run);
    if (lacks & PJ_NEEDS_MPI_TOLD)
        return lack_told_by_few(lacks);
    if ((lacks & (PJ_NEEDS_DEVICE_STEPS | PJ_NEEDS_PIPELINE)) && is_other_part(measures->run))
        return "steps of devices, and what a pipeline waits, are told of whole runs and of steps";
    if (lacks & PJ_NEEDS_IDEAL)
        return lack_ideal(measures);
    if (lacks & PJ_NEEDS_INSTRUCTIONS)
        return measures->run->counters[PJ_COUNTER_INSTRUCTIONS].present
                   ? "no instruction was counted in useful time"
                   : pj_run_lacks_counter(measures->run, PJ_COUNTER_INSTRUCTIONS);
    if (lacks & PJ_NEEDS_CYCLES)
        return measures->run->counters[PJ_COUNTER_CYCLES].present
                   ? "no cycle was counted in useful time"
                   : pj_run_lacks_counter(measures->run, PJ_COUNTER_CYCLES);
    return lack_told_by_few(lacks);
}

pj_measures pj_measures_of(const pj_case *of, bool weak)
{
    const pj_run *run = of->run;
    pj_measures m = {.run = run, .weak = weak};
#define MEASURE(name, needs, unit, sentence) m.name = of->sums.name;
#include "metrics/run/sums.def"
#undef MEASURE
    m.lacks = lacks_told_by_few(&m);
    if (run->ai && !run->has_mpi)
        m.lacks |= PJ_NEEDS_MPI_TOLD;
    if (!run->has_openmp)
        m.lacks |= PJ_NEEDS_OPENMP;
    if (run->no_states)
        m.lacks |= PJ_NEEDS_STATES;
    if (!run->ideal.available || !(m.ideal_runtime > 0))
        m.lacks |= PJ_NEEDS_IDEAL;
    if (!(m.instructions > 0))
        m.lacks |= PJ_NEEDS_INSTRUCTIONS;
    if (!(m.cycles > 0))
        m.lacks |= PJ_NEEDS_CYCLES;
    return m;
}
