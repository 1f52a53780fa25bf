// Totals are compared byte by byte: they have no padding that differs.
#include "tests/support/same_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void same_runs(const pj_run *a, const pj_run *b)
{
    uint32_t locations = a->layout.locations;
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->end_ns, b->end_ns);
    assert_int_equal(locations, b->layout.locations);
    assert_memory_equal(&a->import, &b->import, sizeof a->import);
    assert_memory_equal(a->totals, b->totals, locations * sizeof *a->totals);
    assert_int_equal(a->counter_count, b->counter_count);
    for (uint32_t c = 0; c < a->counter_count; c++)
        assert_memory_equal(a->counters[c].useful, b->counters[c].useful,
                            locations * sizeof *a->counters[c].useful);
    assert_int_equal(a->ideal.available, b->ideal.available);
    if (a->ideal.available)
        assert_true(a->ideal.runtime_ns == b->ideal.runtime_ns);
    assert_int_equal(a->remarks.count, b->remarks.count);
}
