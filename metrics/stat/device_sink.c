// What devices do, from what their streams do.
// A stream that has states is told by them: events of traces that were cut may have lost their
// begin. Records come in order of time; one that comes late counts from then on, which is counted.
// The thread that last called the runtime of devices in a rank drives its devices.
// A timeline is laid by the same clocks, with one of their own for streams that have a lane.
#include "metrics/stat/device_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/stat/device_clock.h"
#include "metrics/stat/timeline_pixels.h"
#include "metrics/stat/timeline_view.h"
#include "metrics/trace/device.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <string.h>

enum { EVENT_KINDS = PJ_DEVICE_EXCHANGE + 1 };
enum { CALL_TO_COPY = 55002 }; // tag of nsys2prv's messages

/// A piece of work that an event has begun.
typedef struct opened {
    bool open, replaced; // the one before ended with its begin, at `begin`: its end may follow
    uint64_t begin;
} opened;

typedef struct stream {
    uint32_t device, rank;
    pj_device_clock *clocks[2]; // of its device; its own, where it is drawn, or NULL
    bool stated;                // it has states
    pj_device_work work;        // of the latest state
    uint64_t until;             // its end
    opened events[EVENT_KINDS]; // by code
    pj_device_copy copy;        // the latest
    uint64_t copied_at;
} stream;

typedef struct host { // a thread
    unsigned mpi;     // bits of the classes of calls that are open
    pj_device_call call;
    uint64_t since; // of the call
    uint64_t runtime_ns;
} host;

typedef struct driver {         // a rank
    uint32_t first_use;         // of `uses`
    uint64_t launches, kernels; // begun so far
    uint64_t early;             // of these kernels: before their launch
} driver;

typedef struct sink_state {
    pj_device_clock *clocks; // by device
    pj_device_sum *sums;
    stream *streams;
    host *hosts;     // by location
    driver *drivers; // by rank, and one more
    uint32_t *uses;  // devices of ranks, rank by rank
    uint32_t devices, stream_count, locations, ranks;
    const uint32_t *rank_of;
    uint64_t from, to;
    uint64_t late;             // records
    bool overlap;              // a state of a stream ends with the begin of the next
    bool by_events;            // a stream is told by its events
    bool draws;                // for a timeline of
    pj_timeline_opts opts;     // this
    pj_timeline_pixels pixels; // laid by the clocks
    pj_device_clock *own;      // of drawn streams, by lane of devices
} sink_state;

static void free_parts(sink_state *self)
{
    free(self->clocks);
    free(self->sums);
    free(self->streams);
    free(self->hosts);
    free(self->drivers);
    free(self->uses);
    free(self->own);
    pj_timeline_pixels_free(&self->pixels);
    *self = (sink_state){.draws = self->draws, .opts = self->opts};
}

static void *zeros(size_t count, size_t size)
{
    return memset(pj_take_memory((count + 1) * size), 0, (count + 1) * size);
}

// The layout

/// Which rank uses which device, each once.
static void note_uses(sink_state *self)
{
    uint32_t *last = zeros(self->devices, sizeof *last); // rank + 1 that was noted last
    uint32_t count = 0;
    self->uses = pj_take_memory((self->stream_count + 1) * sizeof *self->uses);
    for (uint32_t rank = 0, s = 0; rank < self->ranks; rank++) {
        self->drivers[rank].first_use = count;
        for (; s < self->stream_count && self->streams[s].rank == rank; s++) {
            uint32_t device = self->streams[s].device;
            if (device == PJ_NO_DEVICE || last[device] == rank + 1)
                continue;
            last[device] = rank + 1;
            self->uses[count++] = device;
        }
    }
    self->drivers[self->ranks].first_use = count;
    free(last);
}

