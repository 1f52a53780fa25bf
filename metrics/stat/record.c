// Events as the records that questions are asked of.
// Messages come at the time of their send, or behind the end of its call, which therefore waits for
// the next thing that its thread does. Their receiver keeps them until the call that completes them
// has ended.
#include "metrics/stat/record.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/stat/nesting.h"
#include "metrics/stat/state_clock.h"
#include "metrics/stat/state_piece.h"
#include "metrics/trace/ends.h"
#include "metrics/trace/mpi_call.h"

#include <fnmatch.h>
#include <stdlib.h>

enum { INCOMING_MOST = 1 << 16 }; // of a thread; older ones were received in no call

typedef struct traffic { // of a call
    uint32_t count, partner;
    uint64_t bytes;
    int64_t tag;
} traffic;

typedef struct incoming {
    uint64_t bytes;
    int64_t tag;
    uint32_t partner;
    uint32_t next_free; // place, from 1 on
} incoming;

static const uint64_t of_region = UINT64_C(1) << 32; // kind of an open region; of a construct: code

typedef struct thread {
    pj_mpi_call call;
    uint64_t call_begin, call_end;
    const char *region; // around the call
    uint32_t communicator;
    bool in_call, ended, collective; // ended: its record is still to be made
    uint64_t bytes;                  // of a collective
    traffic sent;
    pj_ends waiting;    // when what was received
    incoming *incoming; // by number of the message in `waiting`
    size_t incoming_used, incoming_cap;
    uint32_t incoming_free;
    pj_nesting
        open; // constructs (kind: PJ_OMP_*) and regions; value: region, or what comes with it
    pj_state_pieces states;
    const char *state_region; // around the current one
} thread;

struct pj_records {
    const pj_run *run;
    pj_record_take *take;
    void *self;
    thread *threads; // by location
    uint32_t locations;
    bool *is_call; // by region: it is an MPI call, of which there is a record already
    pj_window whole;
};

static const char *const kinds[PJ_RECORD_LAST] = {
    [PJ_RECORD_CALL] = "call",     [PJ_RECORD_MESSAGE] = "message", [PJ_RECORD_STATE] = "state",
    [PJ_RECORD_OPENMP] = "openmp", [PJ_RECORD_REGION] = "region",
};

static const char *const constructs[] = {
    [PJ_OMP_PARALLEL] = "parallel",       [PJ_OMP_BARRIER] = "barrier",
    [PJ_OMP_FUNCTION] = "parallel body",  [PJ_OMP_TASK] = "task",
    [PJ_OMP_TASK_MADE] = "task creation", [PJ_OMP_TASKWAIT] = "taskwait",
};

static const char *const states[] = {
#define STATE(number, name) [number] = name,
#include "metrics/stat/record_states.def"
#undef STATE
};

static const char unknown_call[] = "MPI call", unknown_state[] = "other state";

enum {
    CONSTRUCTS = sizeof constructs / sizeof *constructs,
    STATES = sizeof states / sizeof *states
};

const char *pj_record_kind_name(pj_record_kind kind)
{
    return kind < PJ_RECORD_LAST ? kinds[kind] : NULL;
}

static bool fits_any(const char *pattern, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (names[i] && fnmatch(pattern, names[i], 0) == 0)
            return true;
    return false;
}

bool pj_record_can_be(const pj_run *run, const char *pattern)
{
    const char *const unknown[] = {unknown_call, unknown_state};
    const pj_mpi_call_row *row;
    for (pj_mpi_call call = 1; (row = pj_mpi_call_at(call)); call++)
        if (fits_any(pattern, &row->name, 1))
            return true;
    for (uint32_t i = 0; i < run->names.region_count; i++)
        if (fits_any(pattern, &run->names.regions[i].name, 1))
            return true;
    return fits_any(pattern, kinds, PJ_RECORD_LAST) || fits_any(pattern, states, STATES) ||
           fits_any(pattern, constructs, CONSTRUCTS) || fits_any(pattern, unknown, 2);
}

pj_records *pj_records_new(const pj_run *run, pj_record_take *take, void *self)
{
    pj_records *records = pj_take_memory(sizeof *records);
    *records =
        (pj_records){.run = run, .take = take, .self = self, .locations = run->layout.locations};
    size_t size = records->locations * sizeof *records->threads;
    records->threads = memset(pj_take_memory(size), 0, size);
    records->whole = (pj_window){0, UINT64_MAX, false};
    for (uint32_t i = 0; i < records->locations; i++)
        pj_state_pieces_begin(&records->threads[i].states, &records->whole);
    records->is_call = pj_take_memory(run->names.region_count + 1);
    for (uint32_t i = 0; i < run->names.region_count; i++) {
        pj_mpi_call call = pj_mpi_call_by_name(pj_str_of(run->names.regions[i].name));
        records->is_call[i] = call != PJ_MPI_UNKNOWN;
    }
    return records;
}

