// The sink: pairs enter and leave to calls, keeps the last of them back, and hands them on in the
// order of the trace. Keeping back gives records that stand late in the file, or whose clocks run
// ahead, the time to be seen before the call they belong to is replayed.
#include "metrics/replay/replay.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/model/run.h"
#include "metrics/replay/calls.h"
#include "metrics/replay/ideal_trace.h"
#include "metrics/replay/mail.h"
#include "metrics/replay/threads.h"

#include <math.h>
#include <stdlib.h>

enum {
    LAG_LEAST = 1 << 13, // events that a call is kept back for
    LAG_EACH = 16,       // the same for each location
    RUN_ON = 1 << 16,    // events between two looks at long computation
    HEARD = 1 << PJ_EV_MPI | 1 << PJ_EV_COLLECTIVE | 1 << PJ_EV_REQUEST | 1 << PJ_EV_COMPLETE |
            1 << PJ_EV_OPENMP | 1 << PJ_EV_MESSAGE | 1 << PJ_EV_PART,
    REQUESTS = 1 << 8, // items that stand before their call; smaller ones are PJ_OMP_*
    COMPLETES,
};

typedef struct item { // a call that has been left, something in it, or an OpenMP event
    uint64_t number;  // of the event that completed it
    pj_call call;     // OpenMP: begin = time, bytes = value; its call is PJ_MPI_NONE
    uint64_t until;   // begin of the location's next item
    uint32_t next;    // places to that item; 0 = not yet
    uint16_t kind;    // PJ_OMP_*, REQUESTS, COMPLETES (call.end = of which request); 0 = a call
} item;               // a cache line

typedef struct entered { // the call that a location is in
    pj_call call;
    uint16_t class_; // pj_mpi_class; 0 = none
    uint32_t kept;   // items of the location in the window
    uint64_t last;   // place of the last one
    uint32_t open;   // bits of the classes that have been entered and not left
} entered;

typedef struct replay {
    pj_replay_opts opts;
    const pj_run *run;
    pj_arena *arena;
    pj_engine *engine;
    pj_groups *groups;
    pj_calls *calls;
    pj_mail *mail; // where messages come apart; else NULL
    pj_threads *threads;
    pj_ideal_trace *ideal;              // NULL = not asked for
    entered *entered;                   // by location
    item *window;                       // ring
    uint64_t window_first, window_next; // places, counted through from 1
    size_t window_cap;                  // a place's item is at window[place & (window_cap - 1)]
    uint64_t events;                    // so far that the replay hears
    uint64_t seen;                      // of all kinds
    uint64_t lag;                       // events that a call is kept back for
    bool given_up;                      // the memory is used up
    pj_import_stats stats;
} replay;

static void free_parts(replay *r)
{
    pj_ideal_trace_free(r->ideal);
    pj_threads_free(r->threads);
    pj_mail_free(r->mail);
    pj_calls_free(r->calls);
    pj_groups_free(r->groups);
    pj_engine_free(r->engine);
    pj_arena_free(r->arena);
    free(r->window);
    r->ideal = NULL;
    r->threads = NULL;
    r->mail = NULL;
    r->calls = NULL;
    r->groups = NULL;
    r->engine = NULL;
    r->arena = NULL;
    r->window = NULL;
    r->entered = NULL;
    r->window_cap = 0;
    r->window_first = r->window_next = 1;
}

