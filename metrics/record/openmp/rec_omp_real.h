// The functions of the OpenMP library that the program uses. Ownership: none.
#ifndef PJ_REC_OMP_REAL_H
#define PJ_REC_OMP_REAL_H

/// The library's own function. There is one whenever a wrapper is called; where none is found the
/// program is ended in the linker's words, as it would have been without us.
void *pj_rec_omp_real(const char *name);
/// The same, found once and kept.
static inline void *pj_rec_omp_keep(void **kept, const char *name)
{
    void *function = __atomic_load_n(kept, __ATOMIC_RELAXED);
    if (!function)
        __atomic_store_n(kept, function = pj_rec_omp_real(name), __ATOMIC_RELAXED);
    return function;
}

/// Of the calling thread, in its innermost team.
int pj_rec_omp_thread(void);
/// Threads that a parallel region gets unless it says how many.
int pj_rec_omp_most_threads(void);
/// Whether regions may be cancelled (OMP_CANCELLATION).
int pj_rec_omp_cancels(void);
void pj_rec_omp_barrier(void);

#endif
