// The replay of a run on another network.
// The sink: pairs enter and leave to calls and hands them on. Where messages are whole records, the
// last calls are kept back, in the order of the trace: this gives records that stand late in the
// file, or whose clocks run ahead, the time to be seen before the call they belong to is replayed.
// Where they come apart, each rank is replayed for itself, and a process group shares the ranks.
#include "metrics/replay/replay.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/replay/call_waits.h"
#include "metrics/replay/calls.h"
#include "metrics/replay/endings.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/engine/window_locks.h"
#include "metrics/replay/far.h"
#include "metrics/replay/groups.h"
#include "metrics/replay/ideal_trace.h"
#include "metrics/replay/matching.h"
#include "metrics/replay/order.h"
#include "metrics/replay/threads.h"
#include "metrics/replay/waits.h"
#include "metrics/replay/whatif/tape.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAG_LEAST = 1 << 13, // events that a call is kept back for
    LAG_EACH = 16,       // the same for each location
    RUN_ON = 1 << 16,    // events between two looks at long computation
    HEARD = 1 << PJ_EV_MPI | 1 << PJ_EV_COLLECTIVE | 1 << PJ_EV_REQUEST | 1 << PJ_EV_COMPLETE |
            1 << PJ_EV_OPENMP | 1 << PJ_EV_MESSAGE | 1 << PJ_EV_PART | 1 << PJ_EV_END,
    FUNCTIONS = 1 << PJ_EV_ENTER | 1 << PJ_EV_LEAVE | 1 << PJ_EV_OTHER,
    TAPED = FUNCTIONS | 1 << PJ_EV_STATE,
    REQUESTS = 1 << 8, // items that stand before their call; smaller ones are PJ_OMP_*
    COMPLETES,
};

typedef struct item {    // a call that has been left, something in it, or an OpenMP event
    pj_replay_call call; // OpenMP: begin = time, end = team, bytes = value; its call is PJ_MPI_NONE
    uint64_t until;      // begin of the location's next item
    uint32_t next;       // places to that item; 0 = not yet
    uint16_t kind;       // PJ_OMP_*, REQUESTS, COMPLETES (call.end = of which request); 0 = a call
} item;                  // a cache line

#define NO_LOCK UINT64_MAX

typedef struct entered { // the call that a location is in
    pj_replay_call call;
    uint16_t class_;       // pj_mpi_class; 0 = none
    uint32_t kept;         // items of the location in the window
    uint64_t last;         // place of the last one
    uint32_t open;         // bits of the classes that have been entered and not left
    uint64_t asked, freed; // locks of windows; NO_LOCK = none
} entered;

typedef struct replay {
    pj_replay_opts opts;
    const pj_run *run;
    pj_arena *arena;
    pj_engine *engine;
    pj_window_locks locks;
    pj_call_waits *account; // NULL = not asked for
    pj_tape *tape;          // the same
    pj_groups *groups;
    pj_calls *calls;
    pj_matching *matching;         // where messages come apart; else NULL
    const pj_process_group *group; // that shares the ranks; NULL = all are here
    pj_far *far;                   // those of the others
    pj_order *order;               // where ranks have several threads, whose events come apart
    pj_ending *endings;            // in the end
    pj_threads *threads;
    pj_ideal_trace *ideal;              // NULL = not asked for
    entered *entered;                   // by location
    item *window;                       // ring
    uint64_t window_first, window_next; // places, counted through from 1
    size_t window_cap;                  // a place's item is at window[place & (window_cap - 1)]
    uint64_t events;                    // so far that the replay hears
    uint64_t seen;                      // of all kinds
    uint64_t unseen;                    // since memory was looked at
    uint64_t lag;                       // events that a call is kept back for
    bool given_up;                      // the memory is used up
    pj_import_stats stats;
} replay;

static void free_parts(replay *r)
{
    pj_ideal_trace_free(r->ideal);
    pj_threads_free(r->threads);
    pj_order_free(r->order);
    pj_matching_free(r->matching);
    pj_calls_free(r->calls);
    pj_groups_free(r->groups);
    pj_engine_free(r->engine);
    pj_call_waits_free(r->account);
    pj_window_locks_free(&r->locks);
    pj_tape_close(r->tape, false);
    pj_far_free(r->far);
    pj_arena_free(r->arena);
    free(r->window);
    r->ideal = NULL;
    r->threads = NULL;
    r->order = NULL;
    r->far = NULL;
    r->matching = NULL;
    r->calls = NULL;
    r->groups = NULL;
    r->engine = NULL;
    r->account = NULL;
    r->tape = NULL;
    r->arena = NULL;
    r->window = NULL;
    r->endings = NULL;
    r->entered = NULL;
    r->window_cap = 0;
    r->window_first = r->window_next = 1;
}

