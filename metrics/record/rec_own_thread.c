// Signals are blocked before the thread is there, which inherits that.
#include "metrics/record/rec_own_thread.h"

#include <pthread.h>
#include <signal.h>

bool pj_rec_own_thread(void *(*run)(void *), size_t stack_bytes)
{
    pthread_t made;
    pthread_attr_t how;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&how, stack_bytes);
    const bool started = pthread_create(&made, &how, run, NULL) == 0;
    pthread_attr_destroy(&how);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}
