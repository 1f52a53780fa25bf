// Random programs: the replay against a simulator that has the whole program before it, and events
// without sense, which must end.
#include "tests/support/replay_script.h"
#include "tests/support/rounds.h"

#include "metrics/base/buf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// A program: what each rank does, in an order in which nobody waits for ever

typedef enum op_kind {
    OP_SEND,
    OP_ISEND,
    OP_RECV,
    OP_IRECV,
    OP_WAIT, // for a message
    OP_SENDRECV,
    OP_NOTHING, // a call without meaning
    OP_BARRIER,
    OP_REDUCE,
    OP_IBARRIER,
    OP_IREDUCE,
    OP_COMPLETE, // waits for a non-blocking collective
    OP_INIT,
} op_kind;

typedef struct op {
    op_kind kind;
    uint32_t rank;
    uint32_t burst;    // computation before it
    uint32_t overhead; // of the call in the real run
    int message;       // sent, received or waited for; -1 = none
    int second;        // OP_SENDRECV: the message received
    int meeting;       // collective
    bool root;
    uint32_t number;   // of a request among those of its rank
    double begin, end; // result of simulate()
} op;

typedef struct letter {
    uint64_t size;
    uint32_t from, to;
    int send, post, wait; // indices of ops; wait = post for blocking receives
} letter;

typedef struct meeting {
    uint32_t communicator, members;
    bool to_root; // the others do not wait
} meeting;

typedef struct program {
    uint32_t ranks;
    bool requests; // completions tell what was requested, in any order
    uint32_t requested[8];
    op *ops; // of all ranks, in an order that could have been
    size_t count, cap;
    letter *letters;
    size_t letter_count, letter_cap;
    meeting *meetings;
    size_t meeting_count, meeting_cap;
} program;

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    return next_random(seed) % limit;
}

static int add_op(program *p, uint64_t *seed, uint32_t rank, op_kind kind, int message)
{
    pj_grow(p->ops, &p->cap, p->count + 1);
    uint32_t burst = below(seed, 4) ? below(seed, 1000) : 0; // calls may touch, or last no time:
    uint32_t overhead = burst > 0 && below(seed, 3) ? 0 : 1 + below(seed, 200); // but not both
    p->ops[p->count] = (op){.kind = kind,
                            .rank = rank,
                            .burst = burst,
                            .overhead = overhead,
                            .message = message,
                            .second = -1,
                            .meeting = -1};
    return (int)p->count++;
}

static int add_letter(program *p, uint64_t *seed, uint32_t from, uint32_t to)
{
    static const uint64_t sizes[] = {0, 8, 32767, 32768, 1000000};
    pj_grow(p->letters, &p->letter_cap, p->letter_count + 1);
    p->letters[p->letter_count] = (letter){.size = sizes[below(seed, 5)], .from = from, .to = to};
    return (int)p->letter_count++;
}

static void add_message(program *p, uint64_t *seed)
{
    uint32_t from = below(seed, p->ranks), to = below(seed, p->ranks);
    int m = add_letter(p, seed, from, to);
    bool early = from == to || below(seed, 2); // the receive is posted first, by an Irecv
    int post = early ? add_op(p, seed, to, OP_IRECV, m) : 0;
    if (early && below(seed, 2))
        add_op(p, seed, to, OP_NOTHING, -1);
    int send = add_op(p, seed, from, below(seed, 2) ? OP_SEND : OP_ISEND, m);
    if (!early && below(seed, 2))
        post = add_op(p, seed, to, OP_RECV, m);
    else if (!early)
        post = add_op(p, seed, to, OP_IRECV, m);
    int wait = p->ops[post].kind == OP_RECV ? post : add_op(p, seed, to, OP_WAIT, m);
    letter *l = &p->letters[m];
    l->send = send;
    l->post = post;
    l->wait = wait;
}

static void add_exchange(program *p, uint64_t *seed)
{
    uint32_t a = below(seed, p->ranks), b = below(seed, p->ranks);
    if (a == b)
        return;
    int there = add_letter(p, seed, a, b), back = add_letter(p, seed, b, a);
    int first = add_op(p, seed, a, OP_SENDRECV, there),
        second = add_op(p, seed, b, OP_SENDRECV, back);
    p->ops[first].second = back;
    p->ops[second].second = there;
    p->letters[there].send = p->letters[back].post = p->letters[back].wait = first;
    p->letters[back].send = p->letters[there].post = p->letters[there].wait = second;
}

