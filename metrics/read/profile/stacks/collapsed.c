// Collapsed stacks, "a;b;c 12": what flamegraph.pl and its relatives take, and what py-spy,
// stackcollapse-perf, bpftrace and PETSc write. Source of the format: stackcollapse.pl's manual.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/callstack.h"
#include "metrics/read/profile/textstream.h"
#include "metrics/read/profile/threadmap.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

/// Levels at the root that may name a process and a thread.
enum { NAMING = 2 };
static const pj_str process_prefix = {"process ", 8};

typedef struct collapsed {
    pj_build *build;
    pj_callstack *stack;
    pj_threadmap threads;
    uint32_t samples;         // the measure
    uint32_t weights;         // the column
    uint32_t located[NAMING]; // what the frames of the stack at hand name, PJ_NO_ITEM = nothing
    pj_str process;           // that its first frame names
    pj_buf before;            // frames of the line before
    uint32_t *ends, *leaves;  // of its levels: where they end in it, and their frames
    bool real;                // some weight is no integer
} collapsed;

typedef struct weight {
    double real;
    uint64_t whole; // where is_whole
    bool is_whole;
} weight;

/// "a;b;c 12" in two; false when no number ends the line.
static bool cut_weight(pj_str line, pj_str *frames, weight *out)
{
    line = pj_str_trim(line);
    size_t blank = line.len;
    while (blank && line.at[blank - 1] != ' ' && line.at[blank - 1] != '\t')
        blank--;
    pj_str number = pj_str_from(line, blank);
    out->is_whole = pj_parse_u64(number, &out->whole) && out->whole <= INT64_MAX;
    bool good = number.len && number.at[0] >= '0' && number.at[0] <= '9' &&
                (out->is_whole || pj_parse_decimal(number, &out->real));
    *frames = pj_str_trim(pj_str_head(line, blank));
    return good && frames->len > 0;
}

static bool is_comment(pj_str line)
{
    return line.len == 0 || line.at[0] == '#' || pj_str_starts(line, PJ_S("// "));
}

/// Whether nine of ten lines are stacks, but for one that may be anything, and one of them has two
/// frames.
static bool sniff(pj_str head)
{
    enum { LINES = 64 };
    unsigned lines = 0, stacks = 0;
    bool nested = false;
    while (head.len && lines < LINES) {
        bool cut = pj_str_find(head, '\n') == head.len && lines;
        pj_str line = pj_str_trim(pj_str_cut(&head, '\n')), frames;
        weight number;
        if (is_comment(line) || cut)
            continue;
        bool stack = cut_weight(line, &frames, &number);
        nested |= stack && pj_str_find(frames, ';') < frames.len;
        stacks += stack;
        lines++;
    }
    return nested && (stacks + 1) * 10 >= lines * 9;
}