void pj_records_free(pj_records *records)
{
    if (!records)
        return;
    for (uint32_t i = 0; i < records->locations; i++) {
        pj_ends_free(&records->threads[i].waiting);
        free(records->threads[i].incoming);
        pj_nesting_free(&records->threads[i].open);
        pj_state_pieces_free(&records->threads[i].states);
    }
    free(records->threads);
    free(records->is_call);
    free(records);
}

uint64_t pj_records_open(const pj_records *records)
{
    uint64_t open = 0;
    for (uint32_t i = 0; i < records->locations; i++)
        open += records->threads[i].open.count +
                (records->threads[i].in_call && !records->threads[i].ended);
    return open;
}

static const char *region_name(const pj_records *records, uint64_t number)
{
    return number < records->run->names.region_count ? records->run->names.regions[number].name
                                                     : NULL;
}

/// The innermost region of a thread that is not an MPI call.
static const char *region_of(const pj_records *records, const thread *t)
{
    const pj_open *open = pj_nesting_name(&t->open);
    if (open)
        return region_name(records, open->value - (open->kind == PJ_OMP_FUNCTION));
    return NULL;
}

static pj_record new_record(const pj_records *records, uint32_t location, pj_record_kind kind)
{
    return (pj_record){.kind = kind,
                       .location = location,
                       .partner = PJ_RECORD_NOBODY,
                       .region = region_of(records, &records->threads[location])};
}

// Calls

static void add_traffic(traffic *sum, uint32_t partner, uint64_t bytes, int64_t tag)
{
    bool first = sum->count++ == 0;
    sum->partner = first || sum->partner == partner ? partner : PJ_RECORD_NOBODY;
    sum->bytes += bytes;
    sum->tag = tag;
}

/// What was received in the call that has ended.
static traffic take_incoming(thread *t)
{
    traffic received = {0};
    for (pj_end end; pj_ends_pop(&t->waiting, t->call_end, &end);) {
        incoming *in = &t->incoming[end.message];
        if (end.time >= t->call_begin)
            add_traffic(&received, in->partner, in->bytes, in->tag);
        in->next_free = t->incoming_free;
        t->incoming_free = end.message + 1;
    }
    return received;
}

/// Keeps what comes until the call that completes it has ended.
static void add_incoming(thread *t, uint64_t received, incoming in)
{
    uint32_t place = t->incoming_free;
    if (place) {
        t->incoming_free = t->incoming[place - 1].next_free;
    } else if (t->incoming_used < INCOMING_MOST) {
        pj_grow(t->incoming, &t->incoming_cap, t->incoming_used + 1);
        place = (uint32_t)++t->incoming_used;
    } else {
        return;
    }
    t->incoming[place - 1] = in;
    pj_ends_add(&t->waiting, received, 0, place - 1);
}

static bool hand_on_call(pj_records *records, uint32_t location, pj_err *err)
{
    thread *t = &records->threads[location];
    t->in_call = t->ended = false;
    traffic received = take_incoming(t);
    const traffic *moved = t->sent.count ? &t->sent : &received;
    const pj_mpi_call_row *row = pj_mpi_call_at(t->call);
    pj_record record = {.kind = PJ_RECORD_CALL,
                        .type = row ? row->name : unknown_call,
                        .region = t->region,
                        .location = location,
                        .partner = moved->count ? moved->partner : PJ_RECORD_NOBODY,
                        .communicator = t->communicator,
                        .has_bytes = moved->count || t->collective,
                        .has_tag = moved->count == 1,
                        .bytes = moved->count ? moved->bytes : t->bytes,
                        .tag = moved->tag,
                        .start_ns = t->call_begin,
                        .end_ns = t->call_end};
    return records->take(records->self, &record, err);
}

static void see_call(pj_records *records, const pj_event *event)
{
    thread *t = &records->threads[event->location];
    if (event->a == PJ_MPI_NONE) {
        t->ended = t->in_call;
        t->call_end = event->time;
        return;
    }
    t->call = (pj_mpi_call)event->a;
    t->call_begin = event->time;
    t->region = region_of(records, t);
    t->in_call = true;
    t->ended = t->collective = false;
    t->communicator = 0;
    t->bytes = 0;
    t->sent = (traffic){0};
}

/// Whether nothing more can belong to the call that has ended.
static bool is_over(const thread *t, const pj_event *event)
{
    if (!t->ended || event->kind == PJ_EV_MESSAGE)
        return false;
    return event->time > t->call_end || (event->kind == PJ_EV_MPI && event->a != PJ_MPI_NONE);
}

static void see_collective(thread *t, const pj_event *event)
{
    t->collective = true;
    t->communicator = (uint32_t)event->a;
    t->bytes = event->b;
}

// Messages

