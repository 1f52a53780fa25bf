// Replies on their way to the thread that sends them.
// A list under a lock, a descriptor for the poll, and two counters.
#include "kernel/jupyter/outbox.h"

#include "metrics/base/arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct pj_outbox {
    pthread_mutex_t lock;
    pthread_cond_t progress;
    pj_post *first, **end;
    unsigned long added, sent;
    bool closed;
    bool awake; // the descriptor is readable
    int fd;
};

pj_outbox *pj_outbox_new(void)
{
    pj_outbox *outbox = pj_take_memory(sizeof *outbox);
    *outbox = (pj_outbox){.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    outbox->end = &outbox->first;
    pthread_mutex_init(&outbox->lock, NULL);
    pthread_cond_init(&outbox->progress, NULL);
    return outbox;
}

void pj_outbox_free(pj_outbox *outbox)
{
    if (!outbox)
        return;
    bool closed;
    for (pj_post *post; (post = pj_outbox_take(outbox, &closed));)
        pj_post_free(post);
    close(outbox->fd);
    pthread_cond_destroy(&outbox->progress);
    pthread_mutex_destroy(&outbox->lock);
    free(outbox);
}

int pj_outbox_fd(const pj_outbox *outbox)
{
    return outbox->fd;
}

void pj_outbox_add(pj_outbox *outbox, pj_post *take)
{
    pthread_mutex_lock(&outbox->lock);
    bool wake = !outbox->awake && !outbox->closed;
    if (outbox->closed) {
        pj_post_free(take);
    } else {
        take->next = NULL;
        *outbox->end = take;
        outbox->end = &take->next;
        outbox->added++;
        outbox->awake = true;
    }
    if (wake)
        eventfd_write(outbox->fd, 1);
    pthread_mutex_unlock(&outbox->lock);
}

pj_post *pj_outbox_take(pj_outbox *outbox, bool *closed)
{
    eventfd_t ignored;
    pthread_mutex_lock(&outbox->lock);
    pj_post *post = outbox->first;
    if (post)
        outbox->first = post->next;
    if (!outbox->first)
        outbox->end = &outbox->first;
    if (!post && outbox->awake) {
        eventfd_read(outbox->fd, &ignored);
        outbox->awake = false;
    }
    *closed = outbox->closed;
    pthread_mutex_unlock(&outbox->lock);
    return post;
}

void pj_outbox_sent(pj_outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    outbox->sent++;
    pthread_cond_broadcast(&outbox->progress);
    pthread_mutex_unlock(&outbox->lock);
}

unsigned long pj_outbox_added(pj_outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    unsigned long added = outbox->added;
    pthread_mutex_unlock(&outbox->lock);
    return added;
}

void pj_outbox_wait(pj_outbox *outbox, unsigned long count)
{
    pthread_mutex_lock(&outbox->lock);
    while (outbox->sent < count && !(outbox->closed && !outbox->first))
        pthread_cond_wait(&outbox->progress, &outbox->lock);
    pthread_mutex_unlock(&outbox->lock);
}

void pj_outbox_close(pj_outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    outbox->closed = true;
    outbox->awake = true;
    pthread_cond_broadcast(&outbox->progress);
    eventfd_write(outbox->fd, 1);
    pthread_mutex_unlock(&outbox->lock);
}
