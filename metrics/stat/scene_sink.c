// Pieces of states are cut as in the statistics (timeline.h) and laid over the pixels of their
// lane. A trace that turns out longer than its header says makes the pixels of twice the time.
// Messages are bundled by cells of pixels, which grow whenever there are too many bundles.
#include "metrics/stat/scene_sink.h"

#include "metrics/base/arena.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/stat/timeline.h"

#include <stdlib.h>

enum { BUNDLES_MOST = 1000, CELL_COLUMNS_MOST = 64 };

typedef struct lane {
    pj_timeline timeline; // its current record
    unsigned state;       // of that record
} lane;

typedef struct bundle {
    pj_scene_bundle sum; // times are sums
    uint32_t from_column, to_column;
} bundle;

typedef struct scene_state {
    pj_scene_opts opts;
    const pj_run *run;
    lane *lanes;
    uint32_t lane_count;
    pj_window whole;
    pj_scene scene;
    bool open_end; // to the end of the trace, wherever that is
    bundle *bundles;
    size_t bundle_count;
    pj_map bundle_of;                 // by cells of both ends
    uint32_t cell_columns, cell_rows; // of a cell
} scene_state;

static void free_parts(scene_state *self)
{
    for (uint32_t i = 0; i < self->lane_count; i++)
        pj_timeline_free(&self->lanes[i].timeline);
    free(self->lanes);
    free(self->scene.time);
    free(self->scene.sums);
    free(self->bundles);
    pj_map_free(&self->bundle_of);
    *self = (scene_state){.opts = self->opts};
}

/// One end of the range in ns.
static uint64_t border(double value, bool percent, uint64_t end_ns)
{
    double ns = percent ? value / 100 * (double)end_ns : value;
    return end_ns && ns >= (double)end_ns ? end_ns : (uint64_t)(ns + 0.5);
}

static bool choose_range(scene_state *self, pj_err *err)
{
    const pj_run *run = self->run;
    const pj_roi_request *range = &self->opts.range;
    pj_scene *scene = &self->scene;
    scene->from_ns = run->roi.set ? run->roi.from_ns : 0;
    scene->to_ns = run->roi.set ? run->roi.to_ns : run->end_ns;
    self->open_end = !run->roi.set;
    scene->guessed = run->end_ns == 0 && (range->from_percent || range->to_percent);
    if (range->kind == PJ_ROI_RANGE && !scene->guessed) {
        scene->from_ns = border(range->from, range->from_percent, run->end_ns);
        scene->to_ns = border(range->to, range->to_percent, run->end_ns);
        self->open_end = false;
    }
    if (self->open_end && scene->to_ns == 0)
        scene->to_ns = 1;
    if (scene->from_ns < scene->to_ns)
        return true;
    char end[32];
    pj_format_duration((double)run->end_ns, end);
    return pj_fail(err, PJ_E_USAGE, run->path, 0,
                   "nothing of the trace lies in the range; it ends after %s", end);
}

static bool choose_ranks(scene_state *self, pj_err *err)
{
    const pj_layout *layout = &self->run->layout;
    uint32_t first = self->opts.first_rank, last = self->opts.last_rank;
    if (last >= layout->ranks && last != UINT32_MAX)
        return pj_fail(err, PJ_E_USAGE, self->run->path, 0,
                       "there is no rank %u; ranks count from 0 to %u", last, layout->ranks - 1);
    last = last < layout->ranks ? last : layout->ranks - 1;
    if (first > last)
        return pj_fail(err, PJ_E_USAGE, self->run->path, 0,
                       "there is no rank %u; ranks count from 0 to %u", first, layout->ranks - 1);
    self->scene.first_location = layout->first_location[first];
    self->lane_count = layout->first_location[last + 1] - self->scene.first_location;
    return true;
}

static bool begin(void *memory, const pj_run *run, pj_err *err)
{
    scene_state *self = memory;
    free_parts(self);
    self->run = run;
    if (!choose_range(self, err) || !choose_ranks(self, err))
        return false;
    pj_scene *scene = &self->scene;
    uint32_t n = scene->lanes = self->lane_count;
    scene->rows = n < self->opts.rows_most ? n : self->opts.rows_most;
    scene->columns = self->opts.columns;
    scene->column_ns = (double)(scene->to_ns - scene->from_ns) / scene->columns;
    size_t size = (size_t)scene->rows * scene->columns * PJ_SCENE_KINDS * sizeof *scene->time;
    scene->time = pj_take_memory(size);
    memset(scene->time, 0, size);
    scene->sums = pj_take_memory(n * PJ_SCENE_KINDS * sizeof *scene->sums);
    memset(scene->sums, 0, n * PJ_SCENE_KINDS * sizeof *scene->sums);
    self->whole = (pj_window){0, UINT64_MAX, false};
    self->lanes = pj_take_memory(n * sizeof *self->lanes);
    for (uint32_t i = 0; i < n; i++) {
        self->lanes[i] = (lane){.state = PJ_STATE_IDLE};
        pj_timeline_begin(&self->lanes[i].timeline, &self->whole, NULL);
    }
    self->bundles = pj_take_memory((BUNDLES_MOST + 1) * sizeof *self->bundles);
    self->cell_columns = self->cell_rows = 1;
    return true;
}

