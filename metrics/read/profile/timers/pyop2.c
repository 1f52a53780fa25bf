// Reads the summary of PyOP2's timers, as text or as CSV: total time and calls of each timer.
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/delimited.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

enum { COLUMNS = 4 };

typedef struct pyop2 {
    pj_build *build;
    uint32_t location, calls, time;
    pj_str delimiter;
    pj_cells cells;
} pyop2;

/// Whether the line is the header with this delimiter: names of columns, blanks around them.
static bool is_header_by(pj_str line, pj_str delimiter)
{
    static const pj_str names[COLUMNS] = {
        {"Timer", 5}, {"Total time", 10}, {"Calls", 5}, {"Average time", 12}};
    pj_auto_cells cells = {.items = NULL};
    pj_cells_take(&cells, line, delimiter);
    bool same = cells.count == COLUMNS;
    for (size_t i = 0; same && i < COLUMNS; i++)
        same = pj_str_equal(pj_str_trim(cells.items[i]), names[i]);
    return same;
}

/// The delimiter of a header; empty when the line is none.
static pj_str header_delimiter(pj_str line)
{
    if (is_header_by(line, PJ_S(",")))
        return PJ_S(",");
    return is_header_by(line, PJ_S("|")) ? PJ_S("|") : PJ_S("");
}

/// The last cells are numbers; what stands before them is the name, whatever is in it.
static bool read_row(pyop2 *file, pj_str line)
{
    double total;
    uint64_t calls;
    pj_cells_take(&file->cells, line, file->delimiter);
    size_t count = file->cells.count;
    if (count < COLUMNS || !pj_text_number(pj_str_trim(file->cells.items[count - 3]), &total) ||
        !pj_parse_u64(pj_str_trim(file->cells.items[count - 2]), &calls) || calls > INT64_MAX)
        return false;
    pj_str name = file->cells.items[0];
    if (count > COLUMNS) // "a | b": only CSV quotes
        name = (pj_str){line.at, (size_t)(file->cells.items[count - 3].at - line.at) - 1};
    uint32_t region = pj_build_region(file->build, pj_str_trim(name), PJ_S(""), 0);
    pj_build_count(file->build, file->calls, region, file->location, (int64_t)calls);
    pj_build_add(file->build, file->time, region, file->location, total);
    return true;
}

static void add_columns(pyop2 *file)
{
    pj_build *b = file->build;
    file->location = pj_build_location(
        b, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_PROCESS});
    uint32_t time = pj_build_measure(
        b, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    file->calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
    file->time = pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, time, false);
}

static bool read_pyop2(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text, line;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    pyop2 file = {.build = build};
    pj_text_lines lines = {.rest = text};
    add_columns(&file);
    const char *path = pj_source_path(source);
    while (pj_build_ok(build) && pj_text_take(&lines, PJ_TEXT_LINE, path, &line, err)) {
        if (!pj_str_trim(line).len)
            continue;
        pj_str delimiter = header_delimiter(line);
        if (delimiter.len)
            file.delimiter = delimiter;
        else if (file.delimiter.len && !read_row(&file, line) &&
                 pj_str_contains(line, file.delimiter)) // others are output of the program
            pj_build_odd(build, PJ_ODDITY_malformed_record, lines.line);
    }
    pj_cells_free(&file.cells);
    return !lines.failed;
}

static bool sniff(pj_str head)
{
    pj_text_lines lines = {.rest = head};
    pj_str line;
    while (pj_text_next(&lines, &line))
        if (pj_str_starts(pj_str_trim(line), PJ_S("Timer")) && header_delimiter(line).len)
            return true;
    return false;
}

const pj_reader pj_reader_pyop2 = {
    .name = "pyop2",
    .title = "PyOP2 summary",
    .suffixes = ".csv .txt .log",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .late_mark = "| Average time",
    .profile = read_pyop2,
};
