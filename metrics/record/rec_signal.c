// What our own write has raised is taken away before it can arrive.
#include "metrics/record/rec_signal.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

void pj_rec_signal_hold(pj_rec_signal *held)
{
    sigset_t one, waiting;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    held->pending = sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &one, &held->before);
}

void pj_rec_signal_release(const pj_rec_signal *held)
{
    static const struct timespec none = {0};
    int kept = errno;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    if (!held->pending)
        sigtimedwait(&one, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    errno = kept;
}

void pj_rec_signal_hold_all(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

void pj_rec_signal_let(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

bool pj_rec_signal_stack(void)
{
    stack_t own;
    return sigaltstack(NULL, &own) == 0 && (own.ss_flags & SS_ONSTACK);
}
