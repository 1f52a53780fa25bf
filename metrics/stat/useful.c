// Hands the events of each thread to its timeline and writes the sums into the run.
#include "metrics/stat/useful.h"

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/stat/timeline.h"

#include <stdlib.h>
#include <string.h>

typedef struct useful_state {
    pj_timeline *timelines; // by location
    pj_border *borders;     // two by location; NULL without a region of interest
    uint32_t locations;
    pj_window window;
    bool has_mpi, has_openmp, has_states;
} useful_state;

static void free_timelines(useful_state *self)
{
    for (uint32_t i = 0; i < self->locations; i++)
        pj_timeline_free(&self->timelines[i]);
    free(self->timelines);
    free(self->borders);
    *self = (useful_state){.timelines = NULL};
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    useful_state *self = memory;
    (void)err;
    free_timelines(self);
    self->window = (pj_window){0, UINT64_MAX, false};
    if (run->roi.set)
        self->window = (pj_window){run->roi.from_ns, run->roi.to_ns, run->roi.drop};
    uint32_t n = self->locations = run->layout.locations;
    self->timelines = pj_take_memory(n * sizeof *self->timelines);
    if (run->roi.set)
        self->borders = pj_take_memory(2 * (size_t)n * sizeof *self->borders);
    for (uint32_t i = 0; i < n; i++) {
        pj_timeline_begin(&self->timelines[i], &self->window,
                          self->borders ? &self->borders[2 * (size_t)i] : NULL);
        self->timelines[i].once = run->states_unread;
    }
    return true;
}

static void see_event(pj_timeline *timeline, uint64_t time)
{
    pj_timeline_see(timeline, time);
    if (time > timeline->last_event)
        timeline->last_event = time;
}

static void see_message(useful_state *self, const pj_message *message)
{
    pj_timeline_see(&self->timelines[message->from], message->logical_send);
    pj_timeline_see(&self->timelines[message->to], message->logical_recv);
}

/// Levels of OpenMP; the other event families serve the replay.
static bool is_level(unsigned code)
{
    return code == PJ_OMP_PARALLEL || code == PJ_OMP_BARRIER || code == PJ_OMP_FUNCTION ||
           code == PJ_OMP_TASK;
}

static inline void take_event(useful_state *self, const pj_batch *batch, const pj_event *event)
{
    pj_timeline *timeline = &self->timelines[event->location];
    switch ((pj_event_kind)event->kind) {
    case PJ_EV_STATE:
        self->has_states = true;
        pj_timeline_see(timeline, event->time);
        pj_timeline_state(timeline, event->time, event->a, event->code);
        return;
    case PJ_EV_MESSAGE:
        see_message(self, &batch->messages[event->a]);
        return;
    case PJ_EV_COUNTER:
        if (event->code < PJ_TIMELINE_COUNTERS)
            pj_timeline_reading(timeline, event->code, event->time, (int64_t)event->a);
        break;
    case PJ_EV_COUNTERS:
        pj_timeline_readings(timeline, event->time, (int64_t)event->a, (int64_t)event->b);
        break;
    case PJ_EV_MPI:
        self->has_mpi = true;
        pj_timeline_mpi(timeline, event->time, event->code, event->a != 0);
        break;
    case PJ_EV_OPENMP:
        if (!is_level(event->code))
            break;
        self->has_openmp = true;
        pj_timeline_level(timeline, event->time, (int64_t)event->a);
        break;
    case PJ_EV_COLLECTIVE:
    case PJ_EV_REQUEST:
    case PJ_EV_COMPLETE:
    case PJ_EV_TRACING:
    case PJ_EV_ENTER:
    case PJ_EV_LEAVE:
    case PJ_EV_PART:
    case PJ_EV_DEVICE:
    case PJ_EV_OTHER:
    case PJ_EV_END:
    case PJ_EV_LAST:
        break;
    }
    see_event(timeline, event->time);
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
static uint64_t sum_of(const pj_timeline *timeline, unsigned class_, unsigned with,
                       unsigned without)
{
    uint64_t sum = 0;
    for (unsigned place = 0; place < PJ_CLASS_RUNNING; place++)
        if ((place & with) == with && (place & without) == 0)
            sum += timeline->sums[class_ + place];
    return sum;
}

static pj_totals totals_of(const pj_timeline *timeline)
{
    pj_totals totals = {
        .useful_ns = sum_of(timeline, PJ_CLASS_RUNNING, 0, 0),
        .serial_useful_ns = sum_of(timeline, PJ_CLASS_RUNNING, 0, PJ_IN_OPENMP),
        .openmp_useful_ns = sum_of(timeline, PJ_CLASS_RUNNING, PJ_IN_OPENMP, 0),
        .openmp_ns = timeline->openmp_ns,
        .outside_mpi_ns = sum_of(timeline, PJ_CLASS_RUNNING, 0, PJ_IN_MPI) +
                          sum_of(timeline, PJ_CLASS_OTHER, 0, PJ_IN_MPI),
        .runtime_ns =
            sum_of(timeline, PJ_CLASS_RUNNING, 0, 0) + sum_of(timeline, PJ_CLASS_OTHER, 0, 0),
        .last_event_ns = timeline->last_event,
        .first_record_ns = timeline->first_record,
    };
    memcpy(totals.spent_ns, timeline->spent, sizeof totals.spent_ns);
    if (timeline->borders)
        totals.runtime_ns = timeline->window->to - timeline->window->from -
                            sum_of(timeline, PJ_CLASS_DISABLED, 0, 0);
    return totals;
}

static void write_counters(const pj_timeline *timeline, uint32_t location, pj_run *run)
{
    for (unsigned c = 0; c < PJ_TIMELINE_COUNTERS; c++) {
        run->counters[c].useful[location] = timeline->credits[c].useful;
        run->counters[c].present |= timeline->credits[c].present;
        if (timeline->credits[c].overflown)
            pj_import_add(&run->import, PJ_IMPORT_counter_overflow, 0);
    }
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    useful_state *self = memory;
    (void)err;
    pj_run_allocate(run);
    run->has_mpi = self->has_mpi;
    run->has_openmp = self->has_openmp;
    run->no_states = !self->has_states;
    for (uint32_t i = 0; i < self->locations; i++) {
        pj_timeline *timeline = &self->timelines[i];
        pj_timeline_end(timeline, run->end_ns);
        run->totals[i] = totals_of(timeline);
        write_counters(timeline, i, run);
        run->states_overlap |= timeline->overlap;
        run->roi.cut_bursts += pj_timeline_cuts(timeline);
        if (run->totals[i].runtime_ns > run->runtime_ns)
            run->runtime_ns = run->totals[i].runtime_ns;
    }
    return true;
}

static void close_sink(void *memory)
{
    free_timelines(memory);
    free(memory);
}

pj_sink pj_useful_sink(void)
{
    useful_state *self = pj_take_memory(sizeof *self);
    *self = (useful_state){.timelines = NULL};
    return (pj_sink){.name = "useful",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .by_location = true};
}
