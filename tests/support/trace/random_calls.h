// OTF2 archives of random programs of functions: nested and left in any order, with parameters, MPI
// calls and teams of threads, and the call paths that follow from them, found the plain way.
// Ownership: the caller frees the text.
#ifndef PJ_RANDOM_CALLS_H
#define PJ_RANDOM_CALLS_H

#include "metrics/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pj_random_calls {
    uint64_t seed;
    bool tangled;            // functions are left in any order, some not at all
    bool teams;              // ranks have three threads
    uint64_t from_ns, to_ns; // what counts; 0, 0 = all
} pj_random_calls;

/// Writes run.otf2 to a folder without one. `out`: a line for every path of a location, in order of
/// their texts: "rank thread path visits ns".
bool pj_random_calls_save(pj_random_calls how, const char *folder, pj_buf *out);

#endif
