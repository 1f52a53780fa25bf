// A program is one list of operations, in an order in which nobody waits for ever. The simulator
// goes through it again and again until nothing changes.
#include "tests/support/trace/random_program.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <math.h>
#include <stdlib.h>

// A program

typedef enum op_kind {
    OP_SEND,
    OP_ISEND,
    OP_RECV,
    OP_IRECV,
    OP_WAIT,  // for a message
    OP_WAITS, // for some at once
    OP_START, // posts some and sends some
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
    int message;       // sent, received or waited for; -1 = none; OP_WAITS: the first one
    int second;        // OP_SENDRECV: the message received; OP_START: the first one to be posted
    int count;         // OP_WAITS: how many wait; OP_START: are sent
    int posts;         // OP_START: are posted
    int meeting;       // collective
    bool root;
    uint32_t number;   // of a request among those of its rank
    double begin, end; // result of simulate()
} op;

typedef struct letter {
    uint64_t size;
    uint32_t from, to, tag;
    int send, post, wait; // indices of ops; wait = post for blocking receives
} letter;

typedef struct meeting {
    uint32_t communicator, members;
    bool to_root; // the others do not wait
} meeting;

struct random_program {
    uint32_t ranks;
    bool requests; // completions tell what was requested, in any order
    uint32_t requested[RANDOM_PROGRAM_RANKS];
    op *ops; // of all ranks, in an order that could have been
    size_t count, cap;
    letter *letters;
    size_t letter_count, letter_cap;
    meeting *meetings;
    size_t meeting_count, meeting_cap;
};

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

uint32_t random_program_below(uint64_t *seed, uint32_t limit)
{
    return next_random(seed) % limit;
}

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    return random_program_below(seed, limit);
}

static int add_op(random_program *p, uint64_t *seed, uint32_t rank, op_kind kind, int message)
{
    pj_grow(p->ops, &p->cap, p->count + 1);
    uint32_t burst = below(seed, 4) ? below(seed, 1000) : 0; // calls may touch, or last no time:
    uint32_t overhead = burst > 0 && below(seed, 3) ? 0 : 1 + below(seed, 200); // but not both,
    overhead += kind == OP_START && overhead == 0; // and what takes any number of ends does
    p->ops[p->count] = (op){.kind = kind,
                            .rank = rank,
                            .burst = burst,
                            .overhead = overhead,
                            .message = message,
                            .second = -1,
                            .meeting = -1};
    return (int)p->count++;
}

static int add_letter(random_program *p, uint64_t *seed, uint32_t from, uint32_t to)
{
    static const uint64_t sizes[] = {0, 8, 32767, 32768, 1000000};
    pj_grow(p->letters, &p->letter_cap, p->letter_count + 1);
    p->letters[p->letter_count] = (letter){.size = sizes[below(seed, 5)], .from = from, .to = to};
    return (int)p->letter_count++;
}

static void add_message(random_program *p, uint64_t *seed)
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

static void add_exchange(random_program *p, uint64_t *seed)
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

/// A number of letters from one rank to another; gives the first one.
static int add_letters(random_program *p, uint64_t *seed, uint32_t from, uint32_t to, int count)
{
    int first = (int)p->letter_count;
    for (int i = 0; i < count; i++)
        add_letter(p, seed, from, to);
    return first;
}

/// One rank's part in a bundle: first it posts, then it sends.
static void begin_bundle(random_program *p, uint64_t *seed, op part, bool at_once)
{
    if (at_once) {
        int at = add_op(p, seed, part.rank, OP_START, part.message);
        p->ops[at].second = part.second;
        p->ops[at].count = part.count;
        p->ops[at].posts = part.posts;
        for (int i = 0; i < part.posts; i++)
            p->letters[part.second + i].post = at;
        for (int i = 0; i < part.count; i++)
            p->letters[part.message + i].send = at;
        return;
    }
    for (int i = 0; i < part.posts; i++)
        p->letters[part.second + i].post = add_op(p, seed, part.rank, OP_IRECV, part.second + i);
}

static void send_bundle(random_program *p, uint64_t *seed, op part)
{
    for (int i = 0; i < part.count; i++)
        p->letters[part.message + i].send =
            add_op(p, seed, part.rank, below(seed, 2) ? OP_SEND : OP_ISEND, part.message + i);
}

/// Waits for all together, or for one after another in any order.
static void end_bundle(random_program *p, uint64_t *seed, op part)
{
    if (part.posts > 0 && below(seed, 2)) {
        int at = add_op(p, seed, part.rank, OP_WAITS, part.second);
        p->ops[at].count = part.posts;
        for (int i = 0; i < part.posts; i++)
            p->letters[part.second + i].wait = at;
        return;
    }
    uint32_t first = below(seed, 4);
    for (int i = 0; i < part.posts; i++) {
        int m = part.second + (i + (int)first) % part.posts;
        p->letters[m].wait = add_op(p, seed, part.rank, OP_WAIT, m);
    }
}

