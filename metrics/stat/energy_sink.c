// Readings of meters between the events of those who use the energy, in order of time.
// States of threads are told with their end, at their begin: at a reading those up to its time are
// known. What devices do is told by the sink of devices, which is asked at every reading.
#include "metrics/stat/energy_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/devices.h"
#include "metrics/run/energy.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/stat/device_sink.h"
#include "metrics/stat/energy_meter.h"
#include "metrics/stat/energy_regions.h"
#include "metrics/trace/device.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/meter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRED_MOST = 256 }; // meters of which it is asked whether two are one

typedef struct thread {
    uint64_t at;         // accounted up to here
    uint64_t begin, end; // of its latest useful state
    unsigned mpi;        // bits of the classes of calls that are open
    bool calls;          // the runtime of devices
    uint64_t ns[PJ_ENERGY_STATES];
} thread;

typedef struct user { // of what a meter reads
    pj_energy_share share;
    uint32_t device;
} user;

typedef struct sink_state {
    const pj_run *run;
    pj_energy_meter *meters;
    user *users;
    uint32_t count, first; // location of the first reading
    pj_sink devices;
    thread *threads;
    uint32_t *of_node;    // locations, node by node
    uint32_t *node_begin; // of these, by node, and one more
    uint32_t nodes;
    pj_energy_regions *regions;       // NULL = none, or they are not asked for
    pj_energy_pair *pairs;            // count x count; NULL = too many
    double (*told)[PJ_ENERGY_STATES]; // by meter: ns, of those whose states the reader tells
    pj_event *later; // readings behind all that is known of the program: it may be over
    size_t later_count, later_cap;
    uint64_t known; // ns: the program is, up to here
    uint64_t end;   // what is done behind it is nothing
} sink_state;

static void *zeros(size_t count, size_t size)
{
    return memset(pj_take_memory((count + 1) * size), 0, (count + 1) * size);
}

static void free_parts(sink_state *self)
{
    for (uint32_t i = 0; i < self->count; i++)
        pj_energy_meter_free(&self->meters[i]);
    if (self->devices.close)
        self->devices.close(self->devices.self);
    free(self->meters);
    free(self->users);
    free(self->threads);
    free(self->of_node);
    free(self->node_begin);
    free(self->pairs);
    free(self->later);
    free(self->told);
    pj_energy_regions_free(self->regions);
    *self = (sink_state){.run = NULL};
}

// Who uses it

/// The number at the end of a device's name: "ROCm Device 1", "CUDA[1".
static bool is_numbered(pj_str name, uint32_t number)
{
    size_t digits = 0;
    while (digits < name.len && name.at[name.len - 1 - digits] >= '0' &&
           name.at[name.len - 1 - digits] <= '9')
        digits++;
    uint64_t value = 0;
    for (size_t i = name.len - digits; i < name.len && value <= UINT32_MAX; i++)
        value = value * 10 + (uint64_t)(name.at[i] - '0');
    return digits && value == number;
}

static bool has_number(pj_str name)
{
    return name.len && name.at[name.len - 1] >= '0' && name.at[name.len - 1] <= '9';
}

/// A device of a node is the one that its tool gives the same number.
static user user_of(const pj_meter *meter, const char *const *keys, uint32_t devices)
{
    if (meter->domain != PJ_METER_BOARD)
        return (user){.share = meter->node == PJ_METER_NO_NODE ? PJ_ENERGY_OF_NOBODY
                                                               : PJ_ENERGY_OF_THREADS};
    bool told = false;
    for (uint32_t d = 0; d < devices; d++) {
        if (!pj_str_equal(pj_device_node(keys[d]), pj_str_of(meter->scope)))
            continue;
        if (is_numbered(pj_device_name(keys[d]), meter->number))
            return (user){.share = PJ_ENERGY_OF_DEVICE, .device = d};
        told |= has_number(pj_device_name(keys[d]));
    }
    return (user){.share = told ? PJ_ENERGY_UNUSED : PJ_ENERGY_OF_NOBODY};
}