/// A quarter of the job's budget may wait.
static uint64_t allowance(const replay *r)
{
    const pj_job *job = r->opts.job;
    uint64_t budget = job && job->memory_budget ? job->memory_budget : UINT64_C(1) << 30;
    return budget / 4;
}

static bool begin(void *self, const pj_run *run, pj_err *err)
{
    replay *r = self;
    free_parts(r);
    r->run = run;
    r->stats = (pj_import_stats){.count = {0}};
    r->arena = pj_arena_new(NULL);
    r->entered = pj_new_n(r->arena, entered, run->layout.locations);
    for (uint32_t i = 0; i < run->layout.locations; i++)
        r->entered[i].asked = r->entered[i].freed = NO_LOCK;
    r->lag = (uint64_t)run->layout.locations * LAG_EACH;
    r->lag = r->lag < LAG_LEAST ? LAG_LEAST : r->lag;
    pj_engine_watch watch = {.moved = r->opts.watch.moved,
                             .sent = r->opts.watch.sent,
                             .met = r->opts.watch.met,
                             .self = r->opts.watch.self};
    if (r->opts.ideal_path) {
        r->ideal = pj_ideal_trace_new(r->opts.ideal_path, run, err);
        if (!r->ideal)
            return false;
        watch = pj_ideal_trace_watch(r->ideal);
    }
    bool few = run->layout.locations < PJ_FEW_WAITS;
    bool waits = r->opts.few_waits ? few : r->opts.waits;
    r->account = waits ? pj_call_waits_new(run, r->opts.history) : NULL;
    if (r->account)
        pj_call_waits_watch(r->account, &r->opts.watch);
    r->tape = r->opts.tape ? pj_tape_new(run, allowance(r), r->opts.iterations) : NULL;
    r->engine = pj_engine_new(run->layout.locations, r->opts.network, watch, r->account, r->tape);
    if (r->ideal)
        pj_ideal_trace_engine(r->ideal, r->engine);
    if (run->roi.set)
        pj_engine_roi(r->engine, run->roi.from_ns, run->roi.to_ns);
    r->far = r->group ? pj_far_new(r->group, &run->layout) : NULL;
    r->groups = pj_groups_new(r->engine, run, r->far, &r->stats);
    r->calls = pj_calls_new(r->engine, r->groups, run, &r->stats);
    if (run->told.messages_apart)
        r->matching = pj_matching_new(r->engine, &run->layout, r->far);
    if (r->far && run->layout.locations > run->layout.ranks)
        r->order = pj_order_new(&run->layout);
    r->threads = pj_threads_new(r->engine, &run->layout, run->told.forks_traced);
    return true;
}

static void close_replay(void *self)
{
    free_parts(self);
    free(self);
}

// The window

static item *item_at(const replay *r, uint64_t place)
{
    return &r->window[place & (r->window_cap - 1)];
}

static inline __attribute__((always_inline)) void go_to_call(replay *r, const item *i)
{
    if (pj_threads_awaken(r->threads, i->call.location))
        pj_import_add(&r->stats, PJ_IMPORT_mpi_outside_function, 0);
    pj_engine_move(r->engine, i->call.location, i->call.begin, true);
}

static __attribute__((noinline)) void replay_request(replay *r, const item *i)
{
    go_to_call(r, i);
    if (i->kind == REQUESTS)
        pj_calls_request(r->calls, &i->call);
    else
        pj_calls_complete(r->calls, &i->call, (uint32_t)i->call.end);
}

static __attribute__((noinline)) void find_touching(const replay *r, const item *first,
                                                    pj_touching *out)
{
    uint64_t place = r->window_first;
    for (const item *i = first; i->next && i->until == first->call.end;) {
        place += i->next;
        i = item_at(r, place);
        if (i->kind)
            continue;
        out->calls[out->count++] = &i->call;
        if (out->count == PJ_TOUCHING_MOST || i->call.end != first->call.end)
            return;
    }
}

