// pyinstrument's session, what `--save` leaves: the stacks as they were sampled.
// Source of the format: pyinstrument 5.1, session.py and frame.py (identifiers of frames).
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/json_look.h"
#include "metrics/read/jsonpull.h"
#include "metrics/read/profile/callstack.h"
#include "metrics/read/profile/threadmap.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

typedef struct session {
    pj_build *build;
    pj_jsonpull *json;
    pj_callstack *stack;
    pj_threadmap threads;
    uint32_t times, line_times; // columns
    pj_frame leaf;
    uint32_t location;
} session;

static bool sniff(pj_str head)
{
    return pj_json_look_key(head, PJ_S("frame_records"), PJ_S(""));
}

/// An identifier: "name\0file\0line", then attributes, of which \1l is the line that was running.
static void make_frame(session *s, pj_frame *frame)
{
    pj_str attributes = frame->text;
    pj_str text = pj_str_cut(&attributes, 1);
    pj_str name = pj_str_cut(&text, 0), file = pj_str_cut(&text, 0);
    uint64_t line, running;
    bool lined = pj_parse_u64(text, &line) && line <= UINT32_MAX;
    frame->region = pj_build_region(s->build, pj_callstack_name(name), pj_callstack_name(file),
                                    lined ? (uint32_t)line : 0);
    if (pj_str_equal(file, PJ_S("<built-in>")))
        pj_build_region_at(s->build, frame->region)->kind = PJ_REGION_builtin;
    while (attributes.len) {
        pj_str attribute = pj_str_cut(&attributes, 1);
        if (pj_str_starts(attribute, PJ_S("l")) &&
            pj_parse_u64(pj_str_from(attribute, 1), &running) && running <= UINT32_MAX)
            frame->line = (uint32_t)running;
    }
}

/// The thread that stands in place of a first frame: "MainThread\0<thread>\0140290128298048".
static bool take_thread(session *s, pj_str text)
{
    pj_str name = pj_str_cut(&text, 0), file = pj_str_cut(&text, 0);
    if (!pj_str_equal(file, PJ_S("<thread>")))
        return false;
    s->location = pj_threadmap_find(&s->threads, PJ_S(""), pj_callstack_name(name));
    return true;
}

static bool take_stack(session *s, pj_err *err)
{
    bool found;
    s->leaf = (pj_frame){.line = 0};
    s->location = PJ_NO_ITEM;
    pj_callstack_begin(s->stack, 0);
    while (pj_jsonpull_item(s->json, PJ_JSON_STRING, err)) {
        pj_str text = pj_jsonpull_text(s->json);
        if (s->stack->depth == 0 && s->location == PJ_NO_ITEM && take_thread(s, text))
            continue;
        if (s->stack->depth == PJ_CALLSTACK_DEPTH)
            return pj_jsonpull_fail(s->json, err, "a stack of more than 4096 frames");
        uint32_t frame = pj_callstack_frame(s->stack, text, &found);
        if (!found)
            make_frame(s, &s->stack->frames[frame]);
        s->leaf = s->stack->frames[frame];
        pj_callstack_push(s->stack, s->leaf.region);
    }
    if (s->location == PJ_NO_ITEM)
        s->location = pj_threadmap_find(&s->threads, PJ_S(""), PJ_S(""));
    return err->code == PJ_E_NONE;
}

/// [[identifiers], seconds].
static bool take_record(session *s, pj_err *err)
{
    double seconds;
    if (!pj_jsonpull_expect(s->json, PJ_JSON_ARRAY, err) || !take_stack(s, err) ||
        !pj_jsonpull_want_number(s->json, &seconds, err) ||
        !pj_jsonpull_expect(s->json, PJ_JSON_ARRAY_END, err))
        return false;
    if (s->stack->depth == 0)
        return true;
    pj_build_add(s->build, s->times, pj_callstack_leaf(s->stack), s->location, seconds);
    if (!s->leaf.line)
        return true;
    uint32_t line = pj_build_line(s->build, s->leaf.region, s->leaf.line, 0);
    pj_build_add(s->build, s->line_times, line, s->location, seconds);
    return true;
}

static bool take_records(session *s, pj_err *err)
{
    if (!pj_jsonpull_expect(s->json, PJ_JSON_ARRAY, err))
        return false;
    while (pj_jsonpull_item(s->json, PJ_JSON_ARRAY, err))
        if (!take_record(s, err))
            return false;
    return err->code == PJ_E_NONE;
}

static bool take_document(session *s, pj_err *err)
{
    pj_profile *profile = pj_build_profile(s->build);
    pj_str key, text = PJ_S("");
    if (!pj_jsonpull_expect(s->json, PJ_JSON_OBJECT, err))
        return false;
    while (pj_jsonpull_key(s->json, &key, err)) {
        bool command = pj_str_equal(key, PJ_S("target_description"));
        bool ok = pj_str_equal(key, PJ_S("frame_records")) ? take_records(s, err)
                  : command ? pj_jsonpull_take_text(s->json, &text, err)
                            : pj_jsonpull_skip(s->json, err);
        if (!ok)
            return false;
        if (command)
            profile->command = pj_build_text(s->build, pj_callstack_name(text));
    }
    return err->code == PJ_E_NONE && pj_jsonpull_expect(s->json, PJ_JSON_END, err);
}

static bool read_session(pj_source *source, pj_build *build, pj_err *err)
{
    pj_err local = {.code = PJ_E_NONE};
    pj_auto_jsonpull json = pj_jsonpull_new(source);
    pj_auto_callstack stack = pj_callstack_new(build, pj_source_job(source));
    session s = {.build = build, .json = json, .stack = stack, .threads = {.build = build}};
    pj_jsonpull_want_whole(json);
    pj_build_profile(build)->shape = PJ_SHAPE_TREE;
    uint32_t time = pj_build_measure(
        build, (pj_measure){.key = "time", .title = "Time", .unit = "s", .kind = PJ_MEASURE_TIME});
    s.times = pj_build_column(build, PJ_AT_NODE, PJ_EXCLUSIVE, time, false);
    s.line_times = pj_build_column(build, PJ_AT_LINE, PJ_EXCLUSIVE, time, false);
    bool ok = take_document(&s, &local);
    pj_build_zero_above(build);
    pj_threadmap_finish(&s.threads);
    pj_threadmap_free(&s.threads);
    if (!ok && err && err->code == PJ_E_NONE)
        *err = local;
    return ok;
}

const pj_reader pj_reader_pyinstrument_session = {
    .name = "pyinstrument_session",
    .title = "pyinstrument session",
    .suffixes = ".pyisession",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_session,
};
