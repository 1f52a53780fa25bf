// Reads what mprof records (mprofile_*.dat): memory over time of a process and of its children, and
// the calls of functions with the memory at both ends. Memory is in MiB, time in seconds since
// 1970.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/sort.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/profile_text.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <math.h>
#include <stdlib.h>

/// A call of a function, for its totals.
typedef struct call {
    uint32_t region, level;
    double begin, end;
} call;

typedef struct child {
    uint64_t pid;
    uint32_t series;
} child;

typedef struct mprofile {
    const char *path;
    pj_build *build;
    pj_err *err;
    uint32_t series; // of the process itself
    child *children;
    size_t child_count, child_cap;
    size_t latest; // child that had the last line
    call *calls;
    size_t call_count, call_cap;
    uint64_t line;
} mprofile;

static uint32_t add_process(mprofile *file, const char *name)
{
    uint32_t location = pj_build_location(
        file->build, (pj_profile_location){.rank = -1,
                                           .thread = -1,
                                           .kind = PJ_LOCATION_PROCESS,
                                           .name = pj_build_text(file->build, pj_str_of(name))});
    return pj_build_series(file->build, location, PJ_S("memory"), PJ_S("MiB"));
}

/// The series of a child; a new one where it is the first time that it is met.
static uint32_t child_series(mprofile *file, uint64_t pid)
{
    for (size_t i = 0; i < file->child_count; i++) { // they come in turn
        size_t next = (file->latest + 1 + i) % file->child_count;
        if (file->children[next].pid == pid) {
            file->latest = next;
            return file->children[next].series;
        }
    }
    char name[40] = "child ";
    pj_format_double((double)pid, name + 6);
    if (file->child_count == file->child_cap)
        pj_grow(file->children, &file->child_cap, file->child_count + 1);
    file->latest = file->child_count;
    file->children[file->child_count++] = (child){pid, add_process(file, name)};
    return file->children[file->latest].series;
}

/// "57.917969 1795337863.3217"
static bool read_sample(pj_str rest, double *memory, double *time)
{
    return pj_text_number(pj_text_word(&rest), memory) &&
           pj_text_number(pj_text_word(&rest), time) && !pj_str_trim(rest).len;
}

static bool read_memory(mprofile *file, pj_str rest)
{
    double memory, time;
    if (!read_sample(rest, &memory, &time))
        return false;
    pj_build_point(file->build, file->series, time, memory);
    return true;
}

static bool read_child(mprofile *file, pj_str rest)
{
    enum { CHILDREN = 1 << 16 };
    double memory, time;
    uint64_t pid;
    if (!pj_parse_u64(pj_text_word(&rest), &pid) || !read_sample(rest, &memory, &time) ||
        file->child_count >= CHILDREN)
        return false;
    pj_build_point(file->build, child_series(file, pid), time, memory);
    return true;
}

/// "name memory time memory time [level]"; files before memory_profiler 0.56 have no level.
static bool read_call(mprofile *file, pj_str rest)
{
    pj_str name = pj_text_word(&rest);
    double values[4];
    uint64_t level = 0;
    for (int i = 0; i < 4; i++)
        if (!pj_text_number(pj_text_word(&rest), &values[i]))
            return false;
    pj_str last = pj_text_word(&rest);
    if (last.len && (!pj_parse_u64(last, &level) || level > UINT32_MAX))
        return false;
    uint32_t region = pj_build_region(file->build, name, PJ_S(""), 0);
    pj_build_bracket(file->build, (pj_profile_bracket){.series = file->series,
                                                       .region = region,
                                                       .level = (uint32_t)level,
                                                       .begin = values[1],
                                                       .end = values[3],
                                                       .value_begin = values[0],
                                                       .value_end = values[2]});
    if (file->call_count == file->call_cap)
        pj_grow(file->calls, &file->call_cap, file->call_count + 1);
    file->calls[file->call_count++] = (call){region, (uint32_t)level, values[1], values[3]};
    return true;
}

static bool read_command(mprofile *file, pj_str rest)
{
    pj_build_profile(file->build)->command = pj_build_text(file->build, pj_str_trim(rest));
    return true;
}

static const struct {
    pj_str word;
    bool (*read)(mprofile *file, pj_str rest);
} words[] = {
    {{"MEM ", 4}, read_memory},
    {{"CHLD ", 5}, read_child},
    {{"FUNC ", 5}, read_call},
    {{"CMDLINE ", 8}, read_command},
};

enum { WORDS = sizeof words / sizeof *words };

/// Words that are not known are other people's: memory_profiler passes over them, too.
static void read_line(mprofile *file, pj_str line)
{
    if (!line.len)
        pj_build_odd(file->build, PJ_ODDITY_sampling_short, file->line);
    for (size_t i = 0; i < WORDS; i++)
        if (pj_str_starts(line, words[i].word)) {
            if (!words[i].read(file, pj_str_from(line, words[i].word.len)))
                pj_build_odd(file->build, PJ_ODDITY_malformed_record, file->line);
            return;
        }
}

/// Whether a last line without its end is whole: times have four decimals.
static bool is_whole(pj_str line)
{
    enum { DECIMALS = 4 };
    size_t point = pj_str_find_last(line, '.');
    return (pj_str_starts(line, PJ_S("MEM ")) || pj_str_starts(line, PJ_S("CHLD "))) &&
           point + 1 + DECIMALS == line.len;
}

