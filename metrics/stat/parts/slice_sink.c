// Cuts a run along time.
// Events come in order of time over all threads: once one of a rank lies behind a border, what its
// threads did up to there is known and summed, so that nothing is kept but the slice that each rank
// is in. A reading of counters is shared out over the slices since the one before, by useful time.
#include "metrics/stat/parts/slice_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"
#include "metrics/stat/parts/state_mark.h"
#include "metrics/stat/state_clock.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <string.h>

enum { SHARES_MOST = 64 }; // slices that one reading is shared out over; more go to the first

typedef struct share { // useful time since the last reading
    uint32_t slice;
    uint64_t useful_ns;
} share;

typedef struct thread {
    pj_state_clock clock;
    pj_state_mark mark; // where the slice began
    uint64_t read_ns;   // useful time in the slice up to the last reading
    share *shares;      // of slices that ended since
    uint32_t share_count;
    size_t share_cap;
    double before[PJ_STATE_CLOCK_COUNTERS]; // credited up to the last reading
} thread;

struct pj_slicing {
    pj_slicing_opts opts;
    const pj_run *run;
    pj_arena *arena; // of one pass
    pj_window window;
    pj_borders borders;
    thread *threads; // by location
    uint32_t locations;
    pj_totals *totals; // room for the threads of a rank
    uint32_t *now;     // by rank: borders passed; 0 = before the first slice
    uint32_t *moving;  // by rank: borders that the replay has passed
    double *clocks;    // by rank: of the replay
    double *ideal;     // by border: the latest clock of a rank
    pj_run_slice *slices;
    double *counted[PJ_STATE_CLOCK_COUNTERS]; // by slice
    bool present[PJ_STATE_CLOCK_COUNTERS];
    uint32_t lanes;
    double *useful;  // by lane and slice: ns
    uint64_t end_ns; // that the borders were made for
    bool moved, waited;
};

pj_slicing *pj_slicing_new(pj_slicing_opts opts)
{
    pj_slicing *self = pj_take_memory(sizeof *self);
    *self = (pj_slicing){.opts = opts};
    return self;
}

static void free_parts(pj_slicing *self)
{
    for (uint32_t i = 0; i < self->locations; i++) {
        pj_state_clock_free(&self->threads[i].clock);
        free(self->threads[i].shares);
    }
    free(self->threads);
    pj_arena_free(self->arena);
    *self = (pj_slicing){.opts = self->opts};
}

void pj_slicing_free(pj_slicing *self)
{
    if (!self)
        return;
    free_parts(self);
    free(self);
}

bool pj_slicing_missed(const pj_slicing *self, uint64_t end_ns)
{
    return self->opts.equal && self->end_ns != end_ns;
}

void pj_slicing_set_end(pj_slicing *self, uint64_t end_ns)
{
    self->opts.end_ns = end_ns;
}

/// Slice i of n begins where i / n of the length has passed, in whole ns.
static void cut_evenly(pj_slicing *self, uint64_t from, uint64_t to)
{
    __extension__ typedef unsigned __int128 wide;
    uint32_t count = self->opts.equal;
    uint64_t length = to > from ? to - from : 0;
    self->borders = (pj_borders){.at = pj_new_n(self->arena, uint64_t, count + 1), .count = count};
    for (uint32_t i = 0; i <= count; i++)
        self->borders.at[i] = from + (uint64_t)((wide)length * i / count);
}

