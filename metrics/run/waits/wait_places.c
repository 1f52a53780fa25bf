// The longest waits of a run that sums keep, as ranges of time.
#include "metrics/run/waits/wait_places.h"

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"

#include <stddef.h>

pj_wait_place pj_wait_place_around(const pj_run *run, uint64_t begin, uint64_t ns)
{
    uint64_t around = ns / 2, end = begin + ns;
    bool inside = end < run->end_ns && run->end_ns - end > around;
    return (pj_wait_place){.from_ns = begin > around ? begin - around : 0,
                           .to_ns = inside ? end + around : run->end_ns};
}

pj_wait_place pj_wait_place_longest(const pj_run *run, unsigned patterns, const bool *culprits)
{
    const pj_wait_sum *longest = NULL;
    for (uint32_t i = 0; run->waits && i < run->waits->sum_count; i++) {
        const pj_wait_sum *sum = &run->waits->sums[i];
        bool known = sum->culprit < run->layout.ranks;
        if (!sum->instances || !(patterns & 1u << sum->pattern) ||
            (culprits && !(known && culprits[sum->culprit])))
            continue;
        if (!longest || sum->longest_ns > longest->longest_ns ||
            (sum->longest_ns == longest->longest_ns && sum->longest_at_ns < longest->longest_at_ns))
            longest = sum;
    }
    return longest && longest->longest_ns
               ? pj_wait_place_around(run, longest->longest_at_ns, longest->longest_ns)
               : (pj_wait_place){.to_ns = 0};
}

const char *pj_wait_place_text(pj_wait_place place, pj_arena *arena)
{
    return place.to_ns ? pj_arena_format(arena, "%.6fms..%.6fms", (double)place.from_ns / 1e6,
                                         (double)place.to_ns / 1e6)
                       : "";
}