/// Communicator 1 holds all ranks, 2 the even ones. Gives its number.
static int add_meeting(program *p, uint64_t *seed, op_kind kind)
{
    uint32_t step = 1 + below(seed, 2), members = (p->ranks + step - 1) / step;
    uint32_t root = step * below(seed, members);
    pj_grow(p->meetings, &p->meeting_cap, p->meeting_count + 1);
    p->meetings[p->meeting_count] = (meeting){step, members, kind == OP_IREDUCE};
    for (uint32_t r = 0; r < p->ranks; r += step) {
        int at = add_op(p, seed, r, kind, -1);
        p->ops[at].meeting = (int)p->meeting_count;
        p->ops[at].root = r == root;
        if (kind == OP_IBARRIER || kind == OP_IREDUCE)
            p->ops[at].number = p->requested[r]++;
    }
    return (int)p->meeting_count++;
}

/// Completes the meeting that the operation `request` takes part in.
static void add_completion(program *p, uint64_t *seed, op request)
{
    int at = add_op(p, seed, request.rank, OP_COMPLETE, -1);
    p->ops[at].meeting = request.meeting;
    p->ops[at].root = request.root;
    p->ops[at].number = request.number;
}

/// Some non-blocking collectives, open together; each rank completes them in an order of its own.
static void add_requests(program *p, uint64_t *seed)
{
    size_t first = p->count;
    for (uint32_t n = p->requests ? 1 + below(seed, 4) : 1; n > 0; n--) {
        add_meeting(p, seed, p->requests && !below(seed, 3) ? OP_IREDUCE : OP_IBARRIER);
        if (p->requests && !below(seed, 3))
            add_meeting(p, seed, OP_BARRIER);
        if (p->requests && !below(seed, 3))
            add_message(p, seed);
    }
    op open[4 * 8];
    uint32_t count = 0;
    for (size_t i = first; i < p->count; i++)
        if (p->ops[i].kind == OP_IBARRIER || p->ops[i].kind == OP_IREDUCE)
            open[count++] = p->ops[i];
    for (uint32_t left = count; left > 0; left--) {
        uint32_t at = p->requests ? below(seed, left) : count - left;
        add_completion(p, seed, open[at]);
        if (p->requests)
            open[at] = open[left - 1];
        if (p->requests && !below(seed, 8))
            add_meeting(p, seed, OP_BARRIER);
    }
}

static program random_program(uint64_t seed)
{
    program p = {.ranks = 1 + below(&seed, 6), .requests = below(&seed, 2)};
    if (below(&seed, 2)) {
        p.meetings = pj_grow_array(NULL, &p.meeting_cap, 1, sizeof *p.meetings);
        p.meetings[p.meeting_count++] = (meeting){.communicator = 1, .members = p.ranks};
        for (uint32_t r = 0; r < p.ranks; r++)
            add_op(&p, &seed, r, OP_INIT, -1);
        for (size_t i = 0; i < p.count; i++)
            p.ops[i].meeting = 0;
    }
    for (uint32_t steps = below(&seed, 60); steps > 0; steps--) {
        uint32_t kind = below(&seed, 6);
        if (kind < 3)
            add_message(&p, &seed);
        else if (kind == 3)
            add_exchange(&p, &seed);
        else if (kind == 4 && below(&seed, 4))
            add_meeting(&p, &seed, below(&seed, 3) ? OP_BARRIER : OP_REDUCE);
        else if (kind == 4)
            add_requests(&p, &seed);
        else
            add_op(&p, &seed, below(&seed, p.ranks), OP_NOTHING, -1);
    }
    return p;
}

static void free_program(program *p)
{
    free(p->ops);
    free(p->letters);
    free(p->meetings);
}

// The simulator: goes through the program again and again until nothing changes

static const double not_yet = -1;

typedef struct simulation {
    const program *p;
    uint64_t eager;
    bool real;    // calls have their overhead
    double *sent; // by message: clocks, not_yet before
    double *posted;
    double *last; // by meeting: last arrival
    uint32_t *arrived;
} simulation;

/// The end of a receive, not_yet when the message is not there.
static double received(const simulation *s, int m, double clock)
{
    if (s->sent[m] == not_yet)
        return not_yet;
    double start = s->sent[m];
    if (s->p->letters[m].size >= s->eager)
        start = fmax(start, s->posted[m]);
    return fmax(clock, start);
}

static void set_once(double *clock, double value)
{
    if (*clock == not_yet)
        *clock = value;
}

static double sent(const simulation *s, const op *o, double clock)
{
    set_once(&s->sent[o->message], clock);
    if (o->kind == OP_ISEND || s->p->letters[o->message].size < s->eager)
        return clock;
    return s->posted[o->message] == not_yet ? not_yet : fmax(clock, s->posted[o->message]);
}

static double met(const simulation *s, const op *o, double clock)
{
    if (s->arrived[o->meeting] < s->p->meetings[o->meeting].members)
        return not_yet;
    return fmax(clock, s->last[o->meeting]);
}

