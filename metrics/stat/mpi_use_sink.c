// What a run did in MPI.
// A thread is in the call that it entered last and has not left; one that is never left ends with
// the thread's last event, as the trace may be cut. All sums are whole numbers: it
// does not matter in which order, or by whom, they are found.
#include "metrics/stat/mpi_use_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/trace/event.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>

enum {
    CLASSES = PJ_MPI_IO + 1,
    CALLS = 256, // rows of mpi_calls.def, from 1; less are there
    KEYS = CALLS + CLASSES,
    STATE_IO = 12,
};

typedef struct share { // of one call in one thread
    uint64_t calls, time_ns, bytes;
} share;

typedef struct thread {
    share *shares; // by column
    size_t count, cap;
    uint64_t since;         // when `now` was entered, or the call in it was left
    uint16_t open[CLASSES]; // 1 + column of the call of this class that is open
    uint16_t now;           // the one entered last
} thread;

typedef struct use_state {
    thread *threads; // by location
    uint32_t locations;
    uint16_t column_of[KEYS]; // 1 + column
    uint16_t keys[KEYS];      // by column
    uint16_t columns;
    uint64_t from_ns, to_ns, middle_ns;
    uint64_t begun_ns, ended_ns, input_ns, input_end_ns;
} use_state;

static void free_parts(use_state *self)
{
    for (uint32_t i = 0; i < self->locations; i++)
        free(self->threads[i].shares);
    free(self->threads);
    *self = (use_state){.threads = NULL};
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    use_state *self = memory;
    (void)err;
    free_parts(self);
    *self = (use_state){.locations = run->layout.locations,
                        .to_ns = UINT64_MAX,
                        .middle_ns = run->end_ns / 2,
                        .ended_ns = UINT64_MAX};
    if (run->roi.set) {
        self->from_ns = run->roi.from_ns;
        self->to_ns = run->roi.to_ns;
    }
    self->threads = pj_take_memory(self->locations * sizeof *self->threads);
    for (uint32_t i = 0; i < self->locations; i++)
        self->threads[i] = (thread){.shares = NULL};
    return true;
}

static uint64_t clip(const use_state *self, uint64_t time)
{
    return time < self->from_ns ? self->from_ns : time > self->to_ns ? self->to_ns : time;
}

/// 1 + column of a call; calls without a row are one for each class.
static uint16_t column_of(use_state *self, uint64_t call, unsigned class_)
{
    unsigned key = pj_mpi_call_at((pj_mpi_call)call) ? (unsigned)call : CALLS + class_;
    if (!self->column_of[key]) {
        self->keys[self->columns] = (uint16_t)key;
        self->column_of[key] = ++self->columns;
    }
    return self->column_of[key];
}

static share *share_of(thread *t, uint16_t column)
{
    pj_grow(t->shares, &t->cap, column);
    while (t->count < column)
        t->shares[t->count++] = (share){.calls = 0};
    return &t->shares[column - 1];
}

/// Sums up to `time` under the call that the thread is in.
static void advance(const use_state *self, thread *t, uint64_t time)
{
    uint64_t from = clip(self, t->since), to = clip(self, time);
    if (t->now && to > from)
        share_of(t, t->now)->time_ns += to - from;
    t->since = time;
}

static void note_limits(use_state *self, const pj_event *event, uint16_t column)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(self->keys[column - 1]);
    if (!row)
        return;
    if (event->a && pj_str_equal(pj_str_of(row->name), PJ_S("MPI_Finalize")) &&
        event->time < self->ended_ns)
        self->ended_ns = event->time;
    if (!event->a && row->role == PJ_ROLE_INIT && event->time > self->begun_ns)
        self->begun_ns = event->time;
}