static bool read_lines(mprofile *file, pj_str text)
{
    pj_text_lines lines = {.rest = text};
    pj_str line;
    bool unended = text.len && text.at[text.len - 1] != '\n';
    while (pj_build_ok(file->build) &&
           pj_text_take(&lines, PJ_TEXT_LINE, file->path, &line, file->err)) {
        file->line = lines.line;
        bool cut = unended && !lines.rest.len && !is_whole(line);
        if (cut)
            pj_build_odd(file->build, PJ_ODDITY_ends_early, file->line);
        else
            read_line(file, line);
    }
    return !lines.failed;
}

static int by_time(const void *a, const void *b)
{
    const pj_profile_point *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

/// The samples in order of time, and over them a tree of the largest of each half: node i covers 2i
/// and 2i + 1, the samples are the last `count`.
typedef struct peak_tree {
    pj_profile_point *samples;
    double *largest;
    size_t count;
} peak_tree;

/// Of a stopped reading they are in any order.
static peak_tree make_peaks(const pj_profile_series *series, const atomic_bool *stop)
{
    peak_tree made = {.count = series->count};
    size_t bytes = series->count * sizeof *made.samples;
    made.samples = pj_take_memory(bytes + 1);
    made.largest = pj_take_memory((2 * series->count + 1) * sizeof *made.largest);
    if (series->count)
        memcpy(made.samples, series->points, bytes);
    if (!pj_sort_records(made.samples, made.count, sizeof *made.samples, by_time, stop))
        return made;
    for (size_t i = 0; i < made.count; i++)
        made.largest[made.count + i] = made.samples[i].value;
    for (size_t i = made.count; i-- > 1;)
        made.largest[i] = fmax(made.largest[2 * i], made.largest[2 * i + 1]);
    return made;
}

/// Index of the first sample at or after `time`, or after it.
static size_t first_sample(const peak_tree *peaks, double time, bool after)
{
    size_t low = 0, high = peaks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        double at = peaks->samples[middle].time;
        if (at < time || (after && at == time))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// NaN where there is no sample from begin to end.
static double peak_within(const peak_tree *peaks, double begin, double end)
{
    double peak = NAN;
    size_t low = peaks->count + first_sample(peaks, begin, false);
    size_t high = peaks->count + first_sample(peaks, end, true);
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1)
            peak = fmax(peak, peaks->largest[low++]);
        if (high & 1)
            peak = fmax(peak, peaks->largest[--high]);
    }
    return peak;
}

static int by_region_and_begin(const void *a, const void *b)
{
    const call *x = a, *y = b;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end;
}

/// Whether a call happens inside an earlier one of the same function. Times are rounded to 0.1 ms:
/// of those that touch, the level decides.
static bool is_recursive(const call *outer, const call *inner)
{
    return inner->region == outer->region &&
           (inner->begin < outer->end ||
            (inner->begin == outer->end && inner->level > outer->level));
}

typedef struct columns {
    uint32_t calls, primitive, time, memory;
} columns;

static columns add_columns(pj_build *build)
{
    uint32_t time = pj_build_measure(
        build, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    uint32_t memory = pj_build_measure(build, (pj_measure){.key = "memory",
                                                           .title = "Memory, largest",
                                                           .unit = "MiB",
                                                           .kind = PJ_MEASURE_BYTES,
                                                           .fold = PJ_MEASURE_MAX,
                                                           .stored = PJ_STORED_BOTH});
    return (columns){
        .calls = pj_build_column(build, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true),
        .primitive = pj_build_column(build, PJ_AT_REGION, PJ_PRIMITIVE_CALLS, PJ_NO_ITEM, true),
        .time = pj_build_column(build, PJ_AT_REGION, PJ_INCLUSIVE, time, false),
        .memory = pj_build_column(build, PJ_AT_REGION, PJ_INCLUSIVE, memory, false),
    };
}

/// Calls, seconds and largest memory of each function, from its calls that are not recursive.
static void sum_calls(mprofile *file)
{
    if (!file->call_count || !pj_build_ok(file->build))
        return;
    const atomic_bool *stop = pj_build_stop(file->build);
    peak_tree peaks = make_peaks(&pj_build_profile(file->build)->series[file->series], stop);
    columns to = add_columns(file->build);
    bool sorted = pj_sort_records(file->calls, file->call_count, sizeof *file->calls,
                                  by_region_and_begin, stop);
    const call *outer = NULL, *end = file->calls + (sorted ? file->call_count : 0);
    for (const call *at = file->calls; at < end && pj_build_ok(file->build); at++) {
        pj_build_count(file->build, to.calls, at->region, 0, 1);
        if (outer && is_recursive(outer, at))
            continue;
        outer = at;
        pj_build_count(file->build, to.primitive, at->region, 0, 1);
        pj_build_add(file->build, to.time, at->region, 0, at->end - at->begin);
        double peak = peak_within(&peaks, at->begin, at->end);
        if (!isnan(peak))
            pj_build_add(file->build, to.memory, at->region, 0, peak);
    }
    free(peaks.samples);
    free(peaks.largest);
}

static bool read_mprofile(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str text;
    if (!pj_source_whole(source, PJ_TEXT_BYTES, &text, err))
        return false;
    mprofile file = {.path = pj_source_path(source), .build = build, .err = err};
    file.series = add_process(&file, "");
    bool ok = read_lines(&file, text);
    if (ok)
        sum_calls(&file);
    free(file.children);
    free(file.calls);
    return ok;
}

static bool sniff(pj_str head)
{
    for (size_t i = 0; i < WORDS; i++)
        if (pj_str_starts(head, words[i].word))
            return true;
    return false;
}

const pj_reader pj_reader_mprofile = {
    .name = "mprofile",
    .title = "memory_profiler recording",
    .suffixes = ".dat",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_mprofile,
};
