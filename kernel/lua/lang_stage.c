// Who may run Lua now.
// A queue of waiters under a lock; the stage is handed to the first of them directly, so that
// nobody who comes later can be faster.
#include "kernel/lua/lang_state.h"

#include "metrics/base/arena.h"
#include "metrics/base/clock.h"
#include "widgets/ipy/widget.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum {
    SLICE_NS = 2000000,  // that one cell keeps another one waiting
    BRIEF_NS = 100000000 // that completion waits for a call which nobody can interrupt
};

typedef struct pj_lang_waiter {
    struct pj_lang_waiter *next;
    pthread_cond_t called;
    bool has_stage;
} waiter;

pj_lang_stage *pj_lang_stage_new(void)
{
    pj_lang_stage *stage = pj_take_memory(sizeof *stage);
    *stage = (pj_lang_stage){.L = luaL_newstate()};
    pj_lang_memory_open(stage);
    stage->end = &stage->first;
    pthread_mutex_init(&stage->lock, NULL);
    *(pj_lang_stage **)lua_getextraspace(stage->L) = stage;
    pj_lang_watch_begin(stage);
    return stage;
}

void pj_lang_stage_free(pj_lang_stage *stage)
{
    pj_lang_watch_end(stage);
    pj_widgets_free(stage->widgets);
    lua_close(stage->L);
    json_decref(stage->names);
    pthread_mutex_destroy(&stage->lock);
    free(stage);
}

void pj_lang_stage_add(pj_lang_stage *stage, pj_lang *lang)
{
    pthread_mutex_lock(&stage->lock);
    lang->next = stage->all;
    stage->all = lang;
    pthread_mutex_unlock(&stage->lock);
}

void pj_lang_stage_remove(pj_lang_stage *stage, pj_lang *lang)
{
    pthread_mutex_lock(&stage->lock);
    pj_lang **link = &stage->all;
    while (*link != lang)
        link = &(*link)->next;
    *link = lang->next;
    pthread_mutex_unlock(&stage->lock);
}

/// Waits until the stage was handed over; called and returns with the lock held.
static bool wait_for_call(pj_lang_stage *stage, pj_lang_haste haste)
{
    waiter self = {.next = NULL};
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&self.called, &monotonic);
    pthread_condattr_destroy(&monotonic);
    *stage->end = &self;
    stage->end = &self.next;
    uint64_t deadline = pj_clock_ns() + BRIEF_NS;
    struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000u),
                             .tv_nsec = (long)(deadline % 1000000000u)};
    bool late = false;
    while (!self.has_stage && !late) {
        if (haste == PJ_LANG_BRIEF)
            late = pthread_cond_timedwait(&self.called, &stage->lock, &until) == ETIMEDOUT;
        else
            pthread_cond_wait(&self.called, &stage->lock);
    }
    if (!self.has_stage) {
        waiter **link = &stage->first;
        while (*link != &self)
            link = &(*link)->next;
        *link = self.next;
        if (stage->end == &self.next)
            stage->end = link;
    }
    pthread_cond_destroy(&self.called);
    return self.has_stage;
}

/// Its thread of Lua, made when it is on stage for the first time.
static void open_thread(pj_lang *lang)
{
    lua_State *L = lang->stage->L;
    lua_checkstack(L, 4);
    lang->L = lua_newthread(L);
    lang->anchor = luaL_ref(L, LUA_REGISTRYINDEX);
}

bool pj_lang_enter(pj_lang *lang, pj_lang_haste haste)
{
    pj_lang_stage *stage = lang->stage;
    bool urgent = haste != PJ_LANG_PATIENT, got = true;
    atomic_fetch_add(&stage->waiting, 1);
    atomic_fetch_add(&stage->urgent, urgent);
    pthread_mutex_lock(&stage->lock);
    if (stage->taken)
        got = wait_for_call(stage, haste);
    if (got) {
        stage->taken = true;
        stage->holder = lang->thread = pthread_self();
        stage->since = pj_clock_ns();
        stage->now = lang;
        if (stage->watch_sleeps)
            pthread_cond_signal(&stage->watch);
    }
    pthread_mutex_unlock(&stage->lock);
    atomic_fetch_sub(&stage->urgent, urgent);
    atomic_fetch_sub(&stage->waiting, 1);
    if (!got)
        return false;
    lang->on_stage = true;
    for (int i = 0; i < 3; i++)
        stage->streams[i]->f = lang->streams[i];
    if (!lang->L)
        open_thread(lang);
    pj_lang_watch_enter(lang);
    return true;
}

void pj_lang_leave(pj_lang *lang)
{
    pj_lang_stage *stage = lang->stage;
    pj_lang_watch_leave();
    lang->on_stage = false;
    pthread_mutex_lock(&stage->lock);
    waiter *next = stage->first;
    stage->taken = next != NULL;
    if (next) {
        stage->first = next->next;
        if (!next->next)
            stage->end = &stage->first;
        next->has_stage = true;
        stage->holder = (pthread_t){0};
        pthread_cond_signal(&next->called);
    }
    pthread_mutex_unlock(&stage->lock);
}

bool pj_lang_step_aside(pj_lang *lang)
{
    bool stepped = lang->on_stage;
    if (stepped)
        pj_lang_leave(lang);
    return stepped;
}

void pj_lang_step_back(pj_lang *lang, bool stepped)
{
    if (stepped)
        pj_lang_enter(lang, PJ_LANG_PATIENT);
}

void pj_lang_give_way(pj_lang *lang)
{
    pj_lang_stage *stage = lang->stage;
    if (!atomic_load_explicit(&stage->waiting, memory_order_relaxed))
        return;
    if (!atomic_load(&stage->urgent) && pj_clock_ns() - stage->since < SLICE_NS)
        return;
    pj_lang_leave(lang);
    pj_lang_enter(lang, PJ_LANG_PATIENT);
}

pj_lang *pj_lang_stage_call(pj_lang_stage *stage, bool *entered)
{
    pthread_t self = pthread_self();
    pthread_mutex_lock(&stage->lock);
    *entered = !(stage->taken && pthread_equal(stage->holder, self));
    pj_lang *lang = stage->all;
    while (lang && !pthread_equal(lang->thread, self))
        lang = lang->next;
    pthread_mutex_unlock(&stage->lock);
    if (!*entered)
        return stage->now;
    if (lang)
        pj_lang_enter(lang, PJ_LANG_PATIENT);
    return lang;
}

void pj_lang_stage_done(pj_lang *lang, bool entered)
{
    if (entered)
        pj_lang_leave(lang);
}
