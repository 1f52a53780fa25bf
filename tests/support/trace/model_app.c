// Every duration is a whole number of ns that `phase_of` derives from the parameters. The writer
// lays phases out in time; the expectations are sums over the same phases, never over records.
#include "tests/support/trace/model_app.h"

#include "metrics/base/arena.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    gap_ns = 150,      // between two MPI calls of an exchange
    call_ns = 700,     // Irecv, Isend
    init_ns = 1500000, // MPI_Init after the last rank came
    setup_ns = 4000000,
    tail_ns = 300000,
    finalize_ns = 250000,
    exit_ns = 20000,
    state_running = 1,
    state_not_created = 2,
    state_sync = 5,
    state_fork = 7,
    type_application = 40000001,
    type_tracing = 40000012,
    type_parallel = 60000001,
    type_function = 60000018,
    type_line = 60000118,
};

/// One compute phase of one rank.
typedef struct phase {
    uint64_t serial;   // ns on thread 0
    uint64_t parallel; // ns per thread before thread imbalance
    uint64_t longest;  // ns of the slowest thread
    uint64_t length;   // from begin to end on thread 0
} phase;

static double doublings_of(uint32_t cores)
{
    double count = 0;
    for (; cores > 1; cores /= 2)
        count++;
    return count;
}

static double ipc_of(const pj_model_app *app)
{
    return app->ipc * (1 - app->ipc_loss * doublings_of(app->ranks * app->threads));
}

static double ghz_of(const pj_model_app *app)
{
    return app->ghz * (1 - app->ghz_loss * doublings_of(app->ranks * app->threads));
}

/// Useful time per iteration of the whole program: more instructions, fewer per ns.
static double work_of(const pj_model_app *app)
{
    uint32_t cores = app->ranks * app->threads;
    double instructions = 1 + app->extra_instructions * doublings_of(cores);
    double speed = ipc_of(app) * ghz_of(app) / (app->ipc * app->ghz);
    return app->work_ns * (app->weak ? cores : 1) * instructions / speed;
}

/// Integral of the density 1.03 - 12 (x - 0.45)^2, which is 0 from 0 to 1 and 1.03 at its top.
static double mass_until(double x)
{
    double from_top = x - 0.45;
    return 1.03 * x - 4 * (from_top * from_top * from_top + 0.45 * 0.45 * 0.45);
}

/// Work of a rank's slab over the mean slab.
static double share_of(const pj_model_app *app, uint32_t rank)
{
    double width = 1.0 / app->ranks;
    double mass = mass_until((rank + 1) * width) - mass_until(rank * width);
    return 1 + app->imbalance * mass / width / 1.03;
}

static uint64_t thread_work(const pj_model_app *app, const phase *work, uint32_t thread)
{
    if (app->threads == 1)
        return work->parallel;
    double place = 2.0 * thread / (app->threads - 1) - 1;
    return (uint64_t)llround((double)work->parallel * (1 + app->thread_imbalance * place));
}

/// Phase 0 or 1 of an iteration: `odd` ones shift the work the other way.
static phase phase_of(const pj_model_app *app, uint32_t rank, bool second, bool odd)
{
    bool more = (rank % 2 == 1) ^ second ^ odd;
    double shift = app->ranks == 1 ? 0 : more ? app->shifting : -app->shifting;
    double work = work_of(app) / app->ranks * share_of(app, rank) / 2 * (1 + shift);
    if (!app->openmp) {
        uint64_t serial = (uint64_t)llround(work);
        return (phase){.serial = serial, .length = serial};
    }
    phase result = {.serial = (uint64_t)llround(work * app->serial_fraction)};
    result.parallel = (uint64_t)llround(work * (1 - app->serial_fraction) / app->threads);
    result.longest = thread_work(app, &result, app->threads - 1);
    result.length = result.serial + app->fork_ns + result.longest + app->join_ns;
    return result;
}

static uint32_t neighbours_of(const pj_model_app *app, uint32_t rank)
{
    return (rank > 0 ? 1U : 0U) + (rank + 1 < app->ranks ? 1U : 0U);
}

static uint64_t start_of(uint32_t rank)
{
    return 100000 + 37000 * (rank * 5 % 11);
}

static uint64_t setup_of(uint32_t rank)
{
    return setup_ns + 41000 * (rank * 7 % 13);
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/// When the last rank enters MPI_Init (the first phase begins there without MPI).
static uint64_t ready_of(const pj_model_app *app)
{
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < app->ranks; rank++)
        last = max_of(last, start_of(rank) + setup_of(rank));
    return last;
}