static void replay_call(replay *r, const item *i)
{
    go_to_call(r, i);
    pj_touching touching;
    touching.count = 0;
    if (i->next && i->until == i->call.end)
        find_touching(r, i, &touching);
    pj_calls_replay(r->calls, &i->call, &touching);
}

static void replay_item(replay *r, const item *i)
{
    if (i->kind >= REQUESTS)
        replay_request(r, i);
    else if (i->kind)
        pj_threads_event(r->threads, i->call.location,
                         (pj_omp_event){i->call.begin, i->call.bytes, i->call.end, i->kind});
    else
        replay_call(r, i);
}

static void replay_first(replay *r)
{
    const item *first = item_at(r, r->window_first);
    __builtin_prefetch(first + 4);
    r->entered[first->call.location].kept--;
    replay_item(r, first);
    r->window_first++;
}

static void grow_window(replay *r)
{
    replay old = *r;
    r->window_cap = old.window_cap ? old.window_cap * 2 : 1024;
    r->window = pj_take_memory(r->window_cap * sizeof *r->window);
    for (uint64_t place = r->window_first; place < r->window_next; place++)
        *item_at(r, place) = *item_at(&old, place);
    free(old.window);
}

/// The location's next item goes to the end of the window, after the first ones have been replayed.
/// When depends on the events alone, not on how they come in batches: any number of workers gives
/// the same.
static void keep_back(replay *r, const item *added, uint64_t number)
{
    uint32_t location = added->call.location;
    while (r->window_first < r->window_next &&
           item_at(r, r->window_first)->call.number + r->lag < number)
        replay_first(r);
    if (r->window_next - r->window_first == r->window_cap)
        grow_window(r);
    entered *e = &r->entered[location];
    if (e->kept++ > 0) {
        item_at(r, e->last)->next = (uint32_t)(r->window_next - e->last);
        item_at(r, e->last)->until = added->call.begin;
    }
    e->last = r->window_next++;
    item *last = item_at(r, e->last);
    *last = *added;
    last->call.number = number;
}

/// Where messages come apart, nothing that belongs to a call stands behind it.
static void pass_on(replay *r, const item *next, uint64_t number)
{
    if (r->matching)
        replay_item(r, next);
    else
        keep_back(r, next, number);
}

// Events

static void leave_locks(replay *r, uint32_t location, uint64_t time)
{
    entered *e = &r->entered[location];
    uint32_t own = r->run->layout.rank_of[location], rank = UINT32_MAX;
    uint64_t at = 0;
    if (e->asked != NO_LOCK)
        rank = pj_window_locks_wait(&r->locks, e->asked, own, e->call.begin, &at);
    if (rank != UINT32_MAX)
        pj_calls_unlocked(r->calls, location, rank, at);
    if (e->freed != NO_LOCK)
        pj_window_locks_leave(&r->locks, e->freed, own, time);
    e->asked = e->freed = NO_LOCK;
}

static void leave(replay *r, uint32_t location, uint64_t time, uint64_t number)
{
    entered *e = &r->entered[location];
    item left = {.call = e->call};
    left.call.end = time > e->call.begin ? time : e->call.begin;
    leave_locks(r, location, left.call.end);
    e->class_ = 0;
    pass_on(r, &left, number);
}

static void enter(replay *r, const pj_event *event, uint64_t number)
{
    entered *e = &r->entered[event->location];
    if (e->open >> event->code & 1)
        pj_import_add(&r->stats, PJ_IMPORT_call_not_left, 0);
    if (e->class_)
        leave(r, event->location, event->time, number);
    e->open |= 1u << event->code;
    e->class_ = event->code;
    e->call = (pj_replay_call){
        .begin = event->time, .location = event->location, .call = (pj_mpi_call)event->a};
}

static void mpi_event(replay *r, const pj_event *event, uint64_t number)
{
    entered *e = &r->entered[event->location];
    if (event->code == PJ_MPI_IO)
        return; // its time is computation here
    if (event->a != PJ_MPI_NONE) {
        enter(r, event, number);
        return;
    }
    e->open &= ~(1u << event->code);
    if (e->class_ != event->code)
        return;
    leave(r, event->location, event->time, number);
    if (e->open == 0)
        return;
    e->class_ = (uint16_t)__builtin_ctz(e->open); // old tracers nest: back in the outer call
    e->call = (pj_replay_call){.begin = event->time, .location = event->location};
}

