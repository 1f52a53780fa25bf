// Reads what PETSc prints with -log_view: events by stage, of which the table has the largest value
// over the ranks and its ratio to the smallest. Averages and ranks are not in it.
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <math.h>
#include <stdio.h>

enum {
    LEAST_COLUMNS = 20,
    MOST_COLUMNS = 40,
    SHARES_FIRST = 9, // five of the run, five of the stage
    STAGE_FIRST = 14,
    STAGE_COLUMNS = 5
};

/// What the columns of the table of events are; those that are not here repeat the first ones in
/// percent.
static const struct {
    unsigned column;
    pj_measure measure;
} quantities[] = {
    {2, {.key = "time", .title = "Time, largest of the ranks", .unit = "s"}},
    {1, {.key = "count_ratio", .title = "Count, max/min", .kind = PJ_MEASURE_RATIO}},
    {3, {.key = "time_ratio", .title = "Time, max/min", .kind = PJ_MEASURE_RATIO}},
    {4, {.key = "flop", .title = "Flop, largest of the ranks", .kind = PJ_MEASURE_COUNT}},
    {5, {.key = "flop_ratio", .title = "Flop, max/min", .kind = PJ_MEASURE_RATIO}},
    {6, {.key = "messages", .title = "Messages", .kind = PJ_MEASURE_COUNT}},
    {7,
     {.key = "message_length",
      .title = "Message length, mean",
      .unit = "B",
      .kind = PJ_MEASURE_RATIO}},
    {8, {.key = "reductions", .title = "Reductions", .kind = PJ_MEASURE_COUNT}},
    {9,
     {.key = "global_time_percent",
      .title = "Time of the run",
      .unit = "%",
      .kind = PJ_MEASURE_RATIO}},
    {14,
     {.key = "stage_time_percent",
      .title = "Time of the stage",
      .unit = "%",
      .kind = PJ_MEASURE_RATIO}},
    {19, {.key = "mflops", .title = "Mflop/s", .unit = "Mflop/s", .kind = PJ_MEASURE_RATIO}},
};

enum { QUANTITIES = sizeof quantities / sizeof *quantities };

typedef struct petsc {
    pj_build *build;
    uint32_t location;
    uint32_t calls, mean; // columns; `mean` is of stages
    uint32_t columns[QUANTITIES];
    unsigned in_row;  // numbers in a row of events
    uint32_t stage;   // text; 0 before the first stage
    bool stage_table; // in the summary of stages
    bool is_petsc;
    uint64_t line;
} petsc;

static void add_columns(petsc *file)
{
    pj_build *b = file->build;
    for (unsigned i = 0; i < QUANTITIES; i++) {
        pj_measure measure = quantities[i].measure;
        measure.fold = PJ_MEASURE_MAX;
        measure.stored = PJ_STORED_BOTH;
        measure.unit = measure.unit ? measure.unit : "";
        file->columns[i] =
            pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, pj_build_measure(b, measure), false);
    }
    file->calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
    pj_measure mean = {.key = "time_mean",
                       .title = "Time, mean of the ranks",
                       .unit = "s",
                       .fold = PJ_MEASURE_MAX,
                       .stored = PJ_STORED_BOTH};
    file->mean = pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, pj_build_measure(b, mean), false);
}

/// "solve.py on a  named vm with 4 processors, by Unknown Sun Nov 22 08:56:23 2026"
static void read_program(petsc *file, pj_str line)
{
    pj_profile *p = pj_build_profile(file->build);
    pj_str before = line, words = line;
    char name[64];
    uint64_t ranks = 0;
    for (pj_str word = pj_text_word(&words); word.len; word = pj_text_word(&words))
        if (pj_str_equal(word, PJ_S("with")) && pj_parse_u64(pj_text_word(&words), &ranks))
            break;
    p->command = pj_build_text(file->build, pj_text_word(&before));
    snprintf(name, sizeof name, "largest of %llu ranks", (unsigned long long)ranks);
    p->locations[file->location].name =
        pj_build_text(file->build, pj_str_of(ranks ? name : "largest of the ranks"));
}

/// " 2:        Assembly: 8.3983e-02   9.1%  ...": mean time of a stage.
static bool read_stage(petsc *file, pj_str line)
{
    pj_str rest = line, number = pj_str_cut(&rest, ':');
    uint64_t index;
    double mean;
    size_t end = pj_str_find_last(rest, ':');
    pj_str values = pj_str_from(rest, end + 1);
    if (!pj_parse_u64(pj_str_trim(number), &index) || end >= rest.len ||
        !pj_text_number(pj_text_word(&values), &mean))
        return false;
    uint32_t name = pj_build_text(file->build, pj_str_trim(pj_str_head(rest, end)));
    uint32_t region = pj_build_region_apart(file->build, name, 0, 0, name);
    pj_build_region_at(file->build, region)->module = name;
    pj_build_region_at(file->build, region)->kind = PJ_REGION_user;
    pj_build_add(file->build, file->mean, region, file->location, mean);
    return true;
}

/// Takes the last number off a row, the one of that column. Shares have three columns, so that
/// 100 % stands close to what is before it: "80100 90".
static pj_str take_word(pj_str *line, unsigned column)
{
    static const pj_str full = {"100", 3};
    pj_str word = pj_text_last_word(line);
    bool share = column >= SHARES_FIRST && column < STAGE_FIRST + STAGE_COLUMNS;
    uint64_t number;
    if (!share || word.len <= full.len || !pj_str_ends(word, full) || !pj_parse_u64(word, &number))
        return word;
    line->len = (size_t)(word.at - line->at) + word.len - full.len;
    return full;
}

