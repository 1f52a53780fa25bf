// The text of austin 3, the sampler of Python: "P12;T0:34;file:function:line;... 500". Source of
// the format: its README, section "Data Format".
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/callstack.h"
#include "metrics/read/profile/textstream.h"
#include "metrics/read/profile/threadmap.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

typedef struct austin {
    pj_build *build;
    pj_callstack *stack;
    pj_threadmap threads;
    uint32_t time, cpu, memory; // measures; PJ_NO_ITEM = not recorded
    bool moded, full;           // the mode is known; three values a stack
} austin;

static bool sniff(pj_str head)
{
    return pj_str_starts(head, PJ_S("# austin: "));
}

static uint32_t add_measure(austin *a, const char *key, const char *title, bool time)
{
    pj_measure row = {.key = key,
                      .title = title,
                      .unit = time ? "s" : "B",
                      .kind = time ? PJ_MEASURE_TIME : PJ_MEASURE_BYTES};
    return pj_build_measure(a->build, row);
}

/// What the mode says of the numbers that end the lines.
static void set_mode(austin *a, pj_str mode)
{
    a->moded = true;
    a->full = pj_str_equal(mode, PJ_S("full"));
    bool memory = pj_str_equal(mode, PJ_S("memory"));
    bool cpu = pj_str_equal(mode, PJ_S("cpu"));
    a->time = a->full || !(memory || cpu) ? add_measure(a, "time", "Time", true) : PJ_NO_ITEM;
    a->cpu = a->full || cpu ? add_measure(a, "cpu_time", "CPU time", true) : PJ_NO_ITEM;
    a->memory = a->full || memory ? add_measure(a, "memory", "Memory", false) : PJ_NO_ITEM;
}

static void take_header(austin *a, pj_str line)
{
    pj_profile *profile = pj_build_profile(a->build);
    pj_str rest = pj_str_from(line, 1);
    pj_str key = pj_str_trim(pj_str_cut(&rest, ':')), value = pj_str_trim(rest);
    if (pj_str_equal(key, PJ_S("austin"))) {
        profile->tool = pj_build_text(a->build, key);
        profile->version = pj_build_text(a->build, value);
    } else if (pj_str_equal(key, PJ_S("mode"))) {
        set_mode(a, value);
    }
    pj_build_pair(a->build, PJ_NO_ITEM, key, value);
}

/// "file:function:line"; what has no such parts is a name as it is.
static void make_frame(austin *a, pj_frame *frame)
{
    pj_str text = frame->text;
    size_t second = pj_str_find_last(text, ':');
    pj_str before = pj_str_head(text, second);
    size_t first = pj_str_find_last(before, ':');
    uint64_t line;
    if (first < before.len && pj_parse_u64(pj_str_from(text, second + 1), &line) &&
        line <= UINT32_MAX) {
        pj_str name = pj_callstack_name(pj_str_from(before, first + 1));
        frame->region = pj_build_region(a->build, name, pj_str_head(before, first), 0);
        frame->line = (uint32_t)line;
    } else {
        frame->region = pj_build_region(a->build, pj_callstack_name(text), PJ_S(""), 0);
    }
}

static uint32_t frame_of(austin *a, pj_str text)
{
    bool found;
    uint32_t frame = pj_callstack_frame(a->stack, text, &found);
    if (!found)
        make_frame(a, &a->stack->frames[frame]);
    return frame;
}

typedef struct sample {
    uint32_t node, line, location; // line: an item; PJ_NO_ITEM = none is told
} sample;

static void add_value(austin *a, const sample *at, uint32_t measure, double value)
{
    if (measure == PJ_NO_ITEM)
        return;
    uint32_t nodes = pj_build_column(a->build, PJ_AT_NODE, PJ_EXCLUSIVE, measure, false);
    pj_build_add(a->build, nodes, at->node, at->location, value);
    if (at->line == PJ_NO_ITEM)
        return;
    uint32_t lines = pj_build_column(a->build, PJ_AT_LINE, PJ_EXCLUSIVE, measure, false);
    pj_build_add(a->build, lines, at->line, at->location, value);
}