static bool begin(void *self, const pj_run *run, pj_err *err)
{
    replay *r = self;
    free_parts(r);
    r->run = run;
    r->arena = pj_arena_new(NULL);
    r->entered = pj_new_n(r->arena, entered, run->layout.locations);
    r->lag = (uint64_t)run->layout.locations * LAG_EACH;
    r->lag = r->lag < LAG_LEAST ? LAG_LEAST : r->lag;
    pj_engine_watch watch = {.self = NULL};
    if (r->opts.ideal_path) {
        r->ideal = pj_ideal_trace_new(r->opts.ideal_path, run, err);
        if (!r->ideal)
            return false;
        watch = pj_ideal_trace_watch(r->ideal);
    }
    r->engine = pj_engine_new(run->layout.locations, r->opts.network, watch);
    if (r->ideal)
        pj_ideal_trace_engine(r->ideal, r->engine);
    if (run->roi.set)
        pj_engine_roi(r->engine, run->roi.from_ns, run->roi.to_ns);
    r->groups = pj_groups_new(r->engine, run);
    r->calls = pj_calls_new(r->engine, r->groups, run, &r->stats);
    if (run->messages_apart)
        r->mail = pj_mail_new(r->engine, &run->layout);
    r->threads = pj_threads_new(r->engine, &run->layout, run->forks_traced);
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

static void replay_call(replay *r, const item *i)
{
    go_to_call(r, i);
    const pj_call *touching = NULL;
    if (i->next && i->until == i->call.end)
        touching = &item_at(r, r->window_first + i->next)->call;
    pj_calls_replay(r->calls, &i->call, touching);
}

static void replay_item(replay *r, const item *i)
{
    if (i->kind >= REQUESTS)
        replay_request(r, i);
    else if (i->kind)
        pj_threads_event(r->threads, i->call.location, i->kind, i->call.bytes, i->call.begin);
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
           item_at(r, r->window_first)->number + r->lag < number)
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
    last->number = number;
}

/// Where messages come apart, nothing that belongs to a call stands behind it.
static void pass_on(replay *r, const item *next, uint64_t number)
{
    if (r->mail)
        replay_item(r, next);
    else
        keep_back(r, next, number);
}

// Events

static void leave(replay *r, uint32_t location, uint64_t time, uint64_t number)
{
    entered *e = &r->entered[location];
    item left = {.call = e->call};
    left.call.end = time > e->call.begin ? time : e->call.begin;
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
    e->call =
        (pj_call){.begin = event->time, .location = event->location, .call = (pj_mpi_call)event->a};
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
    e->call = (pj_call){.begin = event->time, .location = event->location};
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
        e->call = (pj_call){.begin = event->time, .location = event->location};
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
    level.call = (pj_call){.begin = event->time, .location = event->location, .bytes = event->a};
    pass_on(r, &level, number);
}

static void message_event(replay *r, const pj_message *message)
{
    if (r->mail)
        return; // its ends have come apart
    uint32_t number = pj_calls_message(r->calls, message);
    if (r->ideal)
        pj_ideal_trace_tag(r->ideal, number, message->tag);
}

static void receive_event(replay *r, const pj_event *event, pj_mail_end end)
{
    const uint64_t *posted = event->code == PJ_PART_COMPLETE ? &event->b : NULL;
    uint32_t message = pj_calls_receive(r->calls, event->location, posted);
    if (r->ideal)
        pj_ideal_trace_tag(r->ideal, message, end.tag);
    pj_mail_receive(r->mail, end, message);
    pj_engine_message_release(r->engine, message);
}

static void part_event(replay *r, const pj_event *event)
{
    uint32_t location = event->location, high = (uint32_t)(event->a >> 32);
    pj_mail_end end = {.location = location, .channel = high, .tag = (uint32_t)event->a};
    switch ((pj_part_kind)event->code) {
    case PJ_PART_CHANNEL:
        pj_mail_open(r->mail, location, high, (uint32_t)event->a);
        break;
    case PJ_PART_SEND:
        pj_calls_send(r->calls, location, pj_mail_send(r->mail, end, event->b));
        break;
    case PJ_PART_POST:
        pj_calls_post(r->calls, location, event->b);
        break;
    case PJ_PART_RECEIVE:
    case PJ_PART_COMPLETE:
        receive_event(r, event, end);
        break;
    }
    if (!r->entered[location].class_)
        pj_calls_stray(r->calls, location);
}

static void one_event(replay *r, const pj_batch *batch, const pj_event *event, uint64_t number)
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
        if (event->b == 0) // what a thread does in a nested team is its own computation
            openmp_event(r, event, number);
        break;
    case PJ_EV_MESSAGE:
        message_event(r, &batch->messages[event->a]);
        break;
    case PJ_EV_PART:
        if (r->mail)
            part_event(r, event);
        break;
    case PJ_EV_STATE:
    case PJ_EV_COUNTER:
    case PJ_EV_COUNTERS:
    case PJ_EV_TRACING:
    case PJ_EV_ENTER:
    case PJ_EV_LEAVE:
    case PJ_EV_OTHER:
    case PJ_EV_END:
    case PJ_EV_LAST:
        break;
    }
}

