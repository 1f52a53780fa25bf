// A loss of IPC is often that of one computation alone, which averages over the run hide.
#include "metrics/analyse/faults/fault_cluster.h"

#include "metrics/base/arena.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/parts/burst_clusters.h"

static const double MOST = 0.5;        // of the loss: less is not told
static const double WHOLE = 0.95;      // of the loss: as good as all of it
static const double FIRST = 0.005;     // the place of what a thread begins with
static const double STEADY_MOST = 1.5; // bursts a thread of what comes once

static bool is_start_up(const pj_run *run, const pj_burst_sum *sum)
{
    return pj_burst_position(sum, run->bursts->order) < FIRST &&
           (double)sum->bursts < STEADY_MOST * run->layout.locations;
}

pj_fault_cluster pj_fault_cluster_of(const pj_run *run, const pj_sums *sums, double scaling)
{
    pj_fault_cluster best = {.number = 0, .scaling = scaling, .without = scaling};
    const pj_burst_clusters *bursts = run->bursts;
    if (!bursts || bursts->timed || !(sums->instructions > 0) || !(sums->cycles > 0))
        return best;
    for (uint32_t i = 0; i < bursts->count; i++) {
        const pj_burst_sum *sum = &bursts->clusters[i];
        double instructions = sums->instructions - (double)sum->instructions;
        double cycles = sums->cycles - (double)sum->cycles;
        if (!(instructions > 0) || !(cycles > 0))
            continue;
        double without = scaling * (instructions / cycles) / (sums->instructions / sums->cycles);
        if (without > best.without)
            best = (pj_fault_cluster){.number = i + 1,
                                      .start_up = is_start_up(run, sum),
                                      .share = (double)sum->time_ns / sums->useful_sum,
                                      .ipc = (double)sum->instructions / (double)sum->cycles,
                                      .scaling = scaling,
                                      .without = without};
    }
    if (best.without - scaling < MOST * (1 - scaling))
        best.number = 0;
    return best;
}

const char *pj_fault_cluster_said(pj_fault_cluster cluster, pj_arena *arena)
{
    double part = (cluster.without - cluster.scaling) / (1 - cluster.scaling);
    if (!cluster.number)
        return NULL;
    const char *how_much =
        part >= WHOLE
            ? "so that cluster is the whole IPC loss"
            : pj_arena_format(arena, "so that cluster is %.0f %% of the IPC loss", 100 * part);
    return pj_arena_format(arena,
                           "cluster %u of bursts%s, %.0f %% of useful time at IPC %.2f: IPC "
                           "scaling is %.4f over all bursts and %.4f without it, %s",
                           cluster.number, cluster.start_up ? " = start-up" : "",
                           100 * cluster.share, cluster.ipc, cluster.scaling, cluster.without,
                           how_much);
}
