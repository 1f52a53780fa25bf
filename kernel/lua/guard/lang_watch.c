// A thread that sees to it that an interrupt arrives.
// The hooks of Lua come every so many instructions, which may be long ones, and a system call that
// waits has none. While the flag of a cell stands, its thread gets a signal again and again: the
// handler makes the hook come at once, and what waits in the system returns.
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { LOOK_MS = 10 }; // at the flag of the cell that runs

// A handler has no arguments: who is on stage, of each thread, and whether it can be signalled.
static _Thread_local pj_lang *volatile at_work;
static _Thread_local bool heard;

static void on_nudge(int number)
{
    (void)number;
    if (at_work)
        pj_lang_guard_alert(at_work);
}

/// The signal is one that nobody misses: its default is to do nothing. System calls are not begun
/// again behind it, as they are interrupted on purpose.
static void listen(void)
{
    struct sigaction action = {.sa_handler = on_nudge};
    sigaction(SIGURG, &action, NULL);
}

void pj_lang_watch_enter(pj_lang *lang)
{
    sigset_t nudge;
    at_work = lang;
    if (heard)
        return;
    heard = true;
    sigemptyset(&nudge);
    sigaddset(&nudge, SIGURG);
    pthread_sigmask(SIG_UNBLOCK, &nudge, NULL);
}

void pj_lang_watch_leave(void)
{
    at_work = NULL;
}

/// Called with the lock held.
static void nudge(pj_lang_stage *stage)
{
    const pj_lang *lang = stage->now;
    bool someone = stage->taken && !pthread_equal(stage->holder, (pthread_t){0});
    if (someone && lang->stop && atomic_load(lang->stop))
        pthread_kill(stage->holder, SIGURG);
}

/// Sleeps while nobody is on stage.
static void *watch(void *context)
{
    pj_lang_stage *stage = context;
    pthread_mutex_lock(&stage->lock);
    while (!stage->watch_ends) {
        stage->watch_sleeps = !stage->taken;
        if (stage->watch_sleeps) {
            pthread_cond_wait(&stage->watch, &stage->lock);
            continue;
        }
        pthread_mutex_unlock(&stage->lock);
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000}, NULL);
        pthread_mutex_lock(&stage->lock);
        nudge(stage);
    }
    pthread_mutex_unlock(&stage->lock);
    return NULL;
}

void pj_lang_watch_begin(pj_lang_stage *stage)
{
    sigset_t all, before;
    listen();
    pthread_cond_init(&stage->watch, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    stage->watched = pthread_create(&stage->watcher, NULL, watch, stage) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pj_lang_watch_end(pj_lang_stage *stage)
{
    pthread_mutex_lock(&stage->lock);
    stage->watch_ends = true;
    pthread_cond_signal(&stage->watch);
    pthread_mutex_unlock(&stage->lock);
    if (stage->watched)
        pthread_join(stage->watcher, NULL);
    pthread_cond_destroy(&stage->watch);
}