/// Locations node by node.
static void sort_threads(sink_state *self)
{
    const pj_layout *layout = &self->run->layout;
    for (uint32_t l = 0; l < layout->locations; l++)
        if (layout->node_of[l] >= self->nodes)
            self->nodes = layout->node_of[l] + 1;
    self->threads = zeros(layout->locations, sizeof *self->threads);
    self->of_node = zeros(layout->locations, sizeof *self->of_node);
    self->node_begin = zeros(self->nodes + 1, sizeof *self->node_begin);
    for (uint32_t l = 0; l < layout->locations; l++)
        self->node_begin[layout->node_of[l] + 1]++;
    for (uint32_t n = 0; n < self->nodes; n++)
        self->node_begin[n + 1] += self->node_begin[n];
    uint32_t *next = zeros(self->nodes, sizeof *next);
    memcpy(next, self->node_begin, self->nodes * sizeof *next);
    for (uint32_t l = 0; l < layout->locations; l++)
        self->of_node[next[layout->node_of[l]]++] = l;
    free(next);
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    sink_state *self = memory;
    const pj_layout *layout = &run->layout;
    free_parts(self);
    if (!run->meters.count)
        return true;
    self->run = run;
    self->end = UINT64_MAX;
    self->count = run->meters.count;
    self->first = layout->locations + layout->stream_count;
    self->meters = zeros(self->count, sizeof *self->meters);
    self->users = zeros(self->count, sizeof *self->users);
    self->told = zeros(self->count, sizeof *self->told);
    if (self->count <= PAIRED_MOST)
        self->pairs = zeros((size_t)self->count * self->count, sizeof *self->pairs);
    self->regions = pj_energy_regions_new(run);
    uint32_t devices = 0;
    const char **keys =
        pj_device_keys(layout->streams, layout->stream_count, run->arena, &devices, NULL);
    for (uint32_t i = 0; i < self->count; i++) {
        self->meters[i] =
            (pj_energy_meter){.meter = &run->meters.items[i],
                              .from = run->roi.set ? (int64_t)run->roi.from_ns : 0,
                              .to = run->roi.set ? (int64_t)run->roi.to_ns : INT64_MAX,
                              .regions = pj_energy_regions_count(self->regions)};
        self->users[i] = user_of(&run->meters.items[i], keys, devices);
    }
    sort_threads(self);
    if (!layout->stream_count)
        return true;
    self->devices = pj_device_sink();
    return self->devices.begin(self->devices.self, run, err);
}

// Threads

static void advance(thread *t, uint64_t time)
{
    if (time <= t->at)
        return;
    uint64_t span = time - t->at;
    uint64_t from = t->begin > t->at ? t->begin : t->at, to = t->end < time ? t->end : time;
    uint64_t useful = to > from ? to - from : 0;
    t->at = time;
    if (t->mpi || t->calls) {
        t->ns[t->mpi ? PJ_ENERGY_MPI : PJ_ENERGY_RUNTIME] += span;
        return;
    }
    t->ns[PJ_ENERGY_USEFUL] += useful;
    t->ns[PJ_ENERGY_IDLE] += span - useful;
}

static void take_region(sink_state *self, const pj_event *event)
{
    const pj_layout *layout = &self->run->layout;
    uint32_t rank = layout->rank_of[event->location];
    if (!self->regions || event->location != layout->first_location[rank])
        return;
    if (event->kind == PJ_EV_ENTER)
        pj_energy_regions_enter(self->regions, rank, event->time, event->a);
    else
        pj_energy_regions_leave(self->regions, rank, event->time, event->a);
}

static void take_thread(sink_state *self, const pj_event *event)
{
    if (event->kind == PJ_EV_ENTER || event->kind == PJ_EV_LEAVE) {
        take_region(self, event);
        return;
    }
    thread *t = &self->threads[event->location];
    bool call = event->kind == PJ_EV_DEVICE && event->code == PJ_DEVICE_CALL;
    bool useful = event->kind == PJ_EV_STATE && event->code == PJ_STATE_RUNNING;
    if (!call && !useful && event->kind != PJ_EV_MPI)
        return;
    advance(t, event->time);
    if (call)
        t->calls = event->a != 0;
    else if (!useful)
        t->mpi = (t->mpi & ~(1u << event->code)) | (unsigned)(event->a != 0) << event->code;
    if (useful) {
        t->begin = event->time;
        t->end = event->a;
    }
}

// Readings

static void threads_at(sink_state *self, uint32_t node, uint64_t time, double *states)
{
    uint32_t first = 0, last = self->run->layout.locations;
    if (node != PJ_METER_ALL_NODES) {
        first = self->node_begin[node];
        last = self->node_begin[node + 1];
    }
    uint64_t sums[PJ_ENERGY_STATES] = {0};
    for (uint32_t i = first; i < last; i++) {
        thread *t = &self->threads[self->of_node[i]];
        advance(t, time);
        for (unsigned s = 0; s < PJ_ENERGY_STATES; s++)
            sums[s] += t->ns[s];
    }
    for (unsigned s = 0; s < PJ_ENERGY_STATES; s++)
        states[s] = (double)sums[s];
}

