// The clocks of a program with a planted fault, written down as they go.
#include "tests/support/trace/faulty_app.h"

#include "metrics/base/arena.h"

#include <math.h>
#include <stdlib.h>

enum {
    STEPS = 24,
    NEVER = STEPS + 1,
    STEP_NS = 2000000,
    MOST_RANKS = 32,
    MOST_THREADS = 8,
    LOCKED_PIECES = 20, // that a thread does under the lock in a step
    EAGER = 1000,
    LARGE = 1 << 20,
    PARALLEL = 60000001,
    BARRIER = 60000005,
    LOCK = 60000006,
    FUNCTION = 60000018,
    RUNNING = 1,
    SYNCHRONISING = 5,
};
static const double GHZ = 2, IPC = 1.5;

typedef struct app {
    const pj_faulty_app *with;
    pj_trace_writer *out;
    uint32_t ranks;
    uint64_t now[MOST_RANKS];   // clocks
    uint64_t since[MOST_RANKS]; // where the computation has begun
} app;

/// 0 to 1, the same for the same arguments.
static double random_of(uint32_t rank, uint32_t step)
{
    uint64_t x = (rank * UINT64_C(2654435761) + step * UINT64_C(40503) + 12345) *
                 UINT64_C(0x9E3779B97F4A7C15);
    return (double)(x >> 40) / (double)(1 << 24);
}

static bool is_slow(const app *a, uint32_t rank)
{
    return rank >= a->with->slow_first && rank < a->with->slow_first + a->with->slow_ranks;
}

static void compute(app *a, uint32_t rank, double ns)
{
    a->now[rank] += (uint64_t)llround(ns * (is_slow(a, rank) ? 1 + a->with->slow : 1));
}

/// A call from the rank's clock until `end`.
static void call(app *a, uint32_t rank, pj_trace_call what, uint64_t end)
{
    uint64_t begin = a->now[rank], useful = begin - a->since[rank];
    pj_place at = {rank, 0};
    bool slow = is_slow(a, rank);
    double cycles = (double)useful * GHZ, longer = 1 + a->with->slow;
    if (slow && a->with->slow_by == PJ_SLOW_FREQUENCY)
        cycles /= longer;
    what.begin = begin;
    what.end = end > begin ? end : begin + 100;
    what.cycles = (int64_t)cycles;
    what.instructions = (int64_t)(cycles * IPC);
    if (slow && a->with->slow_by == PJ_SLOW_IPC)
        what.instructions = (int64_t)(cycles * IPC / longer);
    if (useful)
        pj_trace_writer_state(a->out, at, a->since[rank], begin, 1);
    pj_trace_writer_call(a->out, at, what);
    a->now[rank] = a->since[rank] = what.end;
}

// Threads

static void span(app *a, pj_place at, uint64_t begin, uint64_t end, uint32_t state)
{
    if (end > begin)
        pj_trace_writer_state(a->out, at, begin, end, state);
}

/// The work of a thread in pieces, each of which ends under the lock; when the last one has ended.
static void take_turns(app *a, uint32_t rank, uint64_t begin, double ns, uint64_t *ends)
{
    uint64_t asked[MOST_THREADS], free_at = begin;
    uint32_t done[MOST_THREADS] = {0};
    uint64_t held = (uint64_t)(ns * a->with->lock / LOCKED_PIECES);
    uint64_t alone = (uint64_t)(ns / LOCKED_PIECES) - held;
    for (uint32_t t = 0; t < a->with->threads; t++)
        asked[t] = begin + alone;
    for (uint32_t i = 0; i < LOCKED_PIECES * a->with->threads; i++) {
        uint32_t t = 0; // the first to ask, the lowest of those who ask together
        for (uint32_t k = 1; k < a->with->threads; k++)
            t = asked[k] < asked[t] ? k : t;
        pj_place at = {rank, t};
        uint64_t taken = asked[t] > free_at ? asked[t] : free_at;
        span(a, at, asked[t] - alone, asked[t], RUNNING);
        pj_trace_writer_event(a->out, at, asked[t], LOCK, 3);
        span(a, at, asked[t], taken, SYNCHRONISING);
        pj_trace_writer_event(a->out, at, taken, LOCK, 6);
        free_at = taken + held;
        span(a, at, taken, free_at, RUNNING);
        pj_trace_writer_event(a->out, at, free_at, LOCK, 0);
        ends[t] = free_at;
        asked[t] = free_at + alone;
        if (++done[t] == LOCKED_PIECES)
            asked[t] = UINT64_MAX;
    }
}

