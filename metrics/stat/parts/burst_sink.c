// Bursts of threads.
// A burst is known when the next one begins: until then its end may move, and what is read up to
// there belongs to it. A reading that is about several bursts is that of none.
#include "metrics/stat/parts/burst_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/stat/parts/function_stay.h"
#include "metrics/stat/state_clock.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>

typedef struct thread {
    pj_state_clock clock;
    uint64_t burst;      // number of the one it is in or was in last; 0 = none yet
    uint64_t begin, end; // of it
    uint64_t called_ns;  // when MPI was first entered since then
    int64_t before[PJ_STATE_CLOCK_COUNTERS]; // credited when it began
    bool shared;                             // a reading was about it and others
    pj_function_stay functions;
} thread;

typedef struct burst_state {
    const pj_run *run;
    pj_window window;
    thread *threads; // by location
    uint32_t locations;
    pj_burst_cells cells, durations; // with counters, and without
    pj_burst_sum unread;
    uint64_t cut;
} burst_state;

static void free_parts(burst_state *self)
{
    for (uint32_t i = 0; i < self->locations; i++)
        pj_state_clock_free(&self->threads[i].clock);
    for (uint32_t i = 0; i < self->locations; i++)
        pj_function_stay_free(&self->threads[i].functions);
    free(self->threads);
    pj_burst_cells_free(&self->cells);
    pj_burst_cells_free(&self->durations);
    *self = (burst_state){.threads = NULL};
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    burst_state *self = memory;
    (void)err;
    free_parts(self);
    self->run = run;
    self->window = (pj_window){0, UINT64_MAX, false};
    self->locations = run->layout.locations;
    self->threads = pj_take_memory((self->locations + (size_t)1) * sizeof *self->threads);
    for (uint32_t i = 0; i < self->locations; i++) {
        self->threads[i] = (thread){.begin = 0};
        pj_state_clock_begin(&self->threads[i].clock, &self->window, NULL);
    }
    return true;
}

/// Whether counters were read for it alone, up to its end.
static bool is_read(const thread *t)
{
    for (unsigned c = 0; c < PJ_STATE_CLOCK_COUNTERS; c++)
        if (t->clock.credits[c].ended < t->burst || t->clock.credits[c].useful <= t->before[c])
            return false;
    return !t->shared;
}

static bool is_inside(burst_state *self, const thread *t)
{
    const pj_roi *roi = &self->run->roi;
    if (!roi->set || (t->begin >= roi->from_ns && t->end <= roi->to_ns))
        return true;
    self->cut += t->end > roi->from_ns && t->begin < roi->to_ns;
    return false;
}

static void end_burst(burst_state *self, thread *t, uint32_t rank)
{
    if (t->burst == 0 || t->end <= t->begin || !is_inside(self, t))
        return;
    uint64_t group = self->run->layout.ranks > PJ_BURST_RANKS
                         ? (uint64_t)rank * PJ_BURST_RANKS / self->run->layout.ranks
                         : rank;
    uint32_t function = pj_function_stay_longest(&t->functions, t->end);
    pj_burst_sum burst = {.bursts = 1,
                          .time_ns = t->end - t->begin,
                          .order = t->burst,
                          .ranks = UINT64_C(1) << group};
    pj_burst_cells_add(&self->durations, &burst, function);
    if (!is_read(t)) {
        pj_burst_sum_add(&self->unread, &burst);
        return;
    }
    const pj_credit *credits = t->clock.credits;
    burst.instructions =
        (uint64_t)(credits[PJ_COUNTER_INSTRUCTIONS].useful - t->before[PJ_COUNTER_INSTRUCTIONS]);
    burst.cycles = (uint64_t)(credits[PJ_COUNTER_CYCLES].useful - t->before[PJ_COUNTER_CYCLES]);
    pj_burst_cells_add(&self->cells, &burst, function);
}

static void begin_burst(thread *t)
{
    t->burst = t->clock.bursts;
    t->begin = t->clock.burst_begin;
    t->shared = false;
    pj_function_stay_begin(&t->functions, t->begin);
    for (unsigned c = 0; c < PJ_STATE_CLOCK_COUNTERS; c++)
        t->before[c] = t->clock.credits[c].useful;
}