static void take_streams(sink_state *self, const pj_run *run)
{
    const pj_layout *layout = &run->layout;
    uint32_t *device_of = pj_take_memory((layout->stream_count + 1) * sizeof *device_of);
    const char **keys = pj_device_keys(layout->streams, layout->stream_count, run->arena,
                                       &self->devices, device_of);
    self->stream_count = layout->stream_count;
    self->streams = zeros(self->stream_count, sizeof *self->streams);
    self->sums = zeros(self->devices, sizeof *self->sums);
    self->clocks = zeros(self->devices, sizeof *self->clocks);
    for (uint32_t d = 0; d < self->devices; d++) {
        self->sums[d].key = keys[d];
        pj_device_clock_begin(&self->clocks[d], &self->sums[d], self->from, self->to);
    }
    for (uint32_t s = self->stream_count; s-- > 0;) {
        uint32_t rank = layout->streams[s].rank;
        self->streams[s] = (stream){.rank = rank, .device = device_of[s]};
        if (device_of[s] == PJ_NO_DEVICE)
            continue;
        self->streams[s].clocks[0] = &self->clocks[device_of[s]];
        self->sums[device_of[s]].streams++;
        self->clocks[device_of[s]].driver = layout->first_location[rank]; // until it is known
    }
    free(device_of);
}

static void lay(void *memory, uint32_t lane, pj_device_work work, uint64_t from, uint64_t to)
{
    static const pj_timeline_kind kinds[] = {
        [PJ_DEVICE_WORK_KERNEL] = PJ_TIMELINE_running,
        [PJ_DEVICE_WORK_TRANSFER] = PJ_TIMELINE_transfer,
        [PJ_DEVICE_WORKS] = PJ_TIMELINE_idle,
    };
    sink_state *self = memory;
    pj_timeline_pixels_lay(&self->pixels, lane, kinds[work], from, to);
}

/// The lanes of a timeline: clocks of devices, and of streams that have one.
static bool begin_lanes(sink_state *self, const pj_run *run, pj_err *err)
{
    if (!pj_timeline_pixels_begin(&self->pixels, &self->opts, run, err))
        return false;
    const pj_timeline_view *view = &self->pixels.view;
    uint32_t count = view->lanes - view->threads;
    self->own = zeros(count, sizeof *self->own);
    for (uint32_t i = 0; i < count; i++) {
        const pj_timeline_device *lane = &view->devices[i];
        pj_device_clock *clock = lane->stream ? &self->own[i] : &self->clocks[lane->device];
        if (lane->stream) {
            pj_device_clock_begin(clock, &self->sums[lane->device], 0, 0);
            self->streams[lane->stream - run->layout.streams].clocks[1] = clock;
        }
        clock->watch = (pj_device_watch){lay, self, view->threads + i};
    }
    return true;
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    sink_state *self = memory;
    const pj_layout *layout = &run->layout;
    free_parts(self);
    if (!layout->stream_count)
        return true;
    self->to = UINT64_MAX;
    self->locations = layout->locations;
    self->ranks = layout->ranks;
    self->rank_of = layout->rank_of;
    if (run->roi.set) {
        self->from = run->roi.from_ns;
        self->to = run->roi.to_ns;
    }
    self->hosts = zeros(self->locations, sizeof *self->hosts);
    self->drivers = zeros(self->ranks, sizeof *self->drivers);
    take_streams(self, run);
    note_uses(self);
    return !self->draws || begin_lanes(self, run, err);
}

// Streams

static pj_device_work work_of(unsigned code)
{
    return code == PJ_DEVICE_KERNEL ? PJ_DEVICE_WORK_KERNEL : PJ_DEVICE_WORK_TRANSFER;
}

/// The clocks of a stream come to `time`; one more than the last of them.
static pj_device_clock *const *clocks_at(sink_state *self, const stream *s, uint64_t time)
{
    pj_device_clock *const *clock = s->clocks;
    self->late += time < (*clock)->at;
    for (; clock < s->clocks + 2 && *clock; clock++)
        pj_device_clock_advance(*clock, time);
    return clock;
}

static void count_kernel(sink_state *self, const stream *s, uint64_t time)
{
    driver *d = &self->drivers[s->rank];
    d->early += ++d->kernels > d->launches;
    self->sums[s->device].kernels += time >= self->from && time < self->to;
}

