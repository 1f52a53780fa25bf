// Functions of tasks. Ownership: none.
#ifndef PJ_REC_OMP_TASK_H
#define PJ_REC_OMP_TASK_H

/// A function that runs `body` as a task that is recorded; `body` itself where nothing is recorded
/// or there are too many different ones.
void (*pj_rec_omp_task_of(void (*body)(void *)))(void *);

#endif
