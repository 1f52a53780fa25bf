// What threads of OpenMP programs wait for.
// Barriers of a parallel region are numbered by thread: the k-th of each is the k-th of all. One is
// settled when as many have left it as have worked in the region, at the latest at its end.
#include "metrics/stat/omp_waits_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/run/waits/omp_waits.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <string.h>

#define NEVER UINT64_MAX

typedef struct visit { // of a thread to a barrier
    uint32_t thread;
    uint64_t enter, leave, tasks; // ns
} visit;

typedef struct barrier {
    visit *visits;
    size_t count, cap;
    uint32_t left;
} barrier;

typedef struct worker {   // a thread
    uint64_t body, done;  // when its work in the region began, and ended with barriers; NEVER
    uint64_t number;      // of the barrier that it comes to next
    uint64_t barrier;     // entered; NEVER = in none
    uint64_t task, tasks; // begin of one; time of those in the barrier
    uint64_t asked;       // for a lock; NEVER = for none
    uint64_t lock;
} worker;

typedef struct team { // of a rank
    uint64_t fork;    // NEVER = in no region
    uint64_t inside;  // time of its first thread in regions
    uint32_t depth, working;
    barrier *barriers; // the open ones are from `first` on, which has the number `base`
    size_t first, count, cap;
    uint64_t base;
} team;

typedef struct release { // of a lock
    uint64_t time;
    uint32_t thread;
} release;

typedef struct omp_state {
    const pj_run *run;
    team *teams;
    worker *workers; // by location
    pj_map sum_of;
    pj_omp_wait *sums;
    size_t count, cap;
    pj_map lock_of;
    release *locks;
    size_t lock_count, lock_cap;
    bool any;
} omp_state;

static void free_parts(omp_state *self)
{
    for (uint32_t i = 0; self->run && i < self->run->layout.ranks; i++) {
        for (size_t b = 0; b < self->teams[i].cap; b++)
            free(self->teams[i].barriers[b].visits);
        free(self->teams[i].barriers);
    }
    free(self->teams);
    free(self->workers);
    free(self->sums);
    free(self->locks);
    pj_map_free(&self->sum_of);
    pj_map_free(&self->lock_of);
    *self = (omp_state){.run = NULL};
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    omp_state *self = memory;
    (void)err;
    free_parts(self);
    self->run = run;
    size_t teams = run->layout.ranks * sizeof *self->teams;
    self->teams = memset(pj_take_memory(teams), 0, teams);
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        self->teams[i].fork = NEVER;
    self->workers = pj_take_memory(run->layout.locations * sizeof *self->workers);
    for (uint32_t i = 0; i < run->layout.locations; i++)
        self->workers[i] = (worker){.body = NEVER, .barrier = NEVER, .task = NEVER, .asked = NEVER};
    return true;
}

// Sums

/// In the region of interest.
static uint64_t clip(const omp_state *self, uint64_t time)
{
    const pj_roi *roi = &self->run->roi;
    return !roi->set             ? time
           : time < roi->from_ns ? roi->from_ns
           : time > roi->to_ns   ? roi->to_ns
                                 : time;
}

static pj_omp_wait *sum_of(omp_state *self, uint32_t rank, pj_omp_pattern pattern, uint32_t culprit)
{
    enum { PATTERN_BITS = 3, THREAD_BITS = 29 };
    uint32_t place;
    uint64_t thread = culprit & ((1u << THREAD_BITS) - 1);
    uint64_t key = ((uint64_t)rank << THREAD_BITS | thread) << PATTERN_BITS | pattern;
    if (pj_map_get(&self->sum_of, key, &place))
        return &self->sums[place];
    pj_map_put(&self->sum_of, key, (uint32_t)self->count);
    pj_grow(self->sums, &self->cap, self->count + 1);
    self->sums[self->count] = (pj_omp_wait){.rank = rank, .culprit = culprit, .pattern = pattern};
    return &self->sums[self->count++];
}

typedef struct loss {
    uint32_t rank, culprit;
    pj_omp_pattern pattern;
} loss;

/// So many threads lose the time, less some of it.
static void lose(omp_state *self, loss what, uint64_t from, uint64_t to, uint64_t less)
{
    from = clip(self, from);
    to = clip(self, to);
    if (to <= from || to - from <= less)
        return;
    uint64_t ns = to - from - less;
    pj_omp_wait *sum = sum_of(self, what.rank, what.pattern, what.culprit);
    sum->instances++;
    sum->ns += ns;
    if (ns < sum->longest_ns || (ns == sum->longest_ns && from >= sum->longest_at_ns))
        return;
    sum->longest_ns = ns;
    sum->longest_at_ns = from;
}

static void lose_all(omp_state *self, loss what, uint64_t from, uint64_t to, uint32_t threads)
{
    for (uint32_t i = 0; i < threads; i++)
        lose(self, what, from, to, 0);
}

// Barriers

