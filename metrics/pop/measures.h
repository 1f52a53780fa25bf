// What metric formulas see of a run: sums, means and maxima over its threads and ranks.
// Ownership: plain data made from a run; borrow of its layout.
#ifndef PJ_MEASURES_H
#define PJ_MEASURES_H

#include "metrics/model/run.h"

/// Times in ns, counters in counts; symbols of METRICS part A 2.1 in brackets. Sums run over
/// locations in order, so that every number of workers gives the same digits.
typedef struct pj_measures {
    const pj_run *run;
    double ranks;   // [P]
    double threads; // [N]
    double runtime; // [R]

    double useful_sum, useful_mean, useful_max;   // [U] over all threads; mean: per rank first
    double master_useful_mean, master_useful_max; // [U] of thread 1 of each rank

    double nonmpi_mean, nonmpi_max;           // [X = O + SU] by rank
    double outside_mpi_mean, outside_mpi_max; // [V] by rank
    double openmp_mean;                       // [<O>_P]
    double serial_mean;                       // [<SU>_P] thread 1
    double serial_lost_mean;                  // <SU_p (1 - 1/T_p)>_P
    double openmp_lost_mean;                  // <O_p - mean_t OU_pt>_P
    double openmp_useful_mean;                // mean over threads of OU, per rank first

    bool has_ideal;
    const char *ideal_reason;
    double ideal_runtime; // [Ti]

    bool has_instructions, has_cycles;
    double instructions, cycles; // sums [I], [C]
    double counting_threads;     // threads with counters
    bool weak;                   // the study scales weakly: N / N0 enters the scalings
    bool alone;                  // the only run of its study
} pj_measures;

pj_measures pj_measures_of(const pj_run *run, bool weak, bool alone);

#endif
