// Regions of OpenMP's constructs. Ownership: none.
#ifndef PJ_REC_OMP_REGION_H
#define PJ_REC_OMP_REGION_H

#include "metrics/record/rec_thread.h"

#include <stdint.h>

/// OTF2_RegionRole (OTF2 3.0), those of OpenMP that are recorded.
typedef enum pj_rec_omp_role {
    PJ_REC_ROLE_OMP_NONE = 0,
    PJ_REC_ROLE_OMP_FUNCTION = 1, // locks
    PJ_REC_ROLE_OMP_LOOP = 3,
    PJ_REC_ROLE_OMP_PARALLEL = 5,
    PJ_REC_ROLE_OMP_SECTIONS = 6,
    PJ_REC_ROLE_OMP_CRITICAL = 12,
    PJ_REC_ROLE_OMP_CRITICAL_BODY = 13,
    PJ_REC_ROLE_OMP_ATOMIC = 14,
    PJ_REC_ROLE_OMP_BARRIER = 15,
    PJ_REC_ROLE_OMP_IMPLICIT_BARRIER = 16,
    PJ_REC_ROLE_OMP_ORDERED = 18,
    PJ_REC_ROLE_OMP_ORDERED_BODY = 19,
    PJ_REC_ROLE_OMP_TASK = 20,
    PJ_REC_ROLE_OMP_TASK_CREATE = 21,
    PJ_REC_ROLE_OMP_TASK_WAIT = 22,
} pj_rec_omp_role;

/// Of a construct that has one name in the whole program; 0 when nothing is recorded.
uint32_t pj_rec_omp_region(pj_rec_omp_role role);
/// Of a parallel region or a task, by the function that the compiler has made of it.
uint32_t pj_rec_omp_region_of(pj_rec_omp_role role, const void *body);

/// The innermost region ends, if it is this one.
static inline void pj_rec_omp_leave(pj_rec_thread *thread, uint32_t region)
{
    if (thread->depth > 0 && thread->frames[thread->depth - 1].region == region)
        pj_rec_leave(thread, region);
}

#endif
