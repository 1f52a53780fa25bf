// scalene's JSON: shares of the elapsed time by line and function, and memory.
// Source of the format: scalene 1.5, scalene_json.py.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/charged.h"
#include "metrics/read/json_look.h"
#include "metrics/read/jsonpull.h"
#include "metrics/read/profile/callstack.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <math.h>
#include <stdlib.h>

/// What is told of a line or a function, and what it becomes.
typedef struct quantity {
    pj_str key; // in the file
    pj_measure measure;
    bool share; // percent of the elapsed time
} quantity;

static const quantity quantities[] = {
    {{"n_cpu_percent_python", 20},
     {.key = "python_time", .title = "Python time", .unit = "s", .kind = PJ_MEASURE_TIME},
     true},
    {{"n_cpu_percent_c", 15},
     {.key = "native_time", .title = "Native time", .unit = "s", .kind = PJ_MEASURE_TIME},
     true},
    {{"n_sys_percent", 13},
     {.key = "system_time", .title = "System time", .unit = "s", .kind = PJ_MEASURE_TIME},
     true},
    {{"n_peak_mb", 9},
     {.key = "peak_mib",
      .title = "Peak memory",
      .unit = "MiB",
      .kind = PJ_MEASURE_BYTES,
      .fold = PJ_MEASURE_MAX},
     false},
    {{"n_malloc_mb", 11},
     {.key = "allocated_mib", .title = "Allocated memory", .unit = "MiB", .kind = PJ_MEASURE_BYTES},
     false},
    {{"n_copy_mb_s", 11},
     {.key = "copy_rate",
      .title = "Copy volume per second",
      .unit = "MiB/s",
      .kind = PJ_MEASURE_RATIO},
     false},
};

enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/// A line or function as it is told; the elapsed time may come last.
typedef struct told_item {
    uint32_t name, file, line; // name 0 = a line
    bool function;
    double values[QUANTITIES]; // NaN = not told
} told_item;

typedef struct scalene {
    pj_build *build;
    pj_jsonpull *json;
    pj_charge charge; // for the arrays
    told_item *items;
    size_t count, cap;
    double elapsed; // seconds
    uint32_t file;  // at hand
} scalene;

static bool sniff(pj_str head)
{
    return pj_json_look_key(head, PJ_S("elapsed_time_sec"), PJ_S("")) &&
           pj_json_look_key(head, PJ_S("files"), PJ_S(""));
}

static bool take_quantity(scalene *s, told_item *item, pj_str key, pj_err *err)
{
    for (size_t i = 0; i < QUANTITIES; i++)
        if (pj_str_equal(quantities[i].key, key))
            return pj_jsonpull_take_number(s->json, &item->values[i], err);
    return pj_jsonpull_skip(s->json, err);
}

/// An item of "functions", whose "line" is its name, or of "lines".
static bool take_item(scalene *s, bool function, pj_err *err)
{
    told_item item = {.file = s->file, .function = function};
    double number = 0;
    pj_str key;
    for (size_t i = 0; i < QUANTITIES; i++)
        item.values[i] = NAN;
    while (pj_jsonpull_key(s->json, &key, err)) {
        pj_str text = PJ_S("");
        bool name = pj_str_equal(key, PJ_S("line"));
        bool ok = name ? pj_jsonpull_take_text(s->json, &text, err)
                  : pj_str_equal(key, PJ_S("lineno"))
                      ? pj_jsonpull_take_number(s->json, &number, err)
                      : take_quantity(s, &item, key, err);
        if (!ok)
            return false;
        if (name)
            item.name = pj_build_text(s->build, pj_callstack_name(text));
    }
    item.line = number >= 1 && number <= UINT32_MAX ? (uint32_t)number : 0;
    PJ_CHARGED(&s->charge, s->items, &s->cap, s->count + 1);
    s->items[s->count++] = item;
    return err->code == PJ_E_NONE;
}

static bool take_items(scalene *s, bool function, pj_err *err)
{
    if (!pj_jsonpull_expect(s->json, PJ_JSON_ARRAY, err))
        return false;
    while (pj_jsonpull_item(s->json, PJ_JSON_OBJECT, err))
        if (!take_item(s, function, err))
            return false;
    return err->code == PJ_E_NONE;
}

