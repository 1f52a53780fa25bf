// Reads what gprof prints: the call graph and, where there is none, the flat profile; of GNU and of
// the systems that descend from BSD.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/native/call_blocks.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <stdlib.h>

/// A row of the flat profile.
typedef struct flat_row {
    pj_str name;
    double self;
    int64_t calls; // -1 = not told
} flat_row;

typedef struct gprof {
    pj_build *build;
    pj_call_blocks *blocks;
    enum { PROSE, FLAT, GRAPH } part;
    flat_row *rows;
    size_t count, cap;
    uint64_t line;
} gprof;

/// "index % time    self  children    called     name": Darwin and AIX write "%time".
static bool is_graph_header(pj_str line)
{
    pj_str rest = line;
    return pj_str_equal(pj_text_word(&rest), PJ_S("index")) &&
           pj_str_contains(rest, PJ_S("time")) && pj_str_contains(rest, PJ_S("self")) &&
           pj_str_contains(rest, PJ_S("name"));
}

/// " time   seconds   seconds    calls  us/call  us/call  name    "
static bool is_flat_header(pj_str line)
{
    pj_str rest = line, first = pj_text_word(&rest);
    if (pj_str_equal(first, PJ_S("%"))) // Darwin puts it all in one line
        first = pj_text_word(&rest);
    return (pj_str_equal(first, PJ_S("time")) || pj_str_equal(first, PJ_S("%time"))) &&
           pj_str_contains(rest, PJ_S("seconds")) && pj_str_contains(rest, PJ_S("name"));
}

/// "Each sample counts as 0.01 seconds."
static void read_tick(gprof *file, pj_str line)
{
    static const pj_str label = {"Each sample counts as ", 22};
    double tick;
    pj_str rest = pj_str_from(pj_str_trim(line), label.len);
    if (pj_str_starts(pj_str_trim(line), label) && pj_text_number(pj_text_word(&rest), &tick))
        pj_build_profile(file->build)->tick = tick;
}

/// Share, running sum, self; calls and times per call where the function was compiled for it; name.
static bool read_flat_row(gprof *file, pj_str line)
{
    double number = 0;
    flat_row row = {.calls = -1};
    for (int i = 0; i < 3; i++)
        if (!pj_text_number(pj_text_word(&line), &number))
            return false;
    row.self = number;
    pj_str rest = line;
    bool called = pj_parse_i64(pj_text_word(&rest), &row.calls) && row.calls >= 0;
    for (int i = 0; called && i < 2; i++)
        called = pj_text_number(pj_text_word(&rest), &number);
    if (called)
        line = rest;
    else
        row.calls = -1;
    row.name = pj_str_trim(line);
    size_t index = pj_str_find_last(row.name, '['); // Darwin writes the index of the graph behind
    if (index && index < row.name.len && pj_str_ends(row.name, PJ_S("]")))
        row.name = pj_str_trim(pj_str_head(row.name, index));
    if (file->count == file->cap)
        pj_grow(file->rows, &file->cap, file->count + 1);
    file->rows[file->count++] = row;
    return row.name.len > 0;
}

static void read_graph_line(gprof *file, pj_str line)
{
    if (pj_str_starts(line, PJ_S("-----")))
        pj_call_blocks_end(file->blocks);
    else if (!pj_call_blocks_line(file->blocks, line) &&
             !pj_str_contains(line, PJ_S("<spontaneous>")) &&
             !pj_str_contains(line, PJ_S("called/total")))
        pj_build_odd(file->build, PJ_ODDITY_malformed_record, file->line);
}

static void read_line(gprof *file, pj_str line)
{
    bool blank = !pj_str_trim(line).len;
    if (pj_str_starts(line, PJ_S("\f")) || pj_str_starts(line, PJ_S(" This table describes")) ||
        pj_str_starts(line, PJ_S("Index by function name")))
        file->part = PROSE;
    else if (is_graph_header(line))
        file->part = GRAPH;
    else if (is_flat_header(line))
        file->part = FLAT;
    else if (file->part == PROSE)
        read_tick(file, line);
    else if (file->part == FLAT && blank)
        file->part = PROSE;
    else if (file->part == FLAT && !read_flat_row(file, line))
        pj_build_odd(file->build, PJ_ODDITY_malformed_record, file->line);
    else if (file->part == GRAPH && !blank)
        read_graph_line(file, line);
}

static void add_flat(gprof *file)
{
    pj_build *b = file->build;
    uint32_t location = pj_build_location(
        b, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_PROCESS});
    uint32_t time = pj_build_measure(
        b,
        (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_EXCLUSIVE});
    uint32_t self = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    uint32_t calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
    for (size_t i = 0; i < file->count; i++) {
        const flat_row *row = &file->rows[i];
        uint32_t region = pj_build_region(b, row->name, PJ_S(""), 0);
        pj_build_add(b, self, region, location, row->self);
        if (row->calls >= 0)
            pj_build_count(b, calls, region, location, row->calls);
    }
}

/// Functions that only the flat profile has, as those of the profiler itself, are not in the graph:
/// their time would make its total another.
static void note_flat_only(gprof *file)
{
    uint32_t region;
    pj_map known = {.entries = NULL};
    const pj_profile *p = pj_build_profile(file->build);
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION]; i++)
        pj_map_put(&known, p->regions[i].name, i);
    for (size_t i = 0; i < file->count && pj_build_ok(file->build); i++)
        if (!pj_map_get(&known, pj_build_text(file->build, file->rows[i].name), &region))
            pj_build_odd(file->build, PJ_ODDITY_flat_only, 0);
    pj_map_free(&known);
}

static bool read_lines(gprof *file, pj_source *source, pj_str text, pj_err *err)
{
    pj_text_lines lines = {.rest = text};
    pj_str line;
    while (pj_build_ok(file->build) &&
           pj_text_take(&lines, PJ_TEXT_LINE_LONG, pj_source_path(source), &line, err)) {
        file->line = lines.line;
        read_line(file, line);
    }
    return !lines.failed;
}

static bool read_gprof(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    gprof file = {.build = build, .blocks = pj_call_blocks_new(true)};
    bool ok = read_lines(&file, source, text, err);
    pj_build_profile(build)->shared = true;
    if (ok && pj_call_blocks_build(file.blocks, build))
        note_flat_only(&file);
    else if (ok)
        add_flat(&file);
    pj_call_blocks_free(file.blocks);
    free(file.rows);
    return ok;
}

static bool sniff(pj_str head)
{
    pj_text_lines lines = {.rest = head};
    pj_str line;
    while (pj_text_next(&lines, &line))
        if (is_graph_header(line) || is_flat_header(line))
            return true;
    return false;
}

const pj_reader pj_reader_gprof = {
    .name = "gprof",
    .title = "gprof report",
    .suffixes = ".txt .prof .gprof",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_gprof,
};
