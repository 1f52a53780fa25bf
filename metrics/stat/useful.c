// Hands the events of each thread to its timeline and writes the sums into the run.
#include "metrics/stat/useful.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/stat/state_clock.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/io_way.h"

#include <stdlib.h>
#include <string.h>

typedef struct useful_state {
    pj_state_clock *clocks; // by location
    pj_border *borders;     // two by location; NULL without a region of interest
    uint32_t locations;
    pj_window window;
    unsigned kinds; // of events that came, a bit each
    bool levels;    // of OpenMP came
} useful_state;

static void free_clocks(useful_state *self)
{
    for (uint32_t i = 0; i < self->locations; i++)
        pj_state_clock_free(&self->clocks[i]);
    free(self->clocks);
    free(self->borders);
    *self = (useful_state){.clocks = NULL};
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    useful_state *self = memory;
    (void)err;
    free_clocks(self);
    self->window = (pj_window){0, UINT64_MAX, false};
    if (run->roi.set)
        self->window = (pj_window){run->roi.from_ns, run->roi.to_ns, run->roi.drop};
    uint32_t n = self->locations = run->layout.locations;
    self->clocks = pj_take_memory(n * sizeof *self->clocks);
    if (run->roi.set)
        self->borders = pj_take_memory(2 * (size_t)n * sizeof *self->borders);
    for (uint32_t i = 0; i < n; i++) {
        pj_state_clock_begin(&self->clocks[i], &self->window,
                             self->borders ? &self->borders[2 * (size_t)i] : NULL);
        self->clocks[i].once = run->told.states_unread;
    }
    return true;
}

static void see_event(pj_state_clock *clock, uint64_t time)
{
    pj_state_clock_see(clock, time);
    if (time > clock->last_event)
        clock->last_event = time;
}

static void see_message(useful_state *self, const pj_message *message)
{
    pj_state_clock_see(&self->clocks[message->from], message->logical_send);
    pj_state_clock_see(&self->clocks[message->to], message->logical_recv);
}

static inline void take_event(useful_state *self, const pj_batch *batch, const pj_event *event)
{
    pj_state_clock *clock = &self->clocks[event->location];
    self->kinds |= 1u << event->kind;
    self->levels |= event->kind == PJ_EV_OPENMP && pj_state_clock_is_level(event->code);
    if (event->kind == PJ_EV_MESSAGE) {
        see_message(self, &batch->messages[event->a]);
        return;
    }
    pj_state_clock_event(clock, event);
    if (event->kind == PJ_EV_STATE)
        pj_state_clock_see(clock, event->time);
    else
        see_event(clock, event->time);
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    useful_state *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++)
        take_event(self, batch, &batch->events[i]);
    return true;
}

/// Time in states of `class_`, of which the bits `with` are set and the bits `without` are not.
static uint64_t sum_of(const pj_state_clock *clock, unsigned class_, unsigned with,
                       unsigned without)
{
    uint64_t sum = 0;
    for (unsigned place = 0; place < PJ_CLASS_RUNNING; place++)
        if ((place & with) == with && (place & without) == 0)
            sum += clock->sums[class_ + place];
    return sum;
}

pj_totals pj_useful_totals(const pj_state_clock *clock)
{
    pj_totals totals = {
        .useful_ns = sum_of(clock, PJ_CLASS_RUNNING, 0, 0),
        .serial_useful_ns = sum_of(clock, PJ_CLASS_RUNNING, 0, PJ_IN_OPENMP),
        .openmp_useful_ns = sum_of(clock, PJ_CLASS_RUNNING, PJ_IN_OPENMP, 0),
        .openmp_ns = clock->openmp_ns,
        .outside_mpi_ns = sum_of(clock, PJ_CLASS_RUNNING, 0, PJ_IN_MPI) +
                          sum_of(clock, PJ_CLASS_OTHER, 0, PJ_IN_MPI),
        .runtime_ns = sum_of(clock, PJ_CLASS_RUNNING, 0, 0) + sum_of(clock, PJ_CLASS_OTHER, 0, 0),
        .mpi_ns = sum_of(clock, PJ_CLASS_RUNNING, PJ_IN_MPI, 0) +
                  sum_of(clock, PJ_CLASS_OTHER, PJ_IN_MPI, 0),
        .mpi_serial_ns = sum_of(clock, PJ_CLASS_RUNNING, PJ_IN_MPI, PJ_IN_OPENMP) +
                         sum_of(clock, PJ_CLASS_OTHER, PJ_IN_MPI, PJ_IN_OPENMP),
        .mpi_io_ns = clock->spent[PJ_SPENT_MPI_IO],
        .io_overlap_ns = clock->io.overlap_ns,
        .io_calls = clock->io.calls,
        .io_read_bytes = clock->io.bytes[PJ_IO_READ],
        .io_written_bytes = clock->io.bytes[PJ_IO_WRITE],
        .io_read_untold = clock->io.untold[PJ_IO_READ],
        .io_written_untold = clock->io.untold[PJ_IO_WRITE],
        .device_calls_ns = pj_state_clock_called(clock),
        .last_event_ns = clock->last_event,
        .first_record_ns = clock->first_record,
    };
    memcpy(totals.spent_ns, clock->spent, sizeof totals.spent_ns);
    totals.spent_ns[PJ_SPENT_IO] += totals.mpi_io_ns;
    if (clock->borders)
        totals.runtime_ns =
            clock->window->to - clock->window->from - sum_of(clock, PJ_CLASS_DISABLED, 0, 0);
    return totals;
}

static void write_counters(const pj_state_clock *clock, uint32_t location, pj_run *run)
{
    for (unsigned c = 0; c < PJ_STATE_CLOCK_COUNTERS; c++) {
        run->counters[c].useful[location] = clock->credits[c].useful;
        run->counters[c].present |= clock->credits[c].present;
        if (clock->credits[c].overflown)
            pj_import_add(&run->import, PJ_IMPORT_counter_overflow, 0);
    }
}

/// Traces that were cut, or made of samples, end in computation behind which no event stands.
static uint64_t last_of(const pj_state_clock *clock, const pj_run *run)
{
    bool runs = (clock->slot & PJ_CLASS_DISABLED) == PJ_CLASS_RUNNING;
    uint64_t end = runs ? clock->end : clock->burst_end;
    end = end < run->end_ns ? end : run->end_ns;
    return end > clock->last_event ? end : clock->last_event;
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    useful_state *self = memory;
    (void)err;
    pj_run_allocate(run);
    run->has_mpi = self->kinds >> PJ_EV_MPI & 1;
    run->has_openmp = self->levels;
    run->no_states = !(self->kinds >> PJ_EV_STATE & 1);
    for (uint32_t i = 0; i < self->locations; i++) {
        pj_state_clock *clock = &self->clocks[i];
        pj_state_clock_end(clock, run->end_ns);
        run->totals[i] = pj_useful_totals(clock);
        run->totals[i].last_event_ns = last_of(clock, run);
        write_counters(clock, i, run);
        run->ranged.states_overlap |= clock->overlap;
        run->roi.cut_bursts += pj_state_clock_cuts(clock);
        if (run->totals[i].runtime_ns > run->runtime_ns)
            run->runtime_ns = run->totals[i].runtime_ns;
    }
    return true;
}

static void close_sink(void *memory)
{
    free_clocks(memory);
    free(memory);
}

pj_sink pj_useful_sink(void)
{
    useful_state *self = pj_take_memory(sizeof *self);
    *self = (useful_state){.clocks = NULL};
    return (pj_sink){.name = "useful",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .by_location = true};
}
