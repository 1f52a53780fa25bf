// Threads of OpenMP teams in the replay.
// One team per rank. Between functions a worker's clock stands still; what it does after its last
// function (writing its trace) counts, as it does in Dimemas.
#include "metrics/replay/threads.h"

#include "metrics/base/arena.h"
#include "metrics/replay/sync_row.h"
#include "metrics/trace/event.h"

#include <stdlib.h>

typedef struct team {
    uint32_t depth;       // parallel regions open on the master
    uint32_t begin, join; // synchronisations of the open region
    uint64_t opened;      // when the open region was, in the trace
    bool started;         // the master has come to `begin`
    uint32_t workers;     // that have started in the open region
    uint64_t number;      // of the region's team; 0 = not told yet
    uint32_t tasks;       // synchronisation of the tasks since the last wait; PJ_NOTHING = none yet
    uint64_t task_done;   // when the last of them was, in the trace
    pj_sync_row barriers; // of the open region
} team;

typedef struct worker {
    uint32_t depth;     // parallel functions open
    uint32_t join;      // synchronisation of the region it works in
    uint64_t barriers;  // that it has left in this region
    uint64_t taskgroup; // last value of PJ_OMP_TASKGROUP
    uint32_t waits;     // barriers and task waits open, where waiting is not computing
    uint64_t busy;      // until when it worked before, or in, the innermost one
    bool in_barrier;    // where waiting is not computing
    bool passed;        // and has had its synchronisation
    bool nested;        // works in a team within the region's
    bool lives;         // has worked
    bool free;          // runs without a master
} worker;

struct pj_threads {
    pj_arena *arena;
    pj_engine *engine;
    const pj_layout *layout;
    bool from_fork;  // and waiting is told from computing
    team *teams;     // by rank
    worker *workers; // by location
};

pj_threads *pj_threads_new(pj_engine *engine, const pj_layout *layout, bool from_fork)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_threads *threads = pj_new(arena, pj_threads);
    *threads =
        (pj_threads){.arena = arena, .engine = engine, .layout = layout, .from_fork = from_fork};
    threads->teams = pj_new_n(arena, team, layout->ranks);
    threads->workers = pj_new_n(arena, worker, layout->locations);
    for (uint32_t r = 0; r < layout->ranks; r++) {
        threads->teams[r].tasks = PJ_NOTHING;
        threads->workers[layout->first_location[r]].lives = true;
        threads->workers[layout->first_location[r]].free = true;
    }
    for (uint32_t i = 0; i < layout->locations; i++)
        threads->workers[i].join = PJ_NOTHING;
    return threads;
}

void pj_threads_free(pj_threads *threads)
{
    if (!threads)
        return;
    for (uint32_t r = 0; r < threads->layout->ranks; r++)
        pj_sync_row_free(&threads->teams[r].barriers);
    pj_arena_free(threads->arena);
}

static void add(pj_threads *threads, uint32_t location, pj_op_kind kind, uint32_t what)
{
    pj_engine_add(threads->engine, location, kind, what);
}

static uint32_t master_of(const pj_threads *threads, uint32_t location)
{
    return threads->layout->first_location[threads->layout->rank_of[location]];
}

/// The master lets the workers of its region start.
static void start_team(pj_threads *threads, team *t, uint32_t master)
{
    if (t->started)
        return;
    t->started = true;
    add(threads, master, PJ_OP_ARRIVE, t->begin);
}

static void end_worker(pj_threads *threads, uint32_t location)
{
    worker *w = &threads->workers[location];
    w->depth = w->waits = 0;
    w->in_barrier = false;
    if (w->join == PJ_NOTHING)
        return;
    add(threads, location, PJ_OP_ARRIVE, w->join);
    pj_engine_sync_release(threads->engine, w->join);
    w->join = PJ_NOTHING;
}

static void open_region(pj_threads *threads, team *t, uint32_t master)
{
    uint32_t count = pj_layout_threads(threads->layout, threads->layout->rank_of[master]);
    for (uint32_t i = 1; i < count; i++)
        end_worker(threads, master + i); // whose end is not in the trace
    t->started = false;
    t->workers = 0;
    t->number = 0;
    t->begin = pj_engine_sync(threads->engine, false);
    t->join = pj_engine_sync(threads->engine, false);
    pj_engine_sync_expect(threads->engine, t->begin, 1, 0);
    pj_engine_sync_close(threads->engine, t->begin);
    threads->workers[master].barriers = 0;
    threads->workers[master].waits = 0;
    threads->workers[master].in_barrier = false;
}

static void close_region(pj_threads *threads, team *t, uint32_t master)
{
    start_team(threads, t, master);
    pj_sync_row_end(&t->barriers, threads->engine);
    pj_engine_sync_close(threads->engine, t->join);
    add(threads, master, PJ_OP_AWAIT, t->join);
    pj_engine_sync_release(threads->engine, t->begin);
    pj_engine_sync_release(threads->engine, t->join);
}

