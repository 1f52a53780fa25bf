// The rows of wait_patterns.def as data, and what is done with sums of waits.
#include "metrics/run/waits/run_waits.h"

#include <stddef.h>

const pj_wait_pattern_row pj_wait_pattern_rows[PJ_WAIT_PATTERNS] = {
#define PATTERN(key, title, sentence) {#key, title, sentence},
#include "metrics/run/waits/wait_patterns.def"
#undef PATTERN
};

int pj_wait_sum_order(const void *a, const void *b)
{
    const pj_wait_sum *x = a, *y = b;
    const uint32_t left[] = {x->pattern, x->rank, x->culprit, x->call};
    const uint32_t right[] = {y->pattern, y->rank, y->culprit, y->call};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

void pj_wait_sum_keep_longest(pj_wait_sum *sum, uint64_t ns, uint64_t at_ns)
{
    if (ns < sum->longest_ns || (ns == sum->longest_ns && at_ns >= sum->longest_at_ns))
        return;
    sum->longest_ns = ns;
    sum->longest_at_ns = at_ns;
}
