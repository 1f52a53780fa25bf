// Functions of a run as parts of it.
#include "metrics/run/parts/functions.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"

#include <math.h>

static const pj_function_cut_row cuts[] = {
#define CUT(name, key, part_key, title, outside, lack)                                             \
    [PJ_CUT_##name] = {key, part_key, title, outside, lack},
#include "metrics/run/parts/function_cuts.def"
#undef CUT
};

const pj_function_cut_row *pj_function_cut_at(pj_function_cut cut)
{
    return &cuts[cut];
}

pj_function_cut pj_function_cut_of(pj_str key)
{
    for (pj_function_cut cut = PJ_CUT_NOTHING + 1; cut < PJ_CUT_END; cut++)
        if (pj_str_equal(key, pj_str_of(cuts[cut].key)))
            return cut;
    return PJ_CUT_NOTHING;
}

pj_function_cut pj_function_cut_of_part(pj_str key)
{
    for (pj_function_cut cut = PJ_CUT_NOTHING + 1; cut < PJ_CUT_END; cut++)
        if (pj_str_equal(key, pj_str_of(cuts[cut].part_key)))
            return cut;
    return PJ_CUT_NOTHING;
}

/// What of the time of ranks is not outside MPI; where ranks have one thread each this is all of
/// it.
static const pj_sums *sums_of(pj_run *run, const pj_function_use *use)
{
    pj_sums *sums = pj_new_n(run->arena, pj_sums, 1);
    *sums = use->sums;
    if (run->layout.locations == run->layout.ranks && !run->no_states)
        sums->mpi_sum = fmax((double)use->time_ns - sums->outside_mpi_mean * sums->ranks, 0);
    return sums;
}

void pj_functions_make_parts(pj_run *run, const pj_functions *functions)
{
    uint32_t parts = 0;
    for (uint32_t i = 0; i < functions->count && parts < PJ_FUNCTIONS_PARTS; i++) {
        const pj_function *f = &functions->items[i];
        if (f->outside)
            continue;
        pj_run *part = pj_run_add_sums(run, pj_str_of(f->name), sums_of(run, &f->whole));
        part->runtime_ns = part->end_ns = f->whole.longest_ns;
        part->counters[PJ_COUNTER_INSTRUCTIONS].present = functions->instructions;
        part->counters[PJ_COUNTER_CYCLES].present = functions->cycles;
        part->ideal = (pj_ideal){.available = !f->whole.ideal_lacks,
                                 .reason = f->whole.ideal_lacks,
                                 .runtime_ns = f->whole.ideal_ns};
        parts++;
    }
}
