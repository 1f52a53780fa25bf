// Items of each location are put in the order in which a tracer meets them: at one time first what
// ends, then counters, then what begins.
#include "tests/support/trace/otf2_writer.h"

#include "metrics/base/arena.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"
#include "tests/support/trace/otf2_flush.h"

#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>

enum {
    DEFINITIONS_CHUNK = 256 << 10, // the least: libotf2 fills one with zeros for every reader
    TYPE_TRACING = 40000012,
    TYPE_INSTRUCTIONS = 42000050,
    TYPE_CYCLES = 42000059,
    TYPE_PARALLEL = 60000001,
    TYPE_BARRIER = 60000005,
    TYPE_FUNCTION = 60000018,
    TYPE_LOCK = 60000006,
    TYPE_LOCK_NAME = 60000032,
    LOCK_ASKED = 3,
    LOCK_TAKEN = 6,
    LOCK_FREE = 0,
    STATE_NOT_CREATED = 2,
    REGION_SETUP = 0,
    REGION_PARALLEL = 1,
    REGION_BARRIER = 2,
    REGION_CRITICAL = 3,
    REGION_CRITICAL_BODY = 4,
    REGION_CALLS = 4, // with the numbers of MPI calls, from 1 on
    CALLS_MOST = 512,
    REGIONS = REGION_CALLS + CALLS_MOST,
    COMM_WORLD = 0,
    COMM_TEAM = 1,
    COMM_NESTED = 2, // a team of its threads
    COMMS,
    WINDOW = 1, // of all ranks; the other one is never used
    WINDOWS,
    GROUP_WORLD = 1,
    GROUP_TEAM,
    GROUPS,             // from here on those of synchronisations
    TEAMS_MOST = 4,     // open at one time
    STRINGS_NAMES = 16, // from here on names of regions
};

/// In the order of one time.
typedef enum step_kind {
    STEP_RECEIVED, // inside a call that ends
    STEP_COLLECTED,
    STEP_COMPLETED,
    STEP_SYNCHRONISED,
    STEP_COUNTERS,
    STEP_UNLOCK,
    STEP_LEAVE,
    STEP_END_TEAM,
    STEP_JOIN,
    STEP_TRACING,
    STEP_FORK,
    STEP_BEGIN_TEAM,
    STEP_LOCK,
    STEP_ENTER,
    STEP_COLLECT, // inside a call that begins
    STEP_REQUEST,
    STEP_SEND,
    STEP_POST,
} step_kind;

typedef struct step {
    uint64_t time;
    step_kind kind;
    uint32_t region;
    int64_t counts[2];
    const pj_trace_item *item;
    uint64_t number; // of the message, or of the step
} step;

typedef struct place {
    step *steps;
    size_t count, cap;
    uint32_t lock; // that its critical sections have; 0 = not said
} place;

typedef struct saving {
    const pj_trace_writer *writer;
    pj_otf2_style style;
    uint32_t locations, ranks;
    uint32_t *first; // location of each rank
    place *places;   // by location
    uint64_t messages;
    OTF2_Archive *archive;
    uint64_t *events; // by location
    bool failed, synchronises;
} saving;

static bool good(saving *s, OTF2_ErrorCode code)
{
    s->failed |= code != OTF2_SUCCESS;
    return !s->failed;
}

static uint32_t location_of(const saving *s, pj_place at)
{
    return s->first[at.rank] + at.thread;
}

static step *add(saving *s, pj_place at, uint64_t time, step_kind kind)
{
    place *p = &s->places[location_of(s, at)];
    pj_grow(p->steps, &p->cap, p->count + 1);
    p->steps[p->count] = (step){.time = time, .kind = kind, .number = p->count};
    return &p->steps[p->count++];
}

// From items to steps

/// The call of a place that made its `number`-th request.
static const pj_trace_item *request_of(const saving *s, pj_place at, uint32_t number)
{
    size_t count;
    const pj_trace_item *items = pj_trace_writer_items(s->writer, &count);
    for (size_t i = 0; i < count; i++)
        if (items[i].kind == PJ_TRACE_CALL && items[i].at.rank == at.rank &&
            items[i].at.thread == at.thread && items[i].call.request == number)
            return &items[i];
    return NULL;
}

