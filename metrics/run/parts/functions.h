// What ranks did in functions of the program, or in its call paths: each with what it calls, and
// alone, where all of them make up the run (DEFINITIONS 12). Ownership: the run's arena.
#ifndef PJ_FUNCTIONS_H
#define PJ_FUNCTIONS_H

#include "metrics/run/run.h"
#include "metrics/run/sums.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PJ_FUNCTIONS_PARTS = 512
}; // functions beyond which the shorter ones are no parts of the run

/// Whether all ranks, or which part of them, are looked at.
typedef struct pj_function_use {
    uint64_t time_ns;    // over all threads
    uint64_t longest_ns; // of the rank that takes longest
    uint32_t ranks;      // that were in it
    pj_sums sums;        // of these ranks, longest_ns as runtime
} pj_function_use;

typedef struct pj_function {
    const char *name; // "solve", of a call path "main/solve"
    uint64_t instances;
    uint64_t first_ns, last_ns; // from the first enter to the last leave
    pj_function_use whole;      // with what it calls
    pj_function_use own;        // without
    uint64_t wait_ns, mpi_ns;   // of MPI calls that it makes itself
    bool outside;               // of any function, or after the last event of a rank
} pj_function;

typedef struct pj_functions {
    bool by_path;
    pj_function *items; // the longest own time first; those outside last
    uint32_t count;
    uint32_t left_out; // call paths that were too many, which count as "others"
    bool waits;        // are known
    const char *waits_lack;
    bool instructions, cycles; // were counted
} pj_functions;

/// Makes parts of the run: what functions do with what they call.
void pj_functions_make_parts(pj_run *run, const pj_functions *functions);

#endif