static void take_call(use_state *self, thread *t, const pj_event *event)
{
    unsigned class_ = event->code && event->code < CLASSES ? event->code : PJ_MPI_OTHER;
    advance(self, t, event->time);
    if (event->a) {
        t->now = t->open[class_] = column_of(self, event->a, class_);
        share_of(t, t->now)->calls += event->time >= self->from_ns && event->time < self->to_ns;
        note_limits(self, event, t->now);
        return;
    }
    if (t->open[class_])
        note_limits(self, event, t->open[class_]);
    t->open[class_] = 0;
    t->now = 0;
    for (unsigned i = 0; i < CLASSES && !t->now; i++)
        t->now = t->open[i];
}

static void take_collective(use_state *self, thread *t, const pj_event *event)
{
    if (t->now && event->time >= self->from_ns && event->time < self->to_ns)
        share_of(t, t->now)->bytes += event->b;
}

static void take_io(use_state *self, const pj_event *event)
{
    if (event->a > self->middle_ns || event->a <= event->time)
        return;
    self->input_ns += clip(self, event->a) - clip(self, event->time);
    if (event->a > self->input_end_ns)
        self->input_end_ns = event->a;
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    use_state *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind == PJ_EV_MPI)
            take_call(self, &self->threads[event->location], event);
        else if (event->kind == PJ_EV_COLLECTIVE)
            take_collective(self, &self->threads[event->location], event);
        else if (event->kind == PJ_EV_STATE && event->code == STATE_IO)
            take_io(self, event);
    }
    return true;
}

// From one process to another

static void tell(void *memory, const pj_run *run, pj_buf *out)
{
    use_state *self = memory;
    const uint64_t found[] = {self->begun_ns, self->ended_ns, self->input_ns, self->input_end_ns};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        pj_code_number(out, found[i]);
    for (uint32_t l = 0; l < self->locations; l++) {
        thread *t = &self->threads[l];
        advance(self, t, run->totals[l].last_event_ns);
        for (size_t c = 0; c < t->count; c++) {
            if (!t->shares[c].calls && !t->shares[c].time_ns)
                continue;
            pj_code_number(out, l + UINT64_C(1));
            pj_code_number(out, self->keys[c]);
            pj_code_number(out, t->shares[c].calls);
            pj_code_number(out, t->shares[c].time_ns);
            pj_code_number(out, t->shares[c].bytes);
        }
    }
    pj_code_number(out, 0);
}

static bool hear_limits(use_state *self, pj_str *in)
{
    uint64_t found[4];
    for (size_t i = 0; i < 4; i++)
        if (!pj_decode_number(in, &found[i]))
            return false;
    self->begun_ns = found[0] > self->begun_ns ? found[0] : self->begun_ns;
    self->ended_ns = found[1] < self->ended_ns ? found[1] : self->ended_ns;
    self->input_ns += found[2];
    self->input_end_ns = found[3] > self->input_end_ns ? found[3] : self->input_end_ns;
    return true;
}

static bool hear(void *memory, pj_str in)
{
    use_state *self = memory;
    uint64_t location, key, calls, time_ns, bytes;
    if (!hear_limits(self, &in))
        return false;
    while (pj_decode_number(&in, &location) && location) {
        if (location > self->locations || !pj_decode_number(&in, &key) || key >= KEYS ||
            !pj_decode_number(&in, &calls) || !pj_decode_number(&in, &time_ns) ||
            !pj_decode_number(&in, &bytes))
            return false;
        share *s = share_of(&self->threads[location - 1],
                            column_of(self, key, key < CALLS ? 0u : (unsigned)key - CALLS));
        s->calls += calls;
        s->time_ns += time_ns;
        s->bytes += bytes;
    }
    return in.len == 0;
}

// The end

