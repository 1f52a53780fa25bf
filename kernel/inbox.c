// A list under a lock.
#include "kernel/inbox.h"

#include "metrics/base/arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { SILENCE_MS = 4, SILENCE_TRIES = 4 };

typedef struct waiting {
    struct waiting *next;
    pj_request *request;
    bool aborted;
} waiting;

struct pj_inbox {
    pthread_mutex_t lock;
    pthread_cond_t arrival;
    waiting *first, **end;
    unsigned long arrived;
    bool closed;
};

pj_inbox *pj_inbox_new(void)
{
    pj_inbox *inbox = pj_take_memory(sizeof *inbox);
    *inbox = (pj_inbox){0};
    inbox->end = &inbox->first;
    pthread_mutex_init(&inbox->lock, NULL);
    pthread_cond_init(&inbox->arrival, NULL);
    return inbox;
}

void pj_inbox_free(pj_inbox *inbox)
{
    if (!inbox)
        return;
    for (waiting *w = inbox->first, *next; w; w = next) {
        next = w->next;
        pj_request_drop(w->request);
        free(w);
    }
    pthread_cond_destroy(&inbox->arrival);
    pthread_mutex_destroy(&inbox->lock);
    free(inbox);
}

void pj_inbox_add(pj_inbox *inbox, pj_request *take)
{
    waiting *w = pj_take_memory(sizeof *w);
    *w = (waiting){.request = take};
    pthread_mutex_lock(&inbox->lock);
    *inbox->end = w;
    inbox->end = &w->next;
    inbox->arrived++;
    pthread_cond_signal(&inbox->arrival);
    pthread_mutex_unlock(&inbox->lock);
}

pj_request *pj_inbox_take(pj_inbox *inbox, bool *aborted)
{
    pthread_mutex_lock(&inbox->lock);
    while (!inbox->first && !inbox->closed)
        pthread_cond_wait(&inbox->arrival, &inbox->lock);
    waiting *w = inbox->closed ? NULL : inbox->first;
    if (w) {
        inbox->first = w->next;
        if (!w->next)
            inbox->end = &inbox->first;
    }
    pthread_mutex_unlock(&inbox->lock);
    if (!w)
        return NULL;
    pj_request *request = w->request;
    *aborted = w->aborted;
    free(w);
    return request;
}

/// Whether requests go on arriving: called and returns with the lock held.
static bool still_arriving(pj_inbox *inbox)
{
    unsigned long before = inbox->arrived;
    pthread_mutex_unlock(&inbox->lock);
    nanosleep(&(struct timespec){.tv_nsec = SILENCE_MS * 1000000}, NULL);
    pthread_mutex_lock(&inbox->lock);
    return inbox->arrived != before;
}

pj_request *pj_inbox_left(pj_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    waiting *w = inbox->first;
    if (w)
        inbox->first = w->next;
    pthread_mutex_unlock(&inbox->lock);
    pj_request *request = w ? w->request : NULL;
    free(w);
    return request;
}

void pj_inbox_abort_cells(pj_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    for (int i = 0; i < SILENCE_TRIES && !inbox->closed && still_arriving(inbox); i++)
        continue;
    for (waiting *w = inbox->first; w; w = w->next)
        w->aborted = w->aborted || pj_request_is(w->request, PJ_S("execute_request"));
    pthread_mutex_unlock(&inbox->lock);
}

void pj_inbox_close(pj_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    inbox->closed = true;
    pthread_cond_broadcast(&inbox->arrival);
    pthread_mutex_unlock(&inbox->lock);
}
