// Estimated states.
// A state is given out in pieces, each before the next event of its thread, so that its events stay
// in order of time.
#include "metrics/read/paraver/prv_estimate.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/trace/device.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>
#include <string.h>

enum { // of Extrae's states
    STATE_WAITING = 3,
    STATE_COLLECTIVE = 13,
};

typedef struct thread {
    uint64_t since; // what is not given out yet
    uint32_t depth; // of calls of the runtime of devices
    uint8_t call;   // pj_device_call of the outermost
    uint8_t mpi;    // bits of the classes of calls that are open
} thread;

struct pj_prv_estimate {
    thread *threads;
    uint32_t count;
    pj_event *events;
    size_t event_count, cap;
};

pj_prv_estimate *pj_prv_estimate_new(uint32_t threads)
{
    pj_prv_estimate *estimate = pj_take_memory(sizeof *estimate);
    *estimate = (pj_prv_estimate){.count = threads};
    estimate->threads = pj_take_memory((threads + 1) * sizeof *estimate->threads);
    memset(estimate->threads, 0, (threads + 1) * sizeof *estimate->threads);
    return estimate;
}

void pj_prv_estimate_free(pj_prv_estimate *estimate)
{
    if (!estimate)
        return;
    free(estimate->threads);
    free(estimate->events);
    free(estimate);
}

static uint16_t state_of(const thread *t)
{
    if (t->mpi)
        return t->mpi & 1u << PJ_MPI_COLLECTIVE ? STATE_COLLECTIVE : STATE_WAITING;
    return pj_device_call_state((pj_device_call)(t->depth ? t->call : PJ_DEVICE_CALL_LEFT));
}

static void give(pj_prv_estimate *estimate, pj_event event)
{
    if (estimate->event_count == estimate->cap)
        pj_grow(estimate->events, &estimate->cap, estimate->event_count + 1);
    estimate->events[estimate->event_count++] = event;
}

static void end_piece(pj_prv_estimate *estimate, uint32_t location, uint64_t time)
{
    thread *t = &estimate->threads[location];
    if (time <= t->since)
        return;
    give(estimate, (pj_event){.time = t->since,
                              .a = time,
                              .location = location,
                              .kind = PJ_EV_STATE,
                              .code = state_of(t)});
    t->since = time;
}

/// Whether it is the outermost call that begins or ends.
static bool take_call(thread *t, const pj_event *event)
{
    if (event->a) {
        t->call = t->depth ? t->call : (uint8_t)event->a;
        return t->depth++ == 0;
    }
    return t->depth == 0 || --t->depth == 0;
}

static void take(pj_prv_estimate *estimate, const pj_event *event)
{
    bool of_thread = event->location < estimate->count && event->kind != PJ_EV_MESSAGE;
    bool outermost = true;
    if (of_thread) {
        thread *t = &estimate->threads[event->location];
        end_piece(estimate, event->location, event->time);
        if (event->kind == PJ_EV_DEVICE && event->code == PJ_DEVICE_CALL)
            outermost = take_call(t, event);
        else if (event->kind == PJ_EV_MPI)
            t->mpi = (uint8_t)((t->mpi & ~(1u << event->code)) | (unsigned)(event->a != 0)
                                                                     << event->code);
    }
    if (outermost)
        give(estimate, *event);
}

pj_batch pj_prv_estimate_pass(pj_prv_estimate *estimate, const pj_batch *batch)
{
    pj_batch out = *batch;
    estimate->event_count = 0;
    for (size_t i = 0; i < batch->count; i++)
        take(estimate, &batch->events[i]);
    out.events = estimate->events;
    out.count = estimate->event_count;
    return out;
}

pj_batch pj_prv_estimate_end(pj_prv_estimate *estimate, uint64_t end_ns)
{
    estimate->event_count = 0;
    for (uint32_t i = 0; i < estimate->count; i++)
        end_piece(estimate, i, end_ns);
    return (pj_batch){.events = estimate->events, .count = estimate->event_count};
}
