// The text of austin, the sampler of Python: "P12;T0:34;file:function:line;... 500" of austin 2 and
// 3, which may be without a header, and "Process 12;Thread 34;function (file);L8;... 500" of
// austin 1. Source of the format: its READMEs, section "Data Format".
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

#include <math.h>

static const double MICRO = 1e-6, KIB = 1024;

typedef struct austin {
    pj_build *build;
    pj_callstack *stack;
    pj_threadmap threads;
    uint32_t time, cpu, memory, released; // measures; PJ_NO_ITEM = not recorded
    bool moded, full;                     // the mode is known; three values a stack
} austin;

/// The line of "L8", which follows a frame of austin 1; 0 = is none.
static uint32_t line_behind(pj_str piece)
{
    uint64_t line;
    bool good = pj_str_starts(piece, PJ_S("L")) && pj_parse_u64(pj_str_from(piece, 1), &line);
    return good && line <= UINT32_MAX ? (uint32_t)line : 0;
}

/// "file:function:line" in three; false when it is something else.
static bool cut_frame(pj_str text, pj_str *file, pj_str *name, uint32_t *line)
{
    uint64_t number;
    size_t second = pj_str_find_last(text, ':');
    pj_str before = pj_str_head(text, second);
    size_t first = pj_str_find_last(before, ':');
    if (first == before.len || !pj_parse_u64(pj_str_from(text, second + 1), &number) ||
        number > UINT32_MAX)
        return false;
    *file = pj_str_head(before, first);
    *name = pj_str_from(before, first + 1);
    *line = (uint32_t)number;
    return true;
}

/// "function (file)" of austin 1, or "function (file:line)" of its other format.
static bool cut_old_frame(pj_str text, pj_str *file, pj_str *name, uint32_t *line)
{
    size_t open = pj_str_find(text, '(');
    uint64_t number;
    if (open == 0 || open == text.len || !pj_str_ends(text, PJ_S(")")))
        return false;
    *name = pj_str_trim(pj_str_head(text, open));
    *file = (pj_str){text.at + open + 1, text.len - open - 2};
    size_t colon = pj_str_find_last(*file, ':');
    if (colon < file->len && pj_parse_u64(pj_str_from(*file, colon + 1), &number) &&
        number <= UINT32_MAX) {
        *line = (uint32_t)number;
        *file = pj_str_head(*file, colon);
    }
    return true;
}

/// The names of process and thread that a stack begins with; austin 1 tells the process only where
/// it was asked to.
static bool cut_names(pj_str *frames, pj_str *process, pj_str *thread)
{
    *process = PJ_S("");
    if (!pj_str_starts(*frames, PJ_S("Thread ")))
        *process = pj_str_cut(frames, ';');
    *thread = pj_str_cut(frames, ';');
    return (process->len == 0 || pj_str_starts(*process, PJ_S("P"))) &&
           pj_str_starts(*thread, PJ_S("T"));
}

/// Where the values begin: behind the last blank, or in full mode of austin 1 behind the last but
/// two, for its frames are followed by three numbers with blanks between them.
static size_t find_values(pj_str line)
{
    size_t last = pj_str_find_last(line, ' ');
    int64_t number;
    bool old = pj_str_starts(line, PJ_S("Thread ")) || pj_str_starts(line, PJ_S("Process "));
    size_t at = line.len;
    for (unsigned i = 0; old && i < 3; i++) {
        size_t blank = pj_str_find_last(pj_str_head(line, at), ' ');
        old = blank < at && pj_parse_i64((pj_str){line.at + blank + 1, at - blank - 1}, &number);
        at = blank;
    }
    return old ? at : last;
}

/// Threads of austin 1 are called by their addresses; others write small numbers.
static bool is_address(pj_str text)
{
    enum { DIGITS_LEAST = 8 };
    for (size_t i = 0; i < text.len; i++)
        if (!(text.at[i] >= '0' && text.at[i] <= '9') && !(text.at[i] >= 'a' && text.at[i] <= 'f'))
            return false;
    return text.len >= DIGITS_LEAST;
}

