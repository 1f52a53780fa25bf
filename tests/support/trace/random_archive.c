// Every rank has a clock of its own and calls come in no order between ranks: what matters is that
// any number of processes reads the same, not that the program could have run.
#include "tests/support/trace/random_archive.h"

#include "metrics/base/arena.h"
#include "metrics/trace/mpi_call.h"
#include "tests/support/trace/otf2_flush.h"

#include <otf2/otf2.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    RANKS_MOST = 8,
    THREADS_MOST = 4,
    LOCATIONS_MOST = RANKS_MOST * THREADS_MOST,
    COMM_WORLD = 0,
    COMM_TEAM = 1, // of the threads of a rank
    COMM_SELF = 2,
    COMM_OTHERS = 3, // from here on
    COMMS_MOST = 8,
    STRING_NAMES = 8, // from here on names of regions
    REGION_USER = 0,
    REGION_PARALLEL,
    REGION_BARRIER,
    REGION_TASK,
    REGION_CALLS = REGION_TASK, // with the numbers of MPI calls, from 1 on
    EAGER = 32768,
    WAITING_MOST = 64,
};

typedef struct comm {
    uint64_t ranks[RANKS_MOST];
    uint32_t size;
} comm;

typedef enum wait_kind { WAITS_SEND, WAITS_RECEIVE, WAITS_COLLECTIVE } wait_kind;

typedef struct waiting { // a request of a location
    wait_kind kind;
    uint64_t request;
    uint32_t peer, comm, tag; // of collectives: peer = root
    uint64_t size;
} waiting;

typedef struct place { // a location
    OTF2_EvtWriter *out;
    uint32_t rank;
    uint64_t now, request;
    waiting waits[WAITING_MOST];
    uint32_t count;
    bool in_team;
} place;

typedef struct app {
    uint64_t random;
    OTF2_Archive *archive;
    uint32_t ranks, locations, comm_count;
    uint32_t first[RANKS_MOST + 1];
    comm comms[COMMS_MOST];
    place places[LOCATIONS_MOST];
    uint64_t grain; // of all times, ns
    bool wild;      // programs that cannot go on, or are odd
    bool threaded;  // threads call MPI
    int64_t ahead,
        drift; // of the clock of each rank, as against the one before: ns, ns in a second
    bool failed;
} app;