/// Until when the other streams of the device do such work, as far as it is known.
static uint64_t others_until(const sink_state *self, const stream *s)
{
    uint64_t until = 0;
    for (uint32_t i = 0; i < self->stream_count; i++) {
        const stream *other = &self->streams[i];
        if (other != s && other->device == s->device && other->work == s->work &&
            other->until > until)
            until = other->until;
    }
    return until;
}

/// What its events have begun goes no further: states tell it.
static void trust_states(stream *s)
{
    for (unsigned code = PJ_DEVICE_COPY; code < EVENT_KINDS; code++)
        if (s->events[code].open)
            for (unsigned i = 0; i < 2 && s->clocks[i]; i++)
                pj_device_clock_close(s->clocks[i], work_of(code));
    memset(s->events, 0, sizeof s->events);
    s->stated = true;
}

/// The latest begin wins, as in all states.
static void take_state(sink_state *self, stream *s, const pj_event *event)
{
    pj_device_clock *const *end = clocks_at(self, s, event->time);
    if (!s->stated)
        trust_states(s);
    self->overlap |= s->until > event->time;
    for (pj_device_clock *const *c = s->clocks; c < end; c++)
        if (s->until > (*c)->at)
            pj_device_clock_shorten(*c, s->work, c == s->clocks ? others_until(self, s) : 0);
    s->until = 0;
    if ((event->code != PJ_STATE_RUNNING && event->code != PJ_STATE_COPY) ||
        event->a <= event->time)
        return;
    s->work = event->code == PJ_STATE_RUNNING ? PJ_DEVICE_WORK_KERNEL : PJ_DEVICE_WORK_TRANSFER;
    s->until = event->a;
    for (pj_device_clock *const *c = s->clocks; c < end; c++)
        pj_device_clock_piece(*c, s->work, s->until);
    if (s->work == PJ_DEVICE_WORK_KERNEL)
        count_kernel(self, s, event->time);
}

/// One that begins while another of its kind is open ends that one.
static void open_work(sink_state *self, stream *s, const pj_event *event)
{
    opened *o = &s->events[event->code];
    o->replaced = o->open;
    o->begin = event->time;
    if (event->code == PJ_DEVICE_KERNEL)
        count_kernel(self, s, event->time);
    if (o->open)
        return;
    o->open = true;
    pj_device_clock *const *end = clocks_at(self, s, event->time);
    for (pj_device_clock *const *c = s->clocks; c < end; c++)
        pj_device_clock_open(*c, work_of(event->code));
}

/// A stream does one thing after the other: what has only just begun is not what ends.
static unsigned ended_code(const stream *s, const pj_event *event)
{
    const opened *kernel = &s->events[PJ_DEVICE_KERNEL], *copy = &s->events[PJ_DEVICE_COPY];
    bool copies = event->code == PJ_DEVICE_KERNEL && event->b && copy->open &&
                  (!kernel->open || kernel->begin == event->time);
    return copies ? PJ_DEVICE_COPY : event->code;
}

static void close_work(sink_state *self, stream *s, const pj_event *event, unsigned code)
{
    opened *o = &s->events[code];
    bool of_former = o->replaced && o->begin == event->time;
    o->replaced = false;
    if (!o->open || of_former)
        return;
    o->open = false;
    self->by_events = true;
    pj_device_clock *const *end = clocks_at(self, s, event->time);
    for (pj_device_clock *const *c = s->clocks; c < end; c++)
        pj_device_clock_close(*c, work_of(code));
}

static void add_bytes(sink_state *self, const stream *s, pj_device_copy way, uint64_t bytes)
{
    pj_device_sum *sum = &self->sums[s->device];
    sum->to_device += way == PJ_DEVICE_COPY_TO_DEVICE ? bytes : 0;
    sum->to_host += way == PJ_DEVICE_COPY_TO_HOST ? bytes : 0;
    sum->bytes_known |= way == PJ_DEVICE_COPY_TO_DEVICE || way == PJ_DEVICE_COPY_TO_HOST;
}

static bool counts(const sink_state *self, uint64_t time)
{
    return time >= self->from && time < self->to;
}

