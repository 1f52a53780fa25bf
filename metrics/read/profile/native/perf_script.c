// What `perf script` prints of a recording (linux 6.1, tools/perf/Documentation/perf-script.txt): a
// header for each sample and its stack, the leaf first.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
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

enum { EVENTS_MAX = 64 };

/// An event that was sampled, with its columns; PJ_NO_ITEM = not made yet.
typedef struct sampled_event {
    pj_str name; // in the arena of the stacks
    uint32_t periods, samples;
} sampled_event;

/// The header of a sample: "comm 12/34 [000] 5.678: 1000 cycles:u:", of which `-F` may leave out
/// any but the event.
typedef struct header {
    pj_str who;                      // command and ids as they stand
    pj_str command, process, thread; // "" = not told
    bool timed;
    pj_str event;
    uint64_t period;
    bool has_period;
    pj_str rest; // behind the event: a leaf, where no stacks were recorded
} header;

typedef struct perf_script {
    pj_build *build;
    pj_callstack *stack;
    pj_threadmap threads;
    sampled_event events[EVENTS_MAX];
    uint32_t event_count;
    header at; // its numbers and lengths alone outlive its line
    bool open; // a sample is at hand
    sampled_event *event;
    uint32_t location;
    pj_str last_thread; // text that the location was found by
    uint32_t *frames;   // of the stack at hand, the leaf first; PJ_CALLSTACK_DEPTH of them
    size_t depth;
    pj_buf plain; // a frame without its offset
    pj_buf leaf;  // what stands behind the event
    uint64_t leaf_line;
} perf_script;

static pj_str last_word(pj_str *text)
{
    *text = pj_str_trim(*text);
    size_t blank = pj_str_find_last(*text, ' ');
    size_t first = blank == text->len ? 0 : blank + 1;
    pj_str word = pj_str_from(*text, first);
    *text = pj_str_head(*text, first);
    return word;
}

/// The next word; empty at the end.
static pj_str next_word(pj_str *text)
{
    while (text->len && (text->at[0] == ' ' || text->at[0] == '\t'))
        *text = pj_str_from(*text, 1);
    size_t len = 0;
    while (len < text->len && text->at[len] != ' ' && text->at[len] != '\t')
        len++;
    pj_str word = pj_str_head(*text, len);
    *text = pj_str_from(*text, len);
    return word;
}

/// Whether a word is "123.456:", a time.
static bool is_time(pj_str word)
{
    double time;
    return pj_str_ends(word, PJ_S(":")) && pj_str_find(word, '.') < word.len &&
           pj_parse_decimal(pj_str_head(word, word.len - 1), &time);
}

/// "12/34" or "12", which is a thread; -1 is one that perf does not know.
static bool cut_ids(pj_str word, header *out)
{
    int64_t number;
    size_t slash = pj_str_find(word, '/');
    bool both = slash < word.len;
    out->process = both ? pj_str_head(word, slash) : PJ_S("");
    out->thread = both ? pj_str_from(word, slash + 1) : word;
    bool ids = pj_parse_i64(out->thread, &number) && (!both || pj_parse_i64(out->process, &number));
    if (!ids)
        out->process = out->thread = PJ_S("");
    return ids;
}

/// The column "misc" of a sample: what mode it was in ("U", "K", "UP").
static bool is_misc(pj_str word)
{
    enum { LETTERS_MOST = 4 };
    bool letters = word.len > 0 && word.len <= LETTERS_MOST;
    for (size_t i = 0; i < word.len && letters; i++)
        letters = word.at[i] >= 'A' && word.at[i] <= 'Z';
    return letters;
}

/// What perf tells between samples: "comm 12 5.678: PERF_RECORD_MMAP ...".
static bool is_record(pj_str line)
{
    static const char mark[] = ": PERF_RECORD_";
    return line.len && memmem(line.at, line.len, mark, sizeof mark - 1);
}