static void parallel(pj_threads *threads, uint32_t location, uint64_t value, uint64_t time)
{
    team *t = &threads->teams[threads->layout->rank_of[location]];
    if (location != master_of(threads, location))
        return; // nested
    pj_engine_move(threads->engine, location, time, true);
    if (value != 0 && t->depth++ == 0) {
        open_region(threads, t, location);
        t->opened = time;
        if (threads->from_fork)
            start_team(threads, t, location);
    } else if (value == 0 && t->depth > 0 && --t->depth == 0) {
        close_region(threads, t, location);
    }
}

static void start_worker(pj_threads *threads, team *t, uint32_t location, uint64_t time)
{
    worker *w = &threads->workers[location];
    w->lives = true;
    w->barriers = 0;
    w->join = PJ_NOTHING;
    if (t->depth == 0) { // the region's begin is not in the trace
        pj_engine_move(threads->engine, location, time, true);
        return;
    }
    if (w->free)
        pj_engine_move(threads->engine, location, time, true);
    add(threads, location, PJ_OP_AWAIT, t->begin);
    if (threads->from_fork) { // what it takes to start is its own
        pj_engine_move(threads->engine, location, t->opened < time ? t->opened : time, false);
        pj_engine_move(threads->engine, location, time, true);
    }
    pj_engine_move(threads->engine, location, time, false);
    t->workers += !w->nested; // others come to no barrier of the region
    w->join = t->join;
    pj_engine_sync_expect(threads->engine, w->join, 1, 0);
    pj_engine_sync_hold(threads->engine, w->join);
}

static void function(pj_threads *threads, uint32_t location, uint64_t value, uint64_t time)
{
    team *t = &threads->teams[threads->layout->rank_of[location]];
    worker *w = &threads->workers[location];
    bool is_master = location == master_of(threads, location);
    if (value != 0 && w->depth++ == 0) {
        if (!is_master) {
            start_worker(threads, t, location, time);
        } else if (t->depth > 0) {
            pj_engine_move(threads->engine, location, time, true);
            start_team(threads, t, location);
        }
    } else if (value == 0 && w->depth > 0) {
        pj_engine_move(threads->engine, location, time, true);
        if (--w->depth == 0 && !is_master)
            end_worker(threads, location);
    }
}

static void begin_wait(pj_threads *threads, uint32_t location, uint16_t code, uint64_t time)
{
    worker *w = &threads->workers[location];
    if (!threads->from_fork)
        return; // as Dimemas does: waiting counts as computing
    w->waits++;
    w->busy = time;
    if (code == PJ_OMP_BARRIER) {
        w->in_barrier = true;
        w->passed = false;
    }
}

static void end_wait(pj_threads *threads, uint32_t location, uint64_t time)
{
    worker *w = &threads->workers[location];
    if (w->waits == 0)
        return;
    w->waits--;
    w->busy = time;
}

/// Waits for a synchronisation that all had come to at `all` in the trace: until then the thread
/// has waited, from then until `time` it has gone on.
static void await(pj_threads *threads, uint32_t location, uint32_t sync, uint64_t all,
                  uint64_t time)
{
    add(threads, location, PJ_OP_AWAIT, sync);
    if (threads->workers[location].waits == 0)
        return;
    pj_engine_move(threads->engine, location, all < time ? all : time, false);
    pj_engine_move(threads->engine, location, time, true);
}

/// Where a wait that is left at `time` has its synchronisation: behind the work before it and in
/// it.
static void come_to_sync(pj_threads *threads, uint32_t location, uint64_t time)
{
    const worker *w = &threads->workers[location];
    pj_engine_move(threads->engine, location, w->waits ? w->busy : time, true);
}

/// When the last thread of the rank that waits now has begun to.
static uint64_t last_to_wait(const pj_threads *threads, uint32_t rank)
{
    uint64_t last = 0;
    for (uint32_t i = threads->layout->first_location[rank];
         i < threads->layout->first_location[rank + 1]; i++)
        if (threads->workers[i].waits > 0 && threads->workers[i].busy > last)
            last = threads->workers[i].busy;
    return last;
}

/// A thread leaves a barrier: everybody who works in the region has come to it.
static void pass_barrier(pj_threads *threads, uint32_t location, uint64_t time)
{
    team *t = &threads->teams[threads->layout->rank_of[location]];
    worker *w = &threads->workers[location];
    if (t->depth == 0 || w->depth == 0)
        return;
    pj_sync_entry *entry =
        pj_sync_row_at(&t->barriers, threads->engine, w->barriers++, t->workers + 1, false);
    if (!entry)
        return;
    come_to_sync(threads, location, time);
    if (entry->seen == 1 && threads->from_fork)
        entry->time = last_to_wait(threads, threads->layout->rank_of[location]);
    add(threads, location, PJ_OP_ARRIVE, entry->sync);
    await(threads, location, entry->sync, entry->time, time);
    pj_sync_row_trim(&t->barriers, threads->engine);
}