static pj_mpi_sum sum_of(const use_state *self, const pj_run *run, uint16_t column)
{
    unsigned key = self->keys[column];
    const pj_mpi_call_row *row = pj_mpi_call_at(key);
    pj_mpi_sum sum = {.name = row ? row->name : "unknown MPI call",
                      .class_ = row ? row->class_ : (pj_mpi_class)(key - CALLS)};
    for (uint32_t r = 0; r < run->layout.ranks; r++) {
        uint64_t time = 0;
        for (uint32_t l = run->layout.first_location[r]; l < run->layout.first_location[r + 1]; l++)
            if (column < self->threads[l].count) {
                const share *s = &self->threads[l].shares[column];
                time += s->time_ns;
                sum.calls += s->calls;
                sum.bytes += s->bytes;
            }
        sum.time_ns += time;
        if (time > sum.longest_ns) {
            sum.longest_ns = time;
            sum.rank = r;
        }
    }
    return sum;
}

static int by_class_and_name(const void *a, const void *b)
{
    const pj_mpi_sum *x = a, *y = b;
    if (x->class_ != y->class_)
        return x->class_ < y->class_ ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    use_state *self = memory;
    (void)err;
    for (uint32_t l = 0; l < self->locations; l++)
        advance(self, &self->threads[l], run->totals[l].last_event_ns);
    pj_mpi_use *use = pj_new(run->arena, pj_mpi_use);
    *use = (pj_mpi_use){.sums = pj_new_n(run->arena, pj_mpi_sum, self->columns + 1),
                        .begun_ns = self->begun_ns,
                        .ended_ns = self->ended_ns,
                        .input_ns = self->input_ns,
                        .input_end_ns = self->input_end_ns};
    for (uint16_t c = 0; c < self->columns; c++) {
        pj_mpi_sum sum = sum_of(self, run, c);
        if (sum.calls || sum.time_ns) // others lie outside the region of interest
            use->sums[use->count++] = sum;
    }
    qsort(use->sums, use->count, sizeof *use->sums, by_class_and_name);
    run->mpi_use = use;
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
    free(memory);
}

pj_sink pj_mpi_use_sink(void)
{
    use_state *self = pj_take_memory(sizeof *self);
    *self = (use_state){.threads = NULL};
    return (pj_sink){.name = "mpi_use",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .by_location = true,
                     .tell = tell,
                     .hear = hear};
}

// Messages

typedef struct messages_state {
    uint64_t from_ns, to_ns, messages, bytes;
} messages_state;

static bool begin_messages(void *memory, const pj_run *run, pj_err *err)
{
    messages_state *self = memory;
    (void)err;
    *self = (messages_state){.to_ns = UINT64_MAX};
    if (run->roi.set) {
        self->from_ns = run->roi.from_ns;
        self->to_ns = run->roi.to_ns;
    }
    return true;
}

static bool take_messages(void *memory, const pj_batch *batch, pj_err *err)
{
    messages_state *self = memory;
    (void)err;
    for (size_t i = 0; batch->message_count && i < batch->count; i++) {
        if (batch->events[i].kind != PJ_EV_MESSAGE)
            continue;
        const pj_message *m = &batch->messages[batch->events[i].a];
        if (m->logical_send < self->from_ns || m->logical_send >= self->to_ns)
            continue;
        self->messages++;
        self->bytes += m->size;
    }
    return true;
}

static bool finish_messages(void *memory, pj_run *run, pj_err *err)
{
    const messages_state *self = memory;
    (void)err;
    pj_mpi_use *use = pj_new(run->arena, pj_mpi_use);
    *use = *run->mpi_use;
    use->messages = self->messages;
    use->bytes = self->bytes;
    run->mpi_use = use;
    return true;
}

pj_sink pj_mpi_messages_sink(void)
{
    messages_state *self = pj_take_memory(sizeof *self);
    *self = (messages_state){.messages = 0};
    return (pj_sink){.name = "mpi_messages",
                     .begin = begin_messages,
                     .events = take_messages,
                     .finish = finish_messages,
                     .close = free,
                     .self = self,
                     .kinds = 1u << PJ_EV_MESSAGE};
}

static size_t listen_mpi_use(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_mpi_use_sink();
    out[1] = pj_mpi_messages_sink();
    return 2;
}

const pj_aspect pj_aspect_mpi_use = {.listen = listen_mpi_use, .merged = true};
