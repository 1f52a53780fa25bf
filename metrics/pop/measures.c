// Measures of a run: one loop over its threads, rank by rank.
#include "metrics/pop/measures.h"

#include "metrics/model/run_table.h"

#define NEEDS_NOTHING PJ_NEEDS_NOTHING
#define NEEDS_IDEAL PJ_NEEDS_IDEAL
#define NEEDS_INSTRUCTIONS PJ_NEEDS_INSTRUCTIONS
#define NEEDS_CYCLES PJ_NEEDS_CYCLES
#define UNIT_NONE PJ_UNIT_NONE
#define UNIT_NS PJ_UNIT_NS

static const pj_measure rows[] = {
#define MEASURE(name, needs, unit, sentence)                                                       \
    {#name, sentence, NEEDS_##needs, UNIT_##unit, offsetof(pj_measures, name)},
#include "metrics/pop/measures.def"
#undef MEASURE
};

const pj_measure *pj_measure_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

pj_cell pj_measure_value(const pj_measure *measure, const pj_measures *measures)
{
    const char *lack = pj_measures_lack(measures, measure->needs);
    if (lack)
        return pj_cell_empty(lack);
    return pj_cell_real(*(const double *)((const char *)measures + measure->offset));
}

const char *pj_measures_lack(const pj_measures *measures, unsigned needs)
{
    unsigned lacks = measures->lacks & needs;
    if (lacks & PJ_NEEDS_IDEAL)
        return measures->run->ideal.reason ? measures->run->ideal.reason
                                           : "there is no ideal-network replay of the trace";
    if (lacks & PJ_NEEDS_INSTRUCTIONS)
        return measures->run->counters[PJ_COUNTER_INSTRUCTIONS].present
                   ? "no instruction was counted in useful time"
                   : pj_run_lacks_counter(measures->run, PJ_COUNTER_INSTRUCTIONS);
    if (lacks & PJ_NEEDS_CYCLES)
        return measures->run->counters[PJ_COUNTER_CYCLES].present
                   ? "no cycle was counted in useful time"
                   : pj_run_lacks_counter(measures->run, PJ_COUNTER_CYCLES);
    return NULL;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/// Adds the shares of rank `r`; the means are still sums over ranks.
static void add_rank(pj_measures *m, uint32_t r)
{
    const pj_layout *layout = &m->run->layout;
    uint32_t threads = pj_layout_threads(layout, r);
    if (threads == 0)
        return;
    const pj_totals *totals = &m->run->totals[layout->first_location[r]];
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

static void divide_by_ranks(pj_measures *m)
{
    double *const means[] = {
        &m->useful_mean, &m->master_useful_mean, &m->nonmpi_mean,
        &m->openmp_mean, &m->openmp_useful_mean, &m->openmp_lost_mean,
        &m->serial_mean, &m->serial_lost_mean,   &m->outside_mpi_mean,
    };
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        *means[i] /= m->ranks;
}

static double counter_sum(const pj_run *run, unsigned index)
{
    double sum = 0;
    for (uint32_t i = 0; run->counters[index].present && i < run->layout.locations; i++)
        sum += (double)run->counters[index].useful[i];
    return sum;
}

pj_measures pj_measures_of(const pj_run *run, bool weak)
{
    pj_measures m = {.run = run, .weak = weak};
    m.ranks = run->layout.ranks;
    m.threads = run->layout.locations;
    m.runtime = (double)run->runtime_ns;
    for (uint32_t r = 0; r < run->layout.ranks; r++)
        add_rank(&m, r);
    divide_by_ranks(&m);
    m.ideal_runtime = run->ideal.runtime_ns;
    m.instructions = counter_sum(run, PJ_COUNTER_INSTRUCTIONS);
    m.cycles = counter_sum(run, PJ_COUNTER_CYCLES);
    if (!run->ideal.available)
        m.lacks |= PJ_NEEDS_IDEAL;
    if (!(m.instructions > 0))
        m.lacks |= PJ_NEEDS_INSTRUCTIONS;
    if (!(m.cycles > 0))
        m.lacks |= PJ_NEEDS_CYCLES;
    return m;
}
