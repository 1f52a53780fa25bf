// The clocks of a program with a planted fault, written down as they go.
#include "tests/support/trace/faulty_app.h"

#include "metrics/base/arena.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 24, STEP_NS = 2000000, MOST_RANKS = 32, EAGER = 1000, LARGE = 1 << 20 };
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
            compute(a, k, work_of(a, k, step));
    for (uint32_t i = 0; i < (with->messages ? with->messages : 1); i++)
        exchange(a);
    if (with->chain > 0)
        run_chain(a);
    meet(a, "MPI_Allreduce", 0, false, with->collective_ns ? with->collective_ns : 3000);
}

pj_trace_writer *pj_faulty_write(const pj_faulty_app *with)
{
    app a = {.with = with, .ranks = with->ranks ? with->ranks : 8};
    a.out = pj_trace_writer_new((pj_trace_header){.ranks = a.ranks, .ranks_per_node = 4});
    uint32_t world[MOST_RANKS];
    for (uint32_t k = 0; k < a.ranks; k++)
        world[k] = k;
    pj_trace_writer_communicator(a.out, world, a.ranks);
    for (uint32_t k = 0; k < a.ranks; k++)
        compute(&a, k, 100000);
    for (uint32_t k = 0; k < a.ranks; k++)
        call(&a, k, (pj_trace_call){.name = "MPI_Init"}, 300000);
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
    {"a slow collective", "collectives", "MPI_Allreduce", 0, .collective_ns = 300000},
};

const pj_faulty_app *pj_faulty_app_at(size_t index)
{
    return index < sizeof apps / sizeof *apps ? &apps[index] : NULL;
}
