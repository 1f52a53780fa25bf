// Blocks made ahead on a thread of their own.
// A ring of blocks between the thread that makes them and the one that takes them.
#include "metrics/read/ahead.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/pool.h"

#include <pthread.h>
#include <stdlib.h>

enum { DEPTH = 4 };

struct pj_ahead {
    bool (*fill)(void *context, pj_block *block, pj_err *err);
    void *context;
    pj_task *task;
    pthread_mutex_t lock; // guards all below, but for the block being made
    pthread_cond_t changed;
    pj_block ring[DEPTH];
    size_t made, taken; // block n lives in ring[n % DEPTH]
    bool ended, stopping;
    pj_err err;
};

static void make_blocks(void *context)
{
    pj_ahead *ahead = context;
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->ended && !ahead->stopping) {
        if (ahead->made - ahead->taken == DEPTH) {
            pthread_cond_wait(&ahead->changed, &ahead->lock);
            continue;
        }
        pj_block *block = &ahead->ring[ahead->made % DEPTH];
        pj_err err = {.code = PJ_E_NONE};
        pthread_mutex_unlock(&ahead->lock);
        bool more = ahead->fill(ahead->context, block, &err);
        pthread_mutex_lock(&ahead->lock);
        ahead->made += more;
        ahead->ended = !more;
        ahead->err = err;
        pthread_cond_broadcast(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->lock);
}

pj_ahead *pj_ahead_start(bool (*fill)(void *context, pj_block *block, pj_err *err), void *context)
{
    pj_ahead *ahead = pj_take_memory(sizeof *ahead);
    *ahead = (pj_ahead){.fill = fill, .context = context};
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    ahead->task = pj_task_start(make_blocks, ahead);
    if (ahead->task)
        return ahead;
    pj_ahead_stop(ahead);
    return NULL;
}

void pj_ahead_stop(pj_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->stopping = true;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    pj_task_join(ahead->task);
    for (size_t i = 0; i < DEPTH; i++)
        pj_block_free(&ahead->ring[i]);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead);
}

bool pj_ahead_next(pj_ahead *ahead, pj_block *block, pj_err *err)
{
    pthread_mutex_lock(&ahead->lock);
    while (ahead->made == ahead->taken && !ahead->ended)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    bool more = ahead->made > ahead->taken;
    if (more) {
        pj_block *ready = &ahead->ring[ahead->taken++ % DEPTH];
        pj_block spent = *block;
        *block = *ready;
        *ready = spent;
        pthread_cond_broadcast(&ahead->changed);
    } else if (ahead->err.code && err && !err->code) {
        *err = ahead->err;
    }
    pthread_mutex_unlock(&ahead->lock);
    return more;
}
