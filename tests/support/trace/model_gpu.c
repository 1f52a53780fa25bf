// A stencil code on devices, record by record.
#include "tests/support/trace/model_gpu.h"

#include <math.h>
#include <stdlib.h>

enum { // of Extrae
    RUNNING = 1,
    SYNC = 5,
    COPY = 17,
    LAUNCH = 32,
    CALL = 63000000,
    MOVES = 63000001,
    BYTES = 63000004,
    KERNEL = 63000006,
    CALL_LAUNCH = 1,
    CALL_SYNC = 4,
    CALL_COPY = 7,
};
enum { HOST, KERNELS, COPIES, THREADS };
enum { STENCIL = 1, REDUCE };

static const struct {
    const char *name;
    pj_model_gpu model;
} examples[] = {
#define MODEL(count)                                                                               \
    {                                                                                              \
        .ranks = (count), .iterations = 12, .serial_ns = 500000, .prepare_ns = 1600000,            \
        .kernel_ns = 16000000, .reduce_ns = 3200000, .copy_ns = 450000, .call_ns = 9000,           \
        .meet_ns = 35000, .imbalance = 0.15, .copy_bytes = 8 << 20                                 \
    }
    {"gpu_1x1", MODEL(1)},
    {"gpu_2x1", MODEL(2)},
    {"gpu_4x1", MODEL(4)},
#undef MODEL
};

const pj_model_gpu *pj_model_gpu_example(size_t index, const char **name)
{
    if (index >= sizeof examples / sizeof *examples)
        return NULL;
    *name = examples[index].name;
    return &examples[index].model;
}

typedef struct rank_state {
    const pj_model_gpu *model;
    pj_trace_writer *out;
    uint32_t rank;
    uint64_t now;            // of the host
    uint64_t kernels, moves; // until when its streams are busy
} rank_state;

static uint64_t share(const pj_model_gpu *model, uint64_t whole, uint32_t rank)
{
    double place = model->ranks > 1 ? 2.0 * rank / (model->ranks - 1) - 1 : 0;
    return (uint64_t)llround((double)whole / model->ranks * (1 + model->imbalance * place));
}

uint64_t pj_model_gpu_useful(const pj_model_gpu *model, uint32_t rank)
{
    return model->iterations *
           (share(model, model->kernel_ns, rank) + share(model, model->reduce_ns, rank));
}

static void compute(rank_state *s, uint64_t ns)
{
    pj_trace_writer_state(s->out, (pj_place){s->rank, HOST}, s->now, s->now + ns, RUNNING);
    s->now += ns;
}

static void call(rank_state *s, int64_t what, uint32_t state, uint64_t until)
{
    pj_place host = {s->rank, HOST};
    pj_trace_writer_event(s->out, host, s->now, CALL, what);
    pj_trace_writer_state(s->out, host, s->now, until, state);
    pj_trace_writer_event(s->out, host, until, CALL, 0);
    s->now = until;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/// The next kernel of the stream, not before `from`.
static void kernel(rank_state *s, int64_t which, uint64_t from, uint64_t ns)
{
    pj_place at = {s->rank, KERNELS};
    uint64_t begin = later(later(s->kernels, from), s->now);
    s->kernels = begin + ns;
    pj_trace_writer_state(s->out, at, begin, s->kernels, RUNNING);
    pj_trace_writer_event(s->out, at, begin, KERNEL, which);
    pj_trace_writer_event(s->out, at, s->kernels, KERNEL, 0);
}

static void copy(rank_state *s, uint64_t from)
{
    pj_place at = {s->rank, COPIES};
    uint64_t begin = later(later(s->moves, from), s->now);
    s->moves = begin + s->model->copy_ns;
    pj_trace_writer_state(s->out, at, begin, s->moves, COPY);
    pj_trace_writer_events(
        s->out, at, begin,
        (pj_trace_pair[]){{MOVES, CALL_COPY}, {BYTES, (int64_t)s->model->copy_bytes}}, 2);
    pj_trace_writer_event(s->out, at, s->moves, MOVES, 0);
}

/// All but the meeting at its end.
static void iterate(rank_state *s)
{
    const pj_model_gpu *m = s->model;
    compute(s, m->serial_ns + m->prepare_ns / m->ranks);
    call(s, CALL_COPY, COPY, s->now + m->call_ns);
    copy(s, s->now);
    call(s, CALL_LAUNCH, LAUNCH, s->now + m->call_ns);
    kernel(s, STENCIL, s->moves, share(m, m->kernel_ns, s->rank));
    uint64_t computed = s->kernels;
    call(s, CALL_LAUNCH, LAUNCH, s->now + m->call_ns);
    kernel(s, REDUCE, 0, share(m, m->reduce_ns, s->rank));
    call(s, CALL_COPY, COPY, s->now + m->call_ns);
    copy(s, computed);
    call(s, CALL_SYNC, SYNC, later(later(s->kernels, s->moves), s->now) + m->call_ns);
}

static void meet(rank_state *ranks, uint32_t count, uint32_t world)
{
    uint64_t end = 0;
    for (uint32_t r = 0; r < count; r++)
        end = later(end, ranks[r].now);
    end += ranks[0].model->meet_ns;
    for (uint32_t r = 0; r < count; r++) {
        pj_trace_writer_call(ranks[r].out, (pj_place){r, HOST},
                             (pj_trace_call){.name = "MPI_Allreduce",
                                             .begin = ranks[r].now,
                                             .end = end,
                                             .communicator = world,
                                             .send_bytes = 8,
                                             .recv_bytes = 8});
        ranks[r].now = end;
    }
}

pj_trace_writer *pj_model_gpu_write(const pj_model_gpu *model)
{
    pj_trace_writer *out = pj_trace_writer_new(
        (pj_trace_header){.ranks = model->ranks, .threads_each = THREADS, .devices = true});
    rank_state *ranks = calloc(model->ranks, sizeof *ranks);
    uint32_t *all = calloc(model->ranks, sizeof *all);
    for (uint32_t r = 0; r < model->ranks; r++) {
        ranks[r] = (rank_state){.model = model, .out = out, .rank = r};
        all[r] = r;
    }
    uint32_t world = pj_trace_writer_communicator(out, all, model->ranks);
    for (uint32_t i = 0; i < model->iterations; i++) {
        for (uint32_t r = 0; r < model->ranks; r++)
            iterate(&ranks[r]);
        meet(ranks, model->ranks, world);
    }
    for (uint32_t r = 0; r < model->ranks; r++) {
        compute(&ranks[r], model->serial_ns);
        pj_trace_writer_event(out, (pj_place){r, HOST}, ranks[r].now, 40000001, 0);
    }
    pj_trace_writer_label_value(out, KERNEL, STENCIL, "stencil");
    pj_trace_writer_label_value(out, KERNEL, REDUCE, "reduce");
    free(ranks);
    free(all);
    return out;
}
