// Reading traces while the wizard stays alive.
// One task that reads the traces in turn, each with all workers. What it tells is kept under a
// lock.
#include "widgets/wizard/wizard_job.h"

#include "metrics/analyse/cut.h"
#include "metrics/analyse/faults/faults.h"
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_how.h"
#include "metrics/analyse/load_texts.h"
#include "metrics/base/arena.h"
#include "metrics/base/clock.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/str.h"
#include "metrics/replay/network.h"
#include "metrics/run/aspect.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "widgets/figure/lanes.h"

#include <pthread.h>

typedef struct item {
    const char *path;
    pj_reading state;
    uint64_t done, total, began_ns, ended_ns;
    pj_run *run;
    pj_err err;
} item;

struct pj_wizard_job {
    pj_arena *arena;
    pj_wizard_load how;
    void (*news)(void *context);
    void *context;
    atomic_bool stop;
    pj_task *task;
    pthread_mutex_t lock; // of what follows
    item *items;
    size_t count, now;
    bool ended;
};

static void report(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    pj_wizard_job *job = context;
    pthread_mutex_lock(&job->lock);
    job->items[job->now].done = done;
    job->items[job->now].total = total;
    pthread_mutex_unlock(&job->lock);
    job->news(job->context);
}

/// What a view takes beside the totals.
static const struct {
    bool no_replay;
    unsigned aspects;
} needs[] = {
    [PJ_WIZARD_REGIONS] = {true, PJ_WANT(openmp_regions)},
    [PJ_WIZARD_TIMELINE] = {true, 0},
    [PJ_WIZARD_CAUSES] = {false, PJ_FAULTS_WANT},
};

/// What options borrow.
typedef struct loan {
    pj_timeline_opts timeline;
    pj_cut cut;
} loan;

static bool cut(pj_wizard_view view, pj_load_opts *opts, loan *lent, pj_err *err)
{
    static const char *const cuts[] = {
        [PJ_WIZARD_SLICES] = "time:64", [PJ_WIZARD_STEPS] = "iteration"};
    lent->cut.set = false;
    bool along = view == PJ_WIZARD_SLICES || view == PJ_WIZARD_STEPS;
    if (along && !pj_cut_parse(pj_str_of(cuts[view]), &lent->cut, err))
        return false;
    pj_cut_ask(&lent->cut, opts);
    return true;
}

static bool take(const pj_wizard_load *how, pj_load_opts *opts, loan *lent, pj_job *job,
                 pj_err *err)
{
    *opts = (pj_load_opts){.ignore_summary = how->reread,
                           .no_replay = needs[how->view].no_replay,
                           .aspects = needs[how->view].aspects,
                           .steps = how->view == PJ_WIZARD_CAUSES || how->view == PJ_WIZARD_SLICES};
    if (!pj_load_how_take(&how->texts.how, opts, err) ||
        !pj_load_texts_network(&how->texts, &opts->network, err) ||
        !pj_load_texts_memory(&how->texts, &job->memory_budget, err))
        return false;
    if (how->view == PJ_WIZARD_CAUSES) // replays bring the rest of the network
        opts->network = (pj_network){.eager_bytes = opts->network.eager_bytes,
                                     .all_rendezvous = opts->network.all_rendezvous};
    if (!cut(how->view, opts, lent, err))
        return false;
    if (how->view != PJ_WIZARD_TIMELINE)
        return true;
    size_t rows, columns;
    pj_lanes_size(0, 0, SIZE_MAX, &rows, &columns);
    lent->timeline = (pj_timeline_opts){
        .rows_most = (uint32_t)rows,
        .columns = (uint32_t)columns,
        .streams = how->streams,
        .waits = how->waits,
    };
    opts->timeline = &lent->timeline;
    if (!pj_load_texts_timeline(&how->texts, &lent->timeline, err))
        return false;
    pj_load_ask_timeline(opts);
    return true;
}

bool pj_wizard_job_check(const pj_wizard_load *how, pj_err *err)
{
    pj_load_opts opts;
    loan lent;
    pj_job job = {.workers = 0};
    return take(how, &opts, &lent, &job, err);
}

