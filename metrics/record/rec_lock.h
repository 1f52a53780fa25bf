// A lock under which no signal comes: handlers read and write files, which is recorded, too.
// Ownership: the caller's struct.
#ifndef PJ_REC_LOCK_H
#define PJ_REC_LOCK_H

#include "metrics/record/rec_export.h"

#include <pthread.h>
#include <signal.h>

typedef struct pj_rec_lock {
    pthread_mutex_t mutex;
    sigset_t before; // of the thread that holds it
} pj_rec_lock;

#define PJ_REC_LOCK_FREE                                                                           \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                         \
    }

/// Locks that are held together are given back in the reverse order.
PJ_REC_API void pj_rec_lock_take(pj_rec_lock *lock);
PJ_REC_API void pj_rec_lock_give(pj_rec_lock *lock);

#endif
