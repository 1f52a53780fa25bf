// The states of a timeline.
// Pieces of states are cut as in the statistics (timeline.h) and laid over the pixels of their
// lane.
#include "metrics/stat/timeline_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/stat/aspect_rows.h"
#include "metrics/stat/bundle_sink.h"
#include "metrics/stat/device_sink.h"
#include "metrics/stat/state_clock.h"
#include "metrics/stat/state_piece.h"
#include "metrics/stat/timeline_pixels.h"
#include "metrics/stat/timeline_view.h"
#include "metrics/trace/event.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"
#include "metrics/trace/roi.h"

#include <stdlib.h>

typedef struct lane {
    pj_state_pieces pieces;
    bool seen; // it has records here
    bool told; // it was found by another process
    pj_mpi_call call;
    uint64_t entered_ns;
} lane;

typedef struct timeline_state {
    pj_timeline_opts opts;
    pj_timeline_pixels pixels;
    lane *lanes; // of threads
    pj_window whole;
    pj_timeline_call *calls;
    size_t call_count, call_cap;
    bool many; // more calls than are kept
} timeline_state;

static void free_parts(timeline_state *self)
{
    for (uint32_t i = 0; self->lanes && i < self->pixels.view.threads; i++)
        pj_state_pieces_free(&self->lanes[i].pieces);
    free(self->lanes);
    pj_timeline_pixels_free(&self->pixels);
    free(self->calls);
    *self = (timeline_state){.opts = self->opts};
}

static uint64_t *zeros(size_t count)
{
    return memset(pj_take_memory(count * sizeof(uint64_t)), 0, count * sizeof(uint64_t));
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    timeline_state *self = memory;
    free_parts(self);
    if (!pj_timeline_pixels_begin(&self->pixels, &self->opts, run, err))
        return false;
    uint32_t n = self->pixels.view.threads;
    self->whole = (pj_window){0, UINT64_MAX, false};
    self->lanes = pj_take_memory(n * sizeof *self->lanes);
    for (uint32_t i = 0; i < n; i++) {
        self->lanes[i] = (lane){.seen = false};
        pj_state_pieces_begin(&self->lanes[i].pieces, &self->whole);
    }
    return true;
}

static void lay(timeline_state *self, uint32_t l, pj_state_piece piece)
{
    pj_timeline_pixels_lay(&self->pixels, l, pj_timeline_kind_of(piece.state), piece.begin,
                           piece.end);
}

static void take_state(timeline_state *self, uint32_t l, const pj_event *event)
{
    lane *own = &self->lanes[l];
    own->seen = true;
    lay(self, l, pj_state_pieces_state(&own->pieces, event));
}

static void add_call(timeline_state *self, uint32_t l, uint64_t end_ns)
{
    const lane *own = &self->lanes[l];
    const pj_timeline_view *view = &self->pixels.view;
    bool before = end_ns <= view->from_ns, after = own->entered_ns >= view->to_ns;
    if (self->many || before || (after && !view->open_end))
        return;
    self->many = self->call_count == PJ_TIMELINE_MOST_CALLS;
    if (self->many)
        return;
    pj_grow(self->calls, &self->call_cap, self->call_count + 1);
    self->calls[self->call_count++] = (pj_timeline_call){l, own->call, own->entered_ns, end_ns};
}

static void take_call(timeline_state *self, uint32_t l, const pj_event *event)
{
    lane *own = &self->lanes[l];
    if (own->call && !event->a)
        add_call(self, l, event->time);
    own->call = (pj_mpi_call)event->a;
    own->entered_ns = event->time;
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    timeline_state *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        uint32_t l = event->location - self->pixels.view.first_location;
        if (event->kind == PJ_EV_STATE && l < self->pixels.view.threads)
            take_state(self, l, event);
        else if (event->kind == PJ_EV_MPI && l < self->pixels.view.threads)
            take_call(self, l, event);
    }
    return true;
}

// The end

static void lay_last(timeline_state *self, uint32_t l, uint64_t end_ns)
{
    lay(self, l, pj_state_pieces_last(&self->lanes[l].pieces, end_ns));
}

/// What is not 0, with the distance from the one before; ends with distance 0.
static void code_sparse(pj_buf *out, const uint64_t *values, size_t count)
{
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        if (!values[i])
            continue;
        pj_code_number(out, i + 1 - next);
        pj_code_number(out, values[i]);
        next = i + 1;
    }
    pj_code_number(out, 0);
}

/// The next one: its place in `*i`, counted from 1; false at the end, or when there is none.
static bool decode_sparse(pj_str *in, uint64_t *i, uint64_t *value)
{
    uint64_t distance;
    if (!pj_decode_number(in, &distance) || !distance || !pj_decode_number(in, value))
        return false;
    *i += distance;
    return true;
}

static void tell(void *memory, const pj_run *run, pj_buf *out)
{
    timeline_state *self = memory;
    const pj_timeline_pixels *pixels = &self->pixels;
    const uint32_t threads = pixels->view.threads;
    uint64_t *seen = zeros(threads);
    for (uint32_t l = 0; l < threads; l++) {
        seen[l] = self->lanes[l].seen;
        if (seen[l])
            lay_last(self, l, run->end_ns);
    }
    pj_code_number(out, pixels->view.span_ns);
    code_sparse(out, seen, threads);
    code_sparse(out, pixels->sums, pj_timeline_pixels_sums(pixels));
    code_sparse(out, pixels->ticks, pj_timeline_pixels_count(pixels));
    free(seen);
}