/// All threads of a rank work so long.
static void compute_threads(app *a, uint32_t rank, double ns)
{
    pj_place master = {rank, 0};
    uint64_t begin = a->now[rank] + 500, ends[MOST_THREADS], last = begin;
    span(a, master, a->since[rank], a->now[rank], RUNNING);
    pj_trace_writer_event(a->out, master, a->now[rank], PARALLEL, 3);
    for (uint32_t t = 0; t < a->with->threads; t++) {
        ends[t] = begin + (uint64_t)ns;
        pj_trace_writer_event(a->out, (pj_place){rank, t}, begin, FUNCTION, 1);
        if (a->with->lock <= 0)
            span(a, (pj_place){rank, t}, begin, ends[t], RUNNING);
    }
    if (a->with->lock > 0)
        take_turns(a, rank, begin, ns, ends);
    for (uint32_t t = 0; t < a->with->threads; t++)
        last = ends[t] > last ? ends[t] : last;
    for (uint32_t t = 0; t < a->with->threads; t++) {
        pj_place at = {rank, t};
        pj_trace_writer_event(a->out, at, ends[t], BARRIER, 1);
        span(a, at, ends[t], last + 500, SYNCHRONISING);
        pj_trace_writer_event(a->out, at, last + 500, BARRIER, 0);
        pj_trace_writer_event(a->out, at, last + 500, FUNCTION, 0);
    }
    a->now[rank] = a->since[rank] = last + 1000;
    pj_trace_writer_event(a->out, master, a->now[rank], PARALLEL, 0);
}

static void meet(app *a, const char *name, uint32_t root, bool rooted, uint64_t ns)
{
    uint64_t last = 0;
    for (uint32_t k = 0; k < a->ranks; k++)
        last = a->now[k] > last ? a->now[k] : last;
    for (uint32_t k = 0; k < a->ranks; k++) {
        pj_trace_call what = {.name = name, .communicator = 1, .send_bytes = 8, .recv_bytes = 8};
        what.root = rooted && k == root;
        call(a, k, what, last + ns);
    }
}

static void send(app *a, uint32_t from, uint32_t to, pj_trace_times times, uint64_t bytes)
{
    pj_trace_writer_message(
        a->out,
        (pj_trace_message){.from = {from, 0}, .to = {to, 0}, .times = times, .size = bytes});
}

/// Everybody sends to the right and receives from the left.
static void exchange(app *a)
{
    const pj_faulty_app *with = a->with;
    uint64_t begin[MOST_RANKS], end[MOST_RANKS], cost = with->message_ns ? with->message_ns : 2000;
    for (uint32_t k = 0; k < a->ranks; k++)
        begin[k] = a->now[k];
    for (uint32_t k = 0; k < a->ranks; k++) {
        uint32_t left = (k + a->ranks - 1) % a->ranks;
        end[k] = (begin[left] > begin[k] ? begin[left] : begin[k]) + cost;
    }
    for (uint32_t k = 0; k < a->ranks; k++) {
        uint32_t left = (k + a->ranks - 1) % a->ranks;
        send(a, left, k, (pj_trace_times){begin[left], begin[left], begin[k], end[k]},
             with->message_bytes ? with->message_bytes : EAGER);
        call(a, k, (pj_trace_call){.name = "MPI_Sendrecv"}, end[k]);
        compute(a, k, 500);
    }
}