static const visit *last_to_come(const barrier *b)
{
    const visit *last = NULL;
    for (size_t i = 0; i < b->count; i++)
        if (!last || b->visits[i].enter > last->enter ||
            (b->visits[i].enter == last->enter && b->visits[i].thread < last->thread))
            last = &b->visits[i];
    return last;
}

static void settle(omp_state *self, uint32_t rank, barrier *b)
{
    const visit *last = last_to_come(b);
    for (size_t i = 0; i < b->count; i++) {
        const visit *v = &b->visits[i];
        lose(self, (loss){rank, last->thread, PJ_OMP_WAIT_omp_barrier_wait}, v->enter, last->enter,
             v->tasks);
        lose(self, (loss){rank, PJ_NO_THREAD, PJ_OMP_WAIT_omp_barrier_completion}, last->enter,
             v->leave, 0);
    }
    b->count = 0;
    b->left = 0;
}

/// The first open ones, as far as nobody comes to them any more; at the end of a region all.
static void settle_first(omp_state *self, uint32_t rank, bool all)
{
    team *t = &self->teams[rank];
    while (t->count && (all || t->barriers[t->first].left >= t->working)) {
        settle(self, rank, &t->barriers[t->first++]);
        t->count--;
        t->base++;
    }
    if (t->count == 0)
        t->first = 0;
}

/// Brings the open ones to the front when those before them are as many; their room is kept.
static void close_up(team *t)
{
    if (t->first < t->count || t->first == 0)
        return;
    for (size_t i = 0; i < t->count; i++) {
        barrier kept = t->barriers[i];
        t->barriers[i] = t->barriers[t->first + i];
        t->barriers[t->first + i] = kept;
    }
    t->first = 0;
}

static barrier *barrier_at(team *t, uint64_t number)
{
    close_up(t);
    while (t->base + t->count <= number) {
        size_t cap = t->cap;
        pj_grow(t->barriers, &t->cap, t->first + t->count + 1);
        for (size_t i = cap; i < t->cap; i++)
            t->barriers[i] = (barrier){.visits = NULL};
        t->count++;
    }
    return &t->barriers[t->first + (number - t->base)];
}

static void take_barrier(omp_state *self, const pj_event *event, uint32_t rank, uint32_t thread)
{
    team *t = &self->teams[rank];
    worker *w = &self->workers[event->location];
    if (t->fork == NEVER || w->body == NEVER)
        return;
    if (event->a) {
        w->barrier = event->time;
        w->tasks = 0;
        return;
    }
    if (w->barrier == NEVER || w->number < t->base)
        return;
    barrier *b = barrier_at(t, w->number++);
    pj_grow(b->visits, &b->cap, b->count + 1);
    b->visits[b->count++] = (visit){thread, w->barrier, event->time, w->tasks};
    b->left++;
    w->barrier = NEVER;
    if (w->done != NEVER)
        w->done = event->time;
    settle_first(self, rank, false);
}

// Regions

static void fork_team(omp_state *self, const pj_event *event, uint32_t rank)
{
    team *t = &self->teams[rank];
    const pj_layout *layout = &self->run->layout;
    if (t->depth++ > 0)
        return;
    t->fork = event->time;
    t->working = 0;
    t->base = t->first = t->count = 0;
    for (uint32_t i = 0; i < pj_layout_threads(layout, rank); i++) {
        worker *w = &self->workers[layout->first_location[rank] + i];
        w->body = w->barrier = NEVER;
        w->number = 0;
    }
}

static void join_team(omp_state *self, uint64_t time, uint32_t rank)
{
    team *t = &self->teams[rank];
    const pj_layout *layout = &self->run->layout;
    const loss missing = {rank, PJ_NO_THREAD, PJ_OMP_WAIT_omp_limited_parallelism};
    const loss management = {rank, PJ_NO_THREAD, PJ_OMP_WAIT_omp_management};
    uint32_t threads = pj_layout_threads(layout, rank);
    if (t->depth == 0 || --t->depth > 0)
        return;
    settle_first(self, rank, true);
    for (uint32_t i = 0; i < threads; i++) {
        const worker *w = &self->workers[layout->first_location[rank] + i];
        if (w->body == NEVER)
            continue;
        lose(self, management, t->fork, w->body, 0);
        if (w->done != NEVER)
            lose(self, management, w->done, time, 0);
    }
    lose_all(self, missing, t->fork, time, threads - t->working);
    t->inside += clip(self, time) - clip(self, t->fork);
    t->fork = NEVER;
}

static void take_body(omp_state *self, const pj_event *event, uint32_t rank)
{
    team *t = &self->teams[rank];
    worker *w = &self->workers[event->location];
    if (t->fork == NEVER)
        return;
    w->done = event->a ? NEVER : event->time;
    if (!event->a || w->body != NEVER)
        return;
    w->body = event->time;
    t->working++;
}

static void take_task(omp_state *self, const pj_event *event)
{
    worker *w = &self->workers[event->location];
    if (event->a)
        w->task = event->time;
    else if (w->task != NEVER && w->barrier != NEVER)
        w->tasks += event->time - (w->task > w->barrier ? w->task : w->barrier);
    if (!event->a)
        w->task = NEVER;
}

