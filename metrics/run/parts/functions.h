// What ranks did in functions of the program, in its call paths, phases, or while a parameter had a
// value: each with what it calls, and alone, where all of them make up the run (DEFINITIONS 12).
// Ownership: the run's arena.
#ifndef PJ_FUNCTIONS_H
#define PJ_FUNCTIONS_H

#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PJ_FUNCTIONS_PARTS = 512
}; // functions beyond which the shorter ones are no parts of the run

/// What parts of the program are looked at.
typedef enum pj_function_cut {
    PJ_CUT_NOTHING,
#define CUT(name, key, part_key, title, outside, lack) PJ_CUT_##name,
#include "metrics/run/parts/function_cuts.def"
#undef CUT
    PJ_CUT_END
} pj_function_cut;

typedef struct pj_function_cut_row {
    const char *key, *part_key; // as users write it, beside other ways to cut a run and alone
    const char *title;
    const char *outside; // what is in none of them
    const char *lack;    // after the name of a trace that has none
} pj_function_cut_row;

/// Not of PJ_CUT_NOTHING and PJ_CUT_END.
const pj_function_cut_row *pj_function_cut_at(pj_function_cut cut);
/// The one of this key in a column of the rows; PJ_CUT_NOTHING = there is none.
pj_function_cut pj_function_cut_of(pj_str key);
pj_function_cut pj_function_cut_of_part(pj_str key);

/// Whether all ranks, or which part of them, are looked at.
typedef struct pj_function_use {
    uint64_t time_ns;        // over all threads
    uint64_t longest_ns;     // of the rank that takes longest
    uint32_t ranks;          // that were in it
    pj_sums sums;            // of these ranks, longest_ns as runtime
    double ideal_ns;         // of the rank that takes longest on the ideal network
    const char *ideal_lacks; // why it is not known; NULL = it is
} pj_function_use;

typedef struct pj_function {
    const char *name; // "solve", of a call path "main/solve", of a parameter "size=8"
    uint64_t instances;
    uint64_t first_ns, last_ns; // from the first enter to the last leave
    pj_function_use whole;      // with what it calls
    pj_function_use own;        // without
    uint64_t wait_ns, mpi_ns;   // of MPI calls that it makes itself
    bool outside;               // of any function, or after the last event of a rank
    bool folded;                // several that a summary does not tell apart: own sums alone
} pj_function;

typedef struct pj_functions {
    pj_function_cut cut;
    pj_function *items; // the longest own time first; those outside last
    uint32_t count;
    uint32_t left_out; // call paths that were too many, which count as "others"
    uint32_t folded;   // functions in rows of such
    bool waits;        // are known
    const char *waits_lack;
    bool instructions, cycles; // were counted
} pj_functions;

/// Makes parts of the run: what functions do with what they call.
void pj_functions_make_parts(pj_run *run, const pj_functions *functions);

#endif