static size_t bytes_in_use(const replay *r)
{
    return pj_engine_bytes(r->engine) + pj_groups_bytes(r->groups) + pj_calls_bytes(r->calls) +
           (r->mail ? pj_mail_bytes(r->mail) : 0) +
           r->window_cap * sizeof *r->window + (r->ideal ? pj_ideal_trace_bytes(r->ideal) : 0);
}

/// A quarter of the job's budget may wait.
static uint64_t allowance(const replay *r)
{
    const pj_job *job = r->opts.job;
    uint64_t budget = job && job->memory_budget ? job->memory_budget : UINT64_C(1) << 30;
    return budget / 4;
}

/// Long computation is replayed piece by piece, so that its records need not wait for its end.
static void run_on(replay *r)
{
    for (uint32_t i = 0; i < r->run->layout.locations; i++)
        if (r->entered[i].kept == 0 && r->entered[i].class_ == 0 && pj_threads_runs(r->threads, i))
            pj_engine_move(r->engine, i, pj_ideal_trace_seen(r->ideal, i), true);
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
            one_event(r, batch, &batch->events[i], r->events++);
    if (r->ideal && r->seen / RUN_ON != (r->seen + batch->count) / RUN_ON)
        run_on(r);
    r->seen += batch->count;
    r->given_up = bytes_in_use(r) > allowance(r);
    return true;
}

// The end

/// "rank 3", or "rank 3 thread 1" of a worker.
static const char *who(const replay *r, uint32_t location, pj_arena *arena)
{
    const pj_layout *layout = &r->run->layout;
    uint32_t rank = layout->rank_of[location];
    uint32_t thread = location - layout->first_location[rank];
    return thread ? pj_arena_format(arena, "rank %u thread %u", rank, thread)
                  : pj_arena_format(arena, "rank %u", rank);
}

static const char *waits_for(const replay *r, pj_op op, pj_arena *arena)
{
    uint32_t from, to, rank, call;
    uint64_t size;
    switch (op.kind) {
    case PJ_OP_SEND:
        pj_engine_ends(r->engine, op.what, &from, &to, &size);
        return pj_arena_format(arena,
                               "to send %llu bytes until %s receives them; a larger eager limit "
                               "(--eager) lets such messages go at once",
                               (unsigned long long)size, who(r, to, arena));
    case PJ_OP_WAIT:
        pj_engine_ends(r->engine, op.what, &from, &to, &size);
        return pj_arena_format(arena, "for a message of %s", who(r, from, arena));
    case PJ_OP_AWAIT:
        if (!pj_groups_missing(r->groups, op.what, &rank, &call))
            return "for the other threads";
        const pj_mpi_call_row *row = pj_mpi_call_at(call);
        return pj_arena_format(arena, "in %s for rank %u", row ? row->name : "a collective", rank);
    case PJ_OP_RUN:
    case PJ_OP_PASS:
    case PJ_OP_ISEND:
    case PJ_OP_POST:
    case PJ_OP_ARRIVE:
        break;
    }
    return "";
}

/// The location that must go on before `location` can; PJ_NOTHING when that is not known.
static uint32_t awaited(const replay *r, uint32_t location)
{
    pj_op op;
    uint32_t from, to, rank, call;
    uint64_t size;
    if (!pj_engine_waits(r->engine, location, &op))
        return PJ_NOTHING;
    if (op.kind == PJ_OP_AWAIT)
        return pj_groups_missing(r->groups, op.what, &rank, &call)
                   ? r->run->layout.first_location[rank]
                   : PJ_NOTHING;
    pj_engine_ends(r->engine, op.what, &from, &to, &size);
    return op.kind == PJ_OP_SEND ? to : from;
}