static void begin_threads(pj_slicing *self, const pj_run *run)
{
    uint32_t most = 0;
    self->locations = run->layout.locations;
    self->threads = pj_take_memory((self->locations + (size_t)1) * sizeof *self->threads);
    for (uint32_t i = 0; i < self->locations; i++) {
        self->threads[i] = (thread){.shares = NULL};
        pj_state_clock_begin(&self->threads[i].clock, &self->window, NULL);
        self->threads[i].clock.once = run->told.states_unread;
    }
    for (uint32_t r = 0; r < run->layout.ranks; r++) {
        uint32_t threads = pj_layout_threads(&run->layout, r);
        most = threads > most ? threads : most;
    }
    self->totals = pj_new_n(self->arena, pj_totals, most + 1);
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    pj_slicing *self = memory;
    uint32_t ranks = run->layout.ranks;
    const pj_borders *given = &self->opts.borders;
    if (given->stride && given->ranks != ranks)
        return pj_fail(err, PJ_E_FORMAT, run->path, 0, "the trace changed while it was read");
    free_parts(self);
    self->run = run;
    self->arena = pj_arena_new(NULL);
    self->window = (pj_window){0, UINT64_MAX, false};
    self->end_ns = self->opts.end_ns ? self->opts.end_ns : run->end_ns;
    if (self->opts.equal)
        cut_evenly(self, run->roi.set ? run->roi.from_ns : 0,
                   run->roi.set ? run->roi.to_ns : self->end_ns);
    else
        self->borders = self->opts.borders;
    uint32_t count = self->borders.count;
    begin_threads(self, run);
    self->now = pj_new_n(self->arena, uint32_t, ranks);
    self->moving = pj_new_n(self->arena, uint32_t, ranks);
    self->clocks = pj_new_n(self->arena, double, ranks);
    self->ideal = pj_new_n(self->arena, double, count + 1);
    self->slices = pj_new_n(self->arena, pj_run_slice, count + 1);
    for (uint32_t i = 0; i < count; i++)
        self->slices[i] = (pj_run_slice){.start_ns = UINT64_MAX, .sums = pj_sums_of_ranks()};
    for (unsigned c = 0; c < PJ_STATE_CLOCK_COUNTERS; c++)
        self->counted[c] = pj_new_n(self->arena, double, count + 1);
    self->lanes = count > PJ_SLICES_COLUMNS ? 0 : ranks < PJ_SLICES_LANES ? ranks : PJ_SLICES_LANES;
    self->useful = pj_new_n(self->arena, double, (size_t)self->lanes *count + 1);
    return true;
}

// Counters

static void keep_share(thread *t, uint32_t slice, uint64_t useful)
{
    if (useful == 0)
        return;
    if (t->share_count == SHARES_MOST) {
        t->shares[0].useful_ns += useful;
        return;
    }
    pj_grow(t->shares, &t->share_cap, t->share_count + 1);
    t->shares[t->share_count++] = (share){slice, useful};
}

/// Adds what a reading has credited to the slices that it is about; `now` is behind the last one.
static void share_out(pj_slicing *self, thread *t, uint32_t now, uint64_t useful)
{
    uint64_t whole = useful - t->read_ns;
    for (uint32_t i = 0; i < t->share_count; i++)
        whole += t->shares[i].useful_ns;
    for (unsigned c = 0; c < PJ_STATE_CLOCK_COUNTERS; c++) {
        double value = (double)t->clock.credits[c].useful - t->before[c], left = value;
        t->before[c] = (double)t->clock.credits[c].useful;
        self->present[c] |= t->clock.credits[c].present;
        for (uint32_t i = 0; value != 0 && i < t->share_count; i++) {
            double part = (double)(int64_t)(value * (double)t->shares[i].useful_ns / (double)whole);
            if (t->shares[i].slice < self->borders.count)
                self->counted[c][t->shares[i].slice] += part;
            left -= part;
        }
        if (now > 0 && now <= self->borders.count)
            self->counted[c][now - 1] += left;
    }
    t->share_count = 0;
    t->read_ns = useful;
}

// Borders

static void add_useful(pj_slicing *self, uint32_t rank, uint32_t slice, uint32_t threads)
{
    double useful = 0;
    if (!self->lanes)
        return;
    for (uint32_t i = 0; i < threads; i++)
        useful += (double)self->totals[i].useful_ns;
    uint32_t lane = (uint32_t)((uint64_t)rank * self->lanes / self->run->layout.ranks);
    self->useful[(size_t)lane * self->borders.count + slice] += useful;
}