/// What is read behind a call without length, which does not end the burst, is not its own.
static void read_counter(thread *t, unsigned counter, uint64_t time, int64_t value)
{
    const pj_credit *credit = &t->clock.credits[counter];
    int64_t useful = credit->useful;
    t->shared |= t->clock.bursts > credit->ended + 1;
    pj_state_clock_reading(&t->clock, counter, time, value);
    if (t->called_ns > t->begin && time > t->called_ns)
        t->before[counter] += credit->useful - useful;
}

static void take_event(thread *t, const pj_event *event)
{
    if (event->kind == PJ_EV_MPI && event->a && t->called_ns <= t->begin)
        t->called_ns = event->time;
    else if (event->kind == PJ_EV_COUNTERS) {
        read_counter(t, 0, event->time, (int64_t)event->a);
        read_counter(t, 1, event->time, (int64_t)event->b);
    } else if (event->kind == PJ_EV_COUNTER && event->code < PJ_STATE_CLOCK_COUNTERS)
        read_counter(t, event->code, event->time, (int64_t)event->a);
    else if (event->kind == PJ_EV_STATE)
        pj_state_clock_event(&t->clock, event);
}

static void take(burst_state *self, thread *t, const pj_event *event)
{
    if (event->time > t->clock.begin)
        pj_state_clock_count_burst(&t->clock);
    if (t->clock.bursts > t->burst) {
        end_burst(self, t, self->run->layout.rank_of[event->location]);
        begin_burst(t);
    }
    bool called = t->called_ns > t->begin;
    pj_function_stay_event(&t->functions, self->run, event, called ? t->called_ns : UINT64_MAX);
    take_event(t, event);
    t->end = t->clock.burst_end;
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    burst_state *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++)
        take(self, &self->threads[batch->events[i].location], &batch->events[i]);
    return true;
}

/// What clusters are told by besides: their functions, and how many bursts a thread has.
static void tell_clusters(const burst_state *self, pj_burst_clusters *out, pj_run *run)
{
    double bursts = 0, threads = 0;
    for (uint32_t i = 0; i < self->locations; i++) {
        bursts += (double)self->threads[i].burst;
        threads += self->threads[i].burst > 0;
    }
    out->order = threads > 0 ? bursts / threads : 0;
    for (uint32_t i = 0; out->functions && i < out->count; i++)
        out->functions[i].name = pj_function_stay_name(run, out->functions[i].number, run->arena);
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    burst_state *self = memory;
    pj_burst_clusters *out = pj_new(run->arena, pj_burst_clusters);
    (void)err;
    for (uint32_t i = 0; i < self->locations; i++) {
        const pj_event last = {.time = UINT64_MAX, .location = i, .kind = PJ_EV_OTHER};
        take(self, &self->threads[i], &last);
        if (self->threads[i].end > run->end_ns) // a state without end
            self->threads[i].end = run->end_ns;
        end_burst(self, &self->threads[i], run->layout.rank_of[i]);
    }
    *out = (pj_burst_clusters){
        .unread = self->unread, .cut = self->cut, .timed = self->cells.count == 0};
    pj_burst_clusters_find(out->timed ? &self->durations : &self->cells, out, run->arena);
    tell_clusters(self, out, run);
    run->bursts = out;
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
    free(memory);
}

pj_sink pj_burst_sink(void)
{
    burst_state *self = pj_take_memory(sizeof *self);
    *self = (burst_state){.threads = NULL};
    return (pj_sink){.name = "bursts",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .kinds = 1u << PJ_EV_STATE | 1u << PJ_EV_MPI | 1u << PJ_EV_COUNTER |
                              1u << PJ_EV_COUNTERS | 1u << PJ_EV_OTHER | 1u << PJ_EV_ENTER |
                              1u << PJ_EV_LEAVE};
}

static size_t listen_bursts(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_burst_sink();
    return 1;
}

static const char *lack_bursts(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->bursts ? NULL : "does not say how long each burst of computation was";
}

static bool stale_bursts(const pj_run *run)
{
    return !run->bursts;
}

const pj_aspect pj_aspect_bursts = {
    .listen = listen_bursts, .lack = lack_bursts, .stale = stale_bursts};
