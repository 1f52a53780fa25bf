// Reads the CSV that PETSc writes with -log_view :f.csv:ascii_csv: events by stage and by rank.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/delimited.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <stdlib.h>

enum { RANKS = 1 << 20, FIRST_QUANTITY = 4 };

/// The columns behind stage, event, rank and count; what follows them are errors of
/// discretisations.
static const struct {
    pj_str title;
    pj_measure measure;
} quantities[] = {
    {{"Time", 4}, {.key = "time", .title = "Time", .unit = "s"}},
    {{"Num Messages", 12}, {.key = "messages", .title = "Messages", .kind = PJ_MEASURE_COUNT}},
    {{"Message Length", 14},
     {.key = "message_length",
      .title = "Length of messages",
      .unit = "B",
      .kind = PJ_MEASURE_BYTES}},
    {{"Num Reductions", 14},
     {.key = "reductions", .title = "Reductions", .kind = PJ_MEASURE_COUNT}},
    {{"FLOP", 4}, {.key = "flop", .title = "Flop", .kind = PJ_MEASURE_COUNT}},
};

enum { QUANTITIES = sizeof quantities / sizeof *quantities };

typedef struct petsc_csv {
    pj_build *build;
    uint32_t calls;
    uint32_t columns[QUANTITIES];
    size_t cells[QUANTITIES]; // which cell of a row; 0 = none
    uint32_t *location_of;    // by rank, 1 more than the location; 0 = not met
    size_t rank_count, rank_cap;
    pj_cells row;
} petsc_csv;

static uint32_t location_of(petsc_csv *file, uint64_t rank)
{
    if (rank >= file->rank_cap)
        pj_grow(file->location_of, &file->rank_cap, rank + 1);
    while (file->rank_count <= rank)
        file->location_of[file->rank_count++] = 0;
    uint32_t *location = &file->location_of[rank];
    if (!*location)
        *location =
            1 + pj_build_location(file->build, (pj_profile_location){.rank = (int64_t)rank,
                                                                     .thread = -1,
                                                                     .kind = PJ_LOCATION_PROCESS});
    return *location - 1;
}

/// The header ends with the number of ranks: all of them are there before the first value, as far
/// as the file has room for a row of each.
static void read_header(petsc_csv *file, size_t room)
{
    uint64_t ranks;
    for (size_t cell = FIRST_QUANTITY; cell < file->row.count; cell++)
        for (unsigned i = 0; i < QUANTITIES; i++)
            if (pj_str_equal(pj_str_trim(file->row.items[cell]), quantities[i].title))
                file->cells[i] = cell;
    if (pj_parse_u64(pj_str_trim(file->row.items[file->row.count - 1]), &ranks))
        for (uint64_t rank = 0; rank < ranks && rank < room && rank < RANKS; rank++)
            location_of(file, rank);
}

/// An event of a stage; the row "summary" is the stage itself.
static uint32_t region_of(petsc_csv *file)
{
    pj_build *b = file->build;
    pj_str event = file->row.items[1]; // blanks in it are the name's own
    uint32_t stage = pj_build_text(b, file->row.items[0]);
    bool whole = pj_str_equal(event, PJ_S("summary"));
    uint32_t name = whole ? stage : pj_build_text(b, event);
    uint32_t region = pj_build_region_apart(b, name, 0, 0, stage);
    pj_profile_region *at = pj_build_region_at(b, region);
    at->module = stage;
    if (whole)
        at->kind = PJ_REGION_user;
    else if (!at->group_count)
        pj_build_groups(b, region, &stage, 1);
    return region;
}

/// There is a row for each event that PETSc knows: those that did not happen have count 0.
static bool read_row(petsc_csv *file)
{
    uint64_t rank, calls;
    if (file->row.count < FIRST_QUANTITY + 1 ||
        !pj_parse_u64(pj_str_trim(file->row.items[2]), &rank) || rank >= RANKS ||
        !pj_parse_u64(pj_str_trim(file->row.items[3]), &calls) || calls > INT64_MAX)
        return false;
    if (!calls)
        return true;
    uint32_t region = region_of(file), location = location_of(file, rank);
    pj_build_count(file->build, file->calls, region, location, (int64_t)calls);
    bool whole = true;
    for (unsigned i = 0; i < QUANTITIES; i++) {
        double value;
        if (file->cells[i] &&
            pj_text_number(pj_str_trim(pj_cells_at(&file->row, file->cells[i])), &value))
            pj_build_add(file->build, file->columns[i], region, location, value);
        else
            whole &= !file->cells[i];
    }
    return whole;
}

static void add_columns(petsc_csv *file)
{
    pj_build *b = file->build;
    for (unsigned i = 0; i < QUANTITIES; i++) {
        pj_measure measure = quantities[i].measure;
        measure.unit = measure.unit ? measure.unit : "";
        measure.stored = PJ_STORED_BOTH;
        file->columns[i] =
            pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, pj_build_measure(b, measure), false);
    }
    file->calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
}

static bool read_rows(petsc_csv *file, pj_source *source, pj_str text, pj_err *err)
{
    enum { ROW_LEAST = 8 };
    pj_text_lines lines = {.rest = text};
    pj_str line;
    while (pj_build_ok(file->build) &&
           pj_text_take(&lines, PJ_TEXT_LINE, pj_source_path(source), &line, err)) {
        pj_cells_take(&file->row, line, PJ_S(","));
        if (lines.line == 1)
            read_header(file, text.len / ROW_LEAST);
        else if (pj_str_trim(line).len && !read_row(file))
            pj_build_odd(file->build, PJ_ODDITY_malformed_record, lines.line);
    }
    return !lines.failed;
}

static bool read_petsc_csv(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    petsc_csv file = {.build = build};
    add_columns(&file);
    bool ok = read_rows(&file, source, text, err);
    pj_cells_free(&file.row);
    free(file.location_of);
    return ok;
}

static bool sniff(pj_str head)
{
    return pj_str_starts(head, PJ_S("Stage Name,Event Name,Rank,Count,Time"));
}

const pj_reader pj_reader_petsc_csv = {
    .name = "petsc_csv",
    .title = "PETSc log as CSV",
    .suffixes = ".csv",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_petsc_csv,
};
