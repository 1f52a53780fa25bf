// Reads the tables that `python -m memory_profiler` prints: for each profiled function, by source
// line, memory after the line, its growth and how often the line was executed.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/profile/python/line_row.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <stdlib.h>

enum { CELLS = 5 }; // 12.3 MiB, 1.2 MiB, 3

typedef struct memory_lines {
    pj_build *build;
    uint32_t location;
    uint32_t memory, increment, occurrences; // columns of lines
    uint32_t peak, growth;                   // columns of functions
    pj_str file;
    size_t column; // where source begins in the rows of a table; 0 = no table is open
    pj_line_row *rows;
    size_t row_count, row_cap;
    uint64_t line;
} memory_lines;

/// "12.345 MiB": versions before 0.50 call the same MB.
static bool take_memory(const pj_line_row *row, unsigned cell, double *out)
{
    return cell + 1 < row->cell_count &&
           (pj_str_equal(row->cells[cell + 1], PJ_S("MiB")) ||
            pj_str_equal(row->cells[cell + 1], PJ_S("MB"))) &&
           pj_text_number(row->cells[cell], out);
}

static void add_row(memory_lines *file, uint32_t region, const pj_line_row *row)
{
    pj_build *b = file->build;
    double memory, increment;
    uint64_t times;
    uint32_t line = pj_build_line(b, region, row->line, pj_build_text(b, row->source));
    if (!row->cell_count)
        return;
    if (!take_memory(row, 0, &memory) || !take_memory(row, 2, &increment)) {
        pj_build_odd(b, PJ_ODDITY_malformed_record, file->line);
        return;
    }
    pj_build_add(b, file->memory, line, file->location, memory);
    pj_build_add(b, file->increment, line, file->location, increment);
    pj_build_add(b, file->peak, region, file->location, memory);
    pj_build_add(b, file->growth, region, file->location, increment);
    if (row->cell_count == CELLS && pj_parse_u64(row->cells[4], &times) && times <= INT64_MAX)
        pj_build_count(b, file->occurrences, line, file->location, (int64_t)times);
}

/// The function that a table is of stands in its first lines: decorators, then def.
static void end_table(memory_lines *file)
{
    pj_str name = PJ_S("");
    for (size_t i = 0; i < file->row_count && !name.len; i++)
        name = pj_line_defines(file->rows[i].source);
    uint32_t region = 0;
    if (file->row_count)
        region = pj_build_region(file->build, name, file->file, file->rows[0].line);
    for (size_t i = 0; i < file->row_count; i++)
        add_row(file, region, &file->rows[i]);
    file->row_count = 0;
    file->column = 0;
}

/// Where source begins below a header; 0 = the line is none. "Occurrences" is one byte wider than
/// its column, so that the header is, too.
static size_t source_column(pj_str line)
{
    size_t column = pj_str_contains(line, PJ_S("Mem usage")) ? pj_line_header(line) : 0;
    return column && pj_str_contains(line, PJ_S("Occurrences")) ? column - 1 : column;
}

static void read_line(memory_lines *file, pj_str line)
{
    static const pj_str filename = {"Filename: ", 10};
    pj_line_row row;
    size_t column = source_column(line);
    if (pj_str_starts(line, filename) || column || !pj_str_trim(line).len)
        end_table(file);
    if (pj_str_starts(line, filename))
        file->file = pj_str_from(line, filename.len);
    if (column)
        file->column = column;
    if (!file->column || column || pj_str_starts(line, PJ_S("=====")))
        return;
    if (!pj_line_row_of(line, file->column, CELLS, &row)) {
        pj_build_odd(file->build, PJ_ODDITY_malformed_record, file->line);
        return;
    }
    if (file->row_count == file->row_cap)
        pj_grow(file->rows, &file->row_cap, file->row_count + 1);
    file->rows[file->row_count++] = row;
}

static pj_measure memory_measure(const char *key, const char *title, pj_measure_fold fold)
{
    return (pj_measure){.key = key,
                        .title = title,
                        .unit = "MiB",
                        .kind = PJ_MEASURE_BYTES,
                        .fold = fold,
                        .stored = PJ_STORED_BOTH};
}

static void add_columns(memory_lines *file)
{
    pj_build *b = file->build;
    file->location = pj_build_location(
        b, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_CPU});
    uint32_t memory = pj_build_measure(b, memory_measure("memory", "Memory", PJ_MEASURE_MAX));
    uint32_t increment =
        pj_build_measure(b, memory_measure("increment", "Increment", PJ_MEASURE_SUM));
    file->memory = pj_build_column(b, PJ_AT_LINE, PJ_EXCLUSIVE, memory, false);
    file->increment = pj_build_column(b, PJ_AT_LINE, PJ_EXCLUSIVE, increment, false);
    file->occurrences = pj_build_column(b, PJ_AT_LINE, PJ_CALLS, PJ_NO_ITEM, true);
    file->peak = pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, memory, false);
    file->growth = pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, increment, false);
}

static bool read_memory_lines(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text, line;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    memory_lines file = {.build = build};
    pj_text_lines lines = {.rest = text};
    add_columns(&file);
    const char *path = pj_source_path(source);
    while (pj_build_ok(build) && pj_text_take(&lines, PJ_TEXT_LINE, path, &line, err)) {
        file.line = lines.line;
        read_line(&file, line);
    }
    if (!lines.failed)
        end_table(&file);
    free(file.rows);
    return !lines.failed;
}

static bool sniff(pj_str head)
{
    pj_text_lines lines = {.rest = head};
    pj_str line;
    while (pj_text_next(&lines, &line))
        if (source_column(line))
            return true;
    return false;
}

const pj_reader pj_reader_memory_lines = {
    .name = "memory_lines",
    .title = "memory_profiler listing",
    .suffixes = ".txt .log",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .late_mark = "\nLine #    Mem usage",
    .profile = read_memory_lines,
};
