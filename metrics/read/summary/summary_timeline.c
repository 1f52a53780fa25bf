// The whole of what is analysed, over time and by rows of threads.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/read/summary/summary_vectors.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <string.h>

enum { SHARES = 1000, PIXELS_MOST = 1 << 20 };

static const char *const kinds[PJ_TIMELINE_KINDS] = {
#define KIND(name, title) #name,
#include "metrics/run/timeline_kinds.def"
#undef KIND
};

/// One vector of each kind over the given items, zeroed.
static pj_summary_vectors by_kind(uint32_t ranks, const uint32_t *first, pj_arena *arena)
{
    pj_summary_vectors v = {.items = pj_new_n(arena, pj_summary_vector, PJ_TIMELINE_KINDS),
                            .count = PJ_TIMELINE_KINDS,
                            .ranks = ranks,
                            .first = first};
    for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
        v.items[k] =
            (pj_summary_vector){kinds[k], pj_new_n(arena, int64_t, (size_t)first[ranks] + 1)};
    return v;
}

static pj_summary_vectors by_pixel(const pj_timeline *timeline, pj_arena *arena)
{
    uint32_t *first = pj_new_n(arena, uint32_t, timeline->rows + 1);
    for (uint32_t r = 0; r <= timeline->rows; r++)
        first[r] = r * timeline->columns;
    return by_kind(timeline->rows, first, arena);
}

/// Time of all lanes of a row in one column.
static double pixel_ns(const pj_timeline *timeline, uint32_t row)
{
    uint64_t lanes = timeline->lanes, rows = timeline->rows;
    uint64_t first = (row * lanes + rows - 1) / rows, end = ((row + 1) * lanes + rows - 1) / rows;
    return (double)(end - first) * timeline->column_ns;
}

static json_t *write(const pj_run *run, size_t budget)
{
    const pj_timeline *timeline = run->timeline;
    if (!timeline || timeline->threads != run->layout.locations || !timeline->rows ||
        timeline->to_ns <= timeline->from_ns)
        return NULL;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_pixel(timeline, arena);
    for (uint32_t row = 0; row < timeline->rows; row++)
        for (uint32_t column = 0; column < timeline->columns; column++)
            for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
                v.items[k].values[row * timeline->columns + column] =
                    llround((double)pj_timeline_at(timeline, row, column)[k] /
                            pixel_ns(timeline, row) * SHARES);
    json_t *shares = pj_summary_vectors_encode(&v, budget, false);
    json_int_t devices = timeline->lanes - timeline->threads;
    return json_pack("{s:I, s:I, s:I, s:I, s:f, s:I, s:o, s:o*}", "from_ns",
                     (json_int_t)timeline->from_ns, "to_ns", (json_int_t)timeline->to_ns, "rows",
                     (json_int_t)timeline->rows, "columns", (json_int_t)timeline->columns,
                     "column_ns", timeline->column_ns, "messages", (json_int_t)timeline->messages,
                     "shares", shares, "devices", devices ? json_integer(devices) : NULL);
}

/// Threads by rank; what devices do is in one more row behind all ranks.
static pj_summary_vectors by_lane(const pj_run *run, const pj_timeline *timeline, pj_arena *arena)
{
    const pj_layout *layout = &run->layout;
    uint32_t *first = pj_new_n(arena, uint32_t, layout->ranks + 2);
    memcpy(first, layout->first_location, (layout->ranks + 1) * sizeof *first);
    first[layout->ranks + 1] = timeline->lanes;
    return by_kind(layout->ranks + (timeline->devices ? 1 : 0), first, arena);
}

static void write_sums(const pj_run *run, size_t budget, json_t *into)
{
    const pj_timeline *timeline = run->timeline;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_lane(run, timeline, arena);
    for (uint32_t lane = 0; lane < timeline->lanes; lane++)
        for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
            v.items[k].values[lane] = (int64_t)timeline->sums[lane * PJ_TIMELINE_KINDS + k];
    json_object_set_new(into, "sums", pj_summary_vectors_encode(&v, budget, false));
}

// Reading

/// Summaries of old have no lanes of devices.
static bool take_lanes(const json_t *from, const pj_run *run, pj_timeline *timeline)
{
    const pj_timeline_opts all = {.last_rank = UINT32_MAX};
    json_int_t told = json_integer_value(json_object_get(from, "devices"));
    uint32_t devices = 0;
    timeline->threads = run->layout.locations;
    if (told)
        timeline->devices = pj_timeline_devices_of(&run->layout, &all, run->arena, &devices);
    timeline->lanes = timeline->threads + devices;
    return told == devices;
}

static bool take_head(json_t *from, const pj_run *run, pj_timeline *timeline)
{
    json_int_t begin, end, rows, columns, messages;
    if (json_unpack(from, "{s:I, s:I, s:I, s:I, s:F, s:I}", "from_ns", &begin, "to_ns", &end,
                    "rows", &rows, "columns", &columns, "column_ns", &timeline->column_ns,
                    "messages", &messages) != 0)
        return false;
    if (!take_lanes(from, run, timeline) || begin < 0 || end <= begin || messages < 0 || rows < 1 ||
        rows > timeline->lanes || columns < 1 || columns > PIXELS_MOST / rows ||
        !(timeline->column_ns > 0) || timeline->column_ns > (double)(end - begin))
        return false;
    timeline->from_ns = (uint64_t)begin;
    timeline->to_ns = (uint64_t)end;
    timeline->rows = (uint32_t)rows;
    timeline->columns = (uint32_t)columns;
    timeline->messages = (uint64_t)messages;
    return true;
}

static bool read_shares(const json_t *from, pj_run *run, pj_timeline *timeline, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_pixel(timeline, arena);
    if (!pj_summary_vectors_decode(from, &v, run->path, err))
        return false;
    size_t pixels = (size_t)timeline->rows * timeline->columns;
    timeline->time = pj_new_n(run->arena, float, pixels *PJ_TIMELINE_KINDS);
    for (size_t i = 0; i < pixels; i++) {
        double each = pixel_ns(timeline, (uint32_t)(i / timeline->columns)) / SHARES;
        for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
            timeline->time[i * PJ_TIMELINE_KINDS + k] =
                (float)((double)v.items[k].values[i] * each);
    }
    return true;
}

static bool read_sums(const json_t *from, pj_run *run, pj_timeline *timeline, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_lane(run, timeline, arena);
    if (!pj_summary_vectors_decode(from, &v, run->path, err))
        return false;
    timeline->sums = pj_new_n(run->arena, uint64_t, (size_t)timeline->lanes * PJ_TIMELINE_KINDS);
    for (uint32_t lane = 0; lane < timeline->lanes; lane++)
        for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++) {
            int64_t value = v.items[k].values[lane];
            timeline->sums[lane * PJ_TIMELINE_KINDS + k] = value > 0 ? (uint64_t)value : 0;
        }
    return true;
}

static bool read(json_t *from, pj_run *run, pj_err *err)
{
    pj_timeline *timeline = pj_new(run->arena, pj_timeline);
    if (!take_head(from, run, timeline))
        return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: what happens over time");
    if (!read_shares(json_object_get(from, "shares"), run, timeline, err) ||
        !read_sums(json_object_get(from, "sums"), run, timeline, err))
        return false;
    run->timeline = timeline;
    return true;
}

/// What ranks and threads do over time, in parts of a thousand of each pixel, or as fine as fits;
/// and the sums of every thread.
const pj_summary_part pj_summary_part_timeline = {
    .name = "scene",
    .budget = 24000,
    .write = write,
    .write_more = write_sums,
    .keeps = 8,
    .read = read,
};
