// Measures of a case: its sums, and what it lacks for them.
#include "metrics/pop/measures.h"

#include "metrics/run/run_table.h"
#include "metrics/run/study.h"

#define NEEDS_NOTHING PJ_NEEDS_NOTHING
#define NEEDS_IDEAL PJ_NEEDS_IDEAL
#define NEEDS_INSTRUCTIONS PJ_NEEDS_INSTRUCTIONS
#define NEEDS_CYCLES PJ_NEEDS_CYCLES
#define NEEDS_STATES PJ_NEEDS_STATES
#define UNIT_NONE PJ_UNIT_NONE
#define UNIT_NS PJ_UNIT_NS

static const pj_measures_row rows[] = {
#define MEASURE(name, needs, unit, sentence)                                                       \
    {#name, sentence, NEEDS_##needs, UNIT_##unit, offsetof(pj_measures, name)},
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

const char *pj_measures_lack(const pj_measures *measures, unsigned needs)
{
    unsigned lacks = measures->lacks & needs;
    if (lacks & PJ_NEEDS_STATES)
        return pj_run_lacks_states(measures->run);
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

pj_measures pj_measures_of(const pj_case *of, bool weak)
{
    const pj_run *run = of->run;
    pj_measures m = {.run = run, .weak = weak};
#define MEASURE(name, needs, unit, sentence) m.name = of->sums.name;
#include "metrics/run/sums.def"
#undef MEASURE
    if (run->no_states)
        m.lacks |= PJ_NEEDS_STATES;
    if (!run->ideal.available)
        m.lacks |= PJ_NEEDS_IDEAL;
    if (!(m.instructions > 0))
        m.lacks |= PJ_NEEDS_INSTRUCTIONS;
    if (!(m.cycles > 0))
        m.lacks |= PJ_NEEDS_CYCLES;
    return m;
}