static void collective_event(replay *r, const pj_event *event)
{
    entered *e = &r->entered[event->location];
    if (!e->class_)
        return;
    e->call.has_communicator = true;
    e->call.communicator = event->a <= UINT32_MAX ? (uint32_t)event->a : 0;
    e->call.bytes = event->b;
    e->call.root = event->code != 0;
}

/// A request or its completion; outside MPI it has a call of its own.
static void request_event(replay *r, const pj_event *event, uint64_t number)
{
    entered *e = &r->entered[event->location];
    if (!e->class_)
        e->call = (pj_replay_call){.begin = event->time, .location = event->location};
    item part = {.call = e->call, .kind = REQUESTS};
    if (event->kind == PJ_EV_COMPLETE) {
        part.kind = COMPLETES;
        part.call.communicator = (uint32_t)event->a;
        part.call.end = event->a >> 32;
        part.call.bytes = event->b;
        part.call.root = event->code != 0;
    }
    pass_on(r, &part, number);
    if (!e->class_)
        leave(r, event->location, event->time, number);
}

static void openmp_event(replay *r, const pj_event *event, uint64_t number)
{
    if (event->code >= PJ_OMP_FUNCTION_LINE)
        return;
    item level = {.kind = event->code};
    level.call = (pj_replay_call){
        .begin = event->time, .end = event->b, .location = event->location, .bytes = event->a};
    pass_on(r, &level, number);
}

static void message_event(replay *r, const pj_message *message, uint64_t number)
{
    uint32_t id = pj_calls_message(r->calls, message, number);
    if (r->ideal)
        pj_ideal_trace_tag(r->ideal, id, message->tag);
}

static void receive_event(replay *r, const pj_event *event, pj_matching_end end)
{
    const uint64_t *posted = event->code == PJ_PART_COMPLETE ? &event->b : NULL;
    uint32_t message = pj_calls_receive(r->calls, event->location, posted);
    if (r->ideal)
        pj_ideal_trace_tag(r->ideal, message, end.tag);
    pj_matching_receive(r->matching, end, message);
    pj_engine_message_release(r->engine, message);
}

static void lock_event(replay *r, const pj_event *event)
{
    entered *e = &r->entered[event->location];
    uint64_t at = 0;
    pj_window_record record = {.lock = event->a,
                               .what = event->b,
                               .time = event->time,
                               .rank = r->run->layout.rank_of[event->location]};
    uint32_t rank = pj_window_locks_take(&r->locks, &record, e->call.begin, &at);
    uint64_t what = record.what & ~(uint64_t)PJ_RMA_EXCLUSIVE;
    if (what == PJ_RMA_ASKED)
        e->asked = record.lock;
    else if (what == PJ_RMA_RELEASED)
        e->freed = record.lock;
    if (rank != UINT32_MAX && e->class_)
        pj_calls_unlocked(r->calls, event->location, rank, at);
}

static void part_event(replay *r, const pj_event *event)
{
    uint32_t location = event->location, high = (uint32_t)(event->a >> 32);
    pj_matching_end end = {.location = location, .channel = high, .tag = (uint32_t)event->a};
    switch ((pj_part_kind)event->code) {
    case PJ_PART_CHANNEL:
        pj_matching_open(r->matching, location, high, (uint32_t)event->a);
        break;
    case PJ_PART_SEND:
        pj_calls_send(r->calls, location, pj_matching_send(r->matching, end, event->b));
        break;
    case PJ_PART_POST:
        pj_calls_post(r->calls, location, event->b);
        break;
    case PJ_PART_RECEIVE:
    case PJ_PART_COMPLETE:
        receive_event(r, event, end);
        break;
    case PJ_PART_SENT:
        pj_calls_sent(r->calls, location, event->a);
        break;
    case PJ_PART_LOCK:
        lock_event(r, event);
        return;
    }
    if (!r->entered[location].class_)
        pj_calls_stray(r->calls, location);
}

