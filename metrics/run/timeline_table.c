// A timeline as a table.
// Threads, then devices and their streams, with the sums of what they do.
#include "metrics/run/timeline_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/trace/device.h"
#include "metrics/trace/layout.h"

/// Only programs with devices move data to them and launch kernels; of AI runs alone it is known
/// when data are loaded and when devices wait.
static bool is_shown(const pj_run *run, size_t kind)
{
    bool of_devices = kind == PJ_TIMELINE_transfer || kind == PJ_TIMELINE_launch;
    bool of_ai = kind == PJ_TIMELINE_loading || kind == PJ_TIMELINE_waiting;
    return (run->timeline->devices || !of_devices) && (run->ai || !of_ai);
}

static void add_columns(pj_table *table, const pj_run *run)
{
    static const char *const keys[] = {
#define KIND(name, title) #name "_ns",
#include "metrics/run/timeline_kinds.def"
#undef KIND
    };
    pj_table_add_column(table,
                        (pj_column){.key = "rank", .title = "Rank", .unit = PJ_UNIT_IDENTIFIER});
    pj_table_add_column(
        table, (pj_column){.key = "thread", .title = "Thread", .unit = PJ_UNIT_IDENTIFIER});
    if (run->timeline->devices) {
        pj_table_add_column(table,
                            (pj_column){.key = "device", .title = "Device", .text = PJ_TEXT});
        pj_table_add_column(table,
                            (pj_column){.key = "stream", .title = "Stream", .text = PJ_TEXT});
    }
    for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
        if (is_shown(run, k))
            pj_table_add_column(table,
                                (pj_column){.key = keys[k],
                                            .title = pj_timeline_kind_title((pj_timeline_kind)k),
                                            .unit = PJ_UNIT_NS});
}

/// Returns the cell behind those of the names.
static pj_cell *name_thread(const pj_run *run, uint32_t lane, pj_cell *cells)
{
    const pj_layout *layout = &run->layout;
    uint32_t location = run->timeline->first_location + lane, rank = layout->rank_of[location];
    *cells++ = pj_cell_int(rank);
    *cells++ = pj_cell_int(location - layout->first_location[rank]);
    if (!run->timeline->devices)
        return cells;
    *cells++ = pj_cell_empty("a thread");
    *cells++ = pj_cell_empty("a thread");
    return cells;
}

/// The names outlive the run.
static pj_cell *name_device(const pj_timeline_device *device, pj_arena *arena, pj_cell *cells)
{
    const pj_device_stream *stream = device->stream;
    *cells++ = stream ? pj_cell_int(stream->rank) : pj_cell_empty("a device");
    *cells++ = pj_cell_empty(stream ? "a stream" : "a device");
    *cells++ = pj_cell_text(pj_arena_text(arena, pj_str_of(device->key)));
    *cells++ = !stream        ? pj_cell_empty("all of its streams")
               : stream->name ? pj_cell_text(pj_arena_text(arena, pj_str_of(stream->name)))
                              : pj_cell_empty("the trace does not name it");
    return cells;
}

pj_table *pj_timeline_table(const pj_run *run)
{
    const pj_timeline *timeline = run->timeline;
    pj_table *table = pj_table_new("");
    table->title = pj_arena_format(table->arena, "Timeline of %s", run->name);
    add_columns(table, run);
    for (uint32_t lane = 0; lane < timeline->lanes; lane++) {
        pj_cell *cells = pj_table_add_row(table);
        cells = lane < timeline->threads ? name_thread(run, lane, cells)
                                         : name_device(&timeline->devices[lane - timeline->threads],
                                                       table->arena, cells);
        for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++)
            if (is_shown(run, k))
                *cells++ = pj_cell_int((int64_t)timeline->sums[lane * PJ_TIMELINE_KINDS + k]);
    }
    if (timeline->from_ns > 0 || timeline->to_ns < run->end_ns) {
        char from[32], to[32];
        pj_format_duration((double)timeline->from_ns, from);
        pj_format_duration((double)timeline->to_ns, to);
        table->note = pj_arena_format(table->arena, "From %s to %s of the trace.", from, to);
    }
    return table;
}