static bool take_file(scalene *s, pj_err *err)
{
    pj_str key;
    if (!pj_jsonpull_expect(s->json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(s->json, &key, err)) {
        bool functions = pj_str_equal(key, PJ_S("functions"));
        bool lines = pj_str_equal(key, PJ_S("lines"));
        if (!(functions || lines ? take_items(s, functions, err) : pj_jsonpull_skip(s->json, err)))
            return false;
    }
    return err->code == PJ_E_NONE;
}

static bool take_files(scalene *s, pj_err *err)
{
    pj_str key;
    if (!pj_jsonpull_expect(s->json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(s->json, &key, err)) {
        s->file = pj_build_text(s->build, pj_callstack_name(key));
        if (!take_file(s, err))
            return false;
    }
    return err->code == PJ_E_NONE;
}

static bool take_command(scalene *s, pj_err *err)
{
    pj_str text = PJ_S("");
    bool ok = pj_jsonpull_take_text(s->json, &text, err);
    if (ok)
        pj_build_profile(s->build)->command = pj_build_text(s->build, pj_callstack_name(text));
    return ok;
}

static bool take_document(scalene *s, pj_err *err)
{
    pj_str key;
    if (!pj_jsonpull_expect(s->json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(s->json, &key, err)) {
        bool ok = pj_str_equal(key, PJ_S("files"))     ? take_files(s, err)
                  : pj_str_equal(key, PJ_S("program")) ? take_command(s, err)
                  : pj_str_equal(key, PJ_S("elapsed_time_sec"))
                      ? pj_jsonpull_take_number(s->json, &s->elapsed, err)
                      : pj_jsonpull_skip(s->json, err);
        if (!ok)
            return false;
    }
    return err->code == PJ_E_NONE && pj_jsonpull_expect(s->json, PJ_JSON_END, err);
}

/// The sum of what Python, native code and the system took.
static void add_time(scalene *s, pj_site site, uint32_t at, uint32_t here, const told_item *item)
{
    double sum = item->values[0] + item->values[1] + item->values[2];
    uint32_t time = pj_profile_measure(pj_build_profile(s->build), PJ_S("time"));
    if (!isnan(sum))
        pj_build_add(s->build, pj_build_column(s->build, site, PJ_EXCLUSIVE, time, false), at, here,
                     sum / 100 * s->elapsed);
}

static void add_item(scalene *s, const told_item *item, uint32_t here)
{
    // A line does not tell its function: it stands with its file.
    uint32_t region = pj_build_region_of(s->build, item->function ? item->name : 0, item->file,
                                         item->function ? item->line : 0);
    pj_site site = item->function ? PJ_AT_REGION : PJ_AT_LINE;
    uint32_t at = item->function ? region : pj_build_line(s->build, region, item->line, item->name);
    if (!item->function)
        pj_build_region_at(s->build, region)->kind = PJ_REGION_unknown;
    add_time(s, site, at, here, item);
    for (size_t i = 0; i < QUANTITIES; i++) {
        double value = item->values[i];
        if (isnan(value))
            continue;
        uint32_t measure = pj_build_measure(s->build, quantities[i].measure);
        pj_build_add(s->build, pj_build_column(s->build, site, PJ_EXCLUSIVE, measure, false), at,
                     here, quantities[i].share ? value / 100 * s->elapsed : value);
    }
}

static void build_flat(scalene *s)
{
    uint32_t here = pj_build_location(
        s->build, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_PROCESS});
    uint32_t time = pj_build_measure(
        s->build,
        (pj_measure){.key = "time", .title = "Time", .unit = "s", .kind = PJ_MEASURE_TIME});
    for (size_t i = 0; i < 3; i++) {
        pj_measure part = quantities[i].measure;
        part.above = time + 1;
        pj_build_measure(s->build, part);
    }
    for (size_t i = 0; i < s->count && pj_build_ok(s->build); i++)
        add_item(s, &s->items[i], here);
}

static bool read_scalene(pj_source *source, pj_build *build, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    pj_auto_jsonpull json = pj_jsonpull_new(source);
    scalene s = {
        .build = build, .json = json, .charge = {.job = pj_source_job(source)}, .elapsed = NAN};
    pj_jsonpull_want_whole(json);
    pj_build_profile(build)->shape = PJ_SHAPE_FLAT;
    bool ok = take_document(&s, &local);
    if (ok)
        build_flat(&s);
    pj_charge_end(&s.charge);
    free(s.items);
    if (!ok && err && err->code == PJ_E_NONE)
        *err = local;
    return ok;
}

const pj_reader pj_reader_scalene = {
    .name = "scalene",
    .title = "scalene profile",
    .suffixes = ".scalene.json",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_scalene,
};