static uint64_t first_iteration_of(const pj_model_app *app)
{
    return ready_of(app) + (app->no_mpi ? 0 : init_ns);
}

/// Real time, from the begin of the iteration, at which the halos of `rank` are there.
static uint64_t exchange_end(const pj_model_app *app, uint32_t rank, bool odd)
{
    uint64_t last = phase_of(app, rank, false, odd).length;
    if (app->ranks == 1)
        return last;
    if (rank > 0)
        last = max_of(last, phase_of(app, rank - 1, false, odd).length);
    if (rank + 1 < app->ranks)
        last = max_of(last, phase_of(app, rank + 1, false, odd).length);
    return last + app->halo_ns + 4 * (call_ns + gap_ns);
}

/// Real time at which the last rank comes to the Allreduce.
static uint64_t iteration_compute(const pj_model_app *app, bool odd)
{
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < app->ranks; rank++)
        last = max_of(last, exchange_end(app, rank, odd) + phase_of(app, rank, true, odd).length);
    return last;
}

/// A tree: every doubling of the ranks is one more step.
static uint64_t collective_of(const pj_model_app *app)
{
    return app->no_mpi ? 0 : app->collective_ns * (1 + (uint64_t)doublings_of(app->ranks));
}

static uint64_t iteration_length(const pj_model_app *app, bool odd)
{
    return iteration_compute(app, odd) + collective_of(app);
}

/// Even or odd ones among the first `count` iterations.
static uint32_t parity_of(uint32_t count, bool odd)
{
    return odd ? count / 2 : count - count / 2;
}

/// Iterations that the expectations are about.
static uint32_t iterations_of(const pj_model_app *app, bool odd)
{
    uint32_t last = app->roi_to ? app->roi_to : app->iterations;
    return parity_of(last, odd) - parity_of(app->roi_from, odd);
}

static uint64_t begin_of_iteration(const pj_model_app *app, uint32_t iteration)
{
    return first_iteration_of(app) + parity_of(iteration, false) * iteration_length(app, false) +
           parity_of(iteration, true) * iteration_length(app, true);
}

static uint64_t end_of(const pj_model_app *app)
{
    return begin_of_iteration(app, app->iterations) + tail_ns + (app->no_mpi ? 0 : finalize_ns) +
           exit_ns;
}

static uint64_t runtime_of(const pj_model_app *app)
{
    if (app->roi_to)
        return begin_of_iteration(app, app->roi_to) - begin_of_iteration(app, app->roi_from);
    return end_of(app);
}

// ---------------------------------------------------------------------------- expectations

/// Without network: a halo is there when its sender has sent it; only gaps lie between the calls.
static uint64_t ideal_exchange_end(const pj_model_app *app, uint32_t rank, bool odd)
{
    uint32_t own = neighbours_of(app, rank);
    uint64_t last = phase_of(app, rank, false, odd).length + 2 * own * gap_ns;
    if (rank > 0) { // the last of what the left neighbour sends
        uint32_t calls = 2 * neighbours_of(app, rank - 1) - 1;
        last = max_of(last, phase_of(app, rank - 1, false, odd).length + calls * gap_ns);
    }
    if (rank + 1 < app->ranks) { // the first of what the right neighbour sends
        uint32_t calls = neighbours_of(app, rank + 1);
        last = max_of(last, phase_of(app, rank + 1, false, odd).length + calls * gap_ns);
    }
    return last;
}

static uint64_t ideal_iteration(const pj_model_app *app, bool odd)
{
    uint64_t last = 0;
    for (uint32_t rank = 0; rank < app->ranks; rank++)
        last = max_of(last,
                      ideal_exchange_end(app, rank, odd) + phase_of(app, rank, true, odd).length);
    return last;
}

static uint64_t ideal_of(const pj_model_app *app)
{
    uint64_t iterations = iterations_of(app, false) * ideal_iteration(app, false) +
                          iterations_of(app, true) * ideal_iteration(app, true);
    return app->roi_to ? iterations : ready_of(app) + iterations + tail_ns + exit_ns;
}

static int64_t cycles_in(const pj_model_app *app, uint64_t useful)
{
    return llround((double)useful * ghz_of(app));
}

static int64_t instructions_in(const pj_model_app *app, uint64_t useful)
{
    return llround((double)useful * ghz_of(app) * ipc_of(app));
}

/// `times` Running pieces of `useful` ns.
static void add_pieces(const pj_model_app *app, pj_model_totals *totals, uint64_t useful,
                       uint32_t times, bool in_region)
{
    totals->useful += times * useful;
    *(in_region ? &totals->openmp_useful : &totals->serial_useful) += times * useful;
    totals->instructions += times * instructions_in(app, useful);
    totals->cycles += times * cycles_in(app, useful);
}

