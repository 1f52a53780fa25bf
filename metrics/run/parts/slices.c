// Slices of a run as parts of it.
#include "metrics/run/parts/slices.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"

#include <string.h>

/// As the option roi takes it; of iterations their number.
static const char *name_of(const pj_slices *slices, uint32_t i, pj_arena *arena)
{
    const double percent = 100.0 / slices->count;
    if (strcmp(slices->what, "slice") != 0)
        return pj_arena_format(arena, "%s %u", slices->what, slices->first + i);
    return pj_arena_format(arena, "%.6g%%..%.6g%%", i * percent, (i + 1) * percent);
}

void pj_slices_make_parts(pj_run *run, const pj_slices *slices)
{
    for (uint32_t i = 0; i < slices->count; i++) {
        const pj_run_slice *s = &slices->items[i];
        pj_run *part = pj_run_add_sums(run, pj_str_of(name_of(slices, i, run->arena)), &s->sums);
        part->runtime_ns = s->length_ns;
        part->end_ns = s->end_ns;
        part->counters[PJ_COUNTER_INSTRUCTIONS].present = slices->instructions;
        part->counters[PJ_COUNTER_CYCLES].present = slices->cycles;
        part->ideal = (pj_ideal){.available = !slices->ideal_lacks,
                                 .reason = slices->ideal_lacks,
                                 .runtime_ns = s->ideal_ns};
    }
}

uint32_t pj_slices_lane_rank(const pj_slices *slices, uint32_t ranks, uint32_t lane)
{
    return (uint32_t)(((uint64_t)lane * ranks + slices->lanes - 1) / slices->lanes);
}
