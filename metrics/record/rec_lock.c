// The signals are held back first, so that none comes while the lock is waited for.
#include "metrics/record/rec_lock.h"

#include "metrics/record/rec_signal.h"

void pj_rec_lock_take(pj_rec_lock *lock)
{
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    pthread_mutex_lock(&lock->mutex);
    lock->before = before;
}

void pj_rec_lock_give(pj_rec_lock *lock)
{
    const sigset_t before = lock->before;
    pthread_mutex_unlock(&lock->mutex);
    pj_rec_signal_let(&before);
}
