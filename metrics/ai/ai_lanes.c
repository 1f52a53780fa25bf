// Lanes of hosts come first: data loading goes before MPI, that before waiting for a device and
// other calls of its runtime; the rest counts as running. Lanes of devices follow.
#include "metrics/ai/ai_lanes.h"

#include "metrics/ai/ai_cover.h"
#include "metrics/ai/ai_match.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_spans.h"
#include "metrics/ai/ai_spill.h"
#include "metrics/ai/ai_sweep.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/stat/timeline_pixels.h"
#include "metrics/stat/timeline_view.h"
#include "metrics/trace/layout.h"

typedef struct drawing {
    pj_timeline_pixels *pixels;
    pj_ai_rank *rank;
    int64_t shift;  // of the rank's clock to the begin of the run
    int64_t length; // of the run
    uint32_t lane;
    int64_t laid; // up to here the lane is full
    size_t next;  // of what the device computes
    const pj_ai_device *device;
    pj_ai_spans taken; // of the host, by kinds that go before others
} drawing;

static bool clip(const drawing *d, int64_t *begin, int64_t *end)
{
    int64_t origin = d->rank->offset - d->shift; // the begin of the run
    *begin = pj_ai_rank_common(d->rank, *begin) - origin;
    *end = pj_ai_rank_common(d->rank, *end) - origin;
    *begin = *begin < 0 ? 0 : *begin;
    *end = *end > d->length ? d->length : *end;
    return *begin < *end;
}

static void lay(drawing *d, pj_timeline_kind kind, int64_t begin, int64_t end)
{
    if (clip(d, &begin, &end))
        pj_timeline_pixels_lay(d->pixels, d->lane, kind, (uint64_t)begin, (uint64_t)end);
}

// Hosts

/// What counted as `from` is of another kind, but where the lane is taken.
static void move(drawing *d, pj_timeline_kind from, pj_timeline_kind to, pj_ai_span span)
{
    const pj_ai_spans *taken = &d->taken;
    size_t i = pj_ai_spans_after(taken, span.begin);
    for (; span.begin < span.end; i++) {
        bool cut = i < taken->count && taken->items[i].begin < span.end;
        int64_t begin = span.begin, end = cut ? taken->items[i].begin : span.end;
        if (begin < end && clip(d, &begin, &end))
            pj_timeline_pixels_move(d->pixels, d->lane, (pj_timeline_kind[]){from, to},
                                    (uint64_t)begin, (uint64_t)end);
        span.begin = cut ? taken->items[i].end : span.end;
    }
}

static void lay_call(void *context, pj_ai_span span)
{
    move(context, PJ_TIMELINE_running, PJ_TIMELINE_launch, span);
}

/// Calls that wait are among the calls.
static void lay_waiting(void *context, pj_ai_span span)
{
    move(context, PJ_TIMELINE_launch, PJ_TIMELINE_synchronisation, span);
}

static void lay_message(void *context, pj_ai_span span)
{
    move(context, PJ_TIMELINE_running, PJ_TIMELINE_message, span);
}

static void lay_collective(void *context, pj_ai_span span)
{
    move(context, PJ_TIMELINE_running, PJ_TIMELINE_collective, span);
}

static void lay_files(void *context, pj_ai_span span)
{
    move(context, PJ_TIMELINE_running, PJ_TIMELINE_io, span);
}

static void lay_other_mpi(void *context, pj_ai_span span)
{
    move(context, PJ_TIMELINE_running, PJ_TIMELINE_other, span);
}

static void take(void *context, pj_ai_span span)
{
    drawing *d = context;
    pj_ai_spans_add(&d->taken, span.begin, span.end);
}

static void draw_mpi(drawing *d)
{
    static void (*const kinds[])(void *, pj_ai_span) = {[PJ_AI_MPI_MESSAGES] = lay_message,
                                                        [PJ_AI_MPI_COLLECTIVES] = lay_collective,
                                                        [PJ_AI_MPI_FILES] = lay_files,
                                                        [PJ_AI_MPI_ALL] = lay_other_mpi};
    for (unsigned k = 0; k < PJ_AI_MPI_KINDS; k++) {
        pj_ai_cover_each(&d->rank->mpi[k], kinds[k], d);
        pj_ai_cover_each(&d->rank->mpi[k], take, d);
        pj_ai_spans_unite(&d->taken);
    }
}

static void draw_host(drawing *d)
{
    const pj_ai_spans *loading = &d->rank->loading;
    lay(d, PJ_TIMELINE_running, -d->shift, d->length - d->shift);
    for (size_t i = 0; i < loading->count; i++) {
        int64_t begin = loading->items[i].begin, end = loading->items[i].end;
        pj_ai_spans_add(&d->taken, begin, end);
        if (clip(d, &begin, &end))
            pj_timeline_pixels_move(d->pixels, d->lane,
                                    (pj_timeline_kind[]){PJ_TIMELINE_running, PJ_TIMELINE_loading},
                                    (uint64_t)begin, (uint64_t)end);
    }
    pj_ai_spans_unite(&d->taken);
    draw_mpi(d);
    pj_ai_cover_each(&d->rank->driving, lay_call, d);
    pj_ai_cover_each(&d->rank->waiting, lay_waiting, d);
    pj_ai_spans_free(&d->taken);
}

// Devices

/// The next part of a lane; between two of them the device is idle.
static void go_on(drawing *d, pj_timeline_kind kind, int64_t begin, int64_t end)
{
    begin = begin > d->laid ? begin : d->laid;
    if (end <= begin)
        return;
    lay(d, PJ_TIMELINE_idle, d->laid, begin);
    lay(d, kind, begin, end);
    d->laid = end;
}

