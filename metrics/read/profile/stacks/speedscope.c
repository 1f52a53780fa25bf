// speedscope's own format (file-format-spec.ts, versions 0.0.1 to 1.x), as py-spy, pyinstrument,
// rbspy and dotnet-trace write it: frames by number, several profiles. The frames may come last, so
// that trees of numbers are made first.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/charged.h"
#include "metrics/read/json_look.h"
#include "metrics/read/jsonpull.h"
#include "metrics/read/profile/callstack.h"
#include "metrics/read/profile/stacks/pathtree.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <math.h>
#include <stdlib.h>

typedef struct scope_frame {
    uint32_t name, file; // texts
    uint32_t line;
} scope_frame;

/// A profile of the file, which becomes a location.
typedef struct part {
    uint32_t name, unit; // texts
} part;

typedef struct speedscope {
    pj_build *build;
    pj_jsonpull *json;
    pj_charge charge; // for the arrays
    pj_pathtree tree;
    double *own;    // by path, in the unit of its part; NaN = nothing was told
    uint32_t *part; // by path
    size_t own_count, own_cap, part_of_cap;
    scope_frame *frames;
    size_t frame_count, frame_cap;
    part *parts;
    size_t part_count, part_cap;
    // Of the part at hand: leaves and weights of its samples, or the paths that are open.
    uint32_t *leaves;
    size_t leaf_count, leaf_cap;
    double *weights;
    size_t weight_count, weight_cap;
    uint32_t *open; // also the frames of a sample
    size_t open_count, open_cap;
    double now;
} speedscope;

static bool sniff(pj_str head)
{
    return pj_json_look_text(head, PJ_S("$schema"), PJ_S("speedscope")) ||
           (pj_json_look_key(head, PJ_S("shared"), PJ_S("frames")) &&
            pj_json_look_key(head, PJ_S("profiles"), PJ_S("")));
}

static bool to_frame(speedscope *s, double number, uint32_t *out, pj_err *err)
{
    if (!(number >= 0 && number < PJ_BUILD_REGIONS && number == floor(number)))
        return pj_jsonpull_fail(s->json, err, "there is no frame of that number");
    *out = (uint32_t)number;
    return true;
}

/// The path of a frame below another one, in the part at hand.
static uint32_t path_of(speedscope *s, uint32_t above, uint32_t frame)
{
    uint32_t path = pj_pathtree_find(&s->tree, above, frame);
    if (path == s->own_count) {
        PJ_CHARGED(&s->charge, s->own, &s->own_cap, s->own_count + 1);
        PJ_CHARGED(&s->charge, s->part, &s->part_of_cap, s->own_count + 1);
        s->own[s->own_count] = NAN;
        s->part[s->own_count++] = (uint32_t)s->part_count;
    }
    return path;
}

static void add_own(speedscope *s, uint32_t path, double value)
{
    double *own = &s->own[path];
    *own = isnan(*own) ? value : *own + value;
}

/// One stack of "samples": numbers of frames, the root first.
static bool take_sample(speedscope *s, pj_err *err)
{
    s->open_count = 0;
    while (pj_jsonpull_item(s->json, PJ_JSON_NUMBER, err)) {
        PJ_CHARGED(&s->charge, s->open, &s->open_cap, s->open_count + 1);
        if (!to_frame(s, pj_jsonpull_number(s->json), &s->open[s->open_count++], err))
            return false;
    }
    size_t first = 0;
    if (s->open_count > PJ_CALLSTACK_DEPTH) {
        pj_build_odd(s->build, PJ_ODDITY_roots_cut, 0);
        first = s->open_count - PJ_CALLSTACK_DEPTH;
    }
    uint32_t leaf = PJ_NO_ITEM;
    for (size_t i = first; i < s->open_count; i++)
        leaf = path_of(s, leaf, s->open[i]);
    PJ_CHARGED(&s->charge, s->leaves, &s->leaf_cap, s->leaf_count + 1);
    s->leaves[s->leaf_count++] = leaf;
    return err->code == PJ_E_NONE;
}