static void one_event(replay *r, const pj_event *event, uint64_t number)
{
    switch ((pj_event_kind)event->kind) {
    case PJ_EV_MPI:
        mpi_event(r, event, number);
        break;
    case PJ_EV_COLLECTIVE:
        collective_event(r, event);
        break;
    case PJ_EV_REQUEST:
    case PJ_EV_COMPLETE:
        request_event(r, event, number);
        break;
    case PJ_EV_OPENMP:
        openmp_event(r, event, number);
        break;
    case PJ_EV_PART:
        if (r->matching)
            part_event(r, event);
        break;
    case PJ_EV_MESSAGE: // of which the batch knows
    case PJ_EV_STATE:
    case PJ_EV_COUNTER:
    case PJ_EV_COUNTERS:
    case PJ_EV_TRACING:
    case PJ_EV_ENTER:
    case PJ_EV_LEAVE:
    case PJ_EV_DEVICE:
    case PJ_EV_OTHER:
    case PJ_EV_END:
    case PJ_EV_LAST:
        break;
    }
}

static size_t bytes_in_use(const replay *r)
{
    return pj_engine_bytes(r->engine) + pj_groups_bytes(r->groups) + pj_calls_bytes(r->calls) +
           (r->matching ? pj_matching_bytes(r->matching) : 0) +
           (r->order ? pj_order_bytes(r->order) : 0) + r->window_cap * sizeof *r->window +
           (r->account ? pj_call_waits_bytes(r->account) : 0) +
           (r->tape ? pj_tape_bytes(r->tape) : 0) + (r->ideal ? pj_ideal_trace_bytes(r->ideal) : 0);
}

/// Now and then, as it takes a while with many locations: whether more waits than may.
static void look_at_memory(replay *r, uint64_t events)
{
    r->unseen += events;
    if (r->unseen < r->run->layout.locations)
        return;
    r->unseen = 0;
    r->given_up = bytes_in_use(r) > allowance(r);
}

/// Long computation is replayed piece by piece, so that its records need not wait for its end.
static void run_on(replay *r)
{
    for (uint32_t i = 0; i < r->run->layout.locations; i++)
        if (r->entered[i].kept == 0 && r->entered[i].class_ == 0 && pj_threads_runs(r->threads, i))
            pj_engine_move(r->engine, i, pj_ideal_trace_seen(r->ideal, i), true);
}

static void take_in_order(void *self, const pj_event *event)
{
    replay *r = self;
    one_event(r, event, r->events++);
}

static void heard(replay *r, const pj_batch *batch, const pj_event *event)
{
    const pj_layout *layout = &r->run->layout;
    uint32_t threads = pj_layout_threads(layout, layout->rank_of[event->location]);
    uint64_t number = r->events++;
    if (event->kind == PJ_EV_MESSAGE) {
        if (!r->matching) // else its ends have come apart
            message_event(r, &batch->messages[event->a], number);
    } else if (!r->order || threads == 1) {
        one_event(r, event, number);
    } else if (event->kind == PJ_EV_END) {
        pj_order_reach(r->order, event->location, UINT64_MAX);
    } else {
        pj_order_add(r->order, event);
    }
}

/// A batch of a process group is one location's (or of messages): its rank goes on as far as all of
/// its threads have come.
static void hand_on(replay *r, const pj_event *last)
{
    if (last->kind == PJ_EV_MESSAGE)
        return;
    pj_order_reach(r->order, last->location, last->time);
    pj_order_hand_on(r->order, r->run->layout.rank_of[last->location], take_in_order, r);
}

/// What is done outside MPI, for those who want to know.
static void told_event(const replay *r, const pj_event *event)
{
    if (r->opts.history && FUNCTIONS >> event->kind & 1)
        pj_call_waits_event(r->account, event);
    if (r->tape && TAPED >> event->kind & 1)
        pj_tape_event(r->tape, event);
}

static bool events(void *self, const pj_batch *batch, pj_err *err)
{
    (void)err;
    replay *r = self;
    if (r->given_up)
        return true;
    // Before the replay passes them: a batch may be longer than calls are kept back.
    for (size_t i = 0; r->ideal && i < batch->count; i++)
        pj_ideal_trace_event(r->ideal, &batch->events[i]);
    for (size_t i = 0; i < batch->count; i++)
        if (HEARD >> batch->events[i].kind & 1)
            heard(r, batch, &batch->events[i]);
        else
            told_event(r, &batch->events[i]);
    if (r->order && batch->count)
        hand_on(r, &batch->events[batch->count - 1]);
    if (r->ideal && r->seen / RUN_ON != (r->seen + batch->count) / RUN_ON)
        run_on(r);
    r->seen += batch->count;
    look_at_memory(r, batch->count);
    return true;
}

