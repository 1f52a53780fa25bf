// The region of interest that a trace marks itself by switching tracing on and off.
// Follows the switches of each thread and joins them at the end.
#include "metrics/stat/bracket.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/trace/event.h"

#include <stdlib.h>

typedef struct switches {
    uint64_t count;
    uint64_t second_ns, last_ns;
    bool second_on, last_on;
} switches;

typedef struct bracket_state {
    pj_bracket *out;
    switches *threads; // by location
    uint32_t locations;
} bracket_state;

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    bracket_state *self = memory;
    (void)err;
    size_t size = run->layout.locations * sizeof *self->threads;
    self->locations = run->layout.locations;
    self->threads = pj_resize_memory(self->threads, size);
    memset(self->threads, 0, size);
    return true;
}

static void see_switch(switches *thread, uint64_t time, bool on)
{
    if (++thread->count == 2) {
        thread->second_ns = time;
        thread->second_on = on;
    }
    thread->last_ns = time;
    thread->last_on = on;
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    bracket_state *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind == PJ_EV_TRACING)
            see_switch(&self->threads[event->location], event->time, event->a != 0);
    }
    return true;
}

static bool is_bracket(const switches *thread)
{
    return thread->count >= 2 && thread->second_on && !thread->last_on;
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    bracket_state *self = memory;
    pj_bracket *out = self->out;
    (void)run, (void)err;
    bool bracketed = false;
    for (uint32_t i = 0; i < self->locations; i++)
        bracketed |= self->threads[i].count >= 2;
    *out =
        (pj_bracket){.kind = bracketed ? PJ_BRACKET_VALID : PJ_BRACKET_NONE, .from_ns = UINT64_MAX};
    for (uint32_t i = 0; bracketed && i < self->locations; i++) {
        const switches *thread = &self->threads[i];
        if (!thread->count)
            continue;
        if (!is_bracket(thread)) {
            *out = (pj_bracket){.kind = PJ_BRACKET_INVALID, .location = i};
            return true;
        }
        if (thread->second_ns < out->from_ns)
            out->from_ns = thread->second_ns;
        if (thread->last_ns + 1 > out->to_ns)
            out->to_ns = thread->last_ns + 1;
    }
    return true;
}

static void close_sink(void *memory)
{
    bracket_state *self = memory;
    free(self->threads);
    free(self);
}

pj_sink pj_bracket_sink(pj_bracket *out)
{
    bracket_state *self = pj_take_memory(sizeof *self);
    *self = (bracket_state){.out = out};
    *out = (pj_bracket){.kind = PJ_BRACKET_NONE};
    return (pj_sink){.name = "bracket",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .kinds = 1u << PJ_EV_TRACING};
}