/// Clock at the end of an operation that is entered at `clock`; not_yet while it must wait.
static double end_of(const simulation *s, const op *o, double clock, bool first)
{
    switch (o->kind) {
    case OP_SEND:
    case OP_ISEND:
        return sent(s, o, clock);
    case OP_IRECV:
        set_once(&s->posted[o->message], clock);
        return clock;
    case OP_RECV:
        set_once(&s->posted[o->message], clock);
        return received(s, o->message, clock);
    case OP_WAIT:
        return received(s, o->message, clock);
    case OP_SENDRECV: {
        set_once(&s->posted[o->second], clock);
        double done = sent(s, o, clock);
        return done == not_yet ? not_yet : received(s, o->second, done);
    }
    case OP_NOTHING:
        return clock;
    case OP_BARRIER:
    case OP_REDUCE:
    case OP_IBARRIER:
    case OP_IREDUCE:
    case OP_INIT:
        if (first) {
            s->arrived[o->meeting]++;
            s->last[o->meeting] = fmax(s->last[o->meeting], clock);
        }
        if (o->kind == OP_IBARRIER || o->kind == OP_IREDUCE ||
            (o->kind == OP_REDUCE && !o->root && !s->real))
            return clock;
        return met(s, o, clock);
    case OP_COMPLETE:
        return s->p->meetings[o->meeting].to_root && !o->root ? clock : met(s, o, clock);
    }
    return clock;
}

/// Writes begin and end of every operation; the clock of each rank at its end in `finish`.
static void simulate(const program *p, uint64_t eager, bool real, double *finish)
{
    simulation s = {.p = p, .eager = eager, .real = real};
    size_t n = p->letter_count + p->meeting_count + 1;
    s.sent = calloc(n, sizeof *s.sent);
    s.posted = calloc(n, sizeof *s.posted);
    s.last = calloc(n, sizeof *s.last);
    s.arrived = calloc(n, sizeof *s.arrived);
    for (size_t i = 0; i < n; i++)
        s.sent[i] = s.posted[i] = not_yet;
    for (size_t i = 0; i < p->count; i++)
        p->ops[i].begin = p->ops[i].end = not_yet;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = 0; r < p->ranks; r++) {
            finish[r] = 0;
            for (size_t i = 0; i < p->count && finish[r] != not_yet; i++) {
                op *o = &p->ops[i];
                if (o->rank != r)
                    continue;
                bool first = o->begin == not_yet;
                o->begin = finish[r] + o->burst;
                double end = o->end;
                if (end == not_yet)
                    end = end_of(&s, o, o->begin, first);
                if (end != not_yet && o->end == not_yet && real)
                    end += o->overhead;
                changed = changed || first || end != o->end;
                finish[r] = o->end = end;
            }
        }
    }
    free(s.sent);
    free(s.posted);
    free(s.last);
    free(s.arrived);
}

// From a program to events

static const char *call_name(const op *o)
{
    switch (o->kind) {
    case OP_SEND:
        return o->burst % 2 ? "MPI_Send" : "MPI_Ssend";
    case OP_ISEND:
        return "MPI_Isend";
    case OP_RECV:
        return "MPI_Recv";
    case OP_IRECV:
        return "MPI_Irecv";
    case OP_WAIT:
        return o->burst % 2 ? "MPI_Waitall" : "MPI_Wait";
    case OP_SENDRECV:
        return "MPI_Sendrecv";
    case OP_NOTHING:
        return o->burst % 2 ? "MPI_Comm_rank" : "MPI_Comm_size";
    case OP_BARRIER:
        return "MPI_Bcast";
    case OP_REDUCE:
        return "MPI_Reduce";
    case OP_IBARRIER:
        return "MPI_Ibarrier";
    case OP_IREDUCE:
        return "MPI_Ireduce";
    case OP_COMPLETE:
        return "MPI_Wait";
    case OP_INIT:
        return "MPI_Init";
    }
    return "";
}

static bool is_request(const program *p, const op *o)
{
    return p->requests &&
           (o->kind == OP_IBARRIER || o->kind == OP_IREDUCE || o->kind == OP_COMPLETE);
}

static void add_request(pj_script *s, const program *p, const op *o)
{
    pj_script_completion done = {o->number, p->meetings[o->meeting].communicator, .root = o->root};
    bool completes = o->kind == OP_COMPLETE;
    pj_script_request(s, o->rank,
                      (pj_script_part){.name = call_name(o),
                                       .begin = (uint64_t)o->begin,
                                       .end = (uint64_t)o->end,
                                       .requests = !completes,
                                       .completes = &done,
                                       .count = completes});
}