static void leave_barrier(pj_threads *threads, uint32_t location, uint64_t time)
{
    worker *w = &threads->workers[location];
    if (!w->passed)
        pass_barrier(threads, location, time);
    w->in_barrier = w->passed = false;
}

/// Whether somebody has left the barrier that the thread is still in.
static bool is_released(const team *t, const worker *w)
{
    const pj_sync_row *row = &t->barriers;
    return w->in_barrier && !w->passed && w->barriers >= row->base &&
           w->barriers - row->base < row->count &&
           pj_sync_row_item(row, (uint32_t)(w->barriers - row->base))->seen > 0;
}

/// A task in a barrier is work before it, unless others have gone on and made the task since.
static void task_done(pj_threads *threads, uint32_t location, uint64_t time)
{
    team *t = &threads->teams[threads->layout->rank_of[location]];
    if (is_released(t, &threads->workers[location])) {
        pass_barrier(threads, location, time);
        threads->workers[location].passed = true;
    }
    if (t->tasks == PJ_NOTHING)
        t->tasks = pj_engine_sync(threads->engine, false);
    pj_engine_sync_expect(threads->engine, t->tasks, 1, 0);
    pj_engine_move(threads->engine, location, time, true);
    add(threads, location, PJ_OP_ARRIVE, t->tasks);
    threads->workers[location].busy = t->task_done = time;
}

/// Waits for every task of the rank that has ended in the trace, and so for those of earlier waits.
static void wait_for_tasks(pj_threads *threads, uint32_t location, uint64_t time)
{
    team *t = &threads->teams[threads->layout->rank_of[location]];
    if (t->tasks == PJ_NOTHING)
        return;
    uint32_t done = t->tasks;
    t->tasks = pj_engine_sync(threads->engine, false);
    come_to_sync(threads, location, time);
    pj_engine_sync_chain(threads->engine, done, t->tasks);
    pj_engine_sync_close(threads->engine, done);
    await(threads, location, done, t->task_done, time);
    pj_engine_sync_release(threads->engine, done);
}

/// An event of a thread that works in a region.
static void work(pj_threads *threads, uint32_t location, uint16_t code, uint64_t value,
                 uint64_t time)
{
    bool waits = code == PJ_OMP_BARRIER || code == PJ_OMP_TASKWAIT;
    if (waits && value != 0)
        begin_wait(threads, location, code, time);
    else if (code == PJ_OMP_BARRIER)
        leave_barrier(threads, location, time);
    else if (code == PJ_OMP_TASK && value == 0)
        task_done(threads, location, time);
    else if (value == 0 && (code == PJ_OMP_TASKWAIT || (code == PJ_OMP_TASKGROUP &&
                                                        threads->workers[location].taskgroup == 2)))
        wait_for_tasks(threads, location, time);
    if (waits && value == 0)
        end_wait(threads, location, time);
}

static bool is_working(const worker *w)
{
    return w->free || w->depth > 0;
}

/// Whether the event is about another team than the region's, which is the first one that a thread
/// joins after the region has opened: a team is nested where the thread that forks it is in one.
static bool is_nested(team *t, const pj_omp_event *event)
{
    if (event->team < PJ_TEAM_FIRST)
        return event->team == PJ_TEAM_NESTED;
    if (event->code == PJ_OMP_FUNCTION && event->value != 0 && t->depth > 0 && !t->number)
        t->number = event->team;
    return t->number && t->number != event->team;
}

void pj_threads_event(pj_threads *threads, uint32_t location, pj_omp_event event)
{
    uint32_t rank = threads->layout->rank_of[location];
    if (pj_layout_threads(threads->layout, rank) == 1)
        return;
    worker *w = &threads->workers[location];
    bool nested = is_nested(&threads->teams[rank], &event);
    if (event.code == PJ_OMP_PARALLEL) {
        parallel(threads, location, event.value, event.time);
    } else if (event.code == PJ_OMP_FUNCTION) {
        w->nested = nested;
        function(threads, location, event.value, event.time);
    } else if (is_working(w) && !(nested && event.code == PJ_OMP_BARRIER)) {
        work(threads, location, event.code, event.value, event.time);
    }
    if (event.code == PJ_OMP_TASKGROUP)
        w->taskgroup = event.value;
}

void pj_threads_end(pj_threads *threads, uint32_t location)
{
    uint32_t rank = threads->layout->rank_of[location];
    if (location == threads->layout->first_location[rank])
        pj_sync_row_end(&threads->teams[rank].barriers, threads->engine);
    else
        end_worker(threads, location);
}

bool pj_threads_awaken(pj_threads *threads, uint32_t location)
{
    worker *w = &threads->workers[location];
    if (w->free || w->depth > 0)
        return false;
    w->free = w->lives = true;
    return true;
}

bool pj_threads_lives(const pj_threads *threads, uint32_t location)
{
    return threads->workers[location].lives;
}

bool pj_threads_runs(const pj_threads *threads, uint32_t location)
{
    const worker *w = &threads->workers[location];
    return is_working(w) && w->waits == 0;
}