static void device_at(const sink_state *self, uint32_t device, uint64_t time, double *states)
{
    const pj_roi *roi = &self->run->roi;
    uint64_t useful, transfer, inside = time;
    pj_device_sink_at(self->devices.self, device, time, &useful, &transfer);
    if (roi->set)
        inside = (time < roi->to_ns ? time : roi->to_ns) -
                 (time < roi->from_ns ? time < roi->to_ns ? time : roi->to_ns : roi->from_ns);
    memset(states, 0, PJ_ENERGY_STATES * sizeof *states);
    states[PJ_ENERGY_USEFUL] = (double)useful;
    states[PJ_ENERGY_TRANSFER] = (double)transfer;
    states[PJ_ENERGY_IDLE] = (double)inside - (double)useful - (double)transfer;
}

static void only_idle(uint64_t time, double *states)
{
    memset(states, 0, PJ_ENERGY_STATES * sizeof *states);
    states[PJ_ENERGY_IDLE] = (double)time;
}

static void take_told(sink_state *self, const pj_event *event)
{
    if (event->b >= self->count || event->code >= PJ_ENERGY_IDLE)
        return;
    self->users[event->b].share = PJ_ENERGY_OF_TOLD;
    self->told[event->b][event->code] = (double)event->a;
}

/// What is told of it, and the rest.
static void told_at(const sink_state *self, uint32_t at, uint64_t time, double *states)
{
    memcpy(states, self->told[at], sizeof self->told[at]);
    states[PJ_ENERGY_IDLE] = (double)time;
    for (unsigned s = 0; s < PJ_ENERGY_IDLE; s++)
        states[PJ_ENERGY_IDLE] -= states[s];
}

/// Whether other sources read the same power now.
static void look_at_others(sink_state *self, uint32_t at)
{
    const double most = 0.02;
    const pj_meter *meters = self->run->meters.items;
    double value = pj_energy_meter_value(&self->meters[at]) * meters[at].factor;
    for (uint32_t i = 0; self->pairs && i < self->count; i++) {
        double other = pj_energy_meter_value(&self->meters[i]) * meters[i].factor;
        if (meters[i].kind != PJ_METER_POWER || meters[i].source == meters[at].source ||
            isnan(other) || strcmp(meters[i].scope, meters[at].scope) != 0)
            continue;
        pj_energy_pair *pair = &self->pairs[(size_t)at * self->count + i];
        pair->total++;
        pair->near += fabs(value - other) <= most * fmax(value, other);
    }
}

static void take_reading(sink_state *self, const pj_event *event)
{
    if (event->kind == PJ_EV_STATE) {
        take_told(self, event);
        return;
    }
    const uint64_t meter_mask = (UINT64_C(1) << PJ_METER_BITS) - 1;
    uint32_t at = (uint32_t)(event->b & meter_mask);
    pj_energy_meter *m = &self->meters[at];
    int64_t time = (int64_t)event->time - (int64_t)(event->b >> PJ_METER_BITS);
    uint64_t inside = event->time < self->end ? event->time : self->end;
    double states[PJ_ENERGY_STATES];
    pj_energy_share share = self->users[at].share;
    if (share == PJ_ENERGY_OF_DEVICE)
        device_at(self, self->users[at].device, inside, states);
    else if (share == PJ_ENERGY_OF_TOLD)
        told_at(self, at, inside, states);
    else if (share == PJ_ENERGY_OF_THREADS)
        threads_at(self, m->meter->node, inside, states);
    else
        only_idle(inside, states);
    m->in_regions = self->regions && m->meter->node != PJ_METER_NO_NODE
                        ? pj_energy_regions_at(self->regions, m->meter->node, inside)
                        : NULL;
    pj_energy_meter_take(m, time, (pj_meter_value)event->code, event->a,
                         share == PJ_ENERGY_OF_NOBODY ? NULL : states);
    if (m->meter->kind == PJ_METER_POWER)
        look_at_others(self, at);
}

static void take_later(sink_state *self)
{
    for (size_t i = 0; i < self->later_count; i++)
        take_reading(self, &self->later[i]);
    self->later_count = 0;
}

/// So many wait at most; then the program is taken to go on.
static void put_off(sink_state *self, const pj_event *event)
{
    enum { MOST = 1 << 18 };
    if (self->later_count == MOST)
        take_later(self);
    if (self->later_count == self->later_cap)
        pj_grow(self->later, &self->later_cap, self->later_count + 1);
    self->later[self->later_count++] = *event;
}

