// Reads what line_profiler stores (.lprof): a pickled LineStats with hits and ticks of each line of
// each profiled function, as its versions 1 to 5 write it.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/python/pickle.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <math.h>

enum { LINE_BYTES_LEAST = 7 }; // three small numbers and the tuple around them

typedef struct lprof {
    const pj_source *source;
    pj_build *build;
    pj_err *err;
    uint32_t location;
    uint32_t hits, time; // columns of lines
    uint32_t total;      // column of functions
    double unit;         // seconds a tick
    uint64_t lines_left; // that the file has room for
} lprof;

static bool refuse(const lprof *file, const char *what)
{
    return pj_source_damaged(file->source, (pj_spot){.line = 0}, file->err, "%s", what);
}

/// The value of a key of a state; NULL when there is none.
static const pj_pickle_value *find(const pj_pickle_list *dict, pj_str key)
{
    for (size_t i = 0; i + 1 < dict->count; i += 2)
        if (dict->items[i].kind == PJ_PICKLE_TEXT &&
            pj_str_equal(pj_pickle_text(dict->items[i]), key))
            return &dict->items[i + 1];
    return NULL;
}

static bool is_tuple_of_three(pj_pickle_value value)
{
    return value.kind == PJ_PICKLE_TUPLE && value.count == 3;
}

static bool is_line_number(pj_pickle_value value)
{
    return value.kind == PJ_PICKLE_INT && value.integer >= 0 && value.integer <= UINT32_MAX;
}

/// `last`: the line of the function before it, after which each larger one is new; UINT32_MAX where
/// that is not known.
static bool read_line(lprof *file, uint32_t region, uint32_t *last, pj_pickle_value value)
{
    if (!is_tuple_of_three(value) || !is_line_number(value.items[0]) ||
        value.items[1].kind != PJ_PICKLE_INT || value.items[2].kind != PJ_PICKLE_INT)
        return refuse(file, "a line is not number, hits and ticks");
    uint32_t number = (uint32_t)value.items[0].integer;
    bool is_new = number > *last;
    uint32_t line = is_new ? pj_build_new_line(file->build, region, number, 0)
                           : pj_build_line(file->build, region, number, 0);
    *last = is_new ? number : UINT32_MAX;
    double time = (double)value.items[2].integer * file->unit;
    pj_build_count(file->build, file->hits, line, file->location, value.items[1].integer);
    pj_build_add(file->build, file->time, line, file->location, time);
    return true;
}

/// A function, its key (file, first line, name) and its lines.
static bool read_function(lprof *file, pj_pickle_value key, pj_pickle_value lines)
{
    if (!is_tuple_of_three(key) || key.items[0].kind != PJ_PICKLE_TEXT ||
        !is_line_number(key.items[1]) || key.items[2].kind != PJ_PICKLE_TEXT)
        return refuse(file, "a function is not file, line and name");
    if (lines.kind != PJ_PICKLE_LIST)
        return refuse(file, "the lines of a function are no list");
    if (lines.list->count > file->lines_left)
        return refuse(file, "it has more lines than bytes to hold them");
    file->lines_left -= lines.list->count;
    uint32_t known = pj_build_profile(file->build)->count[PJ_AT_REGION];
    uint32_t region = pj_build_region(file->build, pj_pickle_text(key.items[2]),
                                      pj_pickle_text(key.items[0]), (uint32_t)key.items[1].integer);
    double ticks = 0;
    uint32_t last = region >= known ? 0 : UINT32_MAX; // one that is there has lines already
    for (size_t i = 0; i < lines.list->count; i++) {
        if (!read_line(file, region, &last, lines.list->items[i]))
            return false;
        ticks += (double)lines.list->items[i].items[2].integer;
    }
    pj_build_add(file->build, file->total, region, file->location, ticks * file->unit);
    return true;
}

static bool read_state(lprof *file, const pj_pickle_list *state)
{
    const pj_pickle_value *timings = find(state, PJ_S("timings"));
    const pj_pickle_value *unit = find(state, PJ_S("unit"));
    if (!timings || timings->kind != PJ_PICKLE_DICT || !unit)
        return refuse(file, "its LineStats has no timings or no unit");
    file->unit = unit->kind == PJ_PICKLE_REAL  ? unit->real
                 : unit->kind == PJ_PICKLE_INT ? (double)unit->integer
                                               : NAN;
    if (!isfinite(file->unit) || file->unit <= 0)
        return refuse(file, "its unit of time is no positive number");
    pj_build_profile(file->build)->tick = file->unit;
    bool ok = true;
    for (size_t i = 0; ok && i + 1 < timings->list->count && pj_build_ok(file->build); i += 2)
        ok = read_function(file, timings->list->items[i], timings->list->items[i + 1]);
    return ok;
}

static bool read_value(lprof *file, pj_pickle_value value)
{
    if (value.kind != PJ_PICKLE_OBJECT || !value.list->count ||
        value.list->items[0].kind != PJ_PICKLE_DICT)
        return refuse(file, "it holds no LineStats");
    return read_state(file, value.list->items[0].list);
}

static void add_columns(lprof *file)
{
    file->location = pj_build_location(
        file->build, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_CPU});
    uint32_t time = pj_build_measure(
        file->build,
        (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    file->hits = pj_build_column(file->build, PJ_AT_LINE, PJ_CALLS, PJ_NO_ITEM, true);
    file->time = pj_build_column(file->build, PJ_AT_LINE, PJ_EXCLUSIVE, time, false);
    file->total = pj_build_column(file->build, PJ_AT_REGION, PJ_INCLUSIVE, time, false);
}

static bool read_lprof(pj_source *source, pj_build *build, pj_err *err)
{
    const uint64_t bytes_most = UINT64_C(4) << 30;
    pj_str bytes;
    pj_pickle_value value;
    if (!pj_source_whole(source, bytes_most, &bytes, err))
        return false;
    pj_auto_arena arena = pj_arena_new(&pj_source_job(source)->memory_used);
    if (!pj_pickle_read(source, bytes, arena, &value, err))
        return false;
    lprof file = {
        .source = source, .build = build, .err = err, .lines_left = bytes.len / LINE_BYTES_LEAST};
    add_columns(&file);
    return read_value(&file, value);
}

const pj_reader pj_reader_lprof = {
    .name = "lprof",
    .title = "line_profiler profile",
    .suffixes = ".lprof",
    .gives = PJ_GIVES_PROFILE,
    .sniff = pj_pickle_sniff,
    .profile = read_lprof,
};