/// Messages between two ranks that are open together.
static void add_bundle(random_program *p, uint64_t *seed)
{
    uint32_t a = below(seed, p->ranks), b = below(seed, p->ranks);
    if (a == b)
        return;
    op parts[2] = {{.rank = a, .count = 1 + (int)below(seed, 3)}, {.rank = b}};
    parts[1].count = parts[0].posts = (int)below(seed, 3);
    parts[1].posts = parts[0].count;
    parts[0].message = parts[1].second = add_letters(p, seed, a, b, parts[0].count);
    parts[1].message = parts[0].second = add_letters(p, seed, b, a, parts[1].count);
    bool at_once = below(seed, 2);
    for (int i = 0; i < 2; i++)
        begin_bundle(p, seed, parts[i], at_once);
    for (int i = 0; i < 2 && !at_once; i++)
        send_bundle(p, seed, parts[i]);
    for (int i = 0; i < 2; i++)
        end_bundle(p, seed, parts[i]);
}

/// Few tags, but none that would let messages change places: letters are in the order of sending.
static void set_tags(random_program *p, uint64_t *seed)
{
    for (size_t i = 0; i < p->letter_count; i++) {
        letter *l = &p->letters[i];
        l->tag = below(seed, 3);
        for (size_t k = 0; k < i; k++) {
            const letter *other = &p->letters[k];
            if (other->from == l->from && other->to == l->to && other->tag == l->tag &&
                other->wait > l->wait)
                l->tag = 10 + (uint32_t)i;
        }
    }
}

/// Communicator 1 holds all ranks, 2 the even ones. Gives its number.
static int add_meeting(random_program *p, uint64_t *seed, op_kind kind)
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
static void add_completion(random_program *p, uint64_t *seed, op request)
{
    int at = add_op(p, seed, request.rank, OP_COMPLETE, -1);
    p->ops[at].meeting = request.meeting;
    p->ops[at].root = request.root;
    p->ops[at].number = request.number;
}