static void take_work(sink_state *self, stream *s, const pj_event *event)
{
    if (event->code == PJ_DEVICE_BYTES) {
        if (s->copied_at == event->time && counts(self, event->time))
            add_bytes(self, s, s->copy, event->a);
        s->copy = PJ_DEVICE_COPY_DONE;
        return;
    }
    if (event->code < PJ_DEVICE_COPY || event->code >= EVENT_KINDS)
        return;
    if (event->code == PJ_DEVICE_COPY && event->a) {
        s->copy = (pj_device_copy)event->a;
        s->copied_at = event->time;
        if (event->b && counts(self, event->time))
            add_bytes(self, s, s->copy, event->b);
    }
    if (s->stated)
        return;
    if (event->a)
        open_work(self, s, event);
    else
        close_work(self, s, event, ended_code(s, event));
}

/// Paraver traces tell copies between threads and streams as messages. nsys2prv joins calls with
/// copies by them, whatever way these go, and tells that of the copies themselves.
static void take_message(sink_state *self, const pj_message *message)
{
    bool from = message->from >= self->locations, to = message->to >= self->locations;
    if (from == to || !message->size || !counts(self, message->logical_send))
        return;
    const stream *s = &self->streams[(from ? message->from : message->to) - self->locations];
    if (s->device != PJ_NO_DEVICE && message->tag != CALL_TO_COPY)
        add_bytes(self, s, from ? PJ_DEVICE_COPY_TO_HOST : PJ_DEVICE_COPY_TO_DEVICE, message->size);
}

// Threads

static pj_device_idle cause_of(const host *h)
{
    if (h->mpi)
        return PJ_DEVICE_IDLE_mpi;
    if (h->call == PJ_DEVICE_CALL_SYNC)
        return PJ_DEVICE_IDLE_synchronise;
    return h->call ? PJ_DEVICE_IDLE_launch : PJ_DEVICE_IDLE_host;
}

static uint64_t clip(const sink_state *self, uint64_t time)
{
    return time < self->from ? self->from : time > self->to ? self->to : time;
}

static void take_call(const sink_state *self, host *h, driver *d, const pj_event *event)
{
    if (h->call)
        h->runtime_ns += clip(self, event->time) - clip(self, h->since);
    h->since = event->time;
    h->call = (pj_device_call)event->a;
    d->launches += h->call == PJ_DEVICE_CALL_LAUNCH;
}

/// A thread enters or leaves MPI, or the runtime of its devices.
static void take_thread(sink_state *self, const pj_event *event)
{
    host *h = &self->hosts[event->location];
    driver *d = &self->drivers[self->rank_of[event->location]];
    for (uint32_t use = d->first_use; use < d[1].first_use; use++)
        pj_device_clock_advance(&self->clocks[self->uses[use]], event->time);
    bool asks = h->call == PJ_DEVICE_CALL_LAUNCH || h->call == PJ_DEVICE_CALL_COPY;
    bool drives = event->kind == PJ_EV_DEVICE;
    if (drives)
        take_call(self, h, d, event);
    else
        h->mpi = (h->mpi & ~(1u << event->code)) | (unsigned)(event->a != 0) << event->code;
    for (uint32_t use = d->first_use; use < d[1].first_use; use++) {
        pj_device_clock *clock = &self->clocks[self->uses[use]];
        if (drives)
            clock->driver = event->location;
        if (drives && asks && !h->call)
            pj_device_clock_ask(clock);
        if (clock->driver == event->location)
            clock->cause = cause_of(h);
    }
}

static void take_stream(sink_state *self, const pj_event *event)
{
    stream *s = &self->streams[event->location - self->locations];
    if (s->device == PJ_NO_DEVICE)
        return;
    if (event->kind == PJ_EV_STATE)
        take_state(self, s, event);
    else if (event->kind == PJ_EV_DEVICE)
        take_work(self, s, event);
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    sink_state *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind == PJ_EV_MESSAGE)
            take_message(self, &batch->messages[event->a]);
        else if (event->location >= self->locations)
            take_stream(self, event);
        else if (self->draws)
            continue;
        else if (event->kind == PJ_EV_MPI ||
                 (event->kind == PJ_EV_DEVICE && event->code == PJ_DEVICE_CALL))
            take_thread(self, event);
    }
    return true;
}