/// A state is told with its end.
static void know(sink_state *self, const pj_event *event)
{
    bool state = event->kind == PJ_EV_STATE && event->a != UINT64_MAX;
    uint64_t until = state ? event->a : event->time;
    self->known = until > self->known ? until : self->known;
}

static bool hand_on(const sink_state *self, const pj_batch *batch, size_t first, size_t end,
                    pj_err *err)
{
    pj_batch part = *batch;
    part.events = batch->events + first;
    part.count = end - first;
    return !self->devices.events || !part.count ||
           self->devices.events(self->devices.self, &part, err);
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    sink_state *self = memory;
    size_t first = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind != PJ_EV_MESSAGE && event->location >= self->first) {
            if (!hand_on(self, batch, first, i, err))
                return false;
            first = i + 1;
            if (event->time > self->known)
                put_off(self, event);
            else
                take_reading(self, event);
            continue;
        }
        if (self->later_count) {
            if (!hand_on(self, batch, first, i, err))
                return false;
            first = i;
            take_later(self);
        }
        know(self, event);
        if (event->kind != PJ_EV_MESSAGE && event->location < self->run->layout.locations)
            take_thread(self, event);
    }
    return hand_on(self, batch, first, batch->count, err);
}

/// What is read behind the end of the run counts up to there.
static void take_last(sink_state *self, uint64_t end)
{
    self->end = end;
    for (uint32_t i = 0; i < self->count; i++)
        if (self->meters[i].to > (int64_t)end)
            self->meters[i].to = (int64_t)end;
    take_later(self);
}

static void name_regions(const sink_state *self, pj_energy *out, pj_arena *arena)
{
    out->region_count = pj_energy_regions_count(self->regions);
    out->regions = pj_new_n(arena, const char *, out->region_count + 1);
    for (size_t r = 0; r < out->region_count; r++)
        out->regions[r] = pj_energy_regions_name(self->regions, r);
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    sink_state *self = memory;
    (void)err;
    if (!self->count)
        return true;
    take_last(self, run->end_ns);
    pj_energy *out = pj_new(run->arena, pj_energy);
    *out = (pj_energy){.rows = pj_new_n(run->arena, pj_energy_row, self->count),
                       .count = self->count,
                       .span_ns = run->roi.set ? run->roi.to_ns - run->roi.from_ns : run->end_ns};
    for (uint32_t i = 0; i < self->count; i++)
        out->rows[i] = (pj_energy_row){.meter = run->meters.items[i],
                                       .reading = pj_energy_meter_end(&self->meters[i]),
                                       .share = self->users[i].share,
                                       .same = i};
    name_regions(self, out, run->arena);
    for (uint32_t i = 0; i < self->count && out->region_count; i++) {
        out->rows[i].regions = pj_new_n(run->arena, double, out->region_count);
        pj_energy_meter_end_regions(&self->meters[i], out->rows[i].regions);
    }
    pj_energy_settle(out, self->pairs, run->arena);
    run->energy = out;
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
    free(memory);
}

pj_sink pj_energy_sink(void)
{
    sink_state *self = pj_take_memory(sizeof *self);
    *self = (sink_state){.run = NULL};
    return (pj_sink){
        .name = "energy",
        .begin = begin,
        .events = events,
        .finish = finish,
        .close = close_sink,
        .self = self,
        .kinds = 1 << PJ_EV_STATE | 1 << PJ_EV_MPI | 1 << PJ_EV_DEVICE | 1 << PJ_EV_COUNTER |
                 1 << PJ_EV_ENTER | 1 << PJ_EV_LEAVE,
        .devices = true,
        .meters = true,
    };
}

static size_t listen_energy(const pj_timeline_opts *timeline, pj_sink *out)
{
    (void)timeline;
    out[0] = pj_energy_sink();
    return 1;
}

static const char *lack_energy(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    (void)timeline;
    (void)beside;
    return run->energy ? NULL : "does not say how much energy was used";
}

static bool stale_energy(const pj_run *run)
{
    return run->meters.count && !run->energy;
}

const pj_aspect pj_aspect_energy = {
    .listen = listen_energy,
    .merged = true,
    .lack = lack_energy,
    .stale = stale_energy,
};

static bool stale_energy_regions(const pj_run *run)
{
    return run->meters.count && (!run->energy || !run->energy->region_count);
}

const pj_aspect pj_aspect_energy_regions = {
    // energy listens; where regions are told it shares out by them
    .merged = true,
    .named = true,
    .lack = lack_energy,
    .stale = stale_energy_regions,
};