static uint64_t next(app *a)
{
    uint64_t x = a->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint32_t below(app *a, uint32_t count)
{
    return (uint32_t)(next(a) % count);
}

static bool one_in(app *a, uint32_t count)
{
    return below(a, count) == 0;
}

/// What only wild programs do.
static bool odd(app *a, uint32_t count)
{
    return one_in(a, count) && a->wild;
}

static void good(app *a, OTF2_ErrorCode code)
{
    a->failed |= code != OTF2_SUCCESS;
}

// Time

static uint64_t later(app *a, place *p)
{
    p->now += below(a, 4) ? 1 + below(a, 900) : 0;
    p->now = a->grain > 1 ? (p->now + a->grain / 2) / a->grain * a->grain : p->now + 1;
    int64_t ticks = (int64_t)p->now + p->rank * a->ahead +
                    (int64_t)((double)p->now * 1e-9 * (double)(p->rank * a->drift));
    return 1000000 + (uint64_t)ticks;
}

// Calls

static uint32_t region_of(const char *name)
{
    return REGION_CALLS + (uint32_t)pj_mpi_call_by_name(pj_str_of(name));
}

static void enter(app *a, place *p, uint32_t region)
{
    good(a, OTF2_EvtWriter_Enter(p->out, NULL, later(a, p), region));
}

static void leave(app *a, place *p, uint32_t region)
{
    if (!odd(a, 150))
        good(a, OTF2_EvtWriter_Leave(p->out, NULL, later(a, p), region));
}

static void write_send(app *a, place *p, const waiting *w, bool request)
{
    uint64_t now = later(a, p);
    good(a, request ? OTF2_EvtWriter_MpiIsend(p->out, NULL, now, w->peer, w->comm, w->tag, w->size,
                                              w->request)
                    : OTF2_EvtWriter_MpiSend(p->out, NULL, now, w->peer, w->comm, w->tag, w->size));
}

static void write_receive(app *a, place *p, const waiting *w, bool request)
{
    uint64_t now = later(a, p);
    good(a, request ? OTF2_EvtWriter_MpiIrecv(p->out, NULL, now, w->peer, w->comm, w->tag, w->size,
                                              w->request)
                    : OTF2_EvtWriter_MpiRecv(p->out, NULL, now, w->peer, w->comm, w->tag, w->size));
}

static void write_post(app *a, place *p, const waiting *w)
{
    good(a, OTF2_EvtWriter_MpiIrecvRequest(p->out, NULL, later(a, p), w->request));
}

/// The request `index` of the place is done.
static void complete(app *a, place *p, uint32_t index)
{
    waiting w = p->waits[index];
    memmove(p->waits + index, p->waits + index + 1, (p->count - index - 1) * sizeof w);
    p->count--;
    if (odd(a, 30))
        return;
    switch (w.kind) {
    case WAITS_SEND:
        good(a, OTF2_EvtWriter_MpiIsendComplete(p->out, NULL, later(a, p), w.request));
        break;
    case WAITS_RECEIVE:
        write_receive(a, p, &w, true);
        break;
    case WAITS_COLLECTIVE:
        good(a, OTF2_EvtWriter_NonBlockingCollectiveComplete(p->out, NULL, later(a, p),
                                                             OTF2_COLLECTIVE_OP_ALLREDUCE, w.comm,
                                                             w.peer, w.size, w.size, w.request));
        break;
    }
}

static void wait_for_all(app *a, place *p)
{
    uint32_t region = region_of("MPI_Waitall");
    enter(a, p, region);
    while (p->count > 0)
        complete(a, p, 0);
    leave(a, p, region);
}

static void wait_for_one(app *a, place *p)
{
    static const char *const names[] = {"MPI_Wait", "MPI_Waitany", "MPI_Test", "MPI_Waitsome",
                                        "MPI_Testany"};
    uint32_t region = region_of(names[below(a, 5)]);
    if (one_in(a, 50))
        region = REGION_USER; // a completion outside of MPI
    enter(a, p, region);
    if (p->count > 0)
        complete(a, p, one_in(a, 2) ? 0 : below(a, p->count));
    else if (one_in(a, 3))
        good(a, OTF2_EvtWriter_MpiRequestTest(p->out, NULL, later(a, p), 7));
    leave(a, p, region);
}

static waiting *request(app *a, place *p, waiting w)
{
    if (p->count == WAITING_MOST)
        wait_for_all(a, p);
    w.request = ++p->request;
    p->waits[p->count] = w;
    return &p->waits[p->count++];
}

// Messages

static uint32_t rank_in(const comm *c, uint32_t rank)
{
    for (uint32_t i = 0; i < c->size; i++)
        if (c->ranks[i] == rank)
            return i;
    return UINT32_MAX;
}

static bool is_member(const app *a, uint32_t number, uint32_t rank)
{
    return rank_in(&a->comms[number], rank) != UINT32_MAX;
}

static uint32_t any_comm(app *a)
{
    uint32_t at = below(a, a->comm_count - 1);
    return at == 0 ? COMM_WORLD : at + 1; // not that of the threads
}

static uint64_t any_size(app *a)
{
    static const uint64_t sizes[] = {0, 8, 4000, EAGER - 1, EAGER, EAGER + 1, 1000000};
    return sizes[below(a, 7)];
}

/// The thread of a rank that calls MPI.
static place *caller(app *a, uint32_t rank)
{
    place *master = &a->places[a->first[rank]];
    if (!a->threaded || !master->in_team)
        return master;
    return master + below(a, a->first[rank + 1] - a->first[rank]);
}

static uint32_t thread_of(const app *a, const place *p)
{
    return (uint32_t)(p - a->places) - a->first[p->rank];
}

/// Which of several threads gets a message is clear, but in wild programs.
static uint32_t any_tag(app *a, const place *from, const place *to)
{
    uint32_t pair = thread_of(a, from) * THREADS_MOST + thread_of(a, to);
    return below(a, 3) + (a->wild ? 0 : 3 * pair);
}

static void do_send(app *a, place *p, waiting w)
{
    static const char *const blocking[] = {"MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend"};
    static const char *const others[] = {"MPI_Isend", "MPI_Issend", "MPI_Startall"};
    bool waits = one_in(a, 3);
    uint32_t region = region_of(waits ? blocking[below(a, 4)] : others[below(a, 3)]);
    if (odd(a, 60))
        region = REGION_USER; // a stray one
    w.kind = WAITS_SEND;
    if (!waits)
        w = *request(a, p, w);
    enter(a, p, region);
    write_send(a, p, &w, !waits);
    leave(a, p, region);
}

static void do_receive(app *a, place *p, waiting w, bool waits)
{
    w.kind = WAITS_RECEIVE;
    uint32_t region = region_of(waits ? "MPI_Recv" : one_in(a, 5) ? "MPI_Startall" : "MPI_Irecv");
    if (!waits)
        w = *request(a, p, w);
    enter(a, p, region);
    if (waits)
        write_receive(a, p, &w, false);
    else
        write_post(a, p, &w);
    leave(a, p, region);
}

static bool any_pair(app *a, waiting *out, waiting *in, uint32_t *from, uint32_t *to)
{
    uint32_t number = any_comm(a);
    const comm *c = &a->comms[number];
    *from = below(a, a->ranks);
    if (number == COMM_SELF)
        *to = *from;
    else if (c->size == 0 || !is_member(a, number, *from))
        return false;
    else
        *to = (uint32_t)c->ranks[below(a, c->size)];
    *out = (waiting){.comm = number, .size = any_size(a)};
    *in = *out;
    if (number != COMM_SELF) {
        out->peer = rank_in(c, *to);
        in->peer = rank_in(c, *from);
    }
    return true;
}

static void message(app *a)
{
    waiting out, in;
    uint32_t from, to;
    if (!any_pair(a, &out, &in, &from, &to))
        return;
    if (odd(a, 40))
        out.peer = UINT32_MAX - 1; // MPI_PROC_NULL
    place *sender = caller(a, from), *receiver = caller(a, to);
    out.tag = in.tag = any_tag(a, sender, receiver);
    bool posted = from == to || one_in(a, 2);
    if (posted && !odd(a, 50))
        do_receive(a, receiver, in, false);
    if (!odd(a, 80))
        do_send(a, sender, out);
    if (!posted && !odd(a, 60))
        do_receive(a, receiver, in, one_in(a, 2));
}

static void exchange(app *a) // MPI_Sendrecv of two
{
    uint32_t x = below(a, a->ranks), y = below(a, a->ranks), region = region_of("MPI_Sendrecv");
    if (x == y)
        return;
    place *callers[] = {caller(a, x), caller(a, y)};
    waiting w = {.comm = COMM_WORLD, .size = any_size(a)};
    w.tag = a->wild ? below(a, 3)
                    : 100 + thread_of(a, callers[0]) * THREADS_MOST + thread_of(a, callers[1]) +
                          (x < y ? 0 : 20);
    for (unsigned i = 0; i < 2; i++) {
        place *p = callers[i];
        w.peer = i ? x : y;
        enter(a, p, region);
        if (one_in(a, 2)) {
            write_send(a, p, &w, false);
            write_receive(a, p, &w, false);
        } else {
            waiting send = w;
            send.request = ++p->request;
            waiting receive = w;
            receive.request = ++p->request;
            write_post(a, p, &receive);
            write_send(a, p, &send, true);
            write_receive(a, p, &receive, true);
        }
        leave(a, p, region);
    }
}

/// Everybody sends to the next one; large ones never go.
static void circle(app *a)
{
    uint64_t size = a->wild && one_in(a, 4) ? EAGER : EAGER - 1;
    for (uint32_t r = 0; r < a->ranks; r++) {
        place *p = &a->places[a->first[r]];
        waiting w = {.size = size, .peer = (r + 1) % a->ranks};
        enter(a, p, region_of("MPI_Send"));
        write_send(a, p, &w, false);
        leave(a, p, region_of("MPI_Send"));
        w.peer = (r + a->ranks - 1) % a->ranks;
        do_receive(a, p, w, true);
    }
}

// Collectives

static void meet(app *a, place *p, uint32_t number, const char *name, uint32_t root)
{
    uint64_t bytes = below(a, 3) * 5000;
    uint32_t region = region_of(name);
    enter(a, p, region);
    good(a, OTF2_EvtWriter_MpiCollectiveBegin(p->out, NULL, later(a, p)));
    good(a, OTF2_EvtWriter_MpiCollectiveEnd(p->out, NULL, later(a, p), OTF2_COLLECTIVE_OP_BARRIER,
                                            number, root, bytes, bytes));
    leave(a, p, region);
}

static void meet_later(app *a, place *p, uint32_t number, uint32_t root)
{
    waiting w = {.kind = WAITS_COLLECTIVE, .comm = number, .peer = root, .size = below(a, 3) * 900};
    w = *request(a, p, w);
    uint32_t region = region_of(root == OTF2_UNDEFINED_UINT32 ? "MPI_Iallreduce" : "MPI_Ibcast");
    enter(a, p, region);
    if (!odd(a, 40))
        good(a, OTF2_EvtWriter_NonBlockingCollectiveRequest(p->out, NULL, later(a, p), w.request));
    leave(a, p, region);
}

static void meeting(app *a, bool nonblocking)
{
    static const char *const names[] = {"MPI_Allreduce", "MPI_Barrier", "MPI_Bcast",
                                        "MPI_Reduce",    "MPI_Scatter", "MPI_Scan"};
    uint32_t number = any_comm(a), kind = below(a, 6);
    const comm *c = &a->comms[number];
    bool rooted = kind >= 2 && kind < 5 && number != COMM_SELF;
    uint32_t root = rooted && c->size ? below(a, c->size) : OTF2_UNDEFINED_UINT32;
    bool differs = odd(a, 12), lacks = odd(a, 12);
    for (uint32_t r = 0; r < a->ranks; r++) {
        if ((number != COMM_SELF && !is_member(a, number, r)) || (lacks && one_in(a, 4)))
            continue;
        place *p = a->wild ? caller(a, r) : &a->places[a->first[r]];
        if (nonblocking)
            meet_later(a, p, number, root);
        else
            meet(a, p, number, differs ? names[below(a, 6)] : names[kind], root);
    }
}

// Threads

static void compute(app *a)
{
    place *p = caller(a, below(a, a->ranks));
    enter(a, p, REGION_USER);
    p->now += below(a, 50000);
    leave(a, p, REGION_USER);
}

static void barrier(app *a, uint32_t rank)
{
    for (uint32_t l = a->first[rank]; l < a->first[rank + 1]; l++) {
        if (odd(a, 60))
            continue;
        enter(a, &a->places[l], REGION_BARRIER);
        a->places[l].now += below(a, 3000);
        leave(a, &a->places[l], REGION_BARRIER);
    }
}

static void task(app *a, uint32_t rank)
{
    uint32_t threads = a->first[rank + 1] - a->first[rank];
    place *maker = &a->places[a->first[rank] + below(a, threads)];
    place *doer = &a->places[a->first[rank] + below(a, threads)];
    uint32_t thread = thread_of(a, maker);
    uint32_t number = (uint32_t)++maker->request;
    good(a, OTF2_EvtWriter_ThreadTaskCreate(maker->out, NULL, later(a, maker), COMM_TEAM, thread,
                                            number));
    good(a, OTF2_EvtWriter_ThreadTaskSwitch(doer->out, NULL, later(a, doer), COMM_TEAM, thread,
                                            number));
    enter(a, doer, REGION_TASK);
    leave(a, doer, REGION_TASK);
    good(a, OTF2_EvtWriter_ThreadTaskComplete(doer->out, NULL, later(a, doer), COMM_TEAM, thread,
                                              number));
}

static void begin_team(app *a, uint32_t rank)
{
    place *master = &a->places[a->first[rank]];
    uint32_t threads = a->first[rank + 1] - a->first[rank];
    good(a, OTF2_EvtWriter_ThreadFork(master->out, NULL, later(a, master), OTF2_PARADIGM_OPENMP,
                                      threads));
    master->in_team = true;
    for (uint32_t l = a->first[rank]; l < a->first[rank + 1]; l++) {
        place *p = &a->places[l];
        if (p->now <= master->now && !odd(a, 20))
            p->now = master->now + 1;
        good(a, OTF2_EvtWriter_ThreadTeamBegin(p->out, NULL, later(a, p), COMM_TEAM));
        enter(a, p, REGION_PARALLEL);
    }
}

static void end_team(app *a, uint32_t rank)
{
    place *master = &a->places[a->first[rank]];
    barrier(a, rank);
    for (uint32_t l = a->first[rank]; l < a->first[rank + 1]; l++) {
        place *p = &a->places[l];
        if (l > a->first[rank] && p->count && !odd(a, 6))
            wait_for_all(a, p);
        leave(a, p, REGION_PARALLEL);
        good(a, OTF2_EvtWriter_ThreadTeamEnd(p->out, NULL, later(a, p), COMM_TEAM));
        master->now = master->now < p->now ? p->now : master->now;
    }
    good(a, OTF2_EvtWriter_ThreadJoin(master->out, NULL, later(a, master), OTF2_PARADIGM_OPENMP));
    master->in_team = false;
}

static void threads(app *a)
{
    uint32_t rank = below(a, a->ranks);
    if (a->first[rank + 1] - a->first[rank] == 1 && one_in(a, 2))
        return;
    if (!a->places[a->first[rank]].in_team)
        begin_team(a, rank);
    else if (one_in(a, 2))
        end_team(a, rank);
    else if (one_in(a, 2))
        barrier(a, rank);
    else
        task(a, rank);
}

// The program

static void step(app *a)
{
    uint32_t kind = below(a, 20);
    if (kind < 6)
        message(a);
    else if (kind < 9)
        wait_for_one(a, caller(a, below(a, a->ranks)));
    else if (kind < 10)
        wait_for_all(a, caller(a, below(a, a->ranks)));
    else if (kind < 12)
        meeting(a, false);
    else if (kind < 13)
        meeting(a, true);
    else if (kind < 14)
        exchange(a);
    else if (kind < 17)
        threads(a);
    else if (kind < 19)
        compute(a);
    else if (one_in(a, 4))
        circle(a);
}

static void call_once(app *a, const char *name)
{
    bool some = odd(a, 3);
    for (uint32_t r = 0; r < a->ranks; r++) {
        place *p = &a->places[a->first[r]];
        if (some && one_in(a, 3))
            continue;
        enter(a, p, region_of(name));
        p->now += below(a, 9000);
        leave(a, p, region_of(name));
    }
}

static void run(app *a)
{
    uint32_t before = one_in(a, 3) ? below(a, 4) : 0, steps = 20 + below(a, 300);
    for (uint32_t i = 0; i < before; i++)
        step(a);
    call_once(a, "MPI_Init");
    for (uint32_t i = 0; i < steps; i++)
        step(a);
    for (uint32_t r = 0; r < a->ranks; r++)
        if (a->places[a->first[r]].in_team && !odd(a, 6))
            end_team(a, r);
    for (uint32_t l = 0; l < a->locations; l++)
        if (a->places[l].count && !odd(a, 6))
            wait_for_all(a, &a->places[l]);
    call_once(a, "MPI_Finalize");
}

// Definitions

static void write_region(app *a, OTF2_GlobalDefWriter *out, uint32_t id, const char *name,
                         OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
    uint32_t string = STRING_NAMES + id;
    good(a, OTF2_GlobalDefWriter_WriteString(out, string, name));
    good(a, OTF2_GlobalDefWriter_WriteRegion(out, id, string, string, 0, role, paradigm,
                                             OTF2_REGION_FLAG_NONE, 0, 0, 0));
}

static void write_regions(app *a, OTF2_GlobalDefWriter *out)
{
    write_region(a, out, REGION_USER, "work", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
    write_region(a, out, REGION_PARALLEL, "!$omp parallel @flux.c:41", OTF2_REGION_ROLE_PARALLEL,
                 OTF2_PARADIGM_OPENMP);
    write_region(a, out, REGION_BARRIER, "!$omp implicit barrier",
                 OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP);
    write_region(a, out, REGION_TASK, "!$omp task @flux.c:50", OTF2_REGION_ROLE_TASK,
                 OTF2_PARADIGM_OPENMP);
    for (pj_mpi_call call = 1; pj_mpi_call_at(call); call++)
        write_region(a, out, REGION_CALLS + call, pj_mpi_call_at(call)->name,
                     OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI);
}

static void write_locations(app *a, OTF2_GlobalDefWriter *out)
{
    good(a,
         OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, 1, 2, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t r = 0; r < a->ranks; r++)
        good(a, OTF2_GlobalDefWriter_WriteLocationGroup(out, r, 3, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                        0, OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint32_t l = 0; l < a->locations; l++) {
        uint64_t events = 0;
        OTF2_EvtWriter_GetNumberOfEvents(a->places[l].out, &events);
        good(a, OTF2_GlobalDefWriter_WriteLocation(out, l, 4, OTF2_LOCATION_TYPE_CPU_THREAD, events,
                                                   a->places[l].rank));
    }
}

static void write_comm(app *a, OTF2_GlobalDefWriter *out, uint32_t id, OTF2_GroupType type,
                       OTF2_Paradigm paradigm)
{
    const comm *c = &a->comms[id];
    good(a, OTF2_GlobalDefWriter_WriteGroup(out, 1 + id, 5, type, paradigm, OTF2_GROUP_FLAG_NONE,
                                            c->size, c->ranks));
    good(a, OTF2_GlobalDefWriter_WriteComm(out, id, 5, 1 + id, OTF2_UNDEFINED_COMM,
                                           OTF2_COMM_FLAG_NONE));
}

static void write_comms(app *a, OTF2_GlobalDefWriter *out)
{
    uint64_t masters[RANKS_MOST];
    for (uint32_t r = 0; r < a->ranks; r++)
        masters[r] = a->first[r];
    good(a, OTF2_GlobalDefWriter_WriteGroup(out, 0, 5, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, a->ranks,
                                            masters));
    write_comm(a, out, COMM_WORLD, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI);
    write_comm(a, out, COMM_TEAM, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP);
    write_comm(a, out, COMM_SELF, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI);
    for (uint32_t id = COMM_OTHERS; id < a->comm_count; id++)
        write_comm(a, out, id, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI);
}

static void write_definitions(app *a)
{
    static const char *const texts[] = {"", "machine", "node", "process", "thread", "group"};
    OTF2_GlobalDefWriter *out = OTF2_Archive_GetGlobalDefWriter(a->archive);
    good(a, OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, 0, UINT64_C(1) << 40,
                                                      OTF2_UNDEFINED_TIMESTAMP));
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        good(a, OTF2_GlobalDefWriter_WriteString(out, i, texts[i]));
    write_regions(a, out);
    write_locations(a, out);
    write_comms(a, out);
    good(a, OTF2_Archive_CloseGlobalDefWriter(a->archive, out));
}

/// The offsets know what is constant, or nothing.
static void write_offsets(app *a)
{
    bool known = one_in(a, 2);
    good(a, OTF2_Archive_OpenDefFiles(a->archive));
    for (uint32_t l = 0; l < a->locations; l++) {
        OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(a->archive, l);
        int64_t offset = -(int64_t)a->places[l].rank * a->ahead;
        if (known) {
            good(a, OTF2_DefWriter_WriteClockOffset(out, 0, offset, 0));
            good(a, OTF2_DefWriter_WriteClockOffset(out, UINT64_C(1) << 39, offset, 0));
        }
        good(a, OTF2_Archive_CloseDefWriter(a->archive, out));
    }
    good(a, OTF2_Archive_CloseDefFiles(a->archive));
}

// Archives

static void choose(app *a)
{
    a->ranks = 2 + below(a, RANKS_MOST - 1);
    bool several = one_in(a, 2);
    for (uint32_t r = 0; r < a->ranks; r++)
        a->first[r + 1] = a->first[r] + (several ? 1 + below(a, THREADS_MOST) : 1);
    a->locations = a->first[a->ranks];
    a->wild = one_in(a, 2);
    a->threaded = one_in(a, 3);
    a->grain = one_in(a, 4) ? 1000 : 1;
    a->ahead = one_in(a, 3) ? below(a, 40000) : 0;
    a->drift = one_in(a, 3) ? (int64_t)below(a, 200000) - 100000 : 0;
    a->comm_count = COMM_OTHERS + below(a, COMMS_MOST - COMM_OTHERS);
    for (uint32_t i = 0; i < a->comm_count; i++)
        for (uint32_t r = 0; r < a->ranks && i != COMM_SELF; r++)
            if (i < COMM_OTHERS || one_in(a, 2))
                a->comms[i].ranks[a->comms[i].size++] = r;
    a->comms[COMM_TEAM].size = 1;
}

static void write_archive(app *a)
{
    good(a, OTF2_Archive_SetFlushCallbacks(a->archive, &pj_otf2_flush, NULL));
    good(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->archive));
    good(a, OTF2_Archive_SetCreator(a->archive, "Score-P 8.4"));
    good(a, OTF2_Archive_OpenEvtFiles(a->archive));
    for (uint32_t r = 0; r < a->ranks; r++)
        for (uint32_t l = a->first[r]; l < a->first[r + 1]; l++) {
            a->places[l].rank = r;
            a->places[l].out = OTF2_Archive_GetEvtWriter(a->archive, l);
        }
    run(a);
    write_definitions(a);
    for (uint32_t l = 0; l < a->locations; l++)
        good(a, OTF2_Archive_CloseEvtWriter(a->archive, a->places[l].out));
    good(a, OTF2_Archive_CloseEvtFiles(a->archive));
    write_offsets(a);
}

/// One file of events is gone, or ends too early.
static void damage(app *a, const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, "%s/run/%u.evt", folder, below(a, a->locations));
    int done = one_in(a, 4) ? unlink(path) : truncate(path, 300 + below(a, 3000));
    a->failed |= done != 0;
}

bool pj_random_archive_save(uint64_t seed, const char *folder)
{
    app *a = pj_take_memory(sizeof *a);
    *a = (app){.random = seed};
    choose(a);
    a->archive = OTF2_Archive_Open(folder, "run", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                   OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (a->archive) {
        write_archive(a);
        good(a, OTF2_Archive_Close(a->archive));
        if (odd(a, 5))
            damage(a, folder);
    }
    bool saved = a->archive && !a->failed;
    free(a);
    return saved;
}