void pj_device_sink_at(void *memory, uint32_t device, uint64_t time, uint64_t *useful_ns,
                       uint64_t *transfer_ns)
{
    sink_state *self = memory;
    pj_device_clock_advance(&self->clocks[device], time);
    *useful_ns = self->sums[device].useful_ns;
    *transfer_ns = self->sums[device].transfer_ns;
}

// The end

/// Where graphs are launched, or kernels launch kernels, nothing says which are early.
static uint64_t count_early(const sink_state *self)
{
    uint64_t early = 0;
    for (uint32_t rank = 0; rank < self->ranks; rank++)
        if (self->drivers[rank].launches == self->drivers[rank].kernels)
            early += self->drivers[rank].early;
    return early;
}

/// Adds the lanes of devices to a timeline that has those of threads.
static bool finish_lanes(void *memory, pj_run *run, pj_err *err)
{
    sink_state *self = memory;
    (void)err;
    if (!self->devices)
        return true;
    uint32_t count = self->pixels.view.lanes - self->pixels.view.threads;
    for (uint32_t d = 0; d < self->devices; d++)
        pj_device_clock_advance(&self->clocks[d], run->end_ns);
    for (uint32_t i = 0; i < count; i++)
        if (self->own[i].sum)
            pj_device_clock_advance(&self->own[i], run->end_ns);
    pj_timeline_pixels_reach(&self->pixels, run->end_ns);
    pj_timeline *timeline = pj_new(run->arena, pj_timeline);
    *timeline = *run->timeline;
    pj_timeline_pixels_add(&self->pixels, timeline);
    run->timeline = timeline;
    return true;
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    sink_state *self = memory;
    (void)err;
    if (!self->devices)
        return true;
    uint64_t end = run->end_ns;
    pj_devices *out = pj_new(run->arena, pj_devices);
    *out = (pj_devices){.items = pj_new_n(run->arena, pj_device_sum, self->devices),
                        .count = self->devices,
                        .runtime_ns = pj_new_n(run->arena, uint64_t, self->locations),
                        .early = count_early(self)};
    for (uint32_t d = 0; d < self->devices; d++) {
        pj_device_clock_end(&self->clocks[d], end);
        out->items[d] = self->sums[d];
    }
    for (uint32_t l = 0; l < self->locations; l++) {
        host *h = &self->hosts[l];
        if (h->call && end > h->since)
            h->runtime_ns += clip(self, end) - clip(self, h->since);
        out->runtime_ns[l] = h->runtime_ns;
    }
    run->import.count[PJ_IMPORT_device_late] += self->late;
    run->ranged.states_overlap |= self->overlap;
    run->ranged.streams_by_events |= self->by_events;
    run->devices = out;
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
    free(memory);
}

pj_sink pj_device_lanes_sink(pj_timeline_opts opts)
{
    sink_state *self = pj_take_memory(sizeof *self);
    *self = (sink_state){.draws = true, .opts = opts};
    return (pj_sink){.name = "device lanes",
                     .begin = begin,
                     .events = events,
                     .finish = finish_lanes,
                     .close = close_sink,
                     .self = self,
                     .kinds = 1u << PJ_EV_STATE | 1u << PJ_EV_DEVICE,
                     .devices = true};
}

pj_sink pj_device_sink(void)
{
    sink_state *self = pj_take_memory(sizeof *self);
    *self = (sink_state){.clocks = NULL};
    return (pj_sink){.name = "device",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .kinds = 1u << PJ_EV_STATE | 1u << PJ_EV_DEVICE | 1u << PJ_EV_MPI |
                              1u << PJ_EV_MESSAGE,
                     .devices = true};
}

static size_t listen_devices(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_device_sink();
    return 1;
}

static const char *lack_devices(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    bool has = pj_device_streams(run->layout.streams, run->layout.stream_count) > 0;
    return beside && has && !run->devices ? "does not say what devices did" : NULL;
}

const pj_aspect pj_aspect_devices = {.listen = listen_devices, .lack = lack_devices};