// Pixels

static uint32_t row_of(const scene_state *self, uint32_t l)
{
    return (uint32_t)((uint64_t)l * self->scene.rows / self->scene.lanes);
}

static void rebundle(scene_state *self);

/// Makes room for `ns`: pairs of columns become one.
static void widen(scene_state *self, uint64_t ns)
{
    pj_scene *scene = &self->scene;
    while ((double)(ns - scene->from_ns) > scene->column_ns * scene->columns) {
        for (size_t row = 0; row < scene->rows; row++) {
            float *line = &scene->time[row * scene->columns * PJ_SCENE_KINDS];
            for (size_t c = 0; c < scene->columns; c++)
                for (size_t k = 0; k < PJ_SCENE_KINDS; k++) {
                    float *one = &line[c * PJ_SCENE_KINDS + k];
                    const float *two = &line[2 * c * PJ_SCENE_KINDS + k];
                    *one = 2 * c + 1 < scene->columns    ? two[0] + two[PJ_SCENE_KINDS]
                           : 2 * c + 1 == scene->columns ? two[0]
                                                         : 0;
                }
        }
        scene->column_ns *= 2;
        for (size_t i = 0; i < self->bundle_count; i++) {
            self->bundles[i].from_column /= 2;
            self->bundles[i].to_column /= 2;
        }
        rebundle(self);
    }
}

static double column_of(const pj_scene *scene, uint64_t ns)
{
    return ((double)ns - (double)scene->from_ns) / scene->column_ns;
}

static void lay(scene_state *self, uint32_t l, uint64_t begin, uint64_t end, unsigned state)
{
    pj_scene *scene = &self->scene;
    begin = begin > scene->from_ns ? begin : scene->from_ns;
    if (!self->open_end)
        end = end < scene->to_ns ? end : scene->to_ns;
    if (end <= begin)
        return;
    if (self->open_end)
        widen(self, end);
    pj_scene_kind kind = pj_scene_kind_of(state);
    scene->sums[l * PJ_SCENE_KINDS + kind] += end - begin;
    size_t row = row_of(self, l);
    float *line = &scene->time[row * scene->columns * PJ_SCENE_KINDS + kind];
    double from = column_of(scene, begin), to = column_of(scene, end);
    for (size_t c = (size_t)from; c < scene->columns && (double)c < to; c++) {
        double first = from > (double)c ? from : (double)c;
        double last = to < (double)c + 1 ? to : (double)c + 1;
        line[c * PJ_SCENE_KINDS] += (float)((last - first) * scene->column_ns);
    }
}

static void take_state(scene_state *self, uint32_t l, const pj_event *event)
{
    lane *own = &self->lanes[l];
    pj_timeline *timeline = &own->timeline;
    uint64_t begin = timeline->begin, end = timeline->end;
    if (event->a <= event->time || event->a <= begin)
        return; // it has no length for the timeline either
    pj_timeline_state(timeline, event->time, event->a, event->code);
    if (timeline->begin > begin)
        lay(self, l, begin, end < timeline->begin ? end : timeline->begin, own->state);
    own->state = event->code;
}

// Messages

static uint64_t key_of(const scene_state *self, const bundle *b)
{
    uint64_t rows = (uint64_t)(row_of(self, b->sum.from) / self->cell_rows) << 16 |
                    row_of(self, b->sum.to) / self->cell_rows;
    uint64_t columns =
        (uint64_t)(b->from_column / self->cell_columns) << 16 | b->to_column / self->cell_columns;
    return rows << 32 | columns;
}

static void add_bundle(scene_state *self, const bundle *b)
{
    uint64_t key = key_of(self, b);
    uint32_t place;
    if (!pj_map_get(&self->bundle_of, key, &place)) {
        pj_map_put(&self->bundle_of, key, (uint32_t)self->bundle_count);
        self->bundles[self->bundle_count++] = *b;
        return;
    }
    pj_scene_bundle *sum = &self->bundles[place].sum;
    sum->sent_ns += b->sum.sent_ns;
    sum->received_ns += b->sum.received_ns;
    sum->messages += b->sum.messages;
    sum->bytes += b->sum.bytes;
}