static void request_steps(saving *s, const pj_trace_item *item)
{
    const pj_trace_call *call = &item->call;
    if (call->request)
        add(s, item->at, call->begin, STEP_REQUEST)->item = item;
    for (size_t i = 0; i < call->completed; i++) {
        const pj_trace_item *request = request_of(s, item->at, call->completes[i]);
        if (request)
            add(s, item->at, call->end, STEP_COMPLETED)->item = request;
    }
}

static void count_step(saving *s, pj_place at, uint64_t time, int64_t instructions, int64_t cycles)
{
    step *counts = add(s, at, time, STEP_COUNTERS);
    counts->counts[0] = instructions;
    counts->counts[1] = cycles;
}

/// The group of a synchronisation is defined for it alone: its number.
static uint32_t group_of(const saving *s, const pj_trace_item *item)
{
    size_t count;
    const pj_trace_item *items = pj_trace_writer_items(s->writer, &count);
    uint32_t group = GROUPS;
    for (size_t i = 0; i < count && &items[i] != item; i++)
        group += items[i].kind == PJ_TRACE_CALL && items[i].call.group;
    return group;
}

static void call_steps(saving *s, const pj_trace_item *item)
{
    const pj_trace_call *call = &item->call;
    uint32_t region = REGION_CALLS + pj_mpi_call_by_name(pj_str_of(call->name)) % CALLS_MOST;
    add(s, item->at, call->begin, STEP_ENTER)->region = region;
    add(s, item->at, call->end, STEP_LEAVE)->region = region;
    if (call->instructions || call->cycles)
        count_step(s, item->at, call->begin, call->instructions, call->cycles);
    if (call->instructions_inside || call->cycles_inside)
        count_step(s, item->at, call->end, call->instructions_inside, call->cycles_inside);
    request_steps(s, item);
    if (call->lock) {
        s->synchronises = true;
        bool asks = (call->lock & ~(uint64_t)PJ_RMA_EXCLUSIVE) == PJ_RMA_ASKED;
        add(s, item->at, asks ? call->begin : call->end, asks ? STEP_COLLECT : STEP_SYNCHRONISED)
            ->item = item;
    } else if (call->synchronises) {
        s->synchronises = true;
        add(s, item->at, call->end, STEP_SYNCHRONISED)->item = item;
    }
    if (call->communicator && !call->request) {
        add(s, item->at, call->begin, STEP_COLLECT)->item = item;
        add(s, item->at, call->end, STEP_COLLECTED)->item = item;
    }
}

/// What a place says of a critical section; a name is that of the lock, from there on.
static void lock_step(saving *s, const pj_trace_item *item)
{
    place *p = &s->places[location_of(s, item->at)];
    bool taken = item->pair.value == LOCK_TAKEN;
    if (item->pair.type == TYPE_LOCK_NAME) {
        p->lock = (uint32_t)item->pair.value;
        return;
    }
    if (item->pair.value == LOCK_ASKED)
        add(s, item->at, item->time, STEP_ENTER)->region = REGION_CRITICAL;
    if (taken)
        add(s, item->at, item->time, STEP_ENTER)->region = REGION_CRITICAL_BODY;
    if (item->pair.value == LOCK_FREE) {
        add(s, item->at, item->time, STEP_LEAVE)->region = REGION_CRITICAL_BODY;
        add(s, item->at, item->time, STEP_LEAVE)->region = REGION_CRITICAL;
    }
    if (p->lock && (taken || item->pair.value == LOCK_FREE))
        add(s, item->at, item->time, taken ? STEP_LOCK : STEP_UNLOCK)->region = p->lock;
}