static bool take_samples(speedscope *s, pj_err *err)
{
    if (!pj_jsonpull_expect(s->json, PJ_JSON_ARRAY, err))
        return false;
    while (pj_jsonpull_item(s->json, PJ_JSON_ARRAY, err))
        if (!take_sample(s, err))
            return false;
    s->open_count = 0;
    return err->code == PJ_E_NONE;
}

static bool take_weights(speedscope *s, pj_err *err)
{
    if (!pj_jsonpull_expect(s->json, PJ_JSON_ARRAY, err))
        return false;
    while (pj_jsonpull_item(s->json, PJ_JSON_NUMBER, err)) {
        PJ_CHARGED(&s->charge, s->weights, &s->weight_cap, s->weight_count + 1);
        s->weights[s->weight_count++] = pj_jsonpull_number(s->json);
    }
    return err->code == PJ_E_NONE;
}

/// Opens or closes a frame; they must nest and times must not go back.
static bool add_event(speedscope *s, bool opens, uint32_t frame, double at, pj_err *err)
{
    uint32_t top = s->open_count ? s->open[s->open_count - 1] : PJ_NO_ITEM;
    if (top != PJ_NO_ITEM) {
        if (at < s->now)
            return pj_jsonpull_fail(s->json, err, "an event is earlier than the one before it");
        add_own(s, top, at - s->now);
    }
    s->now = at;
    if (opens) {
        PJ_CHARGED(&s->charge, s->open, &s->open_cap, s->open_count + 1);
        s->open[s->open_count++] = path_of(s, top, frame);
        return true;
    }
    if (top == PJ_NO_ITEM || s->tree.paths[top].frame != frame)
        return pj_jsonpull_fail(s->json, err, "a frame is closed that is not the innermost one");
    s->open_count--;
    return true;
}

static bool take_event(speedscope *s, pj_err *err)
{
    double at = NAN, frame = -1;
    char type = 0;
    uint32_t number = 0;
    pj_str key, text = PJ_S("");
    while (pj_jsonpull_key(s->json, &key, err)) {
        bool ok;
        if (pj_str_equal(key, PJ_S("at"))) {
            ok = pj_jsonpull_want_number(s->json, &at, err);
        } else if (pj_str_equal(key, PJ_S("frame"))) {
            ok = pj_jsonpull_want_number(s->json, &frame, err);
        } else if (pj_str_equal(key, PJ_S("type"))) {
            ok = pj_jsonpull_take_text(s->json, &text, err);
            type = text.len == 1 ? text.at[0] : 0;
        } else {
            ok = pj_jsonpull_skip(s->json, err);
        }
        if (!ok)
            return false;
    }
    if (err->code || !to_frame(s, frame, &number, err))
        return false;
    if (isnan(at) || (type != 'O' && type != 'C'))
        return pj_jsonpull_fail(s->json, err, "an event lacks its type or its time");
    return add_event(s, type == 'O', number, at, err);
}

static bool take_events(speedscope *s, pj_err *err)
{
    if (!pj_jsonpull_expect(s->json, PJ_JSON_ARRAY, err))
        return false;
    while (pj_jsonpull_item(s->json, PJ_JSON_OBJECT, err))
        if (!take_event(s, err))
            return false;
    return err->code == PJ_E_NONE &&
           (!s->open_count || pj_jsonpull_fail(s->json, err, "a frame is never closed"));
}

static bool take_name(speedscope *s, uint32_t *out, pj_err *err)
{
    pj_str text = PJ_S("");
    bool ok = pj_jsonpull_take_text(s->json, &text, err);
    *out = ok ? pj_build_text(s->build, pj_callstack_name(text)) : 0;
    return ok;
}

/// Gives the samples of a part their weights.
static bool weigh(speedscope *s, pj_err *err)
{
    if (s->leaf_count != s->weight_count)
        return pj_jsonpull_fail(s->json, err, "samples and weights are not equally many");
    for (size_t i = 0; i < s->leaf_count; i++)
        if (s->leaves[i] != PJ_NO_ITEM)
            add_own(s, s->leaves[i], s->weights[i]);
    return true;
}

