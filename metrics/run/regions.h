// The OpenMP parallel regions of a run: every instance, and sums by function and by source line
// (DEFINITIONS 5). Ownership: arena (the run's).
#ifndef PJ_REGIONS_H
#define PJ_REGIONS_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"

/// From the master's opening of a parallel region to its closing. The computation of a thread is
/// its time in state Running in between.
typedef struct pj_region_instance {
    uint64_t start_ns, end_ns;
    uint64_t total_ns, max_ns; // computation: of all threads of the rank, of the busiest
    uint32_t rank;
    uint32_t threads;
    uint32_t function, location; // indices in pj_regions.functions and .locations
} pj_region_instance;

static inline double pj_region_length(const pj_region_instance *instance)
{
    return (double)(instance->end_ns - instance->start_ns);
}
static inline double pj_region_mean(const pj_region_instance *instance)
{
    return (double)instance->total_ns / instance->threads;
}
/// 1 - (max - mean) / length and mean / length; 1 for an instance without length.
double pj_region_load_balance(const pj_region_instance *instance);
double pj_region_efficiency(const pj_region_instance *instance);

/// Sums over the instances of one fingerprint, ns.
typedef struct pj_region_sum {
    const char *name; // labels of what was executed, in order, joined by ':'; "" = none was seen
    uint64_t instances;
    uint64_t length_ns, total_ns, max_ns; // the last is the largest of any thread
    double delay_ns, region_delay_ns;     // of max - mean, of length - mean
    double mean_ns, weighted_mean;        // of mean, of mean x length
} pj_region_sum;

/// What the threads of a rank do in all of its regions, and lose there: ns.
typedef struct pj_region_loss {
    uint64_t length_ns;     // of the regions, one after another
    uint64_t total_ns;      // computation of all threads
    uint64_t imbalance_ns;  // sum over threads of max - own computation
    uint64_t scheduling_ns; // threads x (length - max)
} pj_region_loss;

typedef struct pj_regions {
    const pj_region_instance *instances; // by rank, then by start
    size_t count;
    uint64_t left_out; // more instances than are kept; the sums hold them
    pj_region_sum *functions, *locations;
    uint32_t function_count, location_count;
    const pj_region_loss *losses; // by rank; NULL = from a summary, which has the sums of the run
} pj_regions;

void pj_region_sum_add(pj_region_sum *sum, const pj_region_instance *instance);

/// Whether a region of the trace is a function of the program: no MPI call, no construct of OpenMP,
/// nothing that the recorder opens itself.
bool pj_region_is_function(const pj_run *run, uint64_t region);
/// Whether the trace names functions of the program, or its regions.
bool pj_regions_name_functions(const pj_run *run);
/// What a run calls a value of OpenMP events; NULL when it has no name for it.
const char *pj_region_label(const pj_run *run, uint16_t code, uint64_t value);
/// Its source line, "92 (pixel.h)": of a function in archives, else of the events that carry lines.
/// NULL when the trace does not say.
const char *pj_region_line(const pj_run *run, uint16_t code, uint64_t value, pj_arena *arena);

#endif