static pj_script *script_of(const program *p)
{
    pj_script *s = pj_script_new(p->ranks, 1);
    uint32_t even[8], count = 0;
    for (uint32_t r = 0; r < p->ranks; r += 2)
        even[count++] = r;
    pj_script_communicator(s, 2, even, count);
    for (size_t i = 0; i < p->count; i++) {
        const op *o = &p->ops[i];
        uint64_t begin = (uint64_t)o->begin, end = (uint64_t)o->end;
        if (is_request(p, o))
            add_request(s, p, o);
        else if (o->meeting < 0 || o->kind == OP_COMPLETE || o->kind == OP_INIT)
            pj_script_call(s, o->rank, call_name(o), begin, end);
        else
            pj_script_collect(
                s, o->rank,
                (pj_script_collective){.name = call_name(o),
                                       .begin = begin,
                                       .end = end,
                                       .communicator = p->meetings[o->meeting].communicator,
                                       .root = o->root});
    }
    for (size_t i = 0; i < p->letter_count; i++) {
        const letter *l = &p->letters[i];
        pj_script_send(s, (pj_script_message){.from = l->from,
                                              .to = l->to,
                                              .send = (uint64_t)p->ops[l->send].begin,
                                              .post = (uint64_t)p->ops[l->post].begin,
                                              .received = (uint64_t)p->ops[l->wait].end,
                                              .size = l->size});
    }
    return s;
}

static void check_program(uint64_t seed)
{
    program p = random_program(seed);
    double real[8], ideal[8];
    simulate(&p, UINT64_MAX, true, real);
    pj_auto_script s = script_of(&p);
    simulate(&p, 32768, false, ideal);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, seed % 3 ? seed % 50 : 0);
    if (!s->run->ideal.available)
        fail_msg("seed %llu: %s", (unsigned long long)seed, s->run->ideal.reason);
    for (uint32_t r = 0; r < p.ranks; r++) {
        assert_true(ideal[r] != not_yet);
        if (s->run->ideal.finish_ns[r] != ideal[r])
            fail_msg("seed %llu rank %u of %u: %.0f is not %.0f", (unsigned long long)seed, r,
                     p.ranks, s->run->ideal.finish_ns[r], ideal[r]);
    }
    free_program(&p);
}

static void programs_take_what_the_simulator_says(void **state)
{
    (void)state;
    const uint64_t rounds = pj_rounds(20000, 200000);
    for (uint64_t seed = 1; seed <= rounds; seed++)
        check_program(seed);
}

// Events without sense

static void random_event(pj_script *s, uint64_t *seed, uint64_t *time)
{
    uint32_t location = below(seed, s->run->layout.locations);
    *time += below(seed, 20);
    uint64_t at = below(seed, 10) ? *time : below(seed, 400);
    switch (below(seed, 6)) {
    case 0:
        pj_script_send(s, (pj_script_message){.from = location,
                                              .to = below(seed, s->run->layout.locations),
                                              .send = below(seed, 400),
                                              .post = below(seed, 400),
                                              .received = below(seed, 400),
                                              .size = below(seed, 70000),
                                              .record = at});
        break;
    case 1:
        pj_script_openmp(s, location, (uint16_t)(1 + below(seed, 7)), below(seed, 3), at);
        break;
    case 2:
        pj_script_event(s, (pj_event){.time = at,
                                      .a = below(seed, 4),
                                      .b = below(seed, 100),
                                      .location = location,
                                      .kind = PJ_EV_COLLECTIVE,
                                      .code = (uint16_t)below(seed, 2)});
        break;
    case 3:
        pj_script_event(
            s, (pj_event){.time = at,
                          .a = (uint64_t)below(seed, 4) << 32 | below(seed, 4),
                          .location = location,
                          .kind = (uint16_t)(below(seed, 2) ? PJ_EV_REQUEST : PJ_EV_COMPLETE),
                          .code = (uint16_t)below(seed, 2)});
        break;
    default:
        pj_script_event(s, (pj_event){.time = at,
                                      .a = below(seed, 2) * below(seed, 200),
                                      .location = location,
                                      .kind = PJ_EV_MPI,
                                      .code = (uint16_t)(1 + below(seed, 5))});
    }
}

static void events_without_sense_end(void **state)
{
    (void)state;
    unsigned available = 0;
    for (uint64_t k = 1; k <= 20000; k++) {
        uint64_t seed = k, time = 0;
        pj_auto_script s = pj_script_new(1 + below(&seed, 4), 1 + below(&seed, 3));
        for (uint32_t i = below(&seed, 60); i > 0; i--)
            random_event(s, &seed, &time);
        pj_script_replay(s, (pj_replay_opts){.job = NULL}, 1 + k % 7);
        available += s->run->ideal.available;
        if (s->run->ideal.available)
            assert_true(s->run->ideal.runtime_ns >= 0);
        else
            assert_non_null(s->run->ideal.reason);
    }
    assert_true(available > 1000); // and not all are refused
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_take_what_the_simulator_says),
        cmocka_unit_test(events_without_sense_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