static bool take_part(speedscope *s, pj_err *err)
{
    part at = {0};
    pj_str key;
    s->leaf_count = s->weight_count = s->open_count = 0;
    while (pj_jsonpull_key(s->json, &key, err)) {
        bool ok = pj_str_equal(key, PJ_S("name"))      ? take_name(s, &at.name, err)
                  : pj_str_equal(key, PJ_S("unit"))    ? take_name(s, &at.unit, err)
                  : pj_str_equal(key, PJ_S("samples")) ? take_samples(s, err)
                  : pj_str_equal(key, PJ_S("weights")) ? take_weights(s, err)
                  : pj_str_equal(key, PJ_S("events"))  ? take_events(s, err)
                                                       : pj_jsonpull_skip(s->json, err);
        if (!ok)
            return false;
    }
    if (err->code || !weigh(s, err))
        return false;
    PJ_CHARGED(&s->charge, s->parts, &s->part_cap, s->part_count + 1);
    s->parts[s->part_count++] = at;
    pj_pathtree_part(&s->tree);
    return true;
}

static bool take_frame(speedscope *s, pj_err *err)
{
    scope_frame at = {0};
    double line = 0;
    pj_str key;
    while (pj_jsonpull_key(s->json, &key, err)) {
        bool ok = pj_str_equal(key, PJ_S("name"))   ? take_name(s, &at.name, err)
                  : pj_str_equal(key, PJ_S("file")) ? take_name(s, &at.file, err)
                  : pj_str_equal(key, PJ_S("line")) ? pj_jsonpull_take_number(s->json, &line, err)
                                                    : pj_jsonpull_skip(s->json, err);
        if (!ok)
            return false;
    }
    at.line = line >= 1 && line <= UINT32_MAX ? (uint32_t)line : 0;
    PJ_CHARGED(&s->charge, s->frames, &s->frame_cap, s->frame_count + 1);
    s->frames[s->frame_count++] = at;
    return err->code == PJ_E_NONE;
}

/// The array behind a key, item by item.
static bool take_array(speedscope *s, bool (*take)(speedscope *, pj_err *), pj_err *err)
{
    if (!pj_jsonpull_expect(s->json, PJ_JSON_ARRAY, err))
        return false;
    while (pj_jsonpull_item(s->json, PJ_JSON_OBJECT, err))
        if (!take(s, err))
            return false;
    return err->code == PJ_E_NONE;
}

