// Reading profiles while the wizard stays alive.
// The thread writes its result before it says that it has ended; progress is atomic numbers.
#include "widgets/wizard/wizard_gather.h"

#include "metrics/analyse/load.h"
#include "metrics/analyse/load_how.h"
#include "metrics/analyse/load_profile.h"
#include "metrics/analyse/load_texts.h"
#include "metrics/analyse/paths.h"
#include "metrics/analyse/profile_run.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/clock.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

#include <stdatomic.h>
#include <stdlib.h>

struct pj_wizard_gather {
    pj_arena *arena;
    const char **paths;
    size_t count;
    pj_wizard_load how;
    void (*news)(void *context);
    void *context;
    pj_task *task;
    _Atomic uint64_t done, total, ended_ns;
    uint64_t began_ns;
    atomic_bool stop, ended;
    pj_profile *profile;
    pj_err err;
    pj_err *problems; // of files that are left out
    size_t problem_count, problem_cap;
};

static void report(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    pj_wizard_gather *gather = context;
    atomic_store(&gather->done, done);
    atomic_store(&gather->total, total);
    gather->news(gather->context);
}

/// Called by the thread that reads.
static void complain(void *context, const pj_err *err)
{
    pj_wizard_gather *gather = context;
    pj_grow(gather->problems, &gather->problem_cap, gather->problem_count + 1);
    gather->problems[gather->problem_count++] = *err;
}

static pj_profile *read_all(pj_wizard_gather *gather, pj_job *job, pj_err *err)
{
    pj_load_profile_opts how = {.complain = complain, .context = gather};
    pj_load_opts opts = {.no_replay = true};
    if (!pj_load_how_take(&gather->how.texts.how, &opts, err) ||
        !pj_load_texts_memory(&gather->how.texts, &job->memory_budget, err))
        return NULL;
    bool trace = gather->count == 1 && !pj_paths_are_profiles(gather->paths[0]);
    return trace ? pj_profile_run(gather->paths[0], opts, job, NULL, err)
                 : pj_load_profile(gather->paths, gather->count, how, job, err);
}

static void work(void *context)
{
    pj_wizard_gather *gather = context;
    pj_job job = {.stop = &gather->stop,
                  .workers = (unsigned)gather->how.workers,
                  .progress = report,
                  .progress_context = gather};
    gather->profile = read_all(gather, &job, &gather->err);
    atomic_store(&gather->ended_ns, pj_clock_ns());
    atomic_store(&gather->ended, true);
    gather->news(gather->context);
}

static const char *copy(pj_arena *arena, const char *text)
{
    return text ? pj_arena_text(arena, pj_str_of(text)) : NULL;
}

pj_wizard_gather *pj_wizard_gather_start(const char *const *paths, size_t count,
                                         const pj_wizard_load *how, void (*news)(void *context),
                                         void *context)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_wizard_gather *gather = pj_new(arena, pj_wizard_gather);
    gather->arena = arena;
    gather->news = news;
    gather->context = context;
    gather->began_ns = pj_clock_ns();
    gather->how = (pj_wizard_load){.texts = {.how = pj_load_how_copy(&how->texts.how, arena),
                                             .memory = copy(arena, how->texts.memory)},
                                   .workers = how->workers};
    gather->paths = pj_new_n(arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        gather->paths[gather->count++] = copy(arena, paths[i]);
    gather->task = pj_task_start(work, gather);
    if (!gather->task) // no thread to be had: the page waits
        work(gather);
    return gather;
}

void pj_wizard_gather_stop(pj_wizard_gather *gather)
{
    atomic_store(&gather->stop, true);
}

void pj_wizard_gather_free(pj_wizard_gather *gather)
{
    if (!gather)
        return;
    pj_wizard_gather_stop(gather);
    pj_task_join(gather->task);
    pj_profile_release(gather->profile);
    free(gather->problems);
    pj_arena_free(gather->arena);
}

bool pj_wizard_gather_ended(const pj_wizard_gather *gather)
{
    return atomic_load(&gather->ended);
}

pj_wizard_progress pj_wizard_gather_at(pj_wizard_gather *gather)
{
    pj_wizard_progress p = {.state = PJ_READING_NOW,
                            .done = atomic_load(&gather->done),
                            .total = atomic_load(&gather->total)};
    if (atomic_load(&gather->ended)) {
        bool stopped = gather->err.code == PJ_E_STOPPED;
        p.state = gather->err.code == PJ_E_NONE ? PJ_READING_DONE
                  : stopped                     ? PJ_READING_STOPPED
                                                : PJ_READING_FAILED;
    }
    uint64_t ended = atomic_load(&gather->ended_ns);
    p.ns = (ended ? ended : pj_clock_ns()) - gather->began_ns;
    return p;
}

size_t pj_wizard_gather_count(const pj_wizard_gather *gather)
{
    return gather->count;
}

const pj_err *pj_wizard_gather_problem(const pj_wizard_gather *gather, size_t index)
{
    return index < gather->problem_count ? &gather->problems[index] : NULL;
}

const char *pj_wizard_gather_path(const pj_wizard_gather *gather, size_t index)
{
    return gather->paths[index];
}

pj_profile *pj_wizard_gather_take(pj_wizard_gather *gather, pj_err *err)
{
    pj_profile *profile = gather->profile;
    gather->profile = NULL;
    *err = gather->err;
    return profile;
}