/// Microseconds or bytes, or in full mode "microseconds,idle,bytes".
static bool add_values(austin *a, const sample *at, pj_str numbers)
{
    static const double MICRO = 1e-6;
    double first, bytes;
    uint64_t idle;
    if (a->full) {
        pj_str time = pj_str_cut(&numbers, ','), state = pj_str_cut(&numbers, ',');
        if (!pj_parse_decimal(time, &first) || !pj_parse_u64(state, &idle) ||
            !pj_parse_decimal(numbers, &bytes))
            return false;
        add_value(a, at, a->time, first * MICRO);
        if (!idle)
            add_value(a, at, a->cpu, first * MICRO);
        add_value(a, at, a->memory, bytes);
        return true;
    }
    if (!pj_parse_decimal(numbers, &first))
        return false;
    add_value(a, at, a->time, first * MICRO);
    add_value(a, at, a->cpu, first * MICRO);
    add_value(a, at, a->memory, first);
    return true;
}

/// The stack of a line; one without Python code is that of its thread alone.
static void push_frames(austin *a, pj_str frames, pj_str thread, sample *at, uint64_t line)
{
    size_t count = 1;
    for (size_t i = 0; i < frames.len; i++)
        count += frames.at[i] == ';';
    for (size_t cut = pj_callstack_cut(a->stack, count, line); cut; cut--)
        pj_str_cut(&frames, ';');
    const pj_frame *leaf = NULL;
    pj_callstack_begin(a->stack, 0);
    while (frames.len) {
        pj_str text = pj_str_cut(&frames, ';');
        uint32_t frame = text.len ? frame_of(a, text) : PJ_NO_ITEM;
        if (frame == PJ_NO_ITEM)
            continue;
        leaf = &a->stack->frames[frame];
        pj_callstack_push(a->stack, leaf->region);
    }
    if (a->stack->depth == 0) {
        uint32_t region = pj_build_region(a->build, pj_callstack_name(thread), PJ_S(""), 0);
        pj_build_region_at(a->build, region)->kind = PJ_REGION_thread;
        pj_callstack_push(a->stack, region);
    }
    at->node = pj_callstack_leaf(a->stack);
    at->line =
        leaf && leaf->line ? pj_build_line(a->build, leaf->region, leaf->line, 0) : PJ_NO_ITEM;
}

static bool add_stack(austin *a, pj_str line, uint64_t number)
{
    if (!a->moded)
        set_mode(a, PJ_S("wall"));
    size_t blank = pj_str_find_last(line, ' ');
    pj_str frames = pj_str_head(line, blank), values = pj_str_from(line, blank + 1);
    pj_str process = pj_str_cut(&frames, ';'), thread = pj_str_cut(&frames, ';');
    if (blank == line.len || !pj_str_starts(process, PJ_S("P")) ||
        !pj_str_starts(thread, PJ_S("T")))
        return false;
    sample at = {.location = pj_threadmap_find(&a->threads, pj_callstack_name(process),
                                               pj_callstack_name(thread))};
    push_frames(a, frames, thread, &at, number);
    if (!add_values(a, &at, values))
        return false;
    if (at.line != PJ_NO_ITEM) {
        uint32_t hits = pj_build_column(a->build, PJ_AT_LINE, PJ_CALLS, PJ_NO_ITEM, true);
        pj_build_count(a->build, hits, at.line, at.location, 1);
    }
    return true;
}

static bool read_lines(austin *a, pj_source *source, pj_err *err)
{
    pj_auto_textstream text = pj_textstream_of(source);
    pj_str line;
    while (pj_build_ok(a->build) && pj_textstream_next(&text, &line, err)) {
        if (pj_str_starts(line, PJ_S("#")))
            take_header(a, line);
        else if (text.dropped || (line.len && !add_stack(a, line, text.line)))
            pj_build_odd(a->build, PJ_ODDITY_malformed_record, text.line);
    }
    return !text.failed;
}

static bool read_austin(pj_source *source, pj_build *build, pj_err *err)
{
    pj_auto_callstack stack = pj_callstack_new(build, pj_source_job(source));
    austin a = {.build = build,
                .stack = stack,
                .threads = {.build = build},
                .time = PJ_NO_ITEM,
                .cpu = PJ_NO_ITEM,
                .memory = PJ_NO_ITEM};
    pj_build_profile(build)->shape = PJ_SHAPE_TREE;
    bool ok = read_lines(&a, source, err);
    pj_build_zero_above(build);
    pj_threadmap_finish(&a.threads);
    pj_threadmap_free(&a.threads);
    return ok;
}

const pj_reader pj_reader_austin = {
    .name = "austin",
    .title = "austin profile",
    .suffixes = ".austin",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_austin,
};