static bool take_shared(speedscope *s, pj_err *err)
{
    pj_str key;
    if (!pj_jsonpull_expect(s->json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(s->json, &key, err)) {
        bool frames = pj_str_equal(key, PJ_S("frames"));
        if (!(frames ? take_array(s, take_frame, err) : pj_jsonpull_skip(s->json, err)))
            return false;
    }
    return err->code == PJ_E_NONE;
}

static bool take_title(speedscope *s, pj_err *err)
{
    pj_str title = PJ_S("");
    bool ok = pj_jsonpull_take_text(s->json, &title, err);
    if (ok && title.len)
        pj_build_pair(s->build, PJ_NO_ITEM, PJ_S("name"), pj_callstack_name(title));
    return ok;
}

static bool take_document(speedscope *s, pj_err *err)
{
    pj_profile *profile = pj_build_profile(s->build);
    pj_str key;
    if (!pj_jsonpull_expect(s->json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(s->json, &key, err)) {
        bool ok = pj_str_equal(key, PJ_S("profiles"))   ? take_array(s, take_part, err)
                  : pj_str_equal(key, PJ_S("shared"))   ? take_shared(s, err)
                  : pj_str_equal(key, PJ_S("exporter")) ? take_name(s, &profile->tool, err)
                  : pj_str_equal(key, PJ_S("name"))     ? take_title(s, err)
                                                        : pj_jsonpull_skip(s->json, err);
        if (!ok)
            return false;
    }
    return err->code == PJ_E_NONE && pj_jsonpull_expect(s->json, PJ_JSON_END, err);
}

/// What a unit measures, and how much of the measure's own unit it is.
typedef struct unit_row {
    pj_str name;
    double factor;
    pj_measure measure;
} unit_row;

static const pj_measure time_measure = {
    .key = "time", .title = "Time", .unit = "s", .kind = PJ_MEASURE_TIME};

static unit_row unit_called(pj_str name)
{
    const unit_row rows[] = {
        {{"seconds", 7}, 1, time_measure},
        {{"milliseconds", 12}, 1e-3, time_measure},
        {{"microseconds", 12}, 1e-6, time_measure},
        {{"nanoseconds", 11}, 1e-9, time_measure},
        {{"bytes", 5},
         1,
         {.key = "memory", .title = "Memory", .unit = "B", .kind = PJ_MEASURE_BYTES}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (pj_str_equal(rows[i].name, name))
            return rows[i];
    return (unit_row){
        .factor = 1,
        .measure = {.key = "samples", .title = "Samples", .unit = "", .kind = PJ_MEASURE_COUNT}};
}

static bool check_frames(const speedscope *s, pj_err *err)
{
    for (size_t i = 0; i < s->tree.count; i++)
        if (s->tree.paths[i].frame >= s->frame_count)
            return pj_jsonpull_fail(s->json, err, "a profile names a frame that is not there");
    return true;
}

/// A part as a location, with the column of its unit.
static uint32_t place_part(speedscope *s, uint32_t number, double *factor)
{
    const part *at = &s->parts[number];
    unit_row unit = unit_called(pj_build_profile(s->build)->texts[at->unit]);
    pj_build_location(
        s->build, (pj_profile_location){
                      .rank = -1, .thread = number, .kind = PJ_LOCATION_UNKNOWN, .name = at->name});
    *factor = unit.factor;
    return pj_build_column(s->build, PJ_AT_NODE, PJ_EXCLUSIVE,
                           pj_build_measure(s->build, unit.measure), false);
}

static void build_tree(speedscope *s, pj_arena *arena)
{
    uint32_t *columns = pj_new_n(arena, uint32_t, s->part_count);
    uint32_t *regions = pj_new_n(arena, uint32_t, s->frame_count);
    double *factors = pj_new_n(arena, double, s->part_count);
    for (uint32_t p = 0; p < s->part_count; p++)
        columns[p] = place_part(s, p, &factors[p]);
    for (size_t i = 0; i < s->frame_count; i++)
        regions[i] =
            pj_build_region_of(s->build, s->frames[i].name, s->frames[i].file, s->frames[i].line);
    const uint32_t *nodes = pj_pathtree_nodes(&s->tree, regions, s->build, arena);
    for (size_t i = 0; i < s->tree.count && pj_build_ok(s->build); i++) {
        uint32_t p = s->part[i];
        if (!isnan(s->own[i]))
            pj_build_add(s->build, columns[p], nodes[i], p, s->own[i] * factors[p]);
    }
}

static void free_all(speedscope *s)
{
    pj_charge_end(&s->charge);
    pj_pathtree_free(&s->tree);
    free(s->own);
    free(s->part);
    free(s->frames);
    free(s->parts);
    free(s->leaves);
    free(s->weights);
    free(s->open);
}

static bool read_speedscope(pj_source *source, pj_build *build, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    pj_auto_jsonpull json = pj_jsonpull_new(source);
    pj_auto_arena arena = pj_arena_new(&pj_source_job(source)->memory_used);
    speedscope s = {.build = build, .json = json, .charge = {.job = pj_source_job(source)}};
    s.tree.charge = &s.charge;
    pj_jsonpull_want_whole(json);
    pj_build_profile(build)->shape = PJ_SHAPE_TREE;
    bool ok = take_document(&s, &local) && check_frames(&s, &local);
    if (ok)
        build_tree(&s, arena);
    pj_build_zero_above(build);
    free_all(&s);
    if (!ok && err && err->code == PJ_E_NONE)
        *err = local;
    return ok;
}

const pj_reader pj_reader_speedscope = {
    .name = "speedscope",
    .title = "speedscope profile",
    .suffixes = ".speedscope.json .speedscope",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_speedscope,
};