/// Takes the numbers of a row of events off its right end, the last of a row of `in_row`; the rest
/// is the name. What cannot be had is "n/a", five are so in an event of "Multiple stages".
static bool take_numbers(pj_str *line, unsigned in_row, double *out)
{
    unsigned left = in_row;
    while (left) {
        pj_str word = take_word(line, left - 1);
        if (!word.len)
            return false;
        if (pj_str_equal(word, PJ_S("stages")) && left == STAGE_FIRST + STAGE_COLUMNS &&
            pj_str_equal(pj_text_last_word(line), PJ_S("Multiple"))) {
            for (unsigned i = 0; i < STAGE_COLUMNS; i++)
                out[--left] = NAN;
            continue;
        }
        if (!pj_text_number(word, &out[--left]))
            out[left] = NAN;
    }
    return line->len && !isnan(out[0]);
}

static bool read_event(petsc *file, pj_str line)
{
    double numbers[MOST_COLUMNS] = {0};
    pj_build *b = file->build;
    if (!take_numbers(&line, file->in_row, numbers))
        return false;
    uint32_t name = pj_build_text(b, pj_str_trim(line));
    uint32_t region = pj_build_region_apart(b, name, 0, 0, file->stage);
    pj_build_region_at(b, region)->module = file->stage;
    pj_build_groups(b, region, &file->stage, 1);
    pj_build_add(b, file->calls, region, file->location, numbers[0]);
    for (unsigned i = 0; i < QUANTITIES; i++) {
        double number = numbers[quantities[i].column];
        if (!isnan(number))
            pj_build_add(b, file->columns[i], region, file->location, number);
    }
    return true;
}

/// "                   Max Ratio  Max     Ratio   Max  Ratio  Mess ...": how many numbers a row
/// has.
static bool read_header(petsc *file, pj_str line)
{
    unsigned words;
    pj_str rest = line;
    if (!pj_str_equal(pj_text_word(&rest), PJ_S("Max")) ||
        !pj_str_equal(pj_text_word(&rest), PJ_S("Ratio")))
        return false;
    words = 2;
    for (pj_str word = pj_text_word(&rest); word.len; word = pj_text_word(&rest))
        words += !pj_str_equal(word, PJ_S("len")); // "Avg len" of PETSc 3.4 is one
    if (words >= LEAST_COLUMNS && words <= MOST_COLUMNS)
        file->in_row = words;
    return true;
}

/// Titles between the tables; true when the line was one.
static bool read_title(petsc *file, pj_str line)
{
    static const pj_str stage = {"--- Event Stage ", 16};
    if (pj_str_contains(line, PJ_S("PETSc Performance Summary:"))) {
        file->is_petsc = true;
    } else if (pj_str_contains(line, PJ_S(" named ")) && pj_str_contains(line, PJ_S(" process"))) {
        read_program(file, line);
    } else if (pj_str_starts(line, PJ_S("Using Petsc "))) {
        pj_build_profile(file->build)->version =
            pj_build_text(file->build, pj_str_trim(pj_str_from(line, 12)));
    } else if (pj_str_starts(line, PJ_S("Summary of Stages:"))) {
        file->stage_table = true;
    } else if (pj_str_starts(line, stage)) {
        pj_str name = pj_str_from(line, stage.len);
        pj_str_cut(&name, ':');
        file->stage = pj_build_text(file->build, pj_str_trim(name));
    } else if (pj_str_starts(line, PJ_S("------")) || pj_str_starts(line, PJ_S("======")) ||
               pj_str_starts(line, PJ_S("Object Type")) ||
               pj_str_starts(line, PJ_S("Memory usage is given"))) {
        file->stage_table = false;
        file->stage = 0;
    } else {
        return read_header(file, line);
    }
    return true;
}

/// A table of events ends where the one of objects begins: its rows are shorter.
static void read_line(petsc *file, pj_str line)
{
    bool blank = !pj_str_trim(line).len;
    if (read_title(file, line) || blank) {
        file->stage_table &= !blank;
        return;
    }
    if (file->stage && !read_event(file, line))
        pj_build_odd(file->build, PJ_ODDITY_malformed_record, file->line);
    else if (file->stage_table)
        read_stage(file, line); // the second line of the header is no stage
}

static bool read_petsc(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text, line;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    petsc file = {.build = build, .in_row = LEAST_COLUMNS};
    file.location = pj_build_location(
        build, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_PROCESS});
    add_columns(&file);
    pj_text_lines lines = {.rest = text};
    const char *path = pj_source_path(source);
    bool ended = false;
    while (!ended && pj_build_ok(build) && pj_text_take(&lines, PJ_TEXT_LINE, path, &line, err)) {
        file.line = lines.line;
        ended = pj_str_starts(line, PJ_S("Object Type")) ||
                pj_str_starts(line, PJ_S("Memory usage is given"));
        if (!ended)
            read_line(&file, line);
    }
    if (!lines.failed && !file.is_petsc)
        return pj_source_damaged(source, (pj_spot){.line = 0}, err,
                                 "its title \"PETSc Performance Summary:\" is missing");
    return !lines.failed;
}

/// What the program printed may come first.
static bool sniff(pj_str head)
{
    pj_text_lines lines = {.rest = head};
    pj_str line;
    while (pj_text_next(&lines, &line))
        if (pj_str_contains(line, PJ_S("PETSc Performance Summary:")))
            return !pj_str_contains(line, PJ_S("<!--"));
    return false;
}

const pj_reader pj_reader_petsc = {
    .name = "petsc",
    .title = "PETSc log summary",
    .suffixes = ".txt .log .out",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .late_mark = "PETSc Performance Summary:",
    .profile = read_petsc,
};