/// What stands before the time, or before the event where there is no time.
static void cut_front(pj_str front, header *out)
{
    pj_str before = front, word = last_word(&before);
    if (pj_str_starts(word, PJ_S("[")) && pj_str_ends(word, PJ_S("]")))
        front = before;
    out->who = pj_str_trim(front);
    before = front;
    word = last_word(&before);
    pj_str ahead = before, ids = is_misc(word) ? last_word(&ahead) : word;
    bool told = cut_ids(ids, out);
    out->command = pj_str_trim(!told ? front : is_misc(word) ? ahead : before);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

static bool is_address(pj_str word)
{
    size_t at = 0;
    while (at < word.len && is_hex(word.at[at]))
        at++;
    return word.len > 0 && at == word.len;
}

/// "7f12 symbol", and what may follow it.
static bool is_frame(pj_str text)
{
    return is_address(next_word(&text)) && pj_str_trim(text).len > 0;
}

/// What follows the time: "1000 cycles:u: 7f12 leaf (object)", of which all may be missing. Other
/// text behind the event is what a tracepoint tells, or an address; without an event, none is
/// meant.
static bool cut_event(pj_str rest, header *out)
{
    pj_str before = rest, word = next_word(&rest);
    out->has_period = pj_parse_u64(word, &out->period) && out->period <= INT64_MAX;
    pj_str behind = rest, next = next_word(&behind);
    if (out->has_period && (pj_str_ends(next, PJ_S(":")) || next.len == 0)) {
        before = rest;
        word = next_word(&rest);
    } else {
        out->has_period = false;
        out->period = 1;
    }
    bool named = word.len > 1 && pj_str_ends(word, PJ_S(":")), bare = word.len == 0;
    out->event = named ? pj_str_head(word, word.len - 1) : PJ_S("event");
    pj_str leaf = pj_str_trim(named ? rest : before);
    out->rest = is_frame(leaf) ? leaf : PJ_S("");
    return named || out->rest.len || bare;
}

/// Whether a number that ends a text has the ten columns of a period; ids have fewer.
static bool is_period(pj_str front, pj_str number)
{
    enum { COLUMNS = 10 };
    uint64_t period;
    const char *begin = number.at;
    while (begin > front.at && begin[-1] == ' ')
        begin--;
    return number.at + number.len - begin >= COLUMNS && pj_parse_u64(number, &period);
}

/// A header without a time: its event is the first word with a colon behind it.
static bool cut_timeless(pj_str line, header *out)
{
    pj_str rest = line, event;
    while ((event = next_word(&rest)).len && !pj_str_ends(event, PJ_S(":")))
        ;
    if (event.len < 2)
        return false;
    pj_str front = pj_str_head(line, (size_t)(event.at - line.at)), before = front;
    pj_str number = last_word(&before);
    const char *begin = is_period(front, number) ? number.at : event.at;
    cut_front(pj_str_head(line, (size_t)(begin - line.at)), out);
    return cut_event(pj_str_from(line, (size_t)(begin - line.at)), out);
}

/// A header; the command may hold blanks, so that the time is looked for first. Without stacks it
/// is indented, and its only frame stands on the same line; `first`: no stack can be meant. Whoever
/// is not told to have run must not be taken from a frame.
static bool cut_header(pj_str line, bool first, header *out)
{
    *out = (header){.period = 1};
    bool indented = line.len && (line.at[0] == ' ' || line.at[0] == '\t');
    if (line.len == 0 || line.at[0] == '#')
        return false;
    pj_str rest = line, word;
    while ((word = next_word(&rest)).len && !is_time(word))
        ;
    out->timed = word.len > 0;
    if (out->timed)
        cut_front(pj_str_head(line, (size_t)(word.at - line.at)), out);
    if (!(out->timed ? cut_event(rest, out) : cut_timeless(line, out)))
        return false;
    bool told = out->command.len && out->thread.len;
    return (told || first) && (!indented || first || out->rest.len);
}

/// "\t        7f12 symbol": perf has addresses in sixteen columns.
static bool is_stack_line(pj_str line)
{
    enum { COLUMNS = 16 };
    pj_str rest = pj_str_from(line, 1);
    pj_str address = next_word(&rest);
    return line.len && line.at[0] == '\t' && is_frame(line) &&
           address.at + address.len >= line.at + 1 + COLUMNS;
}

/// A header that a stack follows, or its leaf on the same line.
static bool sniff(pj_str head)
{
    header at;
    bool headed = false;
    for (unsigned lines = 0; head.len && lines < 200; lines++) {
        pj_str line = pj_str_cut(&head, '\n');
        if (pj_str_trim(line).len == 0 || line.at[0] == '#' || is_record(line))
            continue;
        bool told = headed && at.command.len && at.thread.len;
        if (headed)
            return told ? is_frame(line) : is_stack_line(line);
        headed = cut_header(line, true, &at);
        if (!headed || (is_frame(at.rest) && (at.timed || (at.command.len && at.thread.len))))
            return headed;
    }
    return false;
}

/// Where the bracket opens that the text ends with; its length when there is none. Objects may have
/// brackets of their own: "(/tmp/a.so (deleted))".
static size_t find_object(pj_str text)
{
    size_t open = 0;
    for (size_t at = pj_str_ends(text, PJ_S(")")) ? text.len : 0; at-- > 0;) {
        open += text.at[at] == ')';
        if (text.at[at] == '(' && --open == 0)
            return at;
    }
    return text.len;
}

/// An object without the offset in it that `-F +dsoff` prints.
static pj_str without_offset(pj_str object)
{
    size_t plus = pj_str_find_last(object, '+');
    pj_str offset = pj_str_from(object, plus + 1);
    bool told = pj_str_starts(offset, PJ_S("0x")) && is_address(pj_str_from(offset, 2));
    return told ? pj_str_head(object, plus) : object;
}

/// "symbol (object)" as a function of its object; an unknown one is named by the object. The object
/// may be missing.
static void make_frame(perf_script *s, pj_frame *frame)
{
    pj_str text = frame->text;
    size_t bracket = find_object(text);
    pj_str name = pj_callstack_name(pj_str_trim(pj_str_head(text, bracket)));
    pj_str object = PJ_S("");
    if (bracket < text.len)
        object = pj_callstack_name(
            without_offset((pj_str){text.at + bracket + 1, text.len - bracket - 2}));
    bool inlined = pj_str_equal(object, PJ_S("inlined"));
    if (inlined)
        object = PJ_S("");
    size_t slash = pj_str_find_last(object, '/');
    pj_str module = slash < object.len ? pj_str_from(object, slash + 1) : object;
    pj_auto_buf bracketed = {.at = NULL};
    if (module.len && (name.len == 0 || pj_str_equal(name, PJ_S("[unknown]")))) {
        bool open = pj_str_starts(module, PJ_S("["));
        pj_buf_addf(&bracketed, open ? PJ_STR_FMT : "[" PJ_STR_FMT "]", PJ_STR_ARG(module));
        name = pj_buf_str(&bracketed);
    }
    frame->region = pj_build_region(s->build, name, object, 0);
    uint32_t group = pj_build_text(s->build, PJ_S("inlined"));
    uint32_t module_text = pj_build_text(s->build, module);
    pj_profile_region *region = pj_build_region_at(s->build, frame->region);
    region->module = module_text;
    if (pj_str_starts(object, PJ_S("[")) && !pj_str_equal(object, PJ_S("[unknown]")))
        region->kind = PJ_REGION_system;
    if (inlined)
        pj_build_groups(s->build, frame->region, &group, 1);
}

/// The frame of "symbol+0x1a (object)", whatever its offset.
static uint32_t frame_of(perf_script *s, pj_str text, size_t bracket)
{
    size_t at = bracket;
    bool found;
    while (at > 0 && text.at[at - 1] == ' ')
        at--;
    while (at > 0 && is_hex(text.at[at - 1]))
        at--;
    if (at > 2 && text.at[at - 1] == 'x' && text.at[at - 2] == '0' && text.at[at - 3] == '+') {
        s->plain.len = 0;
        pj_buf_add(&s->plain, pj_str_head(text, at - 3));
        pj_buf_add(&s->plain, pj_str_from(text, bracket));
        text = pj_buf_str(&s->plain);
    }
    uint32_t frame = pj_callstack_frame(s->stack, text, &found);
    if (!found)
        make_frame(s, &s->stack->frames[frame]);
    return frame;
}

/// "  7f12 symbol+0x1a (object)"; other lines (of sources) are passed over.
static void take_frame(perf_script *s, pj_str line, uint64_t number)
{
    const char *at = line.at, *end = at + line.len;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (at < end && *at != ' ')
        at++;
    while (at < end && *at == ' ')
        at++;
    pj_str text = {at, (size_t)(end - at)};
    size_t bracket = find_object(text);
    if (bracket == text.len && !is_frame(line)) {
        pj_build_odd(s->build, PJ_ODDITY_unknown_record, number);
        return;
    }
    if (s->depth < PJ_CALLSTACK_DEPTH)
        s->frames[s->depth] = frame_of(s, text, bracket);
    else if (s->depth == PJ_CALLSTACK_DEPTH)
        pj_build_odd(s->build, PJ_ODDITY_roots_cut, number);
    s->depth++;
}

/// A column of an event: the first one's keys are plain, so that most files have them alone.
static uint32_t add_column(perf_script *s, const sampled_event *event, const char *what)
{
    bool first = event == &s->events[0], period = what[0] == 'p';
    const char *key =
        first ? what
              : pj_arena_format(s->stack->arena, "%s_" PJ_STR_FMT, what, PJ_STR_ARG(event->name));
    const char *title = pj_arena_format(s->stack->arena, PJ_STR_FMT "%s", PJ_STR_ARG(event->name),
                                        period ? "" : " samples");
    uint32_t measure = pj_build_measure(
        s->build, (pj_measure){.key = key, .title = title, .unit = "", .kind = PJ_MEASURE_COUNT});
    return pj_build_column(s->build, PJ_AT_NODE, PJ_EXCLUSIVE, measure, true);
}

/// The event of that name, NULL when there are too many.
static sampled_event *event_called(perf_script *s, pj_str name)
{
    for (uint32_t i = 0; i < s->event_count; i++)
        if (pj_str_equal(s->events[i].name, name))
            return &s->events[i];
    if (s->event_count == EVENTS_MAX)
        return NULL;
    s->events[s->event_count] =
        (sampled_event){.name = pj_arena_str(s->stack->arena, pj_callstack_name(name)),
                        .periods = PJ_NO_ITEM,
                        .samples = PJ_NO_ITEM};
    return &s->events[s->event_count++];
}

static void add_count(perf_script *s, uint32_t *column, const char *what, uint64_t value)
{
    if (*column == PJ_NO_ITEM)
        *column = add_column(s, s->event, what);
    pj_build_count(s->build, *column, pj_callstack_leaf(s->stack), s->location, (int64_t)value);
}

static void end_sample(perf_script *s)
{
    if (s->open && s->at.rest.len)
        take_frame(s, pj_buf_str(&s->leaf), s->leaf_line);
    size_t depth = s->depth < PJ_CALLSTACK_DEPTH ? s->depth : PJ_CALLSTACK_DEPTH;
    bool counts = s->open && depth && s->event;
    s->open = false;
    s->depth = 0;
    if (!counts)
        return;
    pj_callstack_begin(s->stack, 0);
    while (depth > 0)
        pj_callstack_push(s->stack, s->stack->frames[s->frames[--depth]].region);
    if (s->at.has_period)
        add_count(s, &s->event->periods, "period", s->at.period);
    add_count(s, &s->event->samples, "samples", 1);
}

static void begin_sample(perf_script *s, const header *at, uint64_t number)
{
    end_sample(s);
    s->at = *at;
    s->open = true;
    s->event = event_called(s, at->event);
    if (s->location == PJ_NO_ITEM || !pj_str_equal(at->who, s->last_thread)) {
        pj_auto_buf name = {.at = NULL};
        pj_buf_add(&name, pj_callstack_name(at->command));
        pj_buf_puts(&name, at->command.len && at->thread.len ? " " : "");
        pj_buf_add(&name, at->thread);
        s->location = pj_threadmap_find(&s->threads, at->process, pj_buf_str(&name));
        s->last_thread = pj_arena_str(s->stack->arena, at->who);
    }
    s->leaf.len = 0;
    pj_buf_add(&s->leaf, at->rest);
    s->leaf_line = number;
}

/// What looked like a leaf behind the event was data of the sample when a stack follows.
static void take_stack_line(perf_script *s, pj_str line, uint64_t number)
{
    if (s->at.rest.len && is_frame(line))
        s->at.rest.len = 0;
    take_frame(s, line, number);
}

static void take_line(perf_script *s, pj_str line, uint64_t number)
{
    header at;
    if (line.len == 0) {
        end_sample(s);
        return;
    }
    if (line.at[0] == '#')
        return;
    bool indented = line.at[0] == ' ' || line.at[0] == '\t';
    bool first = !s->open || s->at.rest.len, in_stack = indented && !first;
    if (!in_stack && is_record(line)) {
        end_sample(s);
        return;
    }
    if (!in_stack && cut_header(line, first, &at))
        begin_sample(s, &at, number);
    else if (s->open)
        take_stack_line(s, line, number);
    else if (pj_str_trim(line).len)
        pj_build_odd(s->build, PJ_ODDITY_malformed_record, number);
}

static bool read_lines(perf_script *s, pj_source *source, pj_err *err)
{
    pj_auto_textstream text = pj_textstream_of(source);
    pj_str line;
    while (pj_build_ok(s->build) && pj_textstream_next(&text, &line, err)) {
        if (text.dropped)
            pj_build_odd(s->build, PJ_ODDITY_malformed_record, text.line);
        else
            take_line(s, line, text.line);
    }
    end_sample(s);
    return !text.failed;
}

static bool read_perf_script(pj_source *source, pj_build *build, pj_err *err)
{
    pj_auto_callstack stack = pj_callstack_new(build, pj_source_job(source));
    perf_script s = {.build = build,
                     .stack = stack,
                     .threads = {.build = build},
                     .location = PJ_NO_ITEM,
                     .last_thread = PJ_S(""),
                     .frames = pj_new_n(stack->arena, uint32_t, PJ_CALLSTACK_DEPTH)};
    pj_build_profile(build)->shape = PJ_SHAPE_TREE;
    bool ok = read_lines(&s, source, err);
    pj_build_zero_above(build);
    pj_threadmap_finish(&s.threads);
    pj_threadmap_free(&s.threads);
    pj_buf_free(&s.plain);
    pj_buf_free(&s.leaf);
    return ok;
}

const pj_reader pj_reader_perf_script = {
    .name = "perf_script",
    .title = "listing of perf script",
    .suffixes = ".perf .perf.txt .linux-perf.txt",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_perf_script,
};