/// Joins bundles whose cells have become one.
static void rebundle(scene_state *self)
{
    size_t count = self->bundle_count;
    pj_map_free(&self->bundle_of);
    self->bundle_of = (pj_map){.count = 0};
    self->bundle_count = 0;
    for (size_t i = 0; i < count; i++) { // never ahead of what is read
        bundle b = self->bundles[i];
        add_bundle(self, &b);
    }
}

/// Larger cells, until few bundles are left.
static void coarsen(scene_state *self)
{
    while (self->bundle_count > BUNDLES_MOST) {
        if (self->cell_columns < CELL_COLUMNS_MOST)
            self->cell_columns *= 2;
        else
            self->cell_rows *= 2;
        rebundle(self);
    }
}

/// Column of a message's end; the nearest one when it is not seen.
static uint32_t nearest_column(const pj_scene *scene, uint64_t ns)
{
    if (ns < scene->from_ns)
        return 0;
    double column = column_of(scene, ns);
    return column < scene->columns ? (uint32_t)column : scene->columns - 1;
}

static void take_message(scene_state *self, const pj_message *m)
{
    uint32_t from = m->from - self->scene.first_location, to = m->to - self->scene.first_location;
    if (from >= self->lane_count || to >= self->lane_count)
        return;
    uint64_t first = m->logical_send < m->physical_recv ? m->logical_send : m->physical_recv;
    uint64_t last = m->logical_send + m->physical_recv - first;
    if (last < self->scene.from_ns || (!self->open_end && first >= self->scene.to_ns))
        return;
    if (self->open_end)
        widen(self, last);
    uint32_t sent = nearest_column(&self->scene, m->logical_send);
    uint32_t received = nearest_column(&self->scene, m->physical_recv);
    self->scene.messages++;
    bundle b = {.sum = {.from = from,
                        .to = to,
                        .sent_ns = (double)m->logical_send,
                        .received_ns = (double)m->physical_recv,
                        .messages = 1,
                        .bytes = m->size},
                .from_column = sent,
                .to_column = received};
    add_bundle(self, &b);
    coarsen(self);
}

static bool events(void *memory, const pj_batch *batch, pj_err *err)
{
    scene_state *self = memory;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind == PJ_EV_MESSAGE) {
            take_message(self, &batch->messages[event->a]);
        } else if (event->kind == PJ_EV_STATE) {
            uint32_t l = event->location - self->scene.first_location;
            if (l < self->lane_count)
                take_state(self, l, event);
        }
    }
    return true;
}

static void keep_bundles(const scene_state *self, pj_scene *scene, pj_arena *arena)
{
    pj_scene_bundle *bundles = pj_new_n(arena, pj_scene_bundle, self->bundle_count + 1);
    for (size_t i = 0; i < self->bundle_count; i++) {
        bundles[i] = self->bundles[i].sum;
        bundles[i].sent_ns /= (double)bundles[i].messages;
        bundles[i].received_ns /= (double)bundles[i].messages;
    }
    scene->bundles = bundles;
    scene->bundle_count = self->bundle_count;
}

static bool finish(void *memory, pj_run *run, pj_err *err)
{
    scene_state *self = memory;
    (void)err;
    for (uint32_t i = 0; i < self->lane_count; i++) {
        const pj_timeline *timeline = &self->lanes[i].timeline;
        lay(self, i, timeline->begin, timeline->end < run->end_ns ? timeline->end : run->end_ns,
            self->lanes[i].state);
    }
    pj_scene *scene = pj_new(run->arena, pj_scene);
    *scene = self->scene;
    if (self->open_end && run->end_ns > 0)
        scene->to_ns = run->end_ns;
    size_t size = (size_t)scene->rows * scene->columns * PJ_SCENE_KINDS;
    scene->time = pj_new_n(run->arena, float, size);
    memcpy(scene->time, self->scene.time, size * sizeof *scene->time);
    size_t sums = (size_t)scene->lanes * PJ_SCENE_KINDS;
    scene->sums = pj_new_n(run->arena, uint64_t, sums);
    memcpy(scene->sums, self->scene.sums, sums * sizeof *scene->sums);
    keep_bundles(self, scene, run->arena);
    run->scene = scene;
    return true;
}

static void close_sink(void *memory)
{
    free_parts(memory);
    free(memory);
}

pj_sink pj_scene_sink(pj_scene_opts opts)
{
    scene_state *self = pj_take_memory(sizeof *self);
    *self = (scene_state){.opts = opts};
    return (pj_sink){.name = "scene",
                     .begin = begin,
                     .events = events,
                     .finish = finish,
                     .close = close_sink,
                     .self = self,
                     .kinds = 1u << PJ_EV_STATE | 1u << PJ_EV_MESSAGE};
}
