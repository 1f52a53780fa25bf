// Totals are compared byte by byte: they have no padding that differs.
#include "tests/support/trace/same_runs.h"

#include "metrics/run/devices.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/waits/omp_waits.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void same_mpi_use(const pj_mpi_use *a, const pj_mpi_use *b)
{
    assert_int_equal(!a, !b);
    if (!a)
        return;
    assert_int_equal(a->messages, b->messages);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->begun_ns, b->begun_ns);
    assert_int_equal(a->ended_ns, b->ended_ns);
    assert_int_equal(a->input_ns, b->input_ns);
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        const pj_mpi_sum *x = &a->sums[i], *y = &b->sums[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->class_, y->class_);
        assert_int_equal(x->calls, y->calls);
        assert_int_equal(x->time_ns, y->time_ns);
        assert_int_equal(x->bytes, y->bytes);
        assert_int_equal(x->longest_ns, y->longest_ns);
        assert_int_equal(x->rank, y->rank);
    }
}

static void same_devices(const pj_run *a, const pj_run *b)
{
    const pj_devices *x = a->devices, *y = b->devices;
    assert_int_equal(!x, !y);
    if (!x)
        return;
    assert_int_equal(x->count, y->count);
    assert_int_equal(x->early, y->early);
    assert_memory_equal(x->runtime_ns, y->runtime_ns, a->layout.locations * sizeof *x->runtime_ns);
    for (uint32_t d = 0; d < x->count; d++) {
        pj_device_sum left = x->items[d], right = y->items[d];
        assert_string_equal(left.key, right.key);
        assert_int_equal(left.streams, right.streams);
        assert_int_equal(left.kernels, right.kernels);
        assert_int_equal(left.useful_ns, right.useful_ns);
        assert_int_equal(left.transfer_ns, right.transfer_ns);
        assert_int_equal(left.transfer_total_ns, right.transfer_total_ns);
        assert_memory_equal(left.idle_ns, right.idle_ns, sizeof left.idle_ns);
        assert_int_equal(left.to_device, right.to_device);
        assert_int_equal(left.to_host, right.to_host);
    }
}

static void same_path(const pj_critical_path *a, const pj_critical_path *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->last_rank, b->last_rank);
    assert_int_equal(a->length_ns, b->length_ns);
    for (uint32_t i = 0; i < a->count; i++) {
        assert_int_equal(a->parts[i].rank, b->parts[i].rank);
        assert_int_equal(a->parts[i].region, b->parts[i].region);
        assert_int_equal(a->parts[i].ns, b->parts[i].ns);
    }
}

static void same_delays(const pj_delays *a, const pj_delays *b)
{
    assert_int_equal(!a, !b);
    if (!a)
        return;
    assert_int_equal(a->region_count, b->region_count);
    assert_int_equal(a->delay_count, b->delay_count);
    assert_true(a->unattributed_ns == b->unattributed_ns);
    for (uint32_t i = 0; i < a->delay_count; i++) {
        assert_int_equal(a->delays[i].culprit, b->delays[i].culprit);
        assert_int_equal(a->delays[i].region, b->delays[i].region);
        assert_true(a->delays[i].short_ns == b->delays[i].short_ns);
        assert_true(a->delays[i].long_ns == b->delays[i].long_ns);
    }
    for (unsigned clock = 0; clock < PJ_PATHS; clock++)
        same_path(&a->paths[clock], &b->paths[clock]);
}

/// Where both were asked for them.
static void same_waits(const pj_run *a, const pj_run *b)
{
    const pj_waits *x = a->waits, *y = b->waits;
    if (!x || !y)
        return;
    assert_int_equal(x->sum_count, y->sum_count);
    for (uint32_t i = 0; i < x->sum_count; i++) {
        const pj_wait_sum *p = &x->sums[i], *q = &y->sums[i];
        assert_int_equal(pj_wait_sum_order(p, q), 0);
        assert_int_equal(p->instances, q->instances);
        assert_int_equal(p->wait_ns, q->wait_ns);
        assert_int_equal(p->ideal_ns, q->ideal_ns);
        assert_int_equal(p->longest_ns, q->longest_ns);
        assert_int_equal(p->longest_at_ns, q->longest_at_ns);
    }
    assert_memory_equal(x->ranks, y->ranks, a->layout.ranks * sizeof *x->ranks);
    assert_memory_equal(x->completion_ns, y->completion_ns, sizeof x->completion_ns);
    assert_int_equal(x->contradictions, y->contradictions);
    same_delays(x->delays, y->delays);
}

static void same_omp_waits(const pj_omp_waits *a, const pj_omp_waits *b)
{
    if (!a || !b)
        return;
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->items[i].pattern, b->items[i].pattern);
        assert_int_equal(a->items[i].ns, b->items[i].ns);
    }
}

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
    same_mpi_use(a->mpi_use, b->mpi_use);
    same_devices(a, b);
    same_waits(a, b);
    same_omp_waits(a->omp_waits, b->omp_waits);
    assert_int_equal(a->remarks.count, b->remarks.count);
}