static void expect_phases(const pj_model_app *app, uint32_t rank, uint32_t thread,
                          pj_model_totals *totals)
{
    for (int i = 0; i < 4; i++) {
        phase work = phase_of(app, rank, i % 2, i / 2);
        uint32_t times = iterations_of(app, i / 2);
        uint64_t in_region = app->openmp ? thread_work(app, &work, thread) : 0;
        if (thread == 0)
            add_pieces(app, totals, work.serial, times, false);
        add_pieces(app, totals, in_region, times, true);
        totals->openmp += times * (thread == 0 ? work.length - work.serial : in_region);
        if (thread == 0)
            totals->outside_mpi += times * work.length;
    }
}

/// What lies before the first iteration and after the last.
static void expect_ends(const pj_model_app *app, uint32_t rank, pj_model_totals *totals)
{
    uint64_t wait = app->no_mpi ? ready_of(app) - start_of(rank) - setup_of(rank) : 0;
    add_pieces(app, totals, setup_of(rank) + wait, 1, false);
    if (app->no_mpi) {
        add_pieces(app, totals, tail_ns + exit_ns, 1, false);
    } else {
        add_pieces(app, totals, tail_ns, 1, false);
        add_pieces(app, totals, exit_ns, 1, false);
    }
    totals->outside_mpi += start_of(rank) + setup_of(rank) + wait + tail_ns + exit_ns;
}

static void expect_master(const pj_model_app *app, uint32_t rank, pj_model_totals *totals)
{
    uint32_t iterations = iterations_of(app, false) + iterations_of(app, true);
    uint32_t gaps = iterations * 2 * neighbours_of(app, rank);
    add_pieces(app, totals, gap_ns, gaps, false);
    totals->outside_mpi += gaps * gap_ns;
    totals->runtime = runtime_of(app);
    if (!app->roi_to)
        expect_ends(app, rank, totals);
}

/// A worker exists from its first region on; before, Extrae says "Not created". A region of
/// interest counts whole, whatever states its threads are in.
static void expect_worker(const pj_model_app *app, uint32_t rank, pj_model_totals *totals)
{
    uint64_t created =
        first_iteration_of(app) + phase_of(app, rank, false, false).serial + app->fork_ns;
    totals->outside_mpi = totals->useful + (app->roi_to ? 0 : created);
    totals->runtime = app->roi_to ? runtime_of(app) : totals->outside_mpi;
}

pj_model_expected pj_model_expect(const pj_model_app *app)
{
    pj_model_expected expected = {.ranks = app->ranks, .threads = app->threads};
    size_t size = app->ranks * app->threads * sizeof *expected.totals;
    expected.totals = memset(pj_take_memory(size), 0, size);
    for (uint32_t rank = 0; rank < app->ranks; rank++)
        for (uint32_t thread = 0; thread < app->threads; thread++) {
            pj_model_totals *totals = &expected.totals[rank * app->threads + thread];
            expect_phases(app, rank, thread, totals);
            if (thread == 0)
                expect_master(app, rank, totals);
            else
                expect_worker(app, rank, totals);
        }
    expected.runtime = runtime_of(app);
    expected.ideal = ideal_of(app);
    return expected;
}

void pj_model_expected_free(pj_model_expected *expected)
{
    free(expected->totals);
    expected->totals = NULL;
}

// ----------------------------------------------------------------------------------- trace

typedef struct piece {
    uint64_t begin, useful; // ns
} piece;

/// Running, ended by an event of the given pairs and the piece's counters.
static void write_piece(const pj_model_app *app, pj_trace_writer *out, pj_place at, piece running,
                        const pj_trace_pair *pairs, size_t count)
{
    uint64_t end = running.begin + running.useful;
    pj_trace_pair all[6];
    for (size_t i = 0; i < count; i++)
        all[i] = pairs[i];
    all[count++] = (pj_trace_pair){42000050, instructions_in(app, running.useful)};
    all[count++] = (pj_trace_pair){42000059, cycles_in(app, running.useful)};
    if (running.useful)
        pj_trace_writer_state(out, at, running.begin, end, state_running);
    pj_trace_writer_events(out, at, end, all, count);
}

