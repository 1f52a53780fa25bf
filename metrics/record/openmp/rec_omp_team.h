// A parallel region: what its threads run in place of the program's function. Ownership: borrow -
// it lives in the call that makes the threads.
#ifndef PJ_REC_OMP_TEAM_H
#define PJ_REC_OMP_TEAM_H

#include "metrics/record/openmp/rec_omp_region.h"
#include "metrics/record/rec_thread.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pj_rec_omp_team {
    void (*run)(void *); // what the library is to call, with `with`
    void *with;
    void (*body)(void *); // the program's
    void *data;
    pj_rec_thread *master; // NULL: nothing of it is recorded
    uint32_t id, region;
    pj_rec_omp_role work; // of the loop or the sections that are all of it; 0 = none
    bool waits;           // at its end, by our own barrier
} pj_rec_omp_team;

/// The calling thread forks; `threads`: as many as it asks for, 0 = the usual.
void pj_rec_omp_team_fork(pj_rec_omp_team *team, unsigned threads);
/// The same thread goes on alone.
void pj_rec_omp_team_join(const pj_rec_omp_team *team);

#endif
