// What is known of a run as a table.
// Values are raw (bytes, nanoseconds); words have units and thousands, and say what is meant.
#include "metrics/run/run_info.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/run_table.h"
#include "metrics/trace/device.h"
#include "metrics/trace/layout.h"

#include <inttypes.h>

pj_table *pj_run_info_new(const char *title)
{
    static const pj_column columns[] = {
        {"key", "Key", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"value", "Value", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"unit", "Unit", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "Fact", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"words", "Value", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    };
    pj_table *table = pj_table_new(title);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    return table;
}

/// "13.8 kB (13,830 B)", "2,112", a text as it is.
static const char *in_words(pj_cell value, pj_arena *arena)
{
    char number[32], rounded[32];
    if (value.kind == PJ_CELL_EMPTY || value.kind == PJ_CELL_TEXT)
        return value.text ? value.text : "";
    double real = pj_cell_number(value);
    if (real < 9e15 && real == (double)(int64_t)real)
        pj_format_grouped((int64_t)real, number);
    else
        pj_format_double(real, number);
    if (value.unit == PJ_UNIT_NS)
        pj_format_duration(real, rounded);
    else if (value.unit == PJ_UNIT_BYTES)
        pj_format_bytes((uint64_t)real, rounded);
    else
        return pj_arena_text(arena, pj_str_of(number));
    return pj_arena_format(arena, "%s (%s %s)", rounded, number, pj_unit_text_of(value.unit).name);
}

void pj_run_info_add(pj_table *table, const char *key, const char *title, pj_cell value,
                     const char *words)
{
    pj_arena *arena = table->arena;
    pj_cell *cells = pj_table_add_row(table);
    const pj_cell row[] = {pj_cell_text(key), value, pj_cell_text(pj_unit_text_of(value.unit).name),
                           pj_cell_text(title),
                           pj_cell_text(words ? words : in_words(value, arena))};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        cells[i] = pj_table_copy_cell(table, row[i]);
}

static pj_cell count_of(uint64_t value, pj_unit unit)
{
    pj_cell cell = value <= INT64_MAX ? pj_cell_int((int64_t)value) : pj_cell_real((double)value);
    cell.unit = unit;
    return cell;
}

static void add_count(pj_table *table, const char *key, const char *title, uint64_t value)
{
    pj_run_info_add(table, key, title, count_of(value, PJ_UNIT_NONE), NULL);
}

static void add_text(pj_table *table, const char *key, const char *title, const char *text)
{
    pj_run_info_add(table, key, title, pj_cell_text(text ? text : ""), NULL);
}

static void add_roi(pj_table *table, const pj_run *run)
{
    char from[32], to[32];
    const char *key = "region_of_interest", *title = "Region of interest";
    if (!run->roi.set) {
        add_text(table, key, title, "the whole trace");
        return;
    }
    pj_format_duration((double)run->roi.from_ns, from);
    pj_format_duration((double)run->roi.to_ns, to);
    const char *value = pj_arena_format(table->arena, "%" PRIu64 " ns to %" PRIu64 " ns",
                                        run->roi.from_ns, run->roi.to_ns);
    pj_run_info_add(table, key, title, pj_cell_text(value),
                    pj_arena_format(table->arena, "%s to %s (%s)", from, to, value));
}

/// The ranks of each application of several, "application_0_ranks": "0-3".
static void add_applications(pj_table *table, const pj_layout *layout)
{
    pj_arena *arena = table->arena;
    uint32_t end = 0;
    for (uint32_t first = 0; layout->applications > 1 && first < layout->ranks; first = end) {
        uint32_t application = layout->application_of[first];
        while (end < layout->ranks && layout->application_of[end] == application)
            end++;
        add_text(table, pj_arena_format(arena, "application_%" PRIu32 "_ranks", application),
                 pj_arena_format(arena, "Ranks of application %" PRIu32, application),
                 pj_arena_format(arena, "%" PRIu32 "-%" PRIu32, first, end - 1));
    }
}

/// The program, or "application_0_program" of several, where the trace names it.
static void add_programs(pj_table *table, const pj_layout *layout)
{
    pj_arena *arena = table->arena;
    for (uint32_t a = 0; layout->application_name && a < layout->applications; a++) {
        const char *name = layout->application_name[a];
        if (name && layout->applications == 1)
            add_text(table, "program", "Program", name);
        else if (name)
            add_text(table, pj_arena_format(arena, "application_%" PRIu32 "_program", a),
                     pj_arena_format(arena, "Program of application %" PRIu32, a), name);
    }
}

/// "host1, host2, host3 and 61 more".
static void add_names(pj_table *table, const char *key, const char *title, const char *const *names,
                      uint32_t count)
{
    enum { SHOWN = 4 };
    const char *text = "";
    uint32_t shown = count <= SHOWN ? count : SHOWN - 1;
    for (uint32_t i = 0; i < shown; i++)
        text = pj_arena_format(table->arena, "%s%s%s", text, i ? ", " : "", names[i]);
    if (shown < count)
        text = pj_arena_format(table->arena, "%s and %" PRIu32 " more", text, count - shown);
    if (shown)
        add_text(table, key, title, text);
}

static void add_devices(pj_table *table, const pj_layout *layout)
{
    uint32_t streams = pj_device_streams(layout->streams, layout->stream_count), devices;
    const char **keys =
        pj_device_keys(layout->streams, layout->stream_count, table->arena, &devices, NULL);
    if (streams)
        add_count(table, "device_streams", "Streams of devices", streams);
    add_names(table, "devices", "Devices", keys, devices);
}

/// What a summary stands for.
static void add_provenance(pj_table *table, const pj_provenance *from)
{
    add_text(table, "summary_of", "Summary of", from->source);
    add_text(table, "summary_options", "Read with", from->options);
    add_text(table, "summary_written_by", "Written by",
             pj_arena_format(table->arena, "popinjay %s", from->program));
    add_text(table, "fingerprint", "Fingerprint",
             pj_arena_format(table->arena, "%016" PRIx64, from->fingerprint));
}

/// Of runs that came as sums, and of summaries.
static void add_origin(pj_table *table, const pj_run_origin *from)
{
    if (from->version)
        add_text(table, "measured_by", "Measured by",
                 pj_arena_format(table->arena, "DLB %s", from->version));
    if (from->whole)
        add_text(table, "region", "Region", from->whole);
    if (from->measured)
        add_text(table, "measured", "Measured at", from->measured);
    if (from->commit)
        add_text(table, "commit", "Commit", from->commit);
    if (from->branch)
        add_text(table, "branch", "Branch", from->branch);
    if (from->committed)
        add_text(table, "committed", "Committed at", from->committed);
}

static void add_layout(pj_table *table, const pj_layout *layout)
{
    add_count(table, "applications", "Applications", layout->applications);
    add_applications(table, layout);
    add_programs(table, layout);
    add_names(table, "nodes", "Nodes", layout->node_name, layout->node_names);
    add_devices(table, layout);
    add_count(table, "ranks", "Ranks", layout->ranks);
    add_count(table, "threads", "Threads of all ranks", layout->locations);
    add_text(table, "layout", "Ranks x threads", pj_layout_text(layout, table->arena));
}

static void add_times(pj_table *table, const pj_run *run)
{
    pj_run_info_add(table, "end_ns", "Length of the trace", count_of(run->end_ns, PJ_UNIT_NS),
                    NULL);
    pj_run_info_add(table, "runtime_ns", "Runtime",
                    run->no_states ? pj_cell_empty(pj_run_lacks_states(run))
                                   : count_of(run->runtime_ns, PJ_UNIT_NS),
                    NULL);
    add_roi(table, run);
    pj_run_info_add(table, "ideal_runtime_ns", "Runtime on an ideal network",
                    run->ideal.available ? pj_cell_of(PJ_UNIT_NS, run->ideal.runtime_ns)
                                         : pj_cell_empty(run->ideal.reason),
                    NULL);
}

pj_table *pj_run_info_table(const pj_run *run, const char *format)
{
    pj_table *table = pj_run_info_new("");
    table->title = pj_arena_format(table->arena, "Facts of %s", run->name);
    add_text(table, "file", "File", run->path);
    pj_run_info_add(table, "format", "Format", pj_cell_text(run->format ? run->format : ""),
                    format);
    pj_run_info_add(table, "file_bytes", "Size", count_of(run->file_bytes, PJ_UNIT_BYTES), NULL);
    pj_run_info_add(table, "text_bytes", "Size uncompressed",
                    count_of(run->text_bytes, PJ_UNIT_BYTES), NULL);
    add_count(table, "events", "Records", run->events);
    if (run->origin) {
        add_origin(table, run->origin);
        add_count(table, "regions", "Other regions", run->parts.count);
    }
    if (run->provenance)
        add_provenance(table, run->provenance);
    pj_run_info_add(table, "tag", "Tag", pj_cell_text(run->tag), *run->tag ? NULL : "none");
    add_layout(table, &run->layout);
    add_text(table, "mpi", "MPI", run->has_mpi ? "yes" : "no");
    add_text(table, "openmp", "OpenMP", run->has_openmp ? "yes" : "no");
    add_times(table, run);
    return table;
}
