// Waits on the ideal network.
// A rank computes, waits and ends: calls take no more time than their waits. Of a rank with threads
// its first one counts, which may wait for the others outside MPI.
#include "metrics/run/waits/ideal_waits.h"

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"

#include <math.h>

/// Of summaries sums are rounded and may exceed the runtime a little.
static uint64_t whole(double ns)
{
    const double most = 9.2e18; // INT64_MAX is no double
    return (uint64_t)llround(fmax(0, fmin(ns, most)));
}

pj_waits *pj_ideal_waits(const pj_run *run, pj_arena *arena)
{
    const pj_ideal *ideal = &run->ideal;
    pj_waits *out = pj_new(arena, pj_waits);
    out->ideal = true;
    out->sums = pj_new_n(arena, pj_wait_sum, run->waits->sum_count + 1);
    out->ranks = pj_new_n(arena, pj_wait_rank, run->layout.ranks);
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        out->ranks[i] = (pj_wait_rank){.end_ns = whole(ideal->runtime_ns - ideal->first_ns[i]),
                                       .ahead_ns = whole(ideal->ahead_ns[i])};
    for (uint32_t i = 0; i < run->waits->sum_count; i++) {
        const pj_wait_sum *sum = &run->waits->sums[i];
        if (!sum->ideal_ns)
            continue;
        out->sums[out->sum_count++] = (pj_wait_sum){.rank = sum->rank,
                                                    .culprit = sum->culprit,
                                                    .pattern = sum->pattern,
                                                    .call = sum->call,
                                                    .wait_ns = sum->ideal_ns};
        out->ranks[sum->rank].wait_ns += sum->ideal_ns;
        out->ranks[sum->rank].mpi_ns += sum->ideal_ns;
    }
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        out->ranks[i].outside_ns =
            whole(ideal->first_ns[i] + ideal->ahead_ns[i] - (double)out->ranks[i].wait_ns);
    return out;
}