/// An MPI call after `useful` ns of computation that end where it begins.
static void write_call(const pj_model_app *app, pj_trace_writer *out, pj_place at, uint64_t useful,
                       pj_trace_call call)
{
    if (useful)
        pj_trace_writer_state(out, at, call.begin - useful, call.begin, state_running);
    call.instructions = instructions_in(app, useful);
    call.cycles = cycles_in(app, useful);
    uint64_t inside = call.end - call.begin;
    call.instructions_inside = 40 + (int64_t)inside; // busy waiting, which is not useful
    call.cycles_inside = 90 + 2 * (int64_t)inside;
    pj_trace_writer_call(out, at, call);
}

static void write_thread(const pj_model_app *app, pj_trace_writer *out, pj_place at, uint64_t begin,
                         uint64_t useful, int function)
{
    const pj_trace_pair enter[] = {
        {type_function, function}, {type_line, function}, {42000050, 900}, {42000059, 2100}};
    const pj_trace_pair leave[] = {{type_function, 0}, {type_line, 0}};
    pj_trace_writer_events(out, at, begin, enter, 4);
    write_piece(app, out, at, (piece){begin, useful}, leave, 2);
}

/// Serial part and region of one phase; what comes before the region's end is complete after it.
static void write_region(const pj_model_app *app, pj_trace_writer *out, uint32_t rank,
                         uint64_t begin, const phase *work, int function)
{
    pj_place master = {rank, 0};
    uint64_t open = begin + work->serial;
    uint64_t fork = open + app->fork_ns;
    uint64_t close = begin + work->length;
    write_piece(app, out, master, (piece){begin, work->serial}, &(pj_trace_pair){type_parallel, 3},
                1);
    pj_trace_writer_state(out, master, open, fork, state_fork);
    for (uint32_t thread = 0; thread < app->threads; thread++)
        write_thread(app, out, (pj_place){rank, thread}, fork, thread_work(app, work, thread),
                     function);
    pj_trace_writer_state(out, master, fork + thread_work(app, work, 0), close, state_sync);
    const pj_trace_pair last[] = {{type_parallel, 0}, {42000050, 1300}, {42000059, 5200}};
    pj_trace_writer_events(out, master, close, last, 3);
}

/// Returns how much useful time of the phase still waits for its closing event.
static uint64_t write_phase(const pj_model_app *app, pj_trace_writer *out, uint32_t rank,
                            uint64_t begin, bool second, bool odd)
{
    phase work = phase_of(app, rank, second, odd);
    if (!app->openmp)
        return work.serial;
    write_region(app, out, rank, begin, &work, second ? 2 : 1);
    return 0;
}

/// Times of the calls of an exchange in an iteration that begins at `begin`.
static uint64_t call_time(const pj_model_app *app, uint32_t rank, bool odd, uint64_t begin,
                          uint32_t call)
{
    return begin + phase_of(app, rank, false, odd).length + call * (call_ns + gap_ns);
}

static void write_halo(const pj_model_app *app, pj_trace_writer *out, uint32_t from, uint32_t to,
                       bool odd, uint64_t begin)
{
    uint32_t send = neighbours_of(app, from) + (to > from && from > 0);
    uint32_t recv = from > to && to > 0;
    uint64_t sent = call_time(app, from, odd, begin, send);
    pj_trace_writer_message(
        out, (pj_trace_message){.from = {from, 0},
                                .to = {to, 0},
                                .times = {sent, sent, call_time(app, to, odd, begin, recv),
                                          begin + exchange_end(app, to, odd)},
                                .size = app->halo_bytes,
                                .tag = to > from});
}

static void write_exchange(const pj_model_app *app, pj_trace_writer *out, uint32_t rank, bool odd,
                           uint64_t begin, uint64_t useful)
{
    uint32_t neighbours = neighbours_of(app, rank);
    pj_place at = {rank, 0};
    for (uint32_t call = 0; call < 2 * neighbours; call++) {
        uint64_t time = call_time(app, rank, odd, begin, call);
        const char *name = call < neighbours ? "MPI_Irecv" : "MPI_Isend";
        write_call(app, out, at, call == 0 ? useful : gap_ns,
                   (pj_trace_call){.name = name, .begin = time, .end = time + call_ns});
    }
    uint64_t wait = call_time(app, rank, odd, begin, 2 * neighbours);
    write_call(app, out, at, gap_ns,
               (pj_trace_call){.name = "MPI_Waitall",
                               .begin = wait,
                               .end = begin + exchange_end(app, rank, odd)});
    if (rank > 0)
        write_halo(app, out, rank, rank - 1, odd, begin);
    if (rank + 1 < app->ranks)
        write_halo(app, out, rank, rank + 1, odd, begin);
}