/// The rank has come to the end of what it is in: a slice, or what is before the first one.
static void pass_border(pj_slicing *self, uint32_t rank, uint64_t at)
{
    const pj_layout *layout = &self->run->layout;
    uint32_t first = layout->first_location[rank], threads = pj_layout_threads(layout, rank);
    uint32_t slice = self->now[rank]++; // 1 + number of the one that ends
    uint64_t in_mpi = 0;
    for (uint32_t i = 0; i < threads; i++) {
        thread *t = &self->threads[first + i];
        pj_state_clock_advance(&t->clock, at);
        in_mpi += i == 0 ? pj_state_mark_in_mpi(&t->mark, &t->clock) : 0;
        self->totals[i] = pj_state_mark_since(&t->mark, &t->clock);
        keep_share(t, slice - 1, self->totals[i].useful_ns - t->read_ns);
        t->read_ns = 0;
        t->mark = pj_state_mark_of(&t->clock);
    }
    if (slice == 0)
        return;
    pj_run_slice *s = &self->slices[slice - 1];
    uint64_t from = pj_borders_of(&self->borders, rank)[slice - 1];
    pj_sums_add_rank(&s->sums, self->totals, threads);
    add_useful(self, rank, slice - 1, threads);
    s->start_ns = from < s->start_ns ? from : s->start_ns;
    s->end_ns = at > s->end_ns ? at : s->end_ns;
    s->length_ns = at - from > s->length_ns ? at - from : s->length_ns;
    uint64_t outside = at - from > in_mpi ? at - from - in_mpi : 0;
    s->outside_ns += outside;
    s->outside_max_ns = outside > s->outside_max_ns ? outside : s->outside_max_ns;
}

static inline void go_to(pj_slicing *self, uint32_t rank, uint64_t time)
{
    const uint64_t *at = pj_borders_of(&self->borders, rank);
    while (self->now[rank] <= self->borders.count && at[self->now[rank]] < time)
        pass_border(self, rank, at[self->now[rank]]);
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    pj_slicing *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind == PJ_EV_MESSAGE)
            continue;
        uint32_t rank = self->run->layout.rank_of[event->location];
        thread *t = &self->threads[event->location];
        go_to(self, rank, event->time);
        pj_state_clock_event(&t->clock, event);
        if (event->kind == PJ_EV_COUNTER || event->kind == PJ_EV_COUNTERS) {
            pj_state_clock_advance(&t->clock, event->time);
            share_out(self, t, self->now[rank], pj_state_mark_useful(&t->mark, &t->clock));
        }
    }
    return true;
}

// What the replay tells

/// The clock of the replay at borders inside what was moved; behind its end as it stands there.
static void moved(void *memory, uint32_t location, const uint64_t trace[2], const double clock[2],
                  bool running)
{
    pj_slicing *self = memory;
    const pj_layout *layout = &self->run->layout;
    uint32_t rank = layout->rank_of[location];
    if (layout->first_location[rank] != location)
        return;
    const uint64_t *at = pj_borders_of(&self->borders, rank);
    uint32_t *next = &self->moving[rank];
    for (; *next <= self->borders.count && at[*next] < trace[1]; ++*next) {
        double since = running && at[*next] > trace[0] ? (double)(at[*next] - trace[0]) : 0;
        double now = clock[0] + since;
        self->ideal[*next] = now > self->ideal[*next] ? now : self->ideal[*next];
    }
    self->clocks[rank] = clock[1];
    self->moved = true;
}

