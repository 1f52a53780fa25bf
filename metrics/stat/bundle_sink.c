// The messages of a timeline.
// Messages are bundled by cells of pixels, which grow whenever there are too many bundles.
#include "metrics/stat/bundle_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/run/run.h"
#include "metrics/stat/timeline_view.h"
#include "metrics/trace/event.h"

#include <stdlib.h>

enum { BUNDLES_MOST = 1000, CELL_COLUMNS_MOST = 64 };

typedef struct bundle {
    pj_timeline_bundle sum; // times are sums
    uint32_t from_column, to_column;
} bundle;

typedef struct bundle_state {
    pj_timeline_opts opts;
    pj_timeline_view view;
    uint64_t messages;
    bundle *bundles;
    size_t count;
    pj_map place_of;                  // by cells of both ends
    uint32_t cell_columns, cell_rows; // of a cell
} bundle_state;

static void free_parts(bundle_state *self)
{
    free(self->bundles);
    pj_map_free(&self->place_of);
    *self = (bundle_state){.opts = self->opts};
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    bundle_state *self = memory;
    free_parts(self);
    self->bundles = pj_take_memory((BUNDLES_MOST + 1) * sizeof *self->bundles);
    self->cell_columns = self->cell_rows = 1;
    return pj_timeline_view_choose(&self->view, &self->opts, run, err);
}

// Cells

static uint64_t key_of(const bundle_state *self, const bundle *b)
{
    uint64_t rows = (uint64_t)(pj_timeline_view_row(&self->view, b->sum.from) / self->cell_rows)
                        << 16 |
                    pj_timeline_view_row(&self->view, b->sum.to) / self->cell_rows;
    uint64_t columns =
        (uint64_t)(b->from_column / self->cell_columns) << 16 | b->to_column / self->cell_columns;
    return rows << 32 | columns;
}

static void add_bundle(bundle_state *self, const bundle *b)
{
    uint64_t key = key_of(self, b);
    uint32_t place;
    if (!pj_map_get(&self->place_of, key, &place)) {
        pj_map_put(&self->place_of, key, (uint32_t)self->count);
        self->bundles[self->count++] = *b;
        return;
    }
    pj_timeline_bundle *sum = &self->bundles[place].sum;
    sum->sent_ns += b->sum.sent_ns;
    sum->received_ns += b->sum.received_ns;
    sum->messages += b->sum.messages;
    sum->bytes += b->sum.bytes;
}

/// Joins bundles whose cells have become one.
static void rebundle(bundle_state *self)
{
    size_t count = self->count;
    pj_map_free(&self->place_of);
    self->place_of = (pj_map){.count = 0};
    self->count = 0;
    for (size_t i = 0; i < count; i++) { // never ahead of what is read
        bundle b = self->bundles[i];
        add_bundle(self, &b);
    }
}

/// Larger cells, until few bundles are left.
static void coarsen(bundle_state *self)
{
    while (self->count > BUNDLES_MOST) {
        if (self->cell_columns < CELL_COLUMNS_MOST)
            self->cell_columns *= 2;
        else
            self->cell_rows *= 2;
        rebundle(self);
    }
}

/// Pairs of columns become one.
static void widen(bundle_state *self)
{
    for (size_t i = 0; i < self->count; i++) {
        self->bundles[i].from_column /= 2;
        self->bundles[i].to_column /= 2;
    }
    pj_timeline_view_double(&self->view);
    rebundle(self);
}

// Messages

/// Column of a message's end; the nearest one when it is not seen.
static uint32_t nearest_column(const pj_timeline_view *view, uint64_t ns)
{
    if (ns < view->from_ns)
        return 0;
    uint64_t column = pj_timeline_view_column(view, ns);
    return column < view->columns ? (uint32_t)column : view->columns - 1;
}

static void take_message(bundle_state *self, const pj_message *m)
{
    const pj_timeline_view *view = &self->view;
    uint32_t from = m->from - view->first_location, to = m->to - view->first_location;
    if (from >= view->threads || to >= view->threads)
        return;
    uint64_t first = m->logical_send < m->physical_recv ? m->logical_send : m->physical_recv;
    uint64_t last = m->logical_send + m->physical_recv - first;
    if (last < view->from_ns || (!view->open_end && first >= view->to_ns))
        return;
    self->messages++;
    if (self->opts.counted)
        return;
    while (view->open_end && !pj_timeline_view_holds(view, last))
        widen(self);
    bundle b = {.sum = {.from = from,
                        .to = to,
                        .sent_ns = (double)m->logical_send,
                        .received_ns = (double)m->physical_recv,
                        .messages = 1,
                        .bytes = m->size},
                .from_column = nearest_column(view, m->logical_send),
                .to_column = nearest_column(view, m->physical_recv)};
    add_bundle(self, &b);
    coarsen(self);
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    bundle_state *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->events[i].kind == PJ_EV_MESSAGE)
            take_message(self, &batch->messages[batch->events[i].a]);
    return true;
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    const bundle_state *self = memory;
    pj_timeline_bundle *bundles = pj_new_n(run->arena, pj_timeline_bundle, self->count + 1);
    (void)err;
    for (size_t i = 0; i < self->count; i++) {
        bundles[i] = self->bundles[i].sum;
        bundles[i].sent_ns /= (double)bundles[i].messages;
        bundles[i].received_ns /= (double)bundles[i].messages;
    }
    pj_timeline *timeline = pj_new(run->arena, pj_timeline);
    *timeline = *run->timeline;
    timeline->bundles = bundles;
    timeline->bundle_count = self->count;
    timeline->messages = self->messages;
    run->timeline = timeline;
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
    free(memory);
}

pj_sink pj_bundle_sink(pj_timeline_opts opts)
{
    bundle_state *self = pj_take_memory(sizeof *self);
    *self = (bundle_state){.opts = opts};
    return (pj_sink){.name = "bundle",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .kinds = 1u << PJ_EV_MESSAGE};
}
