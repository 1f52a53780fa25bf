// pyinstrument's JSON: its renderer's tree of frames, each with the time of all below it.
// Source of the format: pyinstrument 5.1, renderers/jsonrenderer.py.
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
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <math.h>
#include <stdlib.h>

/// A frame as it is told, perhaps after its children.
typedef struct told_frame {
    uint32_t above; // PJ_NO_ITEM at the root
    uint32_t name, file, line;
    double time; // NaN = not told
} told_frame;

typedef struct pyinstrument {
    pj_build *build;
    pj_jsonpull *json;
    pj_charge charge; // for the arrays
    told_frame *frames;
    size_t frame_count, frame_cap;
} pyinstrument;

static bool sniff(pj_str head)
{
    return pj_json_look_key(head, PJ_S("root_frame"), PJ_S("")) &&
           pj_json_look_key(head, PJ_S("sample_count"), PJ_S(""));
}

static bool take_name(pyinstrument *y, uint32_t *out, pj_err *err)
{
    pj_str text = PJ_S("");
    bool ok = pj_jsonpull_take_text(y->json, &text, err);
    *out = ok ? pj_build_text(y->build, pj_callstack_name(text)) : 0;
    return ok;
}

static uint32_t open_frame(pyinstrument *y, uint32_t above)
{
    PJ_CHARGED(&y->charge, y->frames, &y->frame_cap, y->frame_count + 1);
    y->frames[y->frame_count] = (told_frame){.above = above, .time = NAN};
    return (uint32_t)y->frame_count++;
}

/// A member of a frame that is no list of children.
static bool take_member(pyinstrument *y, uint32_t at, pj_str key, pj_err *err)
{
    told_frame *frame = &y->frames[at];
    double line = 0;
    if (pj_str_equal(key, PJ_S("function")))
        return take_name(y, &frame->name, err);
    if (pj_str_equal(key, PJ_S("file_path")))
        return take_name(y, &frame->file, err);
    if (pj_str_equal(key, PJ_S("time")))
        return pj_jsonpull_take_number(y->json, &frame->time, err);
    if (!pj_str_equal(key, PJ_S("line_no")))
        return pj_jsonpull_skip(y->json, err);
    bool ok = pj_jsonpull_take_number(y->json, &line, err);
    frame->line = line >= 1 && line <= UINT32_MAX ? (uint32_t)line : 0;
    return ok;
}

/// The list of children, which may be null; what is in it comes token by token.
static bool open_children(pyinstrument *y, pj_err *err)
{
    pj_json_token token = pj_jsonpull_next(y->json, err);
    if (token == PJ_JSON_ARRAY || token == PJ_JSON_NULL)
        return true;
    return token != PJ_JSON_ERROR && pj_jsonpull_fail(y->json, err, "children are no list");
}

/// What may come inside a frame or a list of children, one token after another: no recursion, for
/// the depth is the file's.
static bool take_tree(pyinstrument *y, pj_err *err)
{
    uint32_t at = PJ_NO_ITEM;
    do {
        pj_json_token token = pj_jsonpull_next(y->json, err);
        if (token == PJ_JSON_OBJECT) {
            at = open_frame(y, at);
        } else if (token == PJ_JSON_OBJECT_END) {
            at = y->frames[at].above;
        } else if (token == PJ_JSON_KEY) {
            pj_str key = pj_jsonpull_text(y->json);
            bool children = pj_str_equal(key, PJ_S("children"));
            if (!(children ? open_children(y, err) : take_member(y, at, key, err)))
                return false;
        } else if (token == PJ_JSON_NULL) {
            continue; // no frame: at the root, nothing was sampled
        } else if (token != PJ_JSON_ARRAY_END || at == PJ_NO_ITEM) {
            return token != PJ_JSON_ERROR && pj_jsonpull_fail(y->json, err, "a frame is no object");
        }
    } while (at != PJ_NO_ITEM);
    return true;
}

static bool take_document(pyinstrument *y, pj_err *err)
{
    pj_profile *profile = pj_build_profile(y->build);
    pj_str key;
    if (!pj_jsonpull_expect(y->json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(y->json, &key, err)) {
        bool command =
            pj_str_equal(key, PJ_S("target_description")) || pj_str_equal(key, PJ_S("program"));
        bool ok = pj_str_equal(key, PJ_S("root_frame")) ? take_tree(y, err)
                  : command                             ? take_name(y, &profile->command, err)
                                                        : pj_jsonpull_skip(y->json, err);
        if (!ok)
            return false;
    }
    return err->code == PJ_E_NONE && pj_jsonpull_expect(y->json, PJ_JSON_END, err);
}

/// A frame stands behind the one above it.
static void build_tree(pyinstrument *y, pj_arena *arena)
{
    pj_measure time = {.key = "time",
                       .title = "Time",
                       .unit = "s",
                       .kind = PJ_MEASURE_TIME,
                       .stored = PJ_STORED_INCLUSIVE};
    uint32_t measure = pj_build_measure(y->build, time);
    uint32_t column = pj_build_column(y->build, PJ_AT_NODE, PJ_INCLUSIVE, measure, false);
    uint32_t here = pj_build_location(
        y->build, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_PROCESS});
    uint32_t *nodes = pj_new_n(arena, uint32_t, y->frame_count);
    for (size_t i = 0; i < y->frame_count && pj_build_ok(y->build); i++) {
        const told_frame *at = &y->frames[i];
        uint32_t region = pj_build_region_of(y->build, at->name, at->file, at->line);
        uint32_t above = at->above == PJ_NO_ITEM ? PJ_NO_ITEM : nodes[at->above];
        nodes[i] = pj_build_node(y->build, above, region);
        if (pj_str_equal(pj_build_profile(y->build)->texts[at->file], PJ_S("<built-in>")))
            pj_build_region_at(y->build, region)->kind = PJ_REGION_builtin;
        if (!isnan(at->time))
            pj_build_add(y->build, column, nodes[i], here, at->time);
    }
}

static bool read_pyinstrument(pj_source *source, pj_build *build, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    pj_auto_jsonpull json = pj_jsonpull_new(source);
    pj_auto_arena arena = pj_arena_new(&pj_source_job(source)->memory_used);
    pyinstrument y = {.build = build, .json = json, .charge = {.job = pj_source_job(source)}};
    pj_jsonpull_want_whole(json);
    pj_build_profile(build)->shape = PJ_SHAPE_TREE;
    pj_build_profile(build)->tick = 1e-5; // as many digits as the renderer prints, and their sums
    bool ok = take_document(&y, &local);
    if (ok)
        build_tree(&y, arena);
    pj_charge_end(&y.charge);
    free(y.frames);
    if (!ok && err && err->code == PJ_E_NONE)
        *err = local;
    return ok;
}

const pj_reader pj_reader_pyinstrument = {
    .name = "pyinstrument",
    .title = "pyinstrument profile",
    .suffixes = ".json",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_pyinstrument,
};
