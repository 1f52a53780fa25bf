// Reads the listing that line_profiler prints: for each profiled function, by source line, hits and
// time. Times are as the listing rounds them.
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/profile/python/line_row.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <math.h>
#include <stdio.h>

enum { CELLS = 4 }; // hits, time, time per hit, share

typedef struct listing {
    pj_build *build;
    uint32_t location;
    uint32_t hits, time, total; // columns
    double unit;                // seconds
    double seconds;             // of the function that is told of; negative = not told
    pj_str file, function;
    uint32_t first_line;
    size_t column;   // where source begins; 0 = no table is open
    uint32_t region; // of the open table; PJ_NO_ITEM before its first row
    uint64_t line;
} listing;

/// "Total time: 0.0175056 s": the number.
static bool take_seconds(pj_str line, pj_str label, double *out)
{
    if (!pj_str_starts(line, label))
        return false;
    pj_str rest = pj_str_from(line, label.len);
    return pj_text_number(pj_text_word(&rest), out);
}

/// "Function: extract at line 18"
static void take_function(listing *file, pj_str line)
{
    static const pj_str at = {" at line ", 9};
    pj_str name = line;
    pj_str number = pj_text_last_word(&name);
    uint64_t first;
    name = pj_str_trim(pj_str_from(name, 10));
    if (pj_str_ends(name, PJ_S(" at line")) && pj_parse_u64(number, &first) &&
        first <= UINT32_MAX) {
        file->function = pj_str_head(name, name.len - (at.len - 1));
        file->first_line = (uint32_t)first;
    }
}

/// "lp.py:18 - extract": the length of the place, 0 = there is none.
static size_t find_place(pj_str text, uint64_t *first)
{
    for (size_t at = 0; at + 3 <= text.len; at++) {
        if (memcmp(text.at + at, " - ", 3) != 0)
            continue;
        pj_str place = pj_str_head(text, at);
        size_t colon = pj_str_find_last(place, ':');
        if (colon < at && pj_parse_u64(pj_str_from(place, colon + 1), first) &&
            *first <= UINT32_MAX)
            return at;
    }
    return 0;
}

/// "  0.02 seconds - lp.py:18 - extract" of a summary, which may follow tables that have told it.
static bool read_summary(listing *file, pj_str line)
{
    pj_build *b = file->build;
    pj_str rest = line;
    double seconds;
    uint64_t first;
    if (!pj_text_number(pj_text_word(&rest), &seconds) ||
        !pj_str_equal(pj_text_word(&rest), PJ_S("seconds")) ||
        !pj_str_equal(pj_text_word(&rest), PJ_S("-")))
        return false;
    rest = pj_str_trim(rest);
    size_t end = find_place(rest, &first);
    pj_str place = pj_str_head(rest, end);
    if (!end)
        return false;
    uint32_t region =
        pj_build_region(b, pj_str_from(rest, end + 3),
                        pj_str_head(place, pj_str_find_last(place, ':')), (uint32_t)first);
    const double *told = pj_build_row(b, file->total, region);
    if (told && isnan(told[file->location]))
        pj_build_add(b, file->total, region, file->location, seconds);
    return true;
}

/// Lines between two tables; true when it was one of those that say something.
static bool read_label(listing *file, pj_str line)
{
    double number;
    if (take_seconds(line, PJ_S("Timer unit: "), &number)) {
        file->unit = number;
        pj_build_profile(file->build)->tick = number;
    } else if (take_seconds(line, PJ_S("Total time: "), &number)) {
        file->seconds = number;
        file->file = file->function = PJ_S("");
        file->column = 0;
    } else if (pj_str_starts(line, PJ_S("File: "))) {
        file->file = pj_str_from(line, 6);
    } else if (pj_str_starts(line, PJ_S("Could not find file "))) {
        file->file = pj_str_from(line, 20);
    } else if (pj_str_starts(line, PJ_S("Function: "))) {
        take_function(file, line);
    } else {
        return false;
    }
    return true;
}