// The end

static bool is_here(const replay *r, uint32_t location)
{
    return !pj_far_has(r->far, r->run->layout.rank_of[location]);
}

/// No event follows.
static void end_calls(replay *r, const pj_run *run)
{
    for (uint32_t k = 0; r->order && k < run->layout.ranks; k++)
        pj_order_hand_on(r->order, k, take_in_order, r);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        if (!r->entered[i].class_)
            continue;
        pj_import_add(&r->stats, PJ_IMPORT_call_not_left, 0);
        leave(r, i, run->totals[i].last_event_ns, r->events);
    }
    while (r->window_first < r->window_next)
        replay_first(r);
    for (uint32_t i = 0; i < run->layout.locations; i++)
        if (is_here(r, i))
            pj_calls_end(r->calls, i);
}

/// No call of any rank follows.
static void end_locations(replay *r, const pj_run *run)
{
    pj_groups_end(r->groups);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        if (!is_here(r, i))
            continue;
        if (pj_threads_lives(r->threads, i))
            pj_engine_move(r->engine, i, run->totals[i].last_event_ns, true);
        pj_threads_end(r->threads, i);
    }
}

static bool conclude(void *self, const pj_run *run, unsigned step)
{
    static void (*const steps[])(replay * r, const pj_run *run) = {end_calls, end_locations};
    replay *r = self;
    r->run = run;
    if (step >= sizeof steps / sizeof *steps)
        return false;
    if (!r->given_up)
        steps[step](r, run);
    return true;
}

static pj_ending ending_of(const replay *r, uint32_t location)
{
    pj_ending o = {.lives = pj_threads_lives(r->threads, location),
                   .to = pj_engine_clock(r->engine, location),
                   .wait = pj_wait_of(r->engine, r->groups, location)};
    if (r->run->roi.set)
        o.in_call = pj_engine_borders(r->engine, location, &o.from, &o.to);
    return o;
}

static void find_endings(replay *r)
{
    uint32_t count = r->run->layout.locations;
    if (r->endings)
        return;
    r->endings = pj_new_n(r->arena, pj_ending, count);
    for (uint32_t i = 0; i < count; i++)
        if (is_here(r, i))
            r->endings[i] = ending_of(r, i);
}

/// Why there are no ideal times; NULL when there are.
static const char *failure(const replay *r, pj_run *run)
{
    if (!run->has_mpi && !run->has_openmp)
        return "no events to replay: the trace has neither MPI nor OpenMP";
    static const char short_of_memory[] = "the replay needs more memory than it may use (--memory)";
    const char *who = pj_endings_waits(r->endings, r->groups, run);
    if (!who)
        return r->given_up ? short_of_memory : NULL;
    return pj_arena_format(run->arena, "%s: %s",
                           r->given_up ? short_of_memory : "the replay ends in a deadlock", who);
}

static bool write_ideal_trace(replay *r, pj_err *err)
{
    const pj_layout *layout = &r->run->layout;
    double *finish_ns = pj_new_n(r->arena, double, layout->locations);
    for (uint32_t i = 0; i < layout->locations; i++) {
        uint32_t master = layout->first_location[layout->rank_of[i]];
        finish_ns[i] = pj_engine_clock(r->engine, pj_threads_lives(r->threads, i) ? i : master).now;
    }
    return pj_ideal_trace_write(r->ideal, finish_ns, r->opts.job, err);
}

/// Nothing of it waits for anything: no network is missed.
static void remark_serial(pj_run *run)
{
    pj_run_remark(run, PJ_NOTE, "serial",
                  "the trace has neither MPI nor OpenMP: there is nothing to replay%s",
                  run->layout.locations == 1 && !run->devices
                      ? ", and as a serial run it has a parallel efficiency of 1 by definition"
                      : "");
}

/// Counts and says what the replay has met.
static void tell_run(const replay *r, pj_run *run)
{
    pj_import_merge(&run->import, &r->stats);
    if (run->ideal.available)
        pj_endings_remark(r->endings, run);
    else if (!run->has_mpi && !run->has_openmp)
        remark_serial(run);
    else
        pj_run_remark(run, PJ_WARNING, "no_ideal", "No ideal network: %s", run->ideal.reason);
}