/// Whether a line is a stack of austin and of nobody else.
static bool is_stack(pj_str line)
{
    pj_str frames = pj_str_head(line, find_values(line)), process, thread, file, name;
    uint64_t number;
    uint32_t at = 0;
    if (!cut_names(&frames, &process, &thread))
        return false;
    if (pj_str_starts(thread, PJ_S("Thread "))) {
        pj_str frame = pj_str_cut(&frames, ';');
        return cut_old_frame(frame, &file, &name, &at) &&
               (at ? is_address(pj_str_from(thread, 7)) : line_behind(pj_str_cut(&frames, ';')));
    }
    return pj_parse_u64(pj_str_from(process, 1), &number) &&
           cut_frame(pj_str_cut(&frames, ';'), &file, &name, &at);
}

/// A stack of austin 1 without Python code.
static bool is_bare_thread(pj_str line)
{
    return pj_str_starts(line, PJ_S("Thread ")) && pj_str_find(line, ';') == line.len &&
           find_values(line) < line.len;
}

static bool sniff(pj_str head)
{
    if (pj_str_starts(head, PJ_S("# austin: ")))
        return true;
    pj_str line = PJ_S("");
    while (head.len && (!line.len || is_bare_thread(line)))
        line = pj_str_trim(pj_str_cut(&head, '\n'));
    return is_stack(line);
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

/// Without a header, the values of the first stack tell what they are.
static void guess_mode(austin *a, pj_str values)
{
    bool old = pj_str_find(values, ' ') < values.len;
    if (!old) {
        set_mode(a, pj_str_find(values, ',') < values.len ? PJ_S("full") : PJ_S("wall"));
        return;
    }
    a->moded = a->full = true;
    a->time = add_measure(a, "time", "Time", true);
    a->memory = add_measure(a, "memory", "Memory", false);
    a->released = add_measure(a, "memory_released", "Memory released", false);
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

/// What has no parts is a name as it is.
static void make_frame(austin *a, pj_frame *frame)
{
    pj_str text = frame->text, file = PJ_S(""), name = text;
    if (!cut_frame(text, &file, &name, &frame->line))
        cut_old_frame(text, &file, &name, &frame->line);
    frame->region = pj_build_region(a->build, pj_callstack_name(name), file, 0);
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

/// "microseconds KiB KiB" of austin 1: memory that was taken, and given back.
static bool add_old_values(austin *a, const sample *at, pj_str numbers)
{
    double time, taken, given;
    pj_str first = pj_str_cut(&numbers, ' '), second = pj_str_cut(&numbers, ' ');
    if (!pj_parse_decimal(first, &time) || !pj_parse_decimal(second, &taken) ||
        !pj_parse_decimal(numbers, &given))
        return false;
    add_value(a, at, a->time, time * MICRO);
    add_value(a, at, a->memory, taken * KIB);
    add_value(a, at, a->released, fabs(given) * KIB);
    return true;
}

/// Microseconds or bytes, or in full mode "microseconds,idle,bytes".
static bool add_values(austin *a, const sample *at, pj_str numbers)
{
    double first, bytes;
    uint64_t idle;
    if (a->released != PJ_NO_ITEM)
        return add_old_values(a, at, numbers);
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
    pj_frame leaf = {.line = 0};
    pj_callstack_begin(a->stack, 0);
    while (frames.len) {
        pj_str text = pj_str_cut(&frames, ';');
        uint32_t behind = line_behind(text);
        uint32_t frame = text.len && !behind ? frame_of(a, text) : PJ_NO_ITEM;
        if (a->stack->depth)
            leaf.line = behind ? behind : leaf.line;
        if (frame == PJ_NO_ITEM)
            continue;
        leaf = a->stack->frames[frame];
        pj_callstack_push(a->stack, leaf.region);
    }
    if (a->stack->depth == 0) {
        uint32_t region = pj_build_region(a->build, pj_callstack_name(thread), PJ_S(""), 0);
        pj_build_region_at(a->build, region)->kind = PJ_REGION_thread;
        pj_callstack_push(a->stack, region);
    }
    at->node = pj_callstack_leaf(a->stack);
    at->line = leaf.line ? pj_build_line(a->build, leaf.region, leaf.line, 0) : PJ_NO_ITEM;
}

static bool add_stack(austin *a, pj_str line, uint64_t number)
{
    size_t blank = find_values(line);
    pj_str frames = pj_str_head(line, blank), values = pj_str_from(line, blank + 1);
    pj_str process, thread;
    if (blank == line.len || !cut_names(&frames, &process, &thread))
        return false;
    if (!a->moded)
        guess_mode(a, values);
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
                .memory = PJ_NO_ITEM,
                .released = PJ_NO_ITEM};
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