static bool see_message(pj_records *records, const pj_message *message, pj_err *err)
{
    const uint32_t *rank_of = records->run->layout.rank_of;
    thread *from = &records->threads[message->from], *to = &records->threads[message->to];
    if (from->in_call && message->logical_send >= from->call_begin)
        add_traffic(&from->sent, rank_of[message->to], message->size, message->tag);
    add_incoming(to, message->physical_recv,
                 (incoming){message->size, message->tag, rank_of[message->from], 0});
    pj_record record = new_record(records, message->from, PJ_RECORD_MESSAGE);
    record.type = "message";
    record.partner = rank_of[message->to];
    record.has_bytes = record.has_tag = true;
    record.bytes = message->size;
    record.tag = message->tag;
    record.start_ns = message->logical_send;
    record.end_ns = message->physical_recv > message->logical_send ? message->physical_recv
                                                                   : message->logical_send;
    return records->take(records->self, &record, err);
}

// Constructs and regions

static bool see_openmp(pj_records *records, const pj_event *event, pj_err *err)
{
    thread *t = &records->threads[event->location];
    pj_open o = {.kind = event->code, .begin = event->time, .value = event->a};
    if (event->code >= CONSTRUCTS || !constructs[event->code])
        return true;
    if (event->a) {
        o.named = event->code == PJ_OMP_FUNCTION;
        pj_nesting_push(&t->open, o);
        return true;
    }
    if (!pj_nesting_pop(&t->open, event->code, &o))
        return true;
    pj_record record = new_record(records, event->location, PJ_RECORD_OPENMP);
    record.type = constructs[event->code];
    record.start_ns = o.begin;
    record.end_ns = event->time;
    return records->take(records->self, &record, err);
}

static void see_enter(pj_records *records, const pj_event *event)
{
    pj_nesting_push(&records->threads[event->location].open,
                    (pj_open){.kind = of_region + event->a,
                              .begin = event->time,
                              .value = event->a,
                              .named = !records->is_call[event->a]});
}

static bool see_leave(pj_records *records, const pj_event *event, pj_err *err)
{
    thread *t = &records->threads[event->location];
    pj_open o;
    if (!pj_nesting_pop(&t->open, of_region + event->a, &o) || records->is_call[event->a])
        return true;
    pj_record record = new_record(records, event->location, PJ_RECORD_REGION);
    record.type = region_name(records, event->a);
    record.start_ns = o.begin;
    record.end_ns = event->time;
    return records->take(records->self, &record, err);
}

/// A record of a piece that has a length, in the innermost region at its begin.
static bool hand_on_piece(pj_records *records, uint32_t location, pj_state_piece piece, pj_err *err)
{
    if (piece.end <= piece.begin)
        return true;
    pj_record record = new_record(records, location, PJ_RECORD_STATE);
    record.type = piece.state < STATES ? states[piece.state] : unknown_state;
    record.region = records->threads[location].state_region;
    record.start_ns = piece.begin;
    record.end_ns = piece.end;
    return records->take(records->self, &record, err);
}

static bool see_state(pj_records *records, const pj_event *event, pj_err *err)
{
    thread *t = &records->threads[event->location];
    pj_state_piece piece = pj_state_pieces_state(&t->states, event);
    bool good = hand_on_piece(records, event->location, piece, err);
    if (t->states.clock.begin == event->time)
        t->state_region = region_of(records, t);
    return good;
}

static bool see(pj_records *records, const pj_batch *batch, const pj_event *event, pj_err *err)
{
    switch ((pj_event_kind)event->kind) {
    case PJ_EV_STATE:
        return see_state(records, event, err);
    case PJ_EV_MPI:
        see_call(records, event);
        return true;
    case PJ_EV_COLLECTIVE:
        see_collective(&records->threads[event->location], event);
        return true;
    case PJ_EV_OPENMP:
        return see_openmp(records, event, err);
    case PJ_EV_MESSAGE:
        return see_message(records, &batch->messages[event->a], err);
    case PJ_EV_ENTER:
        see_enter(records, event);
        return true;
    case PJ_EV_LEAVE:
        return see_leave(records, event, err);
    case PJ_EV_REQUEST:
    case PJ_EV_COMPLETE:
    case PJ_EV_COUNTER:
    case PJ_EV_COUNTERS:
    case PJ_EV_TRACING:
    case PJ_EV_PART:
    case PJ_EV_DEVICE:
    case PJ_EV_OTHER:
    case PJ_EV_END:
    case PJ_EV_LAST:
        return true;
    }
    return true;
}

bool pj_records_events(pj_records *records, const pj_batch *batch, pj_err *err)
{
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (is_over(&records->threads[event->location], event) &&
            !hand_on_call(records, event->location, err))
            return false;
        if (!see(records, batch, event, err))
            return false;
    }
    return true;
}

bool pj_records_end(pj_records *records, pj_err *err)
{
    for (uint32_t i = 0; i < records->locations; i++) {
        pj_state_piece piece =
            pj_state_pieces_last(&records->threads[i].states, records->run->end_ns);
        if ((records->threads[i].ended && !hand_on_call(records, i, err)) ||
            !hand_on_piece(records, i, piece, err))
            return false;
    }
    return true;
}
