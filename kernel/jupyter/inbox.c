// Requests that wait.
// A list under a lock, and a counter that can be waited for without losing a signal: between the
// look at the flag and the wait none is delivered.
#include "kernel/jupyter/inbox.h"

#include "metrics/base/arena.h"
#include "metrics/base/clock.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// Cells that follow a failure are on their way, at most so far apart and for so long.
enum { SILENCE_NS = 4000000, PATIENCE_NS = 16000000 };

typedef struct waiting {
    struct waiting *next;
    pj_inbox_item item;
} waiting;

struct pj_inbox {
    pthread_mutex_t lock;
    int arrival; // counts the items, and the end
    waiting *first, **end;
    uint64_t arrived; // ns: when the last one did
    size_t bytes;
    bool closed;
};

pj_inbox *pj_inbox_new(void)
{
    pj_inbox *inbox = pj_take_memory(sizeof *inbox);
    *inbox = (pj_inbox){0};
    inbox->end = &inbox->first;
    pthread_mutex_init(&inbox->lock, NULL);
    inbox->arrival = eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC);
    return inbox;
}

void pj_inbox_free(pj_inbox *inbox)
{
    if (!inbox)
        return;
    for (waiting *w = inbox->first, *next; w; w = next) {
        next = w->next;
        pj_inbox_item_drop(&w->item);
        free(w);
    }
    close(inbox->arrival);
    pthread_mutex_destroy(&inbox->lock);
    free(inbox);
}

void pj_inbox_item_drop(pj_inbox_item *item)
{
    if (item->errand.drop)
        item->errand.drop(item->errand.context);
    pj_request_drop(item->request);
}

/// What an item holds, roughly: JSON is larger in memory than as text.
static size_t weight(const pj_inbox_item *item)
{
    return 1024 + (item->request ? 4 * item->request->size : 0);
}

size_t pj_inbox_bytes(pj_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    size_t bytes = inbox->bytes;
    pthread_mutex_unlock(&inbox->lock);
    return bytes;
}

void pj_inbox_add_take(pj_inbox *inbox, pj_inbox_item item)
{
    waiting *w = pj_take_memory(sizeof *w);
    *w = (waiting){.item = item};
    pthread_mutex_lock(&inbox->lock);
    *inbox->end = w;
    inbox->end = &w->next;
    inbox->arrived = pj_clock_ns();
    inbox->bytes += weight(&item);
    eventfd_write(inbox->arrival, 1);
    pthread_mutex_unlock(&inbox->lock);
}

/// Called with the lock held.
static bool take_first(pj_inbox *inbox, pj_inbox_item *out)
{
    waiting *first = inbox->first;
    if (!first)
        return false;
    inbox->first = first->next;
    if (!first->next)
        inbox->end = &inbox->first;
    inbox->bytes -= weight(&first->item);
    *out = first->item;
    free(first);
    return true;
}

/// False when nothing is there and the flag is raised.
static bool await_arrival(pj_inbox *inbox, const atomic_bool *interrupted)
{
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, &before);
    eventfd_t one;
    bool arrived;
    while (!(arrived = eventfd_read(inbox->arrival, &one) == 0)) {
        if (interrupted && atomic_load(interrupted))
            break;
        ppoll(&(struct pollfd){.fd = inbox->arrival, .events = POLLIN}, 1, NULL, &before);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return arrived;
}

pj_inbox_news pj_inbox_take(pj_inbox *inbox, const atomic_bool *interrupted, pj_inbox_item *out)
{
    if (!await_arrival(inbox, interrupted))
        return PJ_INBOX_SIGNAL;
    pthread_mutex_lock(&inbox->lock);
    bool taken = !inbox->closed && take_first(inbox, out);
    pthread_mutex_unlock(&inbox->lock);
    return taken ? PJ_INBOX_ITEM : PJ_INBOX_CLOSED;
}

bool pj_inbox_left(pj_inbox *inbox, pj_inbox_item *out)
{
    pthread_mutex_lock(&inbox->lock);
    bool taken = take_first(inbox, out);
    pthread_mutex_unlock(&inbox->lock);
    return taken;
}

/// Waits while requests go on arriving: not at all behind a cell that ran for a while and saw none
/// come. Called and returns with the lock held.
static void await_silence(pj_inbox *inbox)
{
    uint64_t now = pj_clock_ns(), until = now + PATIENCE_NS;
    while (!inbox->closed && now < until && now - inbox->arrived < SILENCE_NS) {
        uint64_t left = SILENCE_NS - (now - inbox->arrived);
        pthread_mutex_unlock(&inbox->lock);
        nanosleep(&(struct timespec){.tv_nsec = (long)left}, NULL);
        pthread_mutex_lock(&inbox->lock);
        now = pj_clock_ns();
    }
}

static bool is_cell(const pj_inbox_item *item)
{
    return !item->errand.call && pj_request_is(item->request, PJ_S("execute_request"));
}

void pj_inbox_abort_cells(pj_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    await_silence(inbox);
    for (waiting *w = inbox->first; w; w = w->next)
        w->item.aborted = w->item.aborted || is_cell(&w->item);
    pthread_mutex_unlock(&inbox->lock);
}

void pj_inbox_close(pj_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    inbox->closed = true;
    eventfd_write(inbox->arrival, 1);
    pthread_mutex_unlock(&inbox->lock);
}
