// Signals are blocked before the thread is there, which inherits that.
#include "metrics/record/rec_own_thread.h"

#include "metrics/record/rec_signal.h"

#include <pthread.h>

bool pj_rec_own_thread(void *(*run)(void *), size_t stack_bytes)
{
    pthread_t made;
    pthread_attr_t how;
    sigset_t before;
    pj_rec_signal_hold_all(&before);
    pthread_attr_init(&how);
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&how, stack_bytes);
    const bool started = pthread_create(&made, &how, run, NULL) == 0;
    pthread_attr_destroy(&how);
    pj_rec_signal_let(&before);
    return started;
}