/// The first slice of a rank that ends behind a time.
static uint32_t slice_at(const pj_slicing *self, uint32_t rank, uint64_t time)
{
    const uint64_t *at = pj_borders_of(&self->borders, rank);
    uint32_t low = 0, high = self->borders.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at[middle + 1] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef enum spent { IN_MPI, WAITING } spent;

static void spread(pj_slicing *self, uint32_t rank, uint64_t begin, uint64_t end, spent what)
{
    const uint64_t *at = pj_borders_of(&self->borders, rank);
    for (uint32_t i = slice_at(self, rank, begin); i < self->borders.count && at[i] < end; i++) {
        uint64_t from = begin > at[i] ? begin : at[i], to = end < at[i + 1] ? end : at[i + 1];
        uint64_t ns = to > from ? to - from : 0;
        self->slices[i].mpi_ns += what == IN_MPI ? ns : 0;
        self->slices[i].wait_ns += what == WAITING ? ns : 0;
    }
    self->waited = true;
}

static uint32_t called(void *self, uint32_t rank, uint64_t enter, uint64_t leave)
{
    spread(self, rank, enter, leave, IN_MPI);
    return 0;
}

static void waited(void *self, uint32_t rank, uint32_t tag, uint64_t begin, uint64_t end)
{
    (void)tag;
    spread(self, rank, begin, end, WAITING);
}

pj_replay_watch pj_slicing_watch(pj_slicing *slicing)
{
    return (pj_replay_watch){.moved = moved, .called = called, .waited = waited, .self = slicing};
}

// The end

static void end_replay(pj_slicing *self)
{
    for (uint32_t r = 0; r < self->run->layout.ranks; r++)
        for (uint32_t i = self->moving[r]; i <= self->borders.count; i++)
            self->ideal[i] = self->clocks[r] > self->ideal[i] ? self->clocks[r] : self->ideal[i];
}

static void write_slices(pj_slicing *self, pj_run *run, pj_slices *out)
{
    for (uint32_t i = 0; i < out->count; i++) {
        pj_run_slice *s = &out->items[i];
        *s = self->slices[i];
        s->sums.ranks = run->layout.ranks;
        s->sums.threads = run->layout.locations;
        s->sums.runtime = (double)s->length_ns;
        s->ideal_ns = self->ideal[i + 1] - self->ideal[i];
        s->sums.ideal_runtime = s->ideal_ns;
        s->sums.instructions = self->counted[PJ_COUNTER_INSTRUCTIONS][i];
        s->sums.cycles = self->counted[PJ_COUNTER_CYCLES][i];
        pj_sums_divide(&s->sums);
    }
}

static void write_lanes(const pj_slicing *self, const pj_run *run, pj_slices *out)
{
    out->lanes = self->lanes;
    out->useful = pj_new_n(run->arena, float, (size_t)self->lanes * out->count + 1);
    for (uint32_t lane = 0; lane < self->lanes; lane++) {
        uint32_t from = pj_slices_lane_rank(out, run->layout.ranks, lane);
        uint32_t to = pj_slices_lane_rank(out, run->layout.ranks, lane + 1);
        uint32_t threads = run->layout.first_location[to] - run->layout.first_location[from];
        for (uint32_t i = 0; i < out->count; i++) {
            size_t at = (size_t)lane * out->count + i;
            double whole = (double)out->items[i].length_ns * threads;
            out->useful[at] = whole > 0 ? (float)(self->useful[at] / whole) : 0;
        }
    }
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    pj_slicing *self = memory;
    (void)err;
    for (uint32_t r = 0; r < run->layout.ranks; r++)
        go_to(self, r, UINT64_MAX);
    for (uint32_t i = 0; i < self->locations; i++)
        share_out(self, &self->threads[i], 0, 0);
    end_replay(self);
    pj_slices *out = pj_new(run->arena, pj_slices);
    *out = (pj_slices){.what = self->opts.what,
                       .items = pj_new_n(run->arena, pj_run_slice, self->borders.count + 1),
                       .count = self->borders.count,
                       .first = self->opts.first,
                       .instructions = self->present[PJ_COUNTER_INSTRUCTIONS],
                       .cycles = self->present[PJ_COUNTER_CYCLES],
                       .ideal_lacks = run->ideal.available ? NULL : run->ideal.reason};
    if (run->ideal.available && !self->moved)
        out->ideal_lacks = "the replay was not asked for its clocks";
    write_slices(self, run, out);
    if (self->lanes)
        write_lanes(self, run, out);
    run->slices = out;
    if (out->count <= PJ_SLICES_PARTS)
        pj_slices_make_parts(run, out);
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
}

pj_sink pj_slice_sink(pj_slicing *slicing)
{
    return (pj_sink){.name = "slices",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = slicing};
}