static bool finish(void *self, pj_run *run, pj_err *err)
{
    replay *r = self;
    if (run->unsettled) // ends of messages may lack the other one
        return true;
    for (unsigned step = 0; !r->far && conclude(r, run, step);)
        step++;
    r->run = run;
    find_endings(r);
    pj_ideal *ideal = r->opts.aside ? r->opts.aside : &run->ideal;
    const char *reason = ideal->reason = failure(r, run);
    if (!reason)
        pj_endings_ideal(r->endings, run, ideal);
    if (!r->opts.aside)
        tell_run(r, run);
    if (r->account)
        pj_call_waits_finish(r->account, run);
    if (r->tape) {
        pj_tape_close(r->tape, !reason);
        run->tape = r->tape;
        r->tape = NULL;
    }
    if (r->ideal && reason)
        return pj_fail(err, PJ_E_MISSING, r->opts.ideal_path, 0,
                       "the idealised trace is not written: %s", reason);
    return !r->ideal || write_ideal_trace(r, err);
}

// Shared by a process group

static void share(void *self, const pj_process_group *group)
{
    replay *r = self;
    r->group = group;
}

static const pj_buf *news(void *self)
{
    replay *r = self;
    if (!r->given_up) {
        pj_matching_tell(r->matching);
        pj_groups_tell(r->groups);
    }
    return pj_far_send(r->far);
}

static bool take_news(void *self, unsigned member, pj_str in)
{
    replay *r = self;
    while (in.len > 0 && !r->given_up) {
        uint64_t kind;
        if (!pj_far_take(&in, &kind, 1) || kind > PJ_FAR_ARRIVED)
            return false;
        bool of_group = kind == PJ_FAR_MET || kind == PJ_FAR_ARRIVED;
        if (of_group ? !pj_groups_hear(r->groups, (pj_far_kind)kind, &in)
                     : !pj_matching_hear(r->matching, member, (pj_far_kind)kind, &in))
            return false;
        look_at_memory(r, 1);
    }
    return true;
}

typedef struct findings { // of one member; the endings of its locations follow
    bool given_up;
    pj_import_stats stats;
} findings;

static void tell(void *self, const pj_run *run, pj_buf *out)
{
    replay *r = self;
    findings found;
    memset(&found, 0, sizeof found);
    found.given_up = r->given_up;
    found.stats = r->stats;
    pj_buf_add(out, (pj_str){(const char *)&found, sizeof found});
    r->run = run;
    find_endings(r);
    for (uint32_t i = 0; i < run->layout.locations; i++)
        if (is_here(r, i)) {
            pj_code_number(out, i);
            pj_buf_add(out, (pj_str){(const char *)&r->endings[i], sizeof *r->endings});
        }
    pj_code_number(out, run->layout.locations);
    pj_groups_tell_slots(r->groups, out);
}

static bool hear(void *self, pj_str in)
{
    replay *r = self;
    uint32_t count = r->run->layout.locations;
    findings found;
    if (!pj_decode_bytes(&in, &found, sizeof found))
        return false;
    r->given_up |= found.given_up;
    pj_import_merge(&r->stats, &found.stats);
    find_endings(r);
    for (uint64_t i;;) {
        if (!pj_decode_number(&in, &i) || i > count)
            return false;
        if (i == count)
            return pj_groups_hear_slots(r->groups, &in);
        if (!pj_decode_bytes(&in, &r->endings[i], sizeof *r->endings))
            return false;
    }
}

pj_sink pj_replay_sink(pj_replay_opts opts)
{
    static const pj_sharing sharing = {share, news, take_news, conclude};
    replay *r = pj_take_memory(sizeof *r);
    *r = (replay){.opts = opts};
    return (pj_sink){
        .name = "replay",
        .begin = begin,
        .events = events,
        .finish = finish,
        .close = close_replay,
        .self = r,
        .kinds = HEARD | (opts.history ? FUNCTIONS : 0u) | (opts.tape ? TAPED : 0u),
        .sent = opts.waits || opts.few_waits,
        .locks = opts.waits || opts.few_waits,
        .calls_alone = !opts.ideal_path && !opts.tape && (!opts.watch.self || opts.few_waits),
        .sharing = opts.ideal_path || opts.aside || opts.alone || opts.waits || opts.tape
                       ? NULL
                       : &sharing,
        .shared_from = opts.few_waits ? PJ_FEW_WAITS : 0,
        .tell = tell,
        .hear = hear};
}
