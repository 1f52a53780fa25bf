// Recording while the wizard stays alive.
// What the thread tells is kept under a lock; it writes its result before it says that it has
// ended.
#include "widgets/wizard/wizard_recorder.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/str.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct pj_wizard_recorder {
    pj_arena *arena;
    pj_wizard_host host;
    const char **words;
    size_t count;
    void (*news)(void *context);
    void *context;
    pj_task *task;
    atomic_bool stop, ended;
    bool good;
    pj_err err;
    pthread_mutex_t lock; // of what follows
    char said[512];
    uint64_t done, total;
};

static void hear(void *context, const char *what, uint64_t done, uint64_t total)
{
    pj_wizard_recorder *recorder = context;
    pthread_mutex_lock(&recorder->lock);
    snprintf(recorder->said, sizeof recorder->said, "%s", what);
    recorder->done = done;
    recorder->total = total;
    pthread_mutex_unlock(&recorder->lock);
    recorder->news(recorder->context);
}

static void work(void *context)
{
    pj_wizard_recorder *recorder = context;
    pj_job job = {.stop = &recorder->stop, .progress = hear, .progress_context = recorder};
    recorder->good = recorder->host.record(recorder->host.self, recorder->words, recorder->count,
                                           &job, &recorder->err);
    atomic_store(&recorder->ended, true);
    recorder->news(recorder->context);
}

pj_wizard_recorder *pj_wizard_recorder_start(const pj_wizard_host *host, const char *const *words,
                                             size_t count, void (*news)(void *context),
                                             void *context)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_wizard_recorder *recorder = pj_new(arena, pj_wizard_recorder);
    *recorder = (pj_wizard_recorder){
        .arena = arena, .host = *host, .count = count, .news = news, .context = context};
    recorder->words = pj_new_n(arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        recorder->words[i] = pj_arena_text(arena, pj_str_of(words[i]));
    pthread_mutex_init(&recorder->lock, NULL);
    recorder->task = pj_task_start(work, recorder);
    if (!recorder->task) // no thread to be had: the page waits
        work(recorder);
    return recorder;
}

bool pj_wizard_recorder_ended(const pj_wizard_recorder *recorder)
{
    return atomic_load(&recorder->ended);
}

const char *pj_wizard_recorder_said(pj_wizard_recorder *recorder, pj_arena *arena, uint64_t *done,
                                    uint64_t *total)
{
    pthread_mutex_lock(&recorder->lock);
    const char *said = pj_arena_text(arena, pj_str_of(recorder->said));
    *done = recorder->done;
    *total = recorder->total;
    pthread_mutex_unlock(&recorder->lock);
    return said;
}

bool pj_wizard_recorder_good(const pj_wizard_recorder *recorder, pj_err *err)
{
    *err = recorder->err;
    return recorder->good;
}

void pj_wizard_recorder_stop(pj_wizard_recorder *recorder)
{
    atomic_store(&recorder->stop, true);
}

void pj_wizard_recorder_free(pj_wizard_recorder *recorder)
{
    if (!recorder)
        return;
    pj_wizard_recorder_stop(recorder);
    pj_task_join(recorder->task);
    pthread_mutex_destroy(&recorder->lock);
    pj_arena_free(recorder->arena);
}
