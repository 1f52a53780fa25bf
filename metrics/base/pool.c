// An ordered line: workers take pieces in order, work in parallel and put results in order. Who
// finishes a piece whose turn has not come leaves it and goes on with the next free slot.
#include "metrics/base/pool.h"

#include "metrics/base/arena.h"

#include <pthread.h>
#include <stdlib.h>

typedef enum place_state { FREE, BUSY, DONE } place_state;

typedef struct place {
    void *data;
    place_state state;
    pj_err err;
} place;

typedef struct line_run {
    const pj_line *line;
    place *slots;
    size_t slot_count;
    pthread_mutex_t lock; // guards all below
    pthread_cond_t changed;
    uint64_t taken, put; // pieces so far; piece n lives in slot n % slot_count
    bool taking, putting;
    bool ended; // no more pieces: the end of the input or an error
    bool failed;
    pj_err err;
} line_run;

static place *slot_of(line_run *run, uint64_t piece)
{
    return &run->slots[piece % run->slot_count];
}

static bool can_take(line_run *run)
{
    return !run->ended && !run->taking && slot_of(run, run->taken)->state == FREE;
}

static bool can_put(line_run *run)
{
    return !run->putting && run->put < run->taken && slot_of(run, run->put)->state == DONE;
}

static bool is_over(const line_run *run)
{
    return run->failed || (run->ended && !run->taking && run->put == run->taken);
}

/// Takes the next piece and works on it. The lock is held on entry and on return.
static void take_one(line_run *run)
{
    place *slot = slot_of(run, run->taken);
    run->taking = true;
    pthread_mutex_unlock(&run->lock);
    slot->err = (pj_err){.code = PJ_E_NONE};
    bool more = run->line->take(run->line->self, slot->data, &slot->err);
    pthread_mutex_lock(&run->lock);
    run->taking = false;
    if (more || slot->err.code) {
        slot->state = BUSY;
        run->taken++;
    }
    if (!more)
        run->ended = true;
    pthread_cond_broadcast(&run->changed);
    if (slot->state != BUSY)
        return;
    if (more) {
        pthread_mutex_unlock(&run->lock);
        run->line->work(run->line->self, slot->data, &slot->err);
        pthread_mutex_lock(&run->lock);
    }
    slot->state = DONE;
}

/// Puts the piece whose turn it is. The lock is held on entry and on return.
static void put_one(line_run *run)
{
    place *slot = slot_of(run, run->put);
    run->putting = true;
    pthread_mutex_unlock(&run->lock);
    if (!slot->err.code)
        run->line->put(run->line->self, slot->data, &slot->err);
    pthread_mutex_lock(&run->lock);
    run->putting = false;
    if (slot->err.code) {
        run->err = slot->err;
        run->failed = run->ended = true;
    }
    slot->state = FREE;
    run->put++;
    pthread_cond_broadcast(&run->changed);
}

static void serve(line_run *run, bool starter, uint64_t pieces)
{
    pthread_mutex_lock(&run->lock);
    while (!is_over(run) && run->taken < pieces) {
        if (can_put(run))
            put_one(run);
        else if (can_take(run))
            take_one(run);
        else
            pthread_cond_wait(&run->changed, &run->lock);
        if (starter && run->line->report) {
            pthread_mutex_unlock(&run->lock);
            run->line->report(run->line->self);
            pthread_mutex_lock(&run->lock);
        }
    }
    pthread_mutex_unlock(&run->lock);
}

static void help(void *context)
{
    serve(context, false, UINT64_MAX);
}

bool pj_pool_run(const pj_line *line, unsigned workers, void *const *slots, size_t slot_count,
                 pj_err *err)
{
    line_run run = {.line = line, .slot_count = slot_count};
    run.slots = pj_take_memory(slot_count * sizeof *run.slots);
    for (size_t i = 0; i < slot_count; i++)
        run.slots[i] = (place){.data = slots[i]};
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.changed, NULL);

    if (slot_count > 1)
        serve(&run, true, 2);
    size_t helpers = run.ended || workers < 2 ? 0 : workers - 1;
    pj_task **tasks = pj_take_memory(helpers * sizeof(pj_task *));
    for (size_t i = 0; i < helpers; i++)
        tasks[i] = pj_task_start(help, &run);
    serve(&run, true, UINT64_MAX);
    for (size_t i = 0; i < helpers; i++)
        pj_task_join(tasks[i]);
    free(tasks);

    pthread_cond_destroy(&run.changed);
    pthread_mutex_destroy(&run.lock);
    free(run.slots);
    if (run.failed && err && !err->code)
        *err = run.err;
    return !run.failed;
}

struct pj_task {
    pthread_t thread;
    void (*run)(void *context);
    void *context;
};

static void *run_task(void *memory)
{
    pj_task *task = memory;
    task->run(task->context);
    return NULL;
}

pj_task *pj_task_start(void (*run)(void *context), void *context)
{
    pj_task *task = pj_take_memory(sizeof *task);
    *task = (pj_task){.run = run, .context = context};
    if (pthread_create(&task->thread, NULL, run_task, task) == 0)
        return task;
    free(task);
    return NULL;
}

void pj_task_join(pj_task *task)
{
    if (!task)
        return;
    pthread_join(task->thread, NULL);
    free(task);
}