/// The same by calls that begin and end it.
static void exchange_posted(app *a)
{
    uint64_t posted[MOST_RANKS], sent[MOST_RANKS], end[MOST_RANKS];
    for (uint32_t k = 0; k < a->ranks; k++) {
        posted[k] = a->now[k];
        call(a, k, (pj_trace_call){.name = "MPI_Irecv"}, a->now[k] + 200);
        sent[k] = a->now[k] += 100;
        call(a, k, (pj_trace_call){.name = "MPI_Isend"}, a->now[k] + 300);
        a->now[k] += 100;
    }
    for (uint32_t k = 0; k < a->ranks; k++) {
        uint32_t left = (k + a->ranks - 1) % a->ranks;
        end[k] = (sent[left] > a->now[k] ? sent[left] : a->now[k]) + 2000;
        send(a, left, k, (pj_trace_times){sent[left], sent[left], posted[k], end[k]}, EAGER);
    }
    for (uint32_t k = 0; k < a->ranks; k++)
        call(a, k, (pj_trace_call){.name = "MPI_Waitall"}, end[k]);
}

/// A message that both wait for when it is large.
static void hand_over(app *a, uint32_t from, uint32_t to, uint64_t bytes)
{
    uint64_t sent = a->now[from], posted = a->now[to], cost = 2000;
    uint64_t start = bytes > EAGER && posted > sent ? posted : sent;
    uint64_t there = (start > posted ? start : posted) + cost;
    send(a, from, to, (pj_trace_times){sent, sent, posted, there}, bytes);
    call(a, from, (pj_trace_call){.name = "MPI_Send"}, bytes > EAGER ? start + cost : sent + 500);
    call(a, to, (pj_trace_call){.name = "MPI_Recv"}, there);
}

static void run_chain(app *a)
{
    for (uint32_t k = 0; k < a->ranks; k++) {
        if (k)
            hand_over(a, k - 1, k, EAGER);
        compute(a, k, a->with->chain * STEP_NS);
    }
}

/// Half of the work before the message, half behind it, but not the same half on both sides.
static void be_late(app *a)
{
    for (uint32_t k = 0; k + 1 < a->ranks; k += 2) {
        bool sends = a->with->late_sender;
        uint32_t late = k + 1;
        compute(a, k, 0.2 * STEP_NS);
        compute(a, late, 0.8 * STEP_NS);
        hand_over(a, sends ? late : k, sends ? k : late, sends ? EAGER : LARGE);
        compute(a, k, 0.8 * STEP_NS);
        compute(a, late, 0.2 * STEP_NS);
    }
}

static double work_of(const app *a, uint32_t rank, uint32_t step)
{
    const pj_faulty_app *with = a->with;
    double work = 1 + 0.004 * random_of(rank, step);
    work *= 1 + with->ramp * rank / (a->ranks - 1);
    if (with->moving > 0 && rank == step % a->ranks)
        work *= 1 + with->moving;
    if (with->moving > 0 && rank == (step + a->ranks / 2) % a->ranks)
        work *= 1 - with->moving;
    if (with->spike_every && step % with->spike_every == with->spike_every / 2 &&
        rank == with->spike_first + step / with->spike_every % with->spike_ranks)
        work *= 1 + with->spike;
    if (step < with->start_up_steps)
        work *= 1 + with->start_up;
    return work * STEP_NS;
}

static void work_alone(app *a, double ns)
{
    meet(a, "MPI_Barrier", 0, false, 3000);
    compute(a, a->with->serial_rank, ns);
    meet(a, "MPI_Bcast", a->with->serial_rank, true, 3000);
}

static void run_step(app *a, uint32_t step)
{
    const pj_faulty_app *with = a->with;
    if (with->serial > 0 && !with->serial_once)
        work_alone(a, with->serial * STEP_NS);
    if (with->late_sender || with->late_receiver)
        be_late(a);
    else
        for (uint32_t k = 0; k < a->ranks; k++)
            (with->threads ? compute_threads : compute)(a, k, work_of(a, k, step));
    for (uint32_t i = 0; i < (with->messages ? with->messages : 1); i++)
        (with->posted ? exchange_posted : exchange)(a);
    if (with->chain > 0)
        run_chain(a);
    for (uint32_t i = 0; i < with->pauses; i++) {
        meet(a, "MPI_Allreduce", 0, false, 500);
        for (uint32_t k = 0; k < a->ranks; k++)
            compute(a, k, 2000);
    }
    if (with->meets_every == 0 || step % with->meets_every == with->meets_every - 1)
        meet(a, "MPI_Allreduce", 0, false, with->collective_ns ? with->collective_ns : 3000);
}