static void read_one(pj_wizard_job *job, item *one)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job work = {.stop = &job->stop,
                   .workers = (unsigned)job->how.workers,
                   .progress = report,
                   .progress_context = job};
    pj_load_opts opts;
    loan lent;
    bool good = take(&job->how, &opts, &lent, &work, &err);
    pj_run *run = good ? pj_load(one->path, opts, &work, &err) : NULL;
    pthread_mutex_lock(&job->lock);
    one->run = run;
    one->err = err;
    one->ended_ns = pj_clock_ns();
    if (run)
        one->state = PJ_READING_DONE;
    else
        one->state = err.code == PJ_E_STOPPED ? PJ_READING_STOPPED : PJ_READING_FAILED;
    pthread_mutex_unlock(&job->lock);
}

static void work(void *context)
{
    pj_wizard_job *job = context;
    for (size_t i = 0; i < job->count; i++) {
        bool stopped = atomic_load(&job->stop);
        pthread_mutex_lock(&job->lock);
        job->now = i;
        job->items[i].began_ns = pj_clock_ns();
        job->items[i].state = stopped ? PJ_READING_STOPPED : PJ_READING_NOW;
        pthread_mutex_unlock(&job->lock);
        if (!stopped)
            read_one(job, &job->items[i]);
        job->news(job->context);
    }
    pthread_mutex_lock(&job->lock);
    job->ended = true;
    pthread_mutex_unlock(&job->lock);
    job->news(job->context);
}

static const char *copy(pj_arena *arena, const char *text)
{
    return text ? pj_arena_text(arena, pj_str_of(text)) : NULL;
}

static pj_wizard_load copy_load(pj_arena *arena, const pj_wizard_load *how)
{
    pj_wizard_load made = *how;
    pj_load_texts *t = &made.texts;
    t->how = pj_load_how_copy(&t->how, arena);
    t->latency = copy(arena, t->latency);
    t->bandwidth = copy(arena, t->bandwidth);
    t->eager = copy(arena, t->eager);
    t->memory = copy(arena, t->memory);
    t->range = copy(arena, t->range);
    t->ranks = copy(arena, t->ranks);
    return made;
}

pj_wizard_job *pj_wizard_job_start(const char *const *paths, size_t count,
                                   const pj_wizard_load *how, void (*news)(void *context),
                                   void *context)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_wizard_job *job = pj_new(arena, pj_wizard_job);
    *job = (pj_wizard_job){.arena = arena,
                           .how = copy_load(arena, how),
                           .news = news,
                           .context = context,
                           .items = pj_new_n(arena, item, count + 1),
                           .count = count};
    for (size_t i = 0; i < count; i++)
        job->items[i] = (item){.path = copy(arena, paths[i]), .state = PJ_READING_WAITS};
    pthread_mutex_init(&job->lock, NULL);
    job->task = pj_task_start(work, job);
    if (!job->task) // no thread to be had: the page waits
        work(job);
    return job;
}

void pj_wizard_job_stop(pj_wizard_job *job)
{
    atomic_store(&job->stop, true);
}

void pj_wizard_job_free(pj_wizard_job *job)
{
    if (!job)
        return;
    pj_wizard_job_stop(job);
    pj_task_join(job->task);
    for (size_t i = 0; i < job->count; i++)
        pj_run_release(job->items[i].run);
    pthread_mutex_destroy(&job->lock);
    pj_arena_free(job->arena);
}

bool pj_wizard_job_ended(pj_wizard_job *job)
{
    pthread_mutex_lock(&job->lock);
    bool ended = job->ended;
    pthread_mutex_unlock(&job->lock);
    return ended;
}

size_t pj_wizard_job_count(const pj_wizard_job *job)
{
    return job->count;
}

const char *pj_wizard_job_path(const pj_wizard_job *job, size_t index)
{
    return job->items[index].path;
}

pj_wizard_progress pj_wizard_job_at(pj_wizard_job *job, size_t index)
{
    pthread_mutex_lock(&job->lock);
    const item *one = &job->items[index];
    pj_wizard_progress progress = {.state = one->state, .done = one->done, .total = one->total};
    if (one->began_ns)
        progress.ns = (one->ended_ns ? one->ended_ns : pj_clock_ns()) - one->began_ns;
    pthread_mutex_unlock(&job->lock);
    return progress;
}

pj_run *pj_wizard_job_take(pj_wizard_job *job, size_t index, pj_err *err)
{
    pthread_mutex_lock(&job->lock);
    item *one = &job->items[index];
    pj_run *run = one->run;
    one->run = NULL;
    *err = one->err;
    pthread_mutex_unlock(&job->lock);
    return run;
}