static void pair_step(saving *s, const pj_trace_item *item)
{
    bool opens = item->pair.value != 0;
    step *made;
    switch (item->pair.type) {
    case TYPE_INSTRUCTIONS:
        count_step(s, item->at, item->time, item->pair.value, 0);
        break;
    case TYPE_CYCLES:
        count_step(s, item->at, item->time, 0, item->pair.value);
        break;
    case TYPE_PARALLEL:
        add(s, item->at, item->time, opens ? STEP_FORK : STEP_JOIN);
        break;
    case TYPE_FUNCTION:
        made = add(s, item->at, item->time, opens ? STEP_BEGIN_TEAM : STEP_END_TEAM);
        made->region = item->pair.value < PJ_OTF2_NESTED ? COMM_TEAM : COMM_NESTED;
        made = add(s, item->at, item->time, opens ? STEP_ENTER : STEP_LEAVE);
        made->region = REGION_PARALLEL;
        break;
    case TYPE_BARRIER:
        made = add(s, item->at, item->time, opens ? STEP_ENTER : STEP_LEAVE);
        made->region = REGION_BARRIER;
        break;
    case TYPE_LOCK:
    case TYPE_LOCK_NAME:
        lock_step(s, item);
        break;
    case TYPE_TRACING:
        add(s, item->at, item->time, STEP_TRACING)->region = opens;
        break;
    }
}

static void message_steps(saving *s, const pj_trace_item *item)
{
    const pj_trace_message *m = &item->message;
    uint64_t number = ++s->messages;
    const struct {
        pj_place at;
        uint64_t time;
        step_kind kind;
    } ends[] = {{m->from, m->times.logical_send, STEP_SEND},
                {m->to, m->times.logical_recv, STEP_POST},
                {m->to, m->times.physical_recv, STEP_RECEIVED}};
    for (size_t i = 0; i < 3; i++) {
        if (number == (ends[i].kind == STEP_SEND ? s->style.no_send : s->style.no_receive))
            continue;
        step *made = add(s, ends[i].at, ends[i].time, ends[i].kind);
        made->item = item;
        made->number = number;
    }
}

static void make_steps(saving *s)
{
    size_t count;
    const pj_trace_item *items = pj_trace_writer_items(s->writer, &count);
    for (size_t i = 0; i < count; i++) {
        const pj_trace_item *item = &items[i];
        switch (item->kind) {
        case PJ_TRACE_STATE:
            if (item->state != STATE_NOT_CREATED)
                break; // the others follow from regions
            add(s, item->at, item->time, STEP_ENTER)->region = REGION_SETUP;
            add(s, item->at, item->end, STEP_LEAVE)->region = REGION_SETUP;
            break;
        case PJ_TRACE_PAIR:
            pair_step(s, item);
            break;
        case PJ_TRACE_CALL:
            call_steps(s, item);
            break;
        case PJ_TRACE_MESSAGE:
            message_steps(s, item);
            break;
        }
    }
}

static int order_of_steps(const void *left, const void *right)
{
    const step *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

// Events

typedef struct sound { // one location while it is written
    saving *s;
    OTF2_EvtWriter *out;
    uint32_t location, rank;
    int64_t counted[2];
    bool traced;
    uint32_t teams[TEAMS_MOST], team_count;
} sound;

/// Ids of a location's own are turned round.
static uint32_t own(const sound *w, uint32_t id, uint32_t count)
{
    return w->s->style.global_ids ? id : (id + w->location + 1) % count;
}

static uint64_t begin_of(const pj_otf2_style *style)
{
    return style->clock_begin ? style->clock_begin : 1000000;
}

static uint64_t ticks_of(const sound *w, uint64_t time)
{
    const pj_otf2_style *style = &w->s->style;
    uint64_t ticks = time * (style->ticks_per_ns ? style->ticks_per_ns : 1);
    int64_t drift = (int64_t)((double)ticks * 1e-9 * (double)(style->clock_drift * w->rank));
    return begin_of(style) + ticks + w->rank * style->clock_step + (uint64_t)drift;
}

static OTF2_ErrorCode write_counters(sound *w, uint64_t time, const step *counts)
{
    OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64};
    OTF2_MetricValue values[2];
    for (unsigned c = 0; c < 2; c++) {
        w->counted[c] += counts->counts[c];
        values[c].signed_int = w->s->style.relative ? counts->counts[c] : w->counted[c];
    }
    return OTF2_EvtWriter_Metric(w->out, NULL, time, 0, 2, types, values);
}