static void write_iteration(const pj_model_app *app, pj_trace_writer *out, uint32_t rank, bool odd,
                            uint64_t begin)
{
    uint64_t open = write_phase(app, out, rank, begin, false, odd);
    if (app->ranks > 1) {
        write_exchange(app, out, rank, odd, begin, open);
        open = 0;
    }
    uint64_t second = begin + exchange_end(app, rank, odd);
    if (open) // one process without regions: the two phases are two pieces
        write_piece(app, out, (pj_place){rank, 0}, (piece){begin, open}, NULL, 0);
    open = write_phase(app, out, rank, second, true, odd);
    if (app->no_mpi)
        return;
    uint64_t arrival = second + phase_of(app, rank, true, odd).length;
    write_call(app, out, (pj_place){rank, 0}, open,
               (pj_trace_call){.name = "MPI_Allreduce",
                               .begin = arrival,
                               .end = begin + iteration_length(app, odd),
                               .communicator = 1,
                               .send_bytes = 8,
                               .recv_bytes = 8});
}

static void write_begin(const pj_model_app *app, pj_trace_writer *out, uint32_t rank)
{
    pj_place at = {rank, 0};
    uint64_t start = start_of(rank), first = first_iteration_of(app);
    const pj_trace_pair begin[] = {{type_application, 1}, {42000050, 0}, {42000059, 0}};
    pj_trace_writer_state(out, at, 0, start, state_not_created);
    pj_trace_writer_events(out, at, start, begin, 3);
    if (app->no_mpi)
        write_piece(app, out, at, (piece){start, first - start}, NULL, 0);
    else
        write_call(
            app, out, at, setup_of(rank),
            (pj_trace_call){.name = "MPI_Init", .begin = start + setup_of(rank), .end = first});
    uint64_t created = first + phase_of(app, rank, false, false).serial + app->fork_ns;
    for (uint32_t thread = 1; thread < app->threads; thread++)
        pj_trace_writer_state(out, (pj_place){rank, thread}, 0, created, state_not_created);
}

static void write_end(const pj_model_app *app, pj_trace_writer *out, uint32_t rank)
{
    pj_place at = {rank, 0};
    uint64_t end = end_of(app);
    const pj_trace_pair last = {type_application, 0};
    if (app->no_mpi) {
        write_piece(app, out, at, (piece){end - exit_ns - tail_ns, exit_ns + tail_ns}, &last, 1);
        return;
    }
    uint64_t leave = end - exit_ns;
    write_call(app, out, at, tail_ns,
               (pj_trace_call){.name = "MPI_Finalize", .begin = leave - finalize_ns, .end = leave});
    write_piece(app, out, at, (piece){leave, exit_ns}, &last, 1);
}

/// The last event lies 1 ns before the border: a region ends 1 ns after it.
static void write_tracing(const pj_model_app *app, pj_trace_writer *out, pj_place at)
{
    pj_trace_writer_event(out, at, start_of(at.rank), type_tracing, 1);
    pj_trace_writer_event(out, at, begin_of_iteration(app, app->roi_from), type_tracing, 1);
    pj_trace_writer_event(out, at, begin_of_iteration(app, app->roi_to) - 1, type_tracing, 0);
}

static void write_rank(const pj_model_app *app, pj_trace_writer *out, uint32_t rank)
{
    write_begin(app, out, rank);
    for (uint32_t i = 0; i < app->iterations; i++)
        write_iteration(app, out, rank, i % 2, begin_of_iteration(app, i));
    write_end(app, out, rank);
    for (uint32_t thread = 0; app->roi_to && thread < app->threads; thread++)
        write_tracing(app, out, (pj_place){rank, thread});
}

pj_trace_writer *pj_model_write(const pj_model_app *app)
{
    assert(app->openmp || !app->no_mpi);
    pj_trace_writer *out = pj_trace_writer_new((pj_trace_header){.ranks = app->ranks,
                                                                 .threads_each = app->threads,
                                                                 .end = end_of(app),
                                                                 .ranks_per_node = 16});
    uint32_t *world = pj_take_memory(app->ranks * sizeof *world);
    for (uint32_t rank = 0; rank < app->ranks; rank++)
        world[rank] = rank;
    if (!app->no_mpi)
        pj_trace_writer_communicator(out, world, app->ranks);
    free(world);
    for (int function = 1; function <= 2; function++) {
        pj_trace_writer_label_value(out, type_function, function,
                                    function == 1 ? "compute_flux" : "update_cells");
        pj_trace_writer_label_value(out, type_line, function,
                                    function == 1 ? "41 (flux.c, stencil)"
                                                  : "87 (cells.c, stencil)");
    }
    for (uint32_t rank = 0; rank < app->ranks; rank++)
        write_rank(app, out, rank);
    return out;
}