// Locks

static release *lock_of(omp_state *self, uint32_t rank, uint64_t name)
{
    uint32_t place;
    uint64_t key = name * UINT64_C(0x9E3779B97F4A7C15) ^ rank;
    if (pj_map_get(&self->lock_of, key, &place))
        return &self->locks[place];
    pj_map_put(&self->lock_of, key, (uint32_t)self->lock_count);
    pj_grow(self->locks, &self->lock_cap, self->lock_count + 1);
    self->locks[self->lock_count] = (release){0, PJ_NO_THREAD};
    return &self->locks[self->lock_count++];
}

static void take_lock(omp_state *self, const pj_event *event, uint32_t rank, uint32_t thread)
{
    worker *w = &self->workers[event->location];
    if (event->a == PJ_LOCK_ASKED) {
        w->asked = event->time;
        w->lock = 0;
        return;
    }
    if (event->b)
        w->lock = event->b;
    release *last = lock_of(self, rank, w->lock);
    if (event->a == PJ_LOCK_RELEASED)
        *last = (release){event->time, thread};
    if (event->a != PJ_LOCK_ACQUIRED || w->asked == NEVER)
        return;
    if (last->thread != PJ_NO_THREAD && last->thread != thread)
        lose(self, (loss){rank, last->thread, PJ_OMP_WAIT_omp_lock_contention}, w->asked,
             last->time < event->time ? last->time : event->time, 0);
    w->asked = NEVER;
}

// Events

static void take_openmp(omp_state *self, const pj_event *event, uint32_t rank, uint32_t thread)
{
    self->any = true;
    if (event->b == PJ_TEAM_NESTED)
        return;
    switch (event->code) {
    case PJ_OMP_PARALLEL:
        if (thread == 0 && event->a)
            fork_team(self, event, rank);
        else if (thread == 0)
            join_team(self, event->time, rank);
        break;
    case PJ_OMP_FUNCTION:
        take_body(self, event, rank);
        break;
    case PJ_OMP_BARRIER:
        take_barrier(self, event, rank, thread);
        break;
    case PJ_OMP_TASK:
        take_task(self, event);
        break;
    default: // levels of other kinds
        break;
    }
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    omp_state *self = memory;
    const pj_layout *layout = &self->run->layout;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind != PJ_EV_OPENMP && event->kind != PJ_EV_OTHER)
            continue;
        uint32_t rank = layout->rank_of[event->location];
        uint32_t thread = event->location - layout->first_location[rank];
        if (event->kind == PJ_EV_OPENMP)
            take_openmp(self, event, rank, thread);
        else if (event->code == PJ_LOCK)
            take_lock(self, event, rank, thread);
        else if (event->code == PJ_LOCK_NAME && self->workers[event->location].asked == event->time)
            self->workers[event->location].lock = event->a;
    }
    return true;
}

/// Workers while the first thread is in no region.
static void add_idle(omp_state *self, const pj_run *run)
{
    for (uint32_t rank = 0; rank < run->layout.ranks; rank++) {
        team *t = &self->teams[rank];
        uint64_t workers = pj_layout_threads(&run->layout, rank) - 1;
        t->depth = t->depth ? 1 : 0;
        join_team(self, run->end_ns, rank);
        if (!workers || run->runtime_ns <= t->inside)
            continue;
        pj_omp_wait *sum = sum_of(self, rank, PJ_OMP_WAIT_omp_idle_threads, PJ_NO_THREAD);
        sum->instances = workers;
        sum->longest_ns = run->runtime_ns - t->inside;
        sum->ns = workers * sum->longest_ns;
    }
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    omp_state *self = memory;
    (void)err;
    run->omp_waits = NULL;
    self->run = run;
    if (!self->any)
        return true;
    add_idle(self, run);
    pj_omp_waits *out = pj_new(run->arena, pj_omp_waits);
    out->items = pj_new_n(run->arena, pj_omp_wait, self->count + 1);
    for (size_t i = 0; i < self->count; i++)
        if (self->sums[i].ns)
            out->items[out->count++] = self->sums[i];
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, pj_omp_wait_order);
    run->omp_waits = out;
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
    free(memory);
}

pj_sink pj_omp_waits_sink(void)
{
    omp_state *self = pj_take_memory(sizeof *self);
    *self = (omp_state){.run = NULL};
    return (pj_sink){.name = "omp_waits",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .kinds = 1u << PJ_EV_OPENMP | 1u << PJ_EV_OTHER,
                     .locks = true};
}

static size_t listen_omp_waits(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_omp_waits_sink();
    return 1;
}

static const char *lack_omp_waits(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->omp_waits || !run->has_openmp ? NULL : "does not say what threads waited for";
}

static bool stale_omp_waits(const pj_run *run)
{
    return run->has_openmp && !run->omp_waits;
}

const pj_aspect pj_aspect_omp_waits = {
    .listen = listen_omp_waits,
    .merged = true,
    .lack = lack_omp_waits,
    .stale = stale_omp_waits,
};