static OTF2_CollectiveOp operation_of(const pj_trace_call *call)
{
    static const struct {
        const char *name;
        OTF2_CollectiveOp op;
    } ops[] = {{"MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST},
               {"MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
               {"MPI_Iallreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
               {"MPI_Ireduce", OTF2_COLLECTIVE_OP_REDUCE}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].name, call->name) == 0)
            return ops[i].op;
    return OTF2_COLLECTIVE_OP_BARRIER;
}

static OTF2_ErrorCode write_collective(const sound *w, uint64_t time, const pj_trace_call *call)
{
    uint32_t comm = own(w, COMM_WORLD, COMMS), root = OTF2_UNDEFINED_UINT32;
    if (call->request)
        return OTF2_EvtWriter_NonBlockingCollectiveComplete(
            w->out, NULL, time, operation_of(call), comm, call->root ? w->rank : root,
            call->send_bytes, call->recv_bytes, call->request);
    return OTF2_EvtWriter_MpiCollectiveEnd(w->out, NULL, time, operation_of(call), comm, root,
                                           call->send_bytes, call->recv_bytes);
}

static OTF2_ErrorCode write_lock(const sound *w, uint64_t time, uint32_t window,
                                 const pj_trace_call *call)
{
    uint32_t target = call->group[0];
    OTF2_LockType type = call->lock & PJ_RMA_EXCLUSIVE ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED;
    switch (call->lock & ~(uint64_t)PJ_RMA_EXCLUSIVE) {
    case PJ_RMA_ASKED:
        return OTF2_EvtWriter_RmaRequestLock(w->out, NULL, time, window, target, 0, type);
    case PJ_RMA_ACQUIRED:
        return OTF2_EvtWriter_RmaAcquireLock(w->out, NULL, time, window, target, 0, type);
    default:
        return OTF2_EvtWriter_RmaReleaseLock(w->out, NULL, time, window, target, 0);
    }
}

static OTF2_ErrorCode write_synchronisation(const sound *w, uint64_t time,
                                            const pj_trace_item *item)
{
    uint32_t window = own(w, WINDOW, WINDOWS);
    uint32_t groups = group_of(w->s, NULL);
    OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY;
    if (item->call.lock)
        return write_lock(w, time, window, &item->call);
    if (item->call.group)
        return OTF2_EvtWriter_RmaGroupSync(w->out, NULL, time, level, window,
                                           own(w, group_of(w->s, item), groups));
    return OTF2_EvtWriter_RmaCollectiveEnd(w->out, NULL, time, OTF2_COLLECTIVE_OP_BARRIER, level,
                                           window, OTF2_UNDEFINED_UINT32, 0, 0);
}

static OTF2_ErrorCode write_message(const sound *w, uint64_t time, const step *end)
{
    const pj_trace_message *m = &end->item->message;
    uint32_t comm = own(w, COMM_WORLD, COMMS), tag = (uint32_t)m->tag;
    if (end->kind == STEP_SEND)
        return OTF2_EvtWriter_MpiIsend(w->out, NULL, time, m->to.rank, comm, tag, m->size,
                                       2 * end->number);
    if (end->kind == STEP_POST)
        return OTF2_EvtWriter_MpiIrecvRequest(w->out, NULL, time, 2 * end->number + 1);
    if (w->s->style.eztrace)
        return OTF2_SUCCESS;
    return OTF2_EvtWriter_MpiIrecv(w->out, NULL, time, m->from.rank, comm, tag, m->size,
                                   2 * end->number + 1);
}

/// Score-P switches the measurement off at the start when a part of the run is wanted.
static OTF2_ErrorCode write_tracing(sound *w, uint64_t time, bool on)
{
    bool start = !w->traced;
    w->traced = true;
    return OTF2_EvtWriter_MeasurementOnOff(
        w->out, NULL, time, on && !start ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
}

static OTF2_ErrorCode write_step(sound *w, const step *at)
{
    uint64_t time = ticks_of(w, at->time);
    switch (at->kind) {
    case STEP_RECEIVED:
    case STEP_SEND:
    case STEP_POST:
        return write_message(w, time, at);
    case STEP_COLLECTED:
    case STEP_COMPLETED:
        return write_collective(w, time, &at->item->call);
    case STEP_SYNCHRONISED:
        return write_synchronisation(w, time, at->item);
    case STEP_COLLECT:
        if (at->item->call.lock)
            return write_synchronisation(w, time, at->item);
        return OTF2_EvtWriter_MpiCollectiveBegin(w->out, NULL, time);
    case STEP_REQUEST:
        if (w->s->style.no_requests)
            return OTF2_SUCCESS;
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(w->out, NULL, time,
                                                           at->item->call.request);
    case STEP_COUNTERS:
        return write_counters(w, time, at);
    case STEP_LEAVE:
        return OTF2_EvtWriter_Leave(w->out, NULL, time, own(w, at->region, REGIONS));
    case STEP_ENTER:
        return OTF2_EvtWriter_Enter(w->out, NULL, time, own(w, at->region, REGIONS));
    case STEP_BEGIN_TEAM:
        w->teams[w->team_count++ % TEAMS_MOST] = at->region;
        return OTF2_EvtWriter_ThreadTeamBegin(w->out, NULL, time, own(w, at->region, COMMS));
    case STEP_END_TEAM:
        w->team_count -= w->team_count > 0;
        return OTF2_EvtWriter_ThreadTeamEnd(w->out, NULL, time,
                                            own(w, w->teams[w->team_count % TEAMS_MOST], COMMS));
    case STEP_FORK:
        return OTF2_EvtWriter_ThreadFork(w->out, NULL, time, OTF2_PARADIGM_OPENMP,
                                         pj_trace_writer_threads(w->s->writer, w->rank));
    case STEP_JOIN:
        return OTF2_EvtWriter_ThreadJoin(w->out, NULL, time, OTF2_PARADIGM_OPENMP);
    case STEP_LOCK:
        return OTF2_EvtWriter_ThreadAcquireLock(w->out, NULL, time, OTF2_PARADIGM_OPENMP,
                                                at->region, 0);
    case STEP_UNLOCK:
        return OTF2_EvtWriter_ThreadReleaseLock(w->out, NULL, time, OTF2_PARADIGM_OPENMP,
                                                at->region, 0);
    case STEP_TRACING:
        return write_tracing(w, time, at->region);
    }
    return OTF2_SUCCESS;
}

/// Readings of one time are one record.
static void join_counters(place *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        step *last = kept ? &p->steps[kept - 1] : NULL;
        if (last && last->kind == STEP_COUNTERS && p->steps[i].kind == STEP_COUNTERS &&
            last->time == p->steps[i].time) {
            last->counts[0] += p->steps[i].counts[0];
            last->counts[1] += p->steps[i].counts[1];
            continue;
        }
        p->steps[kept++] = p->steps[i];
    }
    p->count = kept;
}

static void write_events(saving *s, uint32_t rank, uint32_t location)
{
    place *p = &s->places[location];
    if (p->count)
        qsort(p->steps, p->count, sizeof *p->steps, order_of_steps);
    join_counters(p);
    sound w = {.s = s, .location = location, .rank = rank};
    w.out = OTF2_Archive_GetEvtWriter(s->archive, location);
    for (size_t i = 0; w.out && i < p->count; i++)
        good(s, write_step(&w, &p->steps[i]));
    if (!w.out) {
        s->failed = true;
        return;
    }
    OTF2_EvtWriter_GetNumberOfEvents(w.out, &s->events[location]);
    good(s, OTF2_Archive_CloseEvtWriter(s->archive, w.out));
}

// Local definitions

static void write_map(saving *s, OTF2_DefWriter *out, const sound *w, OTF2_MappingType kind,
                      uint32_t count)
{
    uint64_t *map = pj_take_memory(count * sizeof *map);
    for (uint32_t id = 0; id < count; id++)
        map[own(w, id, count)] = id;
    OTF2_IdMap *ids = OTF2_IdMap_CreateFromUint64Array(count, map, true);
    if (ids)
        good(s, OTF2_DefWriter_WriteMappingTable(out, kind, ids));
    OTF2_IdMap_Free(ids);
    free(map);
}

static void write_local(saving *s, uint32_t rank, uint32_t location)
{
    sound w = {.s = s, .location = location, .rank = rank};
    OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(s->archive, location);
    if (!out) {
        s->failed = true;
        return;
    }
    if (!s->style.global_ids) {
        write_map(s, out, &w, OTF2_MAPPING_REGION, REGIONS);
        write_map(s, out, &w, OTF2_MAPPING_COMM, COMMS);
        write_map(s, out, &w, OTF2_MAPPING_RMA_WIN, WINDOWS);
        write_map(s, out, &w, OTF2_MAPPING_GROUP, group_of(s, NULL));
    }
    int64_t offset = -(int64_t)(rank * s->style.clock_step);
    uint64_t begin = begin_of(&s->style);
    if (!s->style.no_offsets) {
        good(s, OTF2_DefWriter_WriteClockOffset(out, begin, offset, 0));
        good(s, OTF2_DefWriter_WriteClockOffset(out, begin + (UINT64_C(1) << 50), offset, 0));
    }
    good(s, OTF2_Archive_CloseDefWriter(s->archive, out));
}

// Global definitions

static void write_string(saving *s, OTF2_GlobalDefWriter *out, uint32_t id, const char *text)
{
    good(s, OTF2_GlobalDefWriter_WriteString(out, id, text));
}

static void write_region(saving *s, OTF2_GlobalDefWriter *out, uint32_t id, const char *name,
                         OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
    uint32_t string = STRINGS_NAMES + id;
    bool user = s->style.eztrace;
    write_string(s, out, string, name);
    good(s, OTF2_GlobalDefWriter_WriteRegion(
                out, id, string, string, 0, user ? OTF2_REGION_ROLE_FUNCTION : role,
                user ? OTF2_PARADIGM_USER : paradigm, OTF2_REGION_FLAG_NONE, 0, 0, 0));
}

static void write_regions(saving *s, OTF2_GlobalDefWriter *out)
{
    write_region(s, out, REGION_SETUP, "EZTrace begin", OTF2_REGION_ROLE_FUNCTION,
                 OTF2_PARADIGM_MEASUREMENT_SYSTEM);
    write_region(s, out, REGION_PARALLEL,
                 s->style.eztrace ? "OpenMP Parallel" : "!$omp parallel @flux.c:41",
                 OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP);
    write_region(s, out, REGION_BARRIER,
                 s->style.eztrace ? "OpenMP implicit barrier" : "!$omp implicit barrier",
                 OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP);
    write_region(s, out, REGION_CRITICAL, "!$omp critical", OTF2_REGION_ROLE_CRITICAL,
                 OTF2_PARADIGM_OPENMP);
    write_region(s, out, REGION_CRITICAL_BODY, "!$omp critical sblock",
                 OTF2_REGION_ROLE_CRITICAL_SBLOCK, OTF2_PARADIGM_OPENMP);
    for (pj_mpi_call call = 1; pj_mpi_call_at(call); call++)
        write_region(s, out, REGION_CALLS + call, pj_mpi_call_at(call)->name,
                     OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI);
}

static void write_locations(saving *s, OTF2_GlobalDefWriter *out)
{
    uint32_t each = pj_trace_writer_header(s->writer)->ranks_per_node;
    uint32_t nodes = each ? (s->ranks + each - 1) / each : 1;
    for (uint32_t node = 0; node < nodes; node++)
        good(s, OTF2_GlobalDefWriter_WriteSystemTreeNode(out, node, 1, 2,
                                                         OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t rank = 0; rank < s->ranks; rank++) {
        good(s, OTF2_GlobalDefWriter_WriteLocationGroup(
                    out, rank, 3, OTF2_LOCATION_GROUP_TYPE_PROCESS, each ? rank / each : 0,
                    OTF2_UNDEFINED_LOCATION_GROUP));
        for (uint32_t l = s->first[rank]; l < s->first[rank + 1]; l++)
            good(s, OTF2_GlobalDefWriter_WriteLocation(out, l, l == s->first[rank] ? 4 : 5,
                                                       OTF2_LOCATION_TYPE_CPU_THREAD, s->events[l],
                                                       rank));
    }
}

static void write_teams(saving *s, OTF2_GlobalDefWriter *out)
{
    const uint64_t threads[] = {0, 1};
    good(s,
         OTF2_GlobalDefWriter_WriteGroup(out, GROUP_TEAM, 5, OTF2_GROUP_TYPE_COMM_GROUP,
                                         OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, 2, threads));
    good(s, OTF2_GlobalDefWriter_WriteComm(out, COMM_TEAM, 5, 2, OTF2_UNDEFINED_COMM,
                                           OTF2_COMM_FLAG_NONE));
    good(s, OTF2_GlobalDefWriter_WriteComm(out, COMM_NESTED, 5, 2,
                                           s->style.no_parents ? OTF2_UNDEFINED_COMM : COMM_TEAM,
                                           OTF2_COMM_FLAG_NONE));
}

static void write_windows(saving *s, OTF2_GlobalDefWriter *out)
{
    size_t count;
    const pj_trace_item *items = pj_trace_writer_items(s->writer, &count);
    for (size_t i = 0; i < count; i++) {
        const pj_trace_call *call = &items[i].call;
        uint64_t members[64] = {0};
        if (items[i].kind != PJ_TRACE_CALL || !call->group)
            continue;
        for (size_t m = 0; m < call->group_size && m < 64; m++)
            members[m] = call->group[m];
        good(s, OTF2_GlobalDefWriter_WriteGroup(
                    out, group_of(s, &items[i]), 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                    OTF2_GROUP_FLAG_NONE, (uint32_t)call->group_size, members));
    }
    for (uint32_t id = 0; id < WINDOWS; id++)
        good(s, OTF2_GlobalDefWriter_WriteRmaWin(out, id, 0, COMM_WORLD, OTF2_RMA_WIN_FLAG_NONE));
}

static void write_groups(saving *s, OTF2_GlobalDefWriter *out)
{
    uint64_t *masters = pj_take_memory(s->ranks * sizeof *masters);
    uint64_t *ranks = pj_take_memory(s->ranks * sizeof *ranks);
    for (uint32_t rank = 0; rank < s->ranks; rank++) {
        masters[rank] = s->first[rank];
        ranks[rank] = rank;
    }
    good(s, OTF2_GlobalDefWriter_WriteGroup(out, 0, 6, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, s->ranks,
                                            masters));
    good(s,
         OTF2_GlobalDefWriter_WriteGroup(out, GROUP_WORLD, 6, OTF2_GROUP_TYPE_COMM_GROUP,
                                         OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, s->ranks, ranks));
    good(s, OTF2_GlobalDefWriter_WriteComm(out, COMM_WORLD, 6, 1, OTF2_UNDEFINED_COMM,
                                           OTF2_COMM_FLAG_NONE));
    write_teams(s, out);
    if (s->synchronises)
        write_windows(s, out);
    free(masters);
    free(ranks);
}

static void write_metrics(saving *s, OTF2_GlobalDefWriter *out)
{
    OTF2_MetricMode mode = s->style.relative   ? OTF2_METRIC_RELATIVE_LAST
                           : s->style.absolute ? OTF2_METRIC_ABSOLUTE_POINT
                                               : OTF2_METRIC_ACCUMULATED_START;
    OTF2_MetricMemberRef members[] = {0, 1};
    good(s, OTF2_GlobalDefWriter_WriteMetricMember(out, 0, 7, 0, OTF2_METRIC_TYPE_PAPI, mode,
                                                   OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, 0));
    good(s, OTF2_GlobalDefWriter_WriteMetricMember(out, 1, 8, 0, OTF2_METRIC_TYPE_PAPI, mode,
                                                   OTF2_TYPE_INT64, OTF2_BASE_DECIMAL, 0, 0));
    good(s, OTF2_GlobalDefWriter_WriteMetricClass(
                out, 0, 2, members, OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU));
}

static void write_global(saving *s)
{
    static const char *const texts[] = {
        "",    "machine",        "node",         "MPI Rank",    "Master thread",
        "OMP", "MPI_COMM_WORLD", "PAPI_TOT_INS", "PAPI_TOT_CYC"};
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(s->archive);
    if (!out) {
        s->failed = true;
        return;
    }
    uint64_t unit = s->style.ticks_per_ns ? s->style.ticks_per_ns : 1;
    good(s, OTF2_GlobalDefWriter_WriteClockProperties(out, unit * 1000000000, begin_of(&s->style),
                                                      UINT64_C(1) << 40, OTF2_UNDEFINED_TIMESTAMP));
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        write_string(s, out, i, texts[i]);
    write_regions(s, out);
    write_locations(s, out);
    write_groups(s, out);
    write_metrics(s, out);
    good(s, OTF2_Archive_CloseGlobalDefWriter(s->archive, out));
}

// Files

void pj_otf2_writer_remove(const char *anchor)
{
    pj_auto_buf command = {.at = NULL};
    pj_str base = pj_str_head(pj_str_of(anchor), strlen(anchor) - 5);
    pj_buf_addf(&command, "rm -rf '" PJ_STR_FMT "' '" PJ_STR_FMT ".otf2' '" PJ_STR_FMT ".def'",
                PJ_STR_ARG(base), PJ_STR_ARG(base), PJ_STR_ARG(base));
    if (system(command.at) != 0) // NOLINT(cert-env33-c)
        fprintf(stderr, "%s cannot be removed\n", anchor);
}

static void write_archive(saving *s)
{
    good(s, OTF2_Archive_SetFlushCallbacks(s->archive, &pj_otf2_flush, NULL));
    good(s, OTF2_Archive_SetSerialCollectiveCallbacks(s->archive));
    good(s, OTF2_Archive_SetCreator(s->archive, "Score-P 8.4"));
    good(s, OTF2_Archive_OpenEvtFiles(s->archive));
    for (uint32_t rank = 0; rank < s->ranks && !s->failed; rank++)
        for (uint32_t l = s->first[rank]; l < s->first[rank + 1]; l++)
            write_events(s, rank, l);
    good(s, OTF2_Archive_CloseEvtFiles(s->archive));
    good(s, OTF2_Archive_OpenDefFiles(s->archive));
    for (uint32_t rank = 0; rank < s->ranks && !s->failed; rank++)
        for (uint32_t l = s->first[rank]; l < s->first[rank + 1]; l++)
            write_local(s, rank, l);
    good(s, OTF2_Archive_CloseDefFiles(s->archive));
    write_global(s);
}

static bool open_archive(saving *s, const char *anchor)
{
    pj_str path = pj_str_head(pj_str_of(anchor), strlen(anchor) - 5);
    size_t slash = pj_str_find_last(path, '/');
    pj_auto_buf folder = {.at = NULL}, name = {.at = NULL};
    pj_buf_add(&folder, slash < path.len ? pj_str_head(path, slash) : PJ_S("."));
    pj_buf_add(&name, slash < path.len ? pj_str_from(path, slash + 1) : path);
    uint64_t chunk = s->style.chunk_bytes ? s->style.chunk_bytes : OTF2_CHUNK_SIZE_EVENTS_DEFAULT;
    s->archive = OTF2_Archive_Open(folder.at, name.at, OTF2_FILEMODE_WRITE, chunk,
                                   DEFINITIONS_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    return s->archive != NULL;
}

bool pj_otf2_writer_save(const pj_trace_writer *writer, const char *anchor, pj_otf2_style style,
                         pj_err *err)
{
    saving s = {.writer = writer, .style = style, .ranks = pj_trace_writer_header(writer)->ranks};
    s.first = pj_take_memory((s.ranks + 1) * sizeof *s.first);
    s.first[0] = 0;
    for (uint32_t rank = 0; rank < s.ranks; rank++)
        s.first[rank + 1] = s.first[rank] + pj_trace_writer_threads(writer, rank);
    s.locations = s.first[s.ranks];
    s.places =
        memset(pj_take_memory(s.locations * sizeof *s.places), 0, s.locations * sizeof *s.places);
    s.events =
        memset(pj_take_memory(s.locations * sizeof *s.events), 0, s.locations * sizeof *s.events);
    make_steps(&s);
    pj_otf2_writer_remove(anchor);
    if (open_archive(&s, anchor)) {
        write_archive(&s);
        good(&s, OTF2_Archive_Close(s.archive));
    } else {
        s.failed = true;
    }
    for (uint32_t l = 0; l < s.locations; l++)
        free(s.places[l].steps);
    free(s.places);
    free(s.events);
    free(s.first);
    return !s.failed || pj_fail(err, PJ_E_IO, anchor, 0, "libotf2 cannot write the archive");
}