pj_trace_writer *pj_faulty_write(const pj_faulty_app *with)
{
    app a = {.with = with, .ranks = with->ranks ? with->ranks : 8};
    a.out = pj_trace_writer_new(
        (pj_trace_header){.ranks = a.ranks, .threads_each = with->threads, .ranks_per_node = 4});
    uint32_t world[MOST_RANKS];
    for (uint32_t k = 0; k < a.ranks; k++)
        world[k] = k;
    pj_trace_writer_communicator(a.out, world, a.ranks);
    for (uint32_t k = 0; k < a.ranks; k++)
        compute(&a, k, 100000);
    for (uint32_t k = 0; k < a.ranks; k++)
        call(&a, k, (pj_trace_call){.name = "MPI_Init"}, 300000);
    if (with->initial > 0) {
        for (uint32_t k = 0; k < a.ranks; k++)
            compute(&a, k, with->initial * STEP_NS);
        meet(&a, "MPI_Barrier", 0, false, 3000);
    }
    if (with->serial_once)
        work_alone(&a, with->serial * STEP_NS * STEPS);
    for (uint32_t step = 0; step < STEPS; step++)
        run_step(&a, step);
    for (uint32_t k = 0; k < a.ranks; k++)
        call(&a, k, (pj_trace_call){.name = "MPI_Finalize"}, a.now[k] + 5000);
    return a.out;
}