/// A listing without source names no function: its first line stands for it.
static void begin_region(listing *file, uint32_t first_line)
{
    char name[48];
    snprintf(name, sizeof name, "<function at line %u>", (unsigned)first_line);
    bool named = file->function.len > 0;
    file->region = pj_build_region(file->build, named ? file->function : pj_str_of(name),
                                   file->file, named ? file->first_line : first_line);
    if (file->seconds >= 0)
        pj_build_add(file->build, file->total, file->region, file->location, file->seconds);
    file->seconds = -1;
}

/// Hits are whole; since version 4.1 those beyond nine digits are rounded: "1.23457e+09".
static bool take_hits(pj_str cell, int64_t *hits)
{
    uint64_t whole;
    double rounded;
    if (pj_parse_u64(cell, &whole))
        *hits = whole <= INT64_MAX ? (int64_t)whole : -1;
    else
        *hits = pj_text_number(cell, &rounded) && rounded < 1e18 ? (int64_t)rounded : -1;
    return *hits >= 0;
}

static void read_row(listing *file, pj_str text)
{
    pj_build *b = file->build;
    pj_line_row row;
    int64_t hits;
    double time;
    if (!pj_line_row_of(text, file->column, CELLS, &row)) {
        pj_build_odd(b, PJ_ODDITY_malformed_record, file->line);
        return;
    }
    if (file->region == PJ_NO_ITEM)
        begin_region(file, row.line);
    uint32_t line = pj_build_line(b, file->region, row.line, pj_build_text(b, row.source));
    if (!row.cell_count)
        return;
    if (row.cell_count < 2 || !take_hits(row.cells[0], &hits) ||
        !pj_text_number(row.cells[1], &time)) {
        pj_build_odd(b, PJ_ODDITY_malformed_record, file->line);
        return;
    }
    pj_build_count(b, file->hits, line, file->location, hits);
    pj_build_add(b, file->time, line, file->location, time * file->unit);
}

static void read_line(listing *file, pj_str line)
{
    size_t column = pj_line_header(line);
    if (column) {
        file->column = column;
        file->region = PJ_NO_ITEM;
    } else if (!pj_str_trim(line).len) {
        file->column = 0;
    } else if (!read_label(file, line) && !(!file->column && read_summary(file, line)) &&
               file->column && !pj_str_starts(line, PJ_S("====="))) {
        read_row(file, line);
    }
}

static void add_columns(listing *file)
{
    pj_build *b = file->build;
    file->location = pj_build_location(
        b, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_CPU});
    uint32_t time = pj_build_measure(
        b, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    file->hits = pj_build_column(b, PJ_AT_LINE, PJ_CALLS, PJ_NO_ITEM, true);
    file->time = pj_build_column(b, PJ_AT_LINE, PJ_EXCLUSIVE, time, false);
    file->total = pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, time, false);
}

static bool read_listing(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text, line;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    listing file = {.build = build, .unit = 1e-6, .seconds = -1, .region = PJ_NO_ITEM};
    pj_text_lines lines = {.rest = text};
    add_columns(&file);
    const char *path = pj_source_path(source);
    while (pj_build_ok(build) && pj_text_take(&lines, PJ_TEXT_LINE, path, &line, err)) {
        file.line = lines.line;
        read_line(&file, line);
    }
    return !lines.failed;
}

static bool sniff(pj_str head)
{
    pj_text_lines lines = {.rest = head};
    pj_str line;
    while (pj_text_next(&lines, &line))
        if (pj_str_starts(line, PJ_S("Timer unit: ")))
            return true;
    return false;
}

const pj_reader pj_reader_line_listing = {
    .name = "line_listing",
    .title = "line_profiler listing",
    .suffixes = ".txt .log",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .late_mark = "\nTimer unit: ",
    .profile = read_listing,
};
