// Functions of a run as parts of it.
#include "metrics/run/parts/functions.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"

void pj_functions_make_parts(pj_run *run, const pj_functions *functions)
{
    uint32_t parts = 0;
    for (uint32_t i = 0; i < functions->count && parts < PJ_FUNCTIONS_PARTS; i++) {
        const pj_function *f = &functions->items[i];
        if (f->outside)
            continue;
        pj_run *part = pj_run_add_sums(run, pj_str_of(f->name), &f->whole.sums);
        part->runtime_ns = part->end_ns = f->whole.longest_ns;
        part->counters[PJ_COUNTER_INSTRUCTIONS].present = functions->instructions;
        part->counters[PJ_COUNTER_CYCLES].present = functions->cycles;
        part->ideal.reason = "messages may leave the function: it has no ideal runtime of its own";
        parts++;
    }
}