static const pj_faulty_app apps[] = {
    {.name = "nothing"},
    {.name = "nothing on 16 ranks", .ranks = 16},
    {.name = "nothing on 4 threads each", .ranks = 4, .threads = 4},
    {"a rank of lower IPC", "slow_rank", "rank 3, lower IPC", 0, .slow = 0.2, .slow_first = 3,
     .slow_ranks = 1, .slow_by = PJ_SLOW_IPC},
    {"a rank of lower frequency", "slow_rank", "rank 6, lower frequency", 0, .slow = 0.15,
     .slow_first = 6, .slow_ranks = 1, .slow_by = PJ_SLOW_FREQUENCY},
    {"two ranks of lower frequency", "slow_rank", "rank 1, 2, lower frequency", .ranks = 16,
     .slow = 0.1, .slow_first = 1, .slow_ranks = 2, .slow_by = PJ_SLOW_FREQUENCY},
    {"a node of lower frequency", "slow_node", "lower frequency", 0, .slow = 0.2, .slow_first = 4,
     .slow_ranks = 4, .slow_by = PJ_SLOW_FREQUENCY},
    {"a node of lower IPC", "slow_node", "lower IPC", .ranks = 16, .slow = 0.12, .slow_first = 8,
     .slow_ranks = 4, .slow_by = PJ_SLOW_IPC},
    {"a rank with more work", "imbalance", "rank 2", 0, .slow = 0.3, .slow_first = 2,
     .slow_ranks = 1},
    {"more work on each further rank", "imbalance", "rank 7", 0, .ramp = 0.5},
    {"the first half has more work", "imbalance", NULL, .ranks = 16, .slow = 0.25, .slow_ranks = 8},
    {"imbalance that moves", "imbalance_per_step", NULL, 0, .moving = 0.4},
    {"imbalance that moves on 16 ranks", "imbalance_per_step", NULL, .ranks = 16, .moving = 0.25},
    {"noise on many ranks", "noise", "several ranks", 0, .spike = 0.9, .spike_every = 4,
     .spike_ranks = 8},
    {"a noisy rank", "noise", "rank 5", 0, .spike = 1, .spike_every = 5, .spike_first = 5,
     .spike_ranks = 1},
    {"a noisy node", "noisy_node", NULL, .ranks = 16, .spike = 0.8, .spike_every = 3,
     .spike_first = 8, .spike_ranks = 4},
    {"a serial part", "serial_part", "rank 0", 0, .serial = 0.2},
    {"a serial part on another rank", "serial_part", "rank 5", 0, .serial = 0.1, .serial_rank = 5},
    {"serial input", "serial_part", "rank 0, at the start", 0, .serial = 0.2, .serial_once = true},
    {"a chain of late senders", "late_sender", NULL, 0, .chain = 0.05},
    {"late senders", "late_sender", NULL, 0, .late_sender = true},
    {"late receivers", "late_receiver", NULL, 0, .late_receiver = true},
    {"many small messages", "small_messages", "MPI_Sendrecv", 0, .messages = 40,
     .message_bytes = 64, .message_ns = 12000},
    {"large messages", "large_messages", "MPI_Sendrecv", 0, .message_bytes = LARGE,
     .message_ns = 400000},
    {"a lock that all threads need", "omp_lock", "all ranks", .ranks = 4, .threads = 4,
     .lock = 0.5},
    {"a lock that they need less often", "omp_lock", NULL, .ranks = 2, .threads = 8, .lock = 0.2},
    {"a start-up in which all compute longer", "start_up", "parts 1 to 3 of", 0, .start_up = 4,
     .start_up_steps = 3},
    {.name = "nothing, and many collectives in each step", .pauses = 8},
    {"a start-up before many collectives", "start_up", "part 1 of", 0, .start_up = 4,
     .start_up_steps = 1, .pauses = 8},
    {"a long initialisation", "initialisation", "part 1 of", 0, .initial = 6},
    {"a first step that takes longer", "start_up", "part 1 of", .ranks = 16, .start_up = 3,
     .start_up_steps = 1},
    {.name = "nothing, and no collective", .posted = true, .meets_every = NEVER},
    {.name = "nothing, and few collectives", .ranks = 16, .posted = true, .meets_every = 5},
    {"a noisy rank and no collective", "noise", "rank 5", 0, .spike = 1, .spike_every = 5,
     .spike_first = 5, .spike_ranks = 1, .posted = true, .meets_every = NEVER},
    {"a noisy node and few collectives", "noisy_node", NULL, .ranks = 16, .spike = 0.8,
     .spike_every = 3, .spike_first = 8, .spike_ranks = 4, .posted = true, .meets_every = 5},
    {"imbalance that moves and no collective", "imbalance_per_step", NULL, 0, .moving = 0.4,
     .posted = true, .meets_every = NEVER},
    {"imbalance that moves and few collectives", "imbalance_per_step", NULL, .ranks = 16,
     .moving = 0.25, .posted = true, .meets_every = 5},
    {"late senders and no collective", "late_sender", NULL, 0, .late_sender = true, .messages = 3,
     .meets_every = NEVER},
    {"a start-up and few collectives", "start_up", NULL, 0, .start_up = 4, .start_up_steps = 2,
     .posted = true, .meets_every = 5},
    {"a slow collective", "collectives", "MPI_Allreduce", 0, .collective_ns = 300000},
    {"more work for the threads of each further rank", "imbalance", "rank 3", .ranks = 4,
     .threads = 4, .ramp = 0.5},
    {"imbalance of ranks with threads that moves", "imbalance_per_step", NULL, 0, .threads = 4,
     .moving = 0.4},
    {"a noisy rank with threads", "noise", "rank 5", 0, .threads = 4, .spike = 1, .spike_every = 5,
     .spike_first = 5, .spike_ranks = 1},
    {"a start-up of ranks with threads", "start_up", "parts 1 to 3 of", 0, .threads = 2,
     .start_up = 4, .start_up_steps = 3},
    {"a slow collective of ranks with threads", "collectives", "MPI_Allreduce", 0, .threads = 2,
     .collective_ns = 300000},
    {"large messages of ranks with threads", "large_messages", "MPI_Sendrecv", 0, .threads = 2,
     .message_bytes = LARGE, .message_ns = 400000},
};

const pj_faulty_app *pj_faulty_app_at(size_t index)
{
    return index < sizeof apps / sizeof *apps ? &apps[index] : NULL;
}