/// The sentence for a replay that cannot go on; NULL when nobody waits.
static const char *deadlock(const replay *r, pj_arena *arena)
{
    uint32_t locations = r->run->layout.locations, waiting = 0, culprit = PJ_NOTHING;
    pj_op op;
    for (uint32_t i = locations; i-- > 0;)
        if (pj_engine_waits(r->engine, i, &op)) {
            culprit = i;
            waiting++;
        }
    if (waiting == 0)
        return NULL;
    for (uint32_t i = 0, next; i < locations; i++, culprit = next) { // on into the circle
        next = awaited(r, culprit);
        if (next == PJ_NOTHING || !pj_engine_waits(r->engine, next, &op))
            break;
    }
    pj_engine_waits(r->engine, culprit, &op);
    char time[32];
    pj_format_duration((double)pj_engine_clock(r->engine, culprit).at, time);
    return pj_arena_format(arena, "%s: %u of %u locations wait; %s, at %s in the trace, waits %s",
                           r->given_up ? "the replay needs more memory than it may use (--memory)"
                                       : "the replay ends in a deadlock",
                           waiting, locations, who(r, culprit, arena), time,
                           waits_for(r, op, arena));
}

static void replay_rest(replay *r, const pj_run *run)
{
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        if (!r->entered[i].class_)
            continue;
        pj_import_add(&r->stats, PJ_IMPORT_call_not_left, 0);
        leave(r, i, run->totals[i].last_event_ns, r->events);
    }
    while (r->window_first < r->window_next)
        replay_first(r);
    for (uint32_t i = 0; i < run->layout.locations; i++)
        pj_calls_end(r->calls, i);
    r->stats.count[PJ_IMPORT_collective_absent] += pj_groups_end(r->groups);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        if (pj_threads_lives(r->threads, i))
            pj_engine_move(r->engine, i, run->totals[i].last_event_ns, true);
        pj_threads_end(r->threads, i);
    }
}

/// The clocks of a location at the borders of what is analysed.
static void borders_of(const replay *r, uint32_t location, pj_clock *from, pj_clock *to)
{
    *from = (pj_clock){.now = 0};
    *to = pj_engine_clock(r->engine, location);
    if (r->run->roi.set)
        pj_engine_borders(r->engine, location, from, to);
}

static void write_times(const replay *r, pj_run *run)
{
    pj_ideal *ideal = &run->ideal;
    const pj_layout *layout = &run->layout;
    ideal->finish_ns = pj_new_n(run->arena, double, layout->ranks);
    ideal->compute_ns = pj_new_n(run->arena, double, layout->ranks);
    double start = 0, end = 0;
    for (uint32_t i = 0; i < layout->locations; i++) {
        uint32_t rank = layout->rank_of[i];
        bool first = i == layout->first_location[rank];
        // A worker idles across a border and shows its clock only in the region after it.
        if (!pj_threads_lives(r->threads, i) || (run->roi.set && !first))
            continue;
        pj_clock from, to;
        borders_of(r, i, &from, &to);
        start = fmax(start, from.now);
        end = fmax(end, to.now);
        ideal->finish_ns[rank] = fmax(ideal->finish_ns[rank], to.now);
        if (first)
            ideal->compute_ns[rank] = to.compute_ns - from.compute_ns;
    }
    for (uint32_t k = 0; k < layout->ranks; k++)
        ideal->finish_ns[k] = fmax(ideal->finish_ns[k] - start, 0);
    ideal->runtime_ns = nearbyint(fmax(end - start, 0));
    ideal->available = true;
    ideal->reason = NULL;
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

static bool finish(void *self, pj_run *run, pj_err *err)
{
    replay *r = self;
    r->run = run;
    if (!r->given_up)
        replay_rest(r, run);
    pj_import_merge(&run->import, &r->stats);
    const char *reason = deadlock(r, run->arena);
    if (!reason && r->given_up)
        reason = "the replay needs more memory than it may use (--memory)";
    run->ideal.reason = reason;
    if (!reason)
        write_times(r, run);
    else
        pj_run_remark(run, PJ_WARNING, "No ideal network: %s", reason);
    if (r->ideal && reason)
        return pj_fail(err, PJ_E_MISSING, r->opts.ideal_path, 0,
                       "the idealised trace is not written: %s", reason);
    return !r->ideal || write_ideal_trace(r, err);
}

pj_sink pj_replay_sink(pj_replay_opts opts)
{
    replay *r = pj_take_memory(sizeof *r);
    *r = (replay){.opts = opts};
    return (pj_sink){.name = "replay",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_replay,
                     .self = r,
                     .kinds = HEARD};
}