/// Pixels of another one, whose columns are as wide as those here or narrower.
static void hear_pixels(timeline_state *self, pj_str *in, uint64_t factor)
{
    const size_t line = (size_t)self->pixels.view.columns * PJ_TIMELINE_KINDS;
    const size_t pixels = pj_timeline_pixels_count(&self->pixels);
    for (uint64_t i = 0, ticks; decode_sparse(in, &i, &ticks) && i <= pixels;) {
        size_t row = (i - 1) / line, column = (i - 1) % line / PJ_TIMELINE_KINDS;
        size_t kind = (i - 1) % PJ_TIMELINE_KINDS;
        self->pixels.ticks[row * line + column / factor * PJ_TIMELINE_KINDS + kind] += ticks;
    }
}

static bool hear(void *memory, pj_str in)
{
    timeline_state *self = memory;
    uint64_t span, value;
    self->many = true; // those of other processes are not told
    if (!pj_decode_number(&in, &span) || !span || span > INT64_MAX)
        return false;
    const pj_timeline_view *view = &self->pixels.view;
    pj_timeline_pixels_span(&self->pixels, span);
    if (view->span_ns % span)
        return false;
    for (uint64_t l = 0; decode_sparse(&in, &l, &value) && l <= view->threads;)
        self->lanes[l - 1].told = true;
    const uint64_t sums = pj_timeline_pixels_sums(&self->pixels);
    for (uint64_t i = 0; decode_sparse(&in, &i, &value) && i <= sums;)
        self->pixels.sums[i - 1] += value;
    hear_pixels(self, &in, view->span_ns / span);
    return in.len == 0;
}

static int by_lane(const void *a, const void *b)
{
    const pj_timeline_call *left = a, *right = b;
    if (left->lane != right->lane)
        return left->lane < right->lane ? -1 : 1;
    return left->begin_ns < right->begin_ns ? -1 : left->begin_ns > right->begin_ns;
}

static void keep_calls(const timeline_state *self, pj_timeline *timeline, pj_arena *arena)
{
    if (self->many || !self->call_count)
        return;
    qsort(self->calls, self->call_count, sizeof *self->calls, by_lane);
    pj_timeline_call *calls = pj_new_n(arena, pj_timeline_call, self->call_count);
    memcpy(calls, self->calls, self->call_count * sizeof *calls);
    timeline->calls = calls;
    timeline->call_count = self->call_count;
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    timeline_state *self = memory;
    (void)err;
    const pj_timeline_view *view = &self->pixels.view;
    for (uint32_t l = 0; l < view->threads; l++)
        if (!self->lanes[l].told)
            lay_last(self, l, run->end_ns);
    pj_timeline_pixels_reach(&self->pixels, run->end_ns);
    pj_timeline *timeline = pj_new(run->arena, pj_timeline);
    *timeline =
        (pj_timeline){.from_ns = view->from_ns,
                      .to_ns = view->open_end && run->end_ns > 0 ? run->end_ns : view->to_ns,
                      .first_location = view->first_location,
                      .threads = view->threads,
                      .devices = view->devices,
                      .lanes = view->lanes,
                      .rows = view->rows,
                      .columns = view->columns,
                      .column_ns = (double)view->span_ns / view->columns,
                      .waits = self->opts.waits,
                      .guessed = view->guessed};
    timeline->time = pj_new_n(run->arena, float, pj_timeline_pixels_count(&self->pixels));
    timeline->sums = pj_new_n(run->arena, uint64_t, pj_timeline_pixels_sums(&self->pixels));
    pj_timeline_pixels_add(&self->pixels, timeline);
    keep_calls(self, timeline, run->arena);
    run->timeline = timeline;
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
    free(memory);
}

pj_sink pj_timeline_sink(pj_timeline_opts opts)
{
    timeline_state *self = pj_take_memory(sizeof *self);
    *self = (timeline_state){.opts = opts};
    return (pj_sink){.name = "timeline",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .kinds = 1u << PJ_EV_STATE | 1u << PJ_EV_MPI,
                     .by_location = true,
                     .tell = tell,
                     .hear = hear};
}

static size_t listen_timeline(const pj_timeline_opts *timeline, pj_sink *out)
{
    out[0] = pj_timeline_sink(*timeline);
    out[1] = pj_bundle_sink(*timeline);
    out[2] = pj_device_lanes_sink(*timeline);
    return 3;
}

static const char *lack_timeline(const pj_run *run, const pj_timeline_opts *timeline, bool beside)
{
    bool whole = timeline->range.kind == PJ_ROI_AUTO && timeline->first_rank == 0 &&
                 timeline->last_rank >= run->layout.ranks - 1 &&
                 !(timeline->streams && run->layout.stream_count);
    if (!run->timeline)
        return "does not say what happens over time";
    return beside || !whole ? "shows the run over time only as a whole" : NULL;
}

/// What was asked for before was another range, or other ranks.
static bool stale_timeline(const pj_run *run)
{
    (void)run;
    return true;
}

const pj_aspect pj_aspect_timeline = {
    .listen = listen_timeline,
    .merged = true,
    .lack = lack_timeline,
    .stale = stale_timeline,
};