/// Some non-blocking collectives, open together; each rank completes them in an order of its own.
static void add_requests(random_program *p, uint64_t *seed)
{
    size_t first = p->count;
    for (uint32_t n = p->requests ? 1 + below(seed, 4) : 1; n > 0; n--) {
        add_meeting(p, seed, p->requests && !below(seed, 3) ? OP_IREDUCE : OP_IBARRIER);
        if (p->requests && !below(seed, 3))
            add_meeting(p, seed, OP_BARRIER);
        if (p->requests && !below(seed, 3))
            add_message(p, seed);
    }
    op open[4 * RANDOM_PROGRAM_RANKS];
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

random_program *random_program_new(uint64_t seed)
{
    random_program *p = pj_take_memory(sizeof *p);
    *p = (random_program){.ranks = 1 + below(&seed, RANDOM_PROGRAM_RANKS)};
    p->requests = below(&seed, 2);
    if (below(&seed, 2)) {
        p->meetings = pj_grow_array(NULL, &p->meeting_cap, 1, sizeof *p->meetings);
        p->meetings[p->meeting_count++] = (meeting){.communicator = 1, .members = p->ranks};
        for (uint32_t r = 0; r < p->ranks; r++)
            add_op(p, &seed, r, OP_INIT, -1);
        for (size_t i = 0; i < p->count; i++)
            p->ops[i].meeting = 0;
    }
    for (uint32_t steps = below(&seed, 60); steps > 0; steps--) {
        uint32_t kind = below(&seed, 7);
        if (kind < 3)
            add_message(p, &seed);
        else if (kind == 6)
            add_bundle(p, &seed);
        else if (kind == 3)
            add_exchange(p, &seed);
        else if (kind == 4 && below(&seed, 4))
            add_meeting(p, &seed, below(&seed, 3) ? OP_BARRIER : OP_REDUCE);
        else if (kind == 4)
            add_requests(p, &seed);
        else
            add_op(p, &seed, below(&seed, p->ranks), OP_NOTHING, -1);
    }
    set_tags(p, &seed);
    return p;
}

void random_program_free(random_program *p)
{
    if (!p)
        return;
    free(p->ops);
    free(p->letters);
    free(p->meetings);
    free(p);
}

uint32_t random_program_ranks(const random_program *p)
{
    return p->ranks;
}

// The simulator

static const double not_yet = -1;

typedef struct simulation {
    const random_program *p;
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

static double sent(const simulation *s, int m, bool blocking, double clock)
{
    set_once(&s->sent[m], clock);
    if (!blocking || s->p->letters[m].size < s->eager)
        return clock;
    return s->posted[m] == not_yet ? not_yet : fmax(clock, s->posted[m]);
}

static double started(const simulation *s, const op *o, double clock)
{
    for (int i = 0; i < o->posts; i++)
        set_once(&s->posted[o->second + i], clock);
    for (int i = 0; i < o->count && clock != not_yet; i++)
        clock = sent(s, o->message + i, true, clock);
    return clock;
}

static double all_received(const simulation *s, const op *o, double clock)
{
    for (int i = 0; i < o->count && clock != not_yet; i++)
        clock = received(s, o->message + i, clock);
    return clock;
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
        return sent(s, o->message, o->kind == OP_SEND, clock);
    case OP_IRECV:
        set_once(&s->posted[o->message], clock);
        return clock;
    case OP_RECV:
        set_once(&s->posted[o->message], clock);
        return received(s, o->message, clock);
    case OP_WAIT:
        return received(s, o->message, clock);
    case OP_WAITS:
        return all_received(s, o, clock);
    case OP_START:
        return started(s, o, clock);
    case OP_SENDRECV: {
        set_once(&s->posted[o->second], clock);
        double done = sent(s, o->message, true, clock);
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
static void simulate(const random_program *p, uint64_t eager, bool real, double *finish)
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

bool random_program_ideal(const random_program *p, double finish[RANDOM_PROGRAM_RANKS])
{
    enum { EAGER = 32768 };
    bool all = true;
    simulate(p, EAGER, false, finish);
    for (uint32_t r = 0; r < p->ranks; r++)
        all = all && finish[r] != not_yet;
    return all;
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
    case OP_WAITS:
        return o->burst % 2 ? "MPI_Waitall" : "MPI_Waitsome";
    case OP_START:
        return "MPI_Startall";
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

static bool is_request(const random_program *p, const op *o)
{
    return p->requests &&
           (o->kind == OP_IBARRIER || o->kind == OP_IREDUCE || o->kind == OP_COMPLETE);
}

static void add_request(pj_script *s, const random_program *p, const op *o)
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

/// The ends of letters in an operation; a blocking receive may be told as a request and its end.
static size_t ends_of(const random_program *p, int at, pj_script_end *ends)
{
    size_t count = 0;
    for (size_t i = 0; i < p->letter_count; i++) {
        const letter *l = &p->letters[i];
        pj_script_end end = {.communicator = l->tag % 2, .tag = l->tag};
        bool split = l->wait != l->post || i % 4 == 0;
        if (l->send == at) {
            end.kind = PJ_PART_SEND;
            end.other = l->to;
            end.more = l->size;
            ends[count++] = end;
        }
        end.other = l->from;
        end.more = (uint64_t)p->ops[l->post].begin;
        if (l->post == at && split) {
            end.kind = PJ_PART_POST;
            ends[count++] = end;
        }
        if (l->wait == at) {
            end.kind = split ? PJ_PART_COMPLETE : PJ_PART_RECEIVE;
            ends[count++] = end;
        }
    }
    return count;
}

static void add_call(pj_script *s, const random_program *p, int at, bool apart)
{
    const op *o = &p->ops[at];
    pj_script_end ends[16];
    pj_script_ends call = {
        .name = call_name(o), .begin = (uint64_t)o->begin, .end = (uint64_t)o->end, .ends = ends};
    if (apart)
        call.count = ends_of(p, at, ends);
    if (call.count)
        pj_script_apart(s, o->rank, call);
    else
        pj_script_call(s, o->rank, call.name, call.begin, call.end);
}

pj_script *random_program_script(const random_program *p, bool apart)
{
    double finish[RANDOM_PROGRAM_RANKS];
    simulate(p, UINT64_MAX, true, finish);
    pj_script *s = pj_script_new(p->ranks, 1);
    s->run->told.messages_apart = apart;
    uint32_t even[RANDOM_PROGRAM_RANKS], count = 0;
    for (uint32_t r = 0; r < p->ranks; r += 2)
        even[count++] = r;
    pj_script_communicator(s, 2, even, count);
    for (size_t i = 0; i < p->count; i++) {
        const op *o = &p->ops[i];
        uint64_t begin = (uint64_t)o->begin, end = (uint64_t)o->end;
        if (is_request(p, o))
            add_request(s, p, o);
        else if (o->meeting < 0 || o->kind == OP_COMPLETE || o->kind == OP_INIT)
            add_call(s, p, (int)i, apart);
        else
            pj_script_collect(
                s, o->rank,
                (pj_script_collective){.name = call_name(o),
                                       .begin = begin,
                                       .end = end,
                                       .communicator = p->meetings[o->meeting].communicator,
                                       .root = o->root});
    }
    for (size_t i = 0; i < p->letter_count && !apart; i++) {
        const letter *l = &p->letters[i];
        pj_script_send(s, (pj_script_message){.from = l->from,
                                              .to = l->to,
                                              .send = (uint64_t)p->ops[l->send].begin,
                                              .post = (uint64_t)p->ops[l->post].begin,
                                              .received = (uint64_t)p->ops[l->wait].end,
                                              .size = l->size,
                                              .tag = l->tag});
    }
    return s;
}