/// What a mark at the end of a name says: "_[k]" of the kernel, "_[i]" inlined, "_[j]" compiled at
/// run time. The mark stays in the name, which is the source's own.
static const char *mark_of(pj_str name)
{
    static const struct {
        pj_str mark;
        const char *group;
    } marks[] = {{{"_[k]", 4}, "kernel"}, {{"_[i]", 4}, "inlined"}, {{"_[j]", 4}, "JIT"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (pj_str_ends(name, marks[i].mark))
            return marks[i].group;
    return NULL;
}

static void set_mark(pj_build *build, uint32_t region, pj_str name)
{
    const char *mark = mark_of(name);
    if (!mark)
        return;
    uint32_t group = pj_build_text(build, pj_str_of(mark));
    pj_build_groups(build, region, &group, 1);
    if (pj_str_ends(name, PJ_S("_[k]")))
        pj_build_region_at(build, region)->kind = PJ_REGION_system;
}

/// "name (file:12)" is a function of a file that was at a line; all other text is a name.
static void make_frame(collapsed *c, pj_frame *frame)
{
    pj_str name, file;
    uint32_t line;
    if (pj_frame_cut_place(frame->text, &name, &file, &line)) {
        frame->region = pj_build_region(c->build, pj_callstack_name(name), file, 0);
        frame->line = line;
        return;
    }
    name = pj_callstack_name(frame->text);
    frame->region = pj_build_region(c->build, name, PJ_S(""), 0);
    set_mark(c->build, frame->region, name);
}

/// Whether a frame names a thread as "comm-12/34" (stackcollapse-perf --tid), its process perhaps
/// as "?".
static bool names_thread(pj_str text, pj_str *process)
{
    uint64_t number;
    size_t slash = pj_str_find_last(text, '/');
    pj_str before = pj_str_head(text, slash);
    *process = pj_str_from(before, pj_str_find_last(before, '-') + 1);
    return pj_parse_u64(pj_str_from(text, slash + 1), &number) && process->len < before.len &&
           (pj_str_equal(*process, PJ_S("?")) || pj_parse_u64(*process, &number));
}

/// Takes what a frame near the root says of process and thread: that of stackcollapse-perf, or
/// py-spy's `process 12:"command"` and `thread (0x1): name`. False when it is a function.
static bool locate(collapsed *c, pj_str text, uint32_t level)
{
    static const pj_str thread_prefix = {"thread (", 8};
    c->located[level] = PJ_NO_ITEM;
    if (level == 0)
        c->process = (pj_str){NULL, 0};
    if (pj_str_starts(text, thread_prefix)) {
        c->located[level] = pj_threadmap_find(&c->threads, c->process, text);
        return true;
    }
    pj_str process;
    uint64_t number;
    if (level > 0)
        return false;
    if (pj_str_starts(text, process_prefix)) {
        pj_str rest = pj_str_from(text, process_prefix.len);
        process = pj_str_cut(&rest, ':');
        if (pj_parse_u64(process, &number))
            c->process = pj_arena_str(c->stack->arena, process);
        return c->process.len > 0;
    }
    if (!names_thread(text, &process))
        return false;
    c->located[0] = pj_threadmap_find(&c->threads, process, text);
    return true;
}

/// Where the sample of the stack at hand was taken.
static uint32_t location_of(collapsed *c)
{
    if (c->stack->depth > 1 && c->located[1] != PJ_NO_ITEM)
        return c->located[1];
    if (c->located[0] == PJ_NO_ITEM)
        c->located[0] = pj_threadmap_find(&c->threads, c->process, PJ_S(""));
    return c->located[0];
}

/// Levels that the frames share with those of the line before.
static uint32_t shared_levels(const collapsed *c, pj_str frames)
{
    size_t most = frames.len < c->before.len ? frames.len : c->before.len, common = 0;
    while (common + 8 <= most && memcmp(frames.at + common, c->before.at + common, 8) == 0)
        common += 8;
    while (common < most && frames.at[common] == c->before.at[common])
        common++;
    uint32_t levels = 0;
    while (levels < c->stack->depth &&
           (c->ends[levels] < common ||
            (c->ends[levels] == common && (common == frames.len || frames.at[common] == ';'))))
        levels++;
    return levels;
}

/// Whether a stack is deeper than what is kept; its outermost frames are left out then.
static void cut_roots(collapsed *c, pj_str *frames, uint64_t line)
{
    size_t count = 1;
    if (frames->len < PJ_CALLSTACK_DEPTH)
        return;
    for (const char *at = frames->at, *end = at + frames->len;
         (at = memchr(at, ';', (size_t)(end - at))) != NULL; at++)
        count++;
    for (size_t cut = pj_callstack_cut(c->stack, count, line); cut; cut--)
        pj_str_cut(frames, ';');
}

/// Where the first frame ends. py-spy names a process by its command line in quotes, which may hold
/// semicolons.
static size_t frame_end(pj_str frames, uint32_t level)
{
    static const char quote[] = "\";";
    size_t end = pj_str_find(frames, ';');
    if (level > 0 || !pj_str_starts(frames, process_prefix) || pj_str_find(frames, '"') > end)
        return end;
    const char *close = memmem(frames.at, frames.len, quote, sizeof quote - 1);
    return close ? (size_t)(close + 1 - frames.at) : end;
}

/// The stack of a line; the frame of its leaf, NULL when it has none.
static const pj_frame *push_frames(collapsed *c, pj_str frames)
{
    uint32_t keep = shared_levels(c, frames), frame = PJ_NO_ITEM;
    bool found;
    pj_callstack_begin(c->stack, keep);
    size_t at = c->stack->depth ? c->ends[c->stack->depth - 1] + 1 : 0;
    while (at < frames.len) {
        pj_str rest = pj_str_from(frames, at);
        pj_str text = pj_str_head(rest, frame_end(rest, c->stack->depth));
        at += text.len + 1;
        text = pj_str_trim(text);
        if (text.len == 0)
            continue;
        frame = pj_callstack_frame(c->stack, text, &found);
        uint32_t level = c->stack->depth;
        if (!found)
            make_frame(c, &c->stack->frames[frame]);
        if (level < NAMING && locate(c, text, level))
            pj_build_region_at(c->build, c->stack->frames[frame].region)->kind = PJ_REGION_thread;
        c->ends[level] = (uint32_t)(at - 1);
        pj_callstack_push(c->stack, c->stack->frames[frame].region);
        c->leaves[level] = frame;
    }
    c->before.len = 0;
    pj_buf_add(&c->before, frames);
    return c->stack->depth ? &c->stack->frames[c->leaves[c->stack->depth - 1]] : NULL;
}

static void add_weight(collapsed *c, uint32_t column, uint32_t item, weight number)
{
    uint32_t location = location_of(c);
    if (number.is_whole)
        pj_build_count(c->build, column, item, location, (int64_t)number.whole);
    else
        pj_build_add(c->build, column, item, location, number.real);
}

static uint32_t weights_of(collapsed *c, pj_site site)
{
    return pj_build_column(c->build, site, PJ_EXCLUSIVE, c->samples, !c->real);
}

static void add_line(collapsed *c, pj_str line, uint64_t number)
{
    pj_str frames;
    weight value;
    if (is_comment(line))
        return;
    if (!cut_weight(line, &frames, &value)) {
        pj_build_odd(c->build, PJ_ODDITY_malformed_record, number);
        return;
    }
    cut_roots(c, &frames, number);
    const pj_frame *leaf = push_frames(c, frames);
    if (!leaf) {
        pj_build_odd(c->build, PJ_ODDITY_malformed_record, number);
        return;
    }
    if (!value.is_whole && !c->real) {
        c->real = true;
        pj_build_make_real(c->build, c->samples);
    }
    add_weight(c, c->weights, pj_callstack_leaf(c->stack), value);
    if (leaf->line)
        add_weight(c, weights_of(c, PJ_AT_LINE),
                   pj_build_line(c->build, leaf->region, leaf->line, 0), value);
}

static bool read_lines(collapsed *c, pj_source *source, pj_err *err)
{
    pj_auto_textstream text = pj_textstream_of(source);
    pj_str line;
    while (pj_build_ok(c->build) && pj_textstream_next(&text, &line, err)) {
        if (text.dropped)
            pj_build_odd(c->build, PJ_ODDITY_malformed_record, text.line);
        else
            add_line(c, line, text.line);
    }
    return !text.failed;
}

static bool read_collapsed(pj_source *source, pj_build *build, pj_err *err)
{
    pj_job *job = pj_source_job(source);
    pj_auto_callstack stack = pj_callstack_new(build, job);
    uint32_t *ends = pj_new_n(stack->arena, uint32_t, 2 * (size_t)PJ_CALLSTACK_DEPTH);
    collapsed c = {.build = build,
                   .stack = stack,
                   .threads = {.build = build},
                   .located = {PJ_NO_ITEM, PJ_NO_ITEM},
                   .ends = ends,
                   .leaves = ends + PJ_CALLSTACK_DEPTH};
    pj_build_profile(build)->shape = PJ_SHAPE_TREE;
    c.samples = pj_build_measure(
        build,
        (pj_measure){.key = "samples", .title = "Samples", .unit = "", .kind = PJ_MEASURE_COUNT});
    c.weights = weights_of(&c, PJ_AT_NODE);
    bool ok = read_lines(&c, source, err);
    pj_build_zero_above(build);
    pj_threadmap_finish(&c.threads);
    pj_threadmap_free(&c.threads);
    pj_buf_free(&c.before);
    return ok;
}

const pj_reader pj_reader_collapsed = {
    .name = "collapsed",
    .title = "file of collapsed stacks",
    .suffixes = ".collapsed .collapsed.txt .folded .collapse",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_collapsed,
};