static void compute_until(drawing *d, int64_t time)
{
    const pj_ai_spans *computed = &d->device->computed;
    for (; d->next < computed->count && computed->items[d->next].begin < time; d->next++) {
        pj_ai_spill_pass(computed->spill, d->next);
        go_on(d, PJ_TIMELINE_running, computed->items[d->next].begin, computed->items[d->next].end);
    }
}

static pj_timeline_kind kind_of_exchange(const drawing *d, uint8_t user, uint32_t exchange)
{
    const pj_ai_rank *rank = pj_ai_device_user(d->rank, d->device, user);
    pj_str operation = pj_str_of(rank->names[rank->exchanges[exchange].operation]);
    return pj_ai_operation_is_message(operation) ? PJ_TIMELINE_message : PJ_TIMELINE_collective;
}

static void lay_stretch(void *self, const pj_ai_stretch *stretch)
{
    drawing *d = self;
    compute_until(d, stretch->begin);
    if (stretch->layer == PJ_AI_WAITS)
        go_on(d, PJ_TIMELINE_waiting, stretch->begin, stretch->end);
    else if (stretch->layer == PJ_AI_COPIES)
        go_on(d, PJ_TIMELINE_transfer, stretch->begin, stretch->end);
    else
        go_on(d, kind_of_exchange(d, stretch->user, stretch->exchange), stretch->begin,
              stretch->end);
}

static void begin_lane(drawing *d)
{
    d->laid = -d->shift;
    d->next = 0;
}

static void draw_device(drawing *d)
{
    begin_lane(d);
    pj_ai_sweep(d->rank, d->device, (pj_ai_watch){lay_stretch, d});
    compute_until(d, INT64_MAX);
    lay(d, PJ_TIMELINE_idle, d->laid, d->length - d->shift);
}

/// Of a stream, whose records come one after the other: where they overlap the earlier one counts.
static void draw_stream(drawing *d, uint32_t stream)
{
    pj_ai_rank *rank = d->rank;
    begin_lane(d);
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        const pj_ai_record *record = &rank->records[i];
        if (record->stream != stream || record->work == PJ_AI_OUTSIDE)
            continue;
        if (record->exchange == PJ_AI_NONE) {
            bool copies = record->work == PJ_AI_COPY;
            go_on(d, copies ? PJ_TIMELINE_transfer : PJ_TIMELINE_running, record->begin,
                  record->end);
            continue;
        }
        const pj_ai_rank *user = pj_ai_device_user(d->rank, d->device, record->user);
        const pj_ai_exchange *exchange = &user->exchanges[record->exchange];
        int64_t moves = exchange->begin + exchange->wait;
        moves = moves < record->end ? moves : record->end;
        go_on(d, PJ_TIMELINE_waiting, record->begin, moves);
        go_on(d, kind_of_exchange(d, record->user, record->exchange), moves, record->end);
    }
    lay(d, PJ_TIMELINE_idle, d->laid, d->length - d->shift);
}

/// Lanes of devices are in the order of ranks and devices, as streams of the layout are.
static void draw_devices(drawing *d, const pj_run *run, const pj_ai_ranks *ranks)
{
    const pj_timeline_view *view = &d->pixels->view;
    uint32_t before = 0, r = 0; // devices of earlier ranks
    uint32_t first = 0;         // stream of the rank in the layout
    for (uint32_t i = 0; i < view->lanes - view->threads; i++) {
        const pj_timeline_device *lane = &view->devices[i];
        while (lane->device >= before + ranks->items[r]->device_count) {
            before += (uint32_t)ranks->items[r]->device_count;
            first += (uint32_t)ranks->items[r++]->stream_count;
        }
        d->rank = ranks->items[r];
        d->shift = d->rank->offset - ranks->begin;
        d->lane = view->threads + i;
        d->device = &d->rank->devices[lane->device - before];
        if (lane->stream)
            draw_stream(d, (uint32_t)(lane->stream - run->layout.streams) - first);
        else
            draw_device(d);
    }
}

static pj_timeline *keep(const pj_timeline_pixels *pixels, pj_arena *arena)
{
    const pj_timeline_view *view = &pixels->view;
    pj_timeline *timeline = pj_new(arena, pj_timeline);
    *timeline = (pj_timeline){.from_ns = view->from_ns,
                              .to_ns = view->to_ns,
                              .first_location = view->first_location,
                              .threads = view->threads,
                              .devices = view->devices,
                              .lanes = view->lanes,
                              .rows = view->rows,
                              .columns = view->columns,
                              .column_ns = (double)view->span_ns / view->columns};
    timeline->time = pj_new_n(arena, float, pj_timeline_pixels_count(pixels));
    timeline->sums = pj_new_n(arena, uint64_t, pj_timeline_pixels_sums(pixels));
    pj_timeline_pixels_add(pixels, timeline);
    return timeline;
}

bool pj_ai_lanes_draw(pj_run *run, const pj_ai_ranks *ranks, const pj_timeline_opts *opts,
                      pj_err *err)
{
    pj_timeline_pixels pixels = {.ticks = NULL};
    if (!pj_timeline_pixels_begin(&pixels, opts, run, err))
        return false;
    drawing d = {.pixels = &pixels, .length = ranks->end - ranks->begin};
    for (uint32_t lane = 0; lane < pixels.view.threads; lane++) {
        d.rank = ranks->items[pixels.view.first_location + lane]; // a thread each
        d.shift = d.rank->offset - ranks->begin;
        d.lane = lane;
        draw_host(&d);
    }
    draw_devices(&d, run, ranks);
    run->timeline = keep(&pixels, run->arena);
    pj_timeline_pixels_free(&pixels);
    return true;
}
