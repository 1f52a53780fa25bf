// The format of callgrind (valgrind 3.19, docs/cl-format.html), which xdebug, yappi and
// pprof2calltree write, too: costs of functions by line, and of calls between them.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/callstack.h"
#include "metrics/read/profile/textstream.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

enum { COLUMNS_MAX = 64, NAME_TABLES = 3 };

typedef enum name_table { OBJECTS, FILES, FUNCTIONS } name_table;

/// Columns of the profile for one event.
typedef struct event_columns {
    uint32_t own, with, edge, line; // of regions, of edges, of lines
    int64_t sum;                    // of what the part at hand has so far
} event_columns;

typedef struct callgrind {
    pj_build *build;
    pj_map names[NAME_TABLES]; // number of the file: text
    event_columns events[COLUMNS_MAX];
    uint32_t event_count;
    uint32_t calls, edge_calls;                  // columns
    uint32_t positions;                          // columns before the costs
    bool lined;                                  // the last of them is a line
    int64_t before[COLUMNS_MAX + 2];             // positions and costs of the line before
    uint32_t object, file, function;             // texts
    uint32_t callee_object, callee_file, callee; // of the next call; 0 = as the caller's
    uint32_t first_file;    // of the function; another one at hand has code that was inlined
    uint32_t region, whole; // of the file at hand, of the first; region PJ_NO_ITEM = to be found
    bool calling;           // the next costs are those of `count` calls
    int64_t count;
    uint32_t location; // PJ_NO_ITEM = none so far
    int64_t thread;    // of the part at hand; -1 = not told
    pj_map threads;    // thread + 1: location
} callgrind;

/// A header "key: value" that a file may begin with, comments aside, and somewhere its events.
static bool sniff(pj_str head)
{
    static const pj_str keys[] = {{"version", 7}, {"creator", 7}, {"pid", 3},       {"cmd", 3},
                                  {"desc", 4},    {"part", 4},    {"thread", 6},    {"event", 5},
                                  {"events", 6},  {"summary", 7}, {"positions", 9}, {"totals", 6}};
    bool first = true, known = false;
    while (head.len) {
        pj_str line = pj_str_trim(pj_str_cut(&head, '\n'));
        pj_str key = pj_str_head(line, pj_str_find(line, ':'));
        if (pj_str_starts(line, PJ_S("# callgrind format")))
            return true;
        if (line.len == 0 || line.at[0] == '#')
            continue;
        for (size_t i = 0; i < sizeof keys / sizeof *keys && first; i++)
            known |= key.len < line.len && pj_str_equal(key, keys[i]);
        first = false;
        if (!known || pj_str_equal(key, PJ_S("events")))
            return known && key.len < line.len;
    }
    return false;
}

/// "(3) name", "(3)" or "name" as a text; 0 when there is none.
static uint32_t take_name(callgrind *c, name_table table, pj_str text)
{
    pj_str rest = text;
    uint64_t number;
    uint32_t name = 0;
    bool short_form = pj_str_starts(text, PJ_S("("));
    rest = short_form ? pj_str_from(text, 1) : text;
    pj_str inside = short_form ? pj_str_cut(&rest, ')') : text;
    if (!short_form || !pj_parse_u64(inside, &number))
        return pj_build_text(c->build, pj_callstack_name(pj_str_trim(text)));
    rest = pj_str_trim(rest);
    if (rest.len) {
        name = pj_build_text(c->build, pj_callstack_name(rest));
        pj_map_put(&c->names[table], number, name);
    } else if (!pj_map_get(&c->names[table], number, &name)) {
        name = pj_build_text(c->build, pj_callstack_name(text));
    }
    return name;
}

/// What stands behind the last slash of an object's path.
static uint32_t module_of(callgrind *c, uint32_t object)
{
    pj_str path = pj_build_profile(c->build)->texts[object];
    size_t slash = pj_str_find_last(path, '/');
    return slash == path.len ? object : pj_build_text(c->build, pj_str_from(path, slash + 1));
}

/// A function in a file. Code that was inlined stands with the file it is from, and counts for the
/// inclusive cost of the function where that began: so callgrind_annotate has it.
static uint32_t region_of(callgrind *c, uint32_t object, uint32_t file, uint32_t function)
{
    uint32_t region = pj_build_region_of(c->build, function, file, 0);
    uint32_t module = object ? module_of(c, object) : 0;
    pj_profile_region *at = pj_build_region_at(c->build, region);
    if (!at->module)
        at->module = module;
    return region;
}

/// The function at hand, in the file that it began in and in the file at hand.
static void find_regions(callgrind *c)
{
    if (c->region != PJ_NO_ITEM)
        return;
    c->whole = region_of(c, c->object, c->first_file, c->function);
    c->region = region_of(c, c->object, c->file, c->function);
}

static uint32_t location(callgrind *c)
{
    uint64_t key = (uint64_t)(c->thread + 1);
    if (c->location == PJ_NO_ITEM && !pj_map_get(&c->threads, key, &c->location)) {
        pj_location_kind kind = c->thread < 0 ? PJ_LOCATION_PROCESS : PJ_LOCATION_CPU;
        c->location = pj_build_location(
            c->build, (pj_profile_location){.rank = -1, .thread = c->thread, .kind = kind});
        pj_map_put(&c->threads, key, c->location);
    }
    return c->location;
}

/// The events of the costs that follow.
static void take_events(callgrind *c, pj_str names)
{
    c->event_count = 0;
    while ((names = pj_str_trim(names)).len && c->event_count < COLUMNS_MAX) {
        pj_auto_arena arena = pj_arena_new(NULL);
        const char *name = pj_arena_text(arena, pj_callstack_name(pj_str_cut(&names, ' ')));
        pj_measure row = {.key = name,
                          .title = name,
                          .unit = "",
                          .kind = PJ_MEASURE_COUNT,
                          .stored = PJ_STORED_BOTH};
        uint32_t measure = pj_build_measure(c->build, row);
        c->events[c->event_count++] = (event_columns){
            .own = pj_build_column(c->build, PJ_AT_REGION, PJ_EXCLUSIVE, measure, true),
            .with = pj_build_column(c->build, PJ_AT_REGION, PJ_INCLUSIVE, measure, true),
            .edge = pj_build_column(c->build, PJ_AT_EDGE, PJ_INCLUSIVE, measure, true),
            .line = pj_build_column(c->build, PJ_AT_LINE, PJ_EXCLUSIVE, measure, true)};
    }
}

/// The file's own sums of a part.
static void check_sums(callgrind *c, pj_str numbers, uint64_t line)
{
    for (uint32_t i = 0; i < c->event_count && (numbers = pj_str_trim(numbers)).len; i++) {
        uint64_t told;
        if (pj_parse_u64(pj_str_cut(&numbers, ' '), &told) && told != (uint64_t)c->events[i].sum)
            pj_build_odd(c->build, PJ_ODDITY_wrong_total, line);
    }
}

static void begin_thread(callgrind *c, int64_t thread)
{
    c->location = PJ_NO_ITEM;
    c->thread = thread;
}

static void begin_part(callgrind *c)
{
    begin_thread(c, -1);
    for (uint32_t i = 0; i < c->event_count; i++)
        c->events[i].sum = 0;
}

static void take_positions(callgrind *c, pj_str names)
{
    bool instr = pj_str_contains(names, PJ_S("instr"));
    c->lined = pj_str_contains(names, PJ_S("line"));
    c->positions = instr && c->lined ? 2 : 1;
}

/// "key: value" of a header; false when the line is none.
static bool take_header(callgrind *c, pj_str line, uint64_t number)
{
    pj_str value = line, key = pj_str_cut(&value, ':');
    pj_profile *profile = pj_build_profile(c->build);
    uint64_t thread;
    if (!value.at || key.len == line.len || pj_str_find(key, '=') < key.len ||
        pj_str_find(key, ' ') < key.len)
        return false;
    value = pj_str_trim(value);
    if (pj_str_equal(key, PJ_S("events")))
        take_events(c, value);
    else if (pj_str_equal(key, PJ_S("positions")))
        take_positions(c, value);
    else if (pj_str_equal(key, PJ_S("part")))
        begin_part(c);
    else if (pj_str_equal(key, PJ_S("thread")) && pj_parse_u64(value, &thread) &&
             thread < INT64_MAX)
        begin_thread(c, (int64_t)thread);
    else if (pj_str_equal(key, PJ_S("totals")))
        check_sums(c, value, number);
    else if (pj_str_equal(key, PJ_S("cmd")))
        profile->command = pj_build_text(c->build, pj_callstack_name(value));
    else if (pj_str_equal(key, PJ_S("creator")))
        profile->tool = pj_build_text(c->build, pj_callstack_name(value));
    return true;
}

/// A number, perhaps relative to the one that stood there before: "+3", "-3", "*".
static bool take_number(pj_str text, int64_t *value)
{
    uint64_t number = 0;
    char sign = text.len ? text.at[0] : 0;
    if (pj_str_equal(text, PJ_S("*")))
        return true;
    if (sign == '+' || sign == '-')
        text = pj_str_from(text, 1);
    if (pj_str_starts(text, PJ_S("0x"))) {
        for (size_t i = 2; i < text.len; i++) {
            unsigned char c = (unsigned char)text.at[i];
            unsigned digit = c <= '9' ? c - (unsigned)'0' : (c | 32u) - 'a' + 10;
            if (digit > 15 || (c > '9' && digit < 10) || number >> 59)
                return false;
            number = number << 4 | digit;
        }
    } else if (!pj_parse_u64(text, &number)) {
        return false;
    }
    if (number > INT64_MAX)
        return false;
    if (sign == '+')
        return !__builtin_add_overflow(*value, (int64_t)number, value);
    if (sign == '-')
        return !__builtin_sub_overflow(*value, (int64_t)number, value);
    *value = (int64_t)number;
    return true;
}

/// Positions and costs of a line into `before`; missing costs are 0.
static bool take_numbers(callgrind *c, pj_str line)
{
    uint32_t columns = c->positions + c->event_count, i = 0;
    for (; i < columns && (line = pj_str_trim(line)).len; i++)
        if (!take_number(pj_str_cut(&line, ' '), &c->before[i]))
            return false;
    for (uint32_t missing = i; missing < columns; missing++)
        c->before[missing] = 0;
    return i >= c->positions && pj_str_trim(line).len == 0;
}

static void add_call(callgrind *c)
{
    find_regions(c);
    uint32_t caller = c->whole, at = location(c);
    uint32_t callee = region_of(c, c->callee_object ? c->callee_object : c->object,
                                c->callee_file ? c->callee_file : c->file, c->callee);
    uint32_t edge = pj_build_edge(c->build, caller, callee);
    pj_build_count(c->build, c->edge_calls, edge, at, c->count);
    pj_build_count(c->build, c->calls, callee, at, c->count);
    for (uint32_t i = 0; i < c->event_count; i++) {
        int64_t cost = c->before[c->positions + i];
        pj_build_count(c->build, c->events[i].edge, edge, at, cost);
        pj_build_count(c->build, c->events[i].with, caller, at, cost);
        if (c->region != caller)
            pj_build_count(c->build, c->events[i].with, c->region, at, cost);
    }
    c->calling = false;
    c->callee_object = c->callee_file = c->callee = 0;
}

static void add_own(callgrind *c)
{
    find_regions(c);
    uint32_t region = c->region, at = location(c);
    int64_t number = c->before[c->positions - 1];
    uint32_t line = c->lined && number > 0 && number <= UINT32_MAX
                        ? pj_build_line(c->build, region, (uint32_t)number, 0)
                        : PJ_NO_ITEM;
    for (uint32_t i = 0; i < c->event_count; i++) {
        event_columns *event = &c->events[i];
        int64_t cost = c->before[c->positions + i];
        pj_build_count(c->build, event->own, region, at, cost);
        pj_build_count(c->build, event->with, c->whole, at, cost);
        if (region != c->whole)
            pj_build_count(c->build, event->with, region, at, cost);
        if (line != PJ_NO_ITEM)
            pj_build_count(c->build, event->line, line, at, cost);
        if (__builtin_add_overflow(event->sum, cost, &event->sum))
            event->sum = -1;
    }
}

/// "calls=3 20": the next line has their costs.
static bool take_calls(callgrind *c, pj_str value)
{
    uint64_t count;
    if (!pj_parse_u64(pj_str_cut(&value, ' '), &count) || count > INT64_MAX || !c->callee)
        return false;
    c->calling = true;
    c->count = (int64_t)count;
    return true;
}

typedef enum key_kind { OB, FL, FN, COB, CFI, CFN, CALLS, JUMP, JFI, JFN, NO_KEY } key_kind;

static key_kind kind_of(pj_str key)
{
    static const struct {
        pj_str key;
        key_kind kind;
    } keys[] = {{{"fn", 2}, FN},   {{"cfn", 3}, CFN}, {{"calls", 5}, CALLS}, {{"fl", 2}, FL},
                {{"fi", 2}, FL},   {{"fe", 2}, FL},   {{"cfi", 3}, CFI},     {{"cfl", 3}, CFI},
                {{"ob", 2}, OB},   {{"cob", 3}, COB}, {{"jump", 4}, JUMP},   {{"jcnd", 4}, JUMP},
                {{"jfi", 3}, JFI}, {{"jfn", 3}, JFN}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (pj_str_equal(keys[i].key, key))
            return keys[i].kind;
    return NO_KEY;
}

/// "key=value"; `*passed`: the next line is that of a jump.
static bool take_setting(callgrind *c, pj_str key, pj_str value, bool *passed)
{
    key_kind kind = kind_of(key);
    switch (kind) {
    case OB:
        c->object = take_name(c, OBJECTS, value);
        break;
    case FL:
        c->file = take_name(c, FILES, value);
        break;
    case FN:
        c->function = take_name(c, FUNCTIONS, value);
        c->first_file = c->file;
        c->callee_object = c->callee_file = c->callee = 0;
        break;
    case COB:
        c->callee_object = take_name(c, OBJECTS, value);
        return true;
    case CFI:
        c->callee_file = take_name(c, FILES, value);
        return true;
    case CFN:
        c->callee = take_name(c, FUNCTIONS, value);
        return true;
    case CALLS:
        return take_calls(c, value);
    case JUMP:
        *passed = true;
        return true;
    case JFI: // where a jump goes: a name may be told first here
        take_name(c, FILES, value);
        return true;
    case JFN:
        take_name(c, FUNCTIONS, value);
        return true;
    case NO_KEY:
        return false;
    }
    c->region = PJ_NO_ITEM;
    return true;
}

/// A line that begins with a number, a sign or a star.
static bool is_costs(pj_str line)
{
    char c = line.at[0];
    return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*';
}

static bool take_line(callgrind *c, pj_str line, uint64_t number, bool *jump)
{
    if (line.len == 0 || line.at[0] == '#')
        return true;
    if (is_costs(line)) {
        bool passed = *jump;
        *jump = false;
        if (!c->event_count || !c->function)
            return false;
        // A jump has only its position, from which the next one may be told.
        uint32_t events = c->event_count;
        c->event_count = passed ? 0 : events;
        bool good = take_numbers(c, line);
        c->event_count = events;
        if (good && !passed)
            (c->calling ? add_call : add_own)(c);
        return good;
    }
    pj_str value = line, key = pj_str_cut(&value, '=');
    if (key.len < line.len && kind_of(key) != NO_KEY)
        return take_setting(c, key, value, jump);
    return take_header(c, line, number);
}

static bool read_lines(callgrind *c, pj_source *source, pj_err *err)
{
    pj_auto_textstream text = pj_textstream_of(source);
    pj_str line;
    bool jump = false;
    while (pj_build_ok(c->build) && pj_textstream_next(&text, &line, err))
        if (text.dropped || !take_line(c, pj_str_trim(line), text.line, &jump))
            pj_build_odd(c->build, PJ_ODDITY_malformed_record, text.line);
    return !text.failed;
}

/// Whether a call stays in its function, whose cost another caller has paid already. Levels of
/// recursion that callgrind tells apart ("fib'2") count each for itself, as in callgrind_annotate.
static bool is_paid_already(const pj_profile *p, const pj_profile_edge *edge, const bool *entered)
{
    pj_str name = pj_profile_name(p, edge->callee);
    size_t level = pj_str_find_last(name, '\'');
    uint64_t number;
    bool is_level = level < name.len && pj_parse_u64(pj_str_from(name, level + 1), &number);
    return edge->caller == edge->callee && !is_level && entered[edge->callee];
}

static bool *find_entered(const pj_profile *p, pj_arena *arena)
{
    bool *entered = pj_new_n(arena, bool, p->count[PJ_AT_REGION] + (size_t)1);
    for (uint32_t e = 0; e < p->count[PJ_AT_EDGE]; e++)
        entered[p->edges[e].callee] |= p->edges[e].caller != p->edges[e].callee;
    return entered;
}

/// A function that is called has the inclusive cost that its callers paid, as in
/// callgrind_annotate: what it called itself does not tell which of it ran in another thread.
static void settle_inclusive(callgrind *c, uint32_t measure)
{
    pj_profile *p = pj_build_profile(c->build);
    uint32_t paid = pj_build_column(c->build, PJ_AT_EDGE, PJ_INCLUSIVE, measure, true);
    uint32_t with = pj_build_column(c->build, PJ_AT_REGION, PJ_INCLUSIVE, measure, true);
    pj_auto_arena arena = pj_arena_new(NULL);
    bool *called = pj_new_n(arena, bool, p->count[PJ_AT_REGION]);
    const bool *entered = find_entered(p, arena);
    for (uint32_t e = 0; e < p->count[PJ_AT_EDGE] && pj_build_ok(c->build); e++) {
        uint32_t callee = p->edges[e].callee;
        if (is_paid_already(p, &p->edges[e], entered))
            continue;
        int64_t *sums = pj_build_row_whole(c->build, with, callee);
        for (uint32_t at = 0; sums && !called[callee] && at < p->location_count; at++)
            sums[at] = PJ_ABSENT_WHOLE;
        called[callee] = true;
        for (uint32_t at = 0; at < p->location_count; at++) {
            const int64_t *cost = pj_build_row_whole(c->build, paid, e);
            if (cost && cost[at] != PJ_ABSENT_WHOLE)
                pj_build_count(c->build, with, callee, at, cost[at]);
        }
    }
}

/// Counts what the file leaves out: callers that paid less than the function itself took.
static void check_inclusive(callgrind *c, uint32_t measure)
{
    const pj_profile *p = pj_build_profile(c->build);
    if (!pj_profile_find(p, PJ_AT_REGION, PJ_EXCLUSIVE, measure))
        return;
    uint32_t own = pj_build_column(c->build, PJ_AT_REGION, PJ_EXCLUSIVE, measure, true);
    uint32_t with = pj_build_column(c->build, PJ_AT_REGION, PJ_INCLUSIVE, measure, true);
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION] && pj_build_ok(c->build); r++) {
        const int64_t *without = pj_build_row_whole(c->build, own, r);
        const int64_t *all = pj_build_row_whole(c->build, with, r);
        for (uint32_t at = 0; without && all && at < p->location_count; at++)
            if (without[at] != PJ_ABSENT_WHOLE && all[at] != PJ_ABSENT_WHOLE &&
                all[at] < without[at])
                pj_build_odd(c->build, PJ_ODDITY_inclusive_less, 0);
    }
}

static bool read_callgrind(pj_source *source, pj_build *build, pj_err *err)
{
    callgrind c = {.build = build,
                   .positions = 1,
                   .lined = true,
                   .region = PJ_NO_ITEM,
                   .location = PJ_NO_ITEM,
                   .thread = -1};
    pj_build_profile(build)->shape = PJ_SHAPE_GRAPH;
    c.calls = pj_build_column(build, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
    c.edge_calls = pj_build_column(build, PJ_AT_EDGE, PJ_CALLS, PJ_NO_ITEM, true);
    bool ok = read_lines(&c, source, err);
    for (uint32_t m = 0; ok && m < pj_build_profile(build)->measure_count; m++) {
        settle_inclusive(&c, m);
        check_inclusive(&c, m);
    }
    for (size_t i = 0; i < NAME_TABLES; i++)
        pj_map_free(&c.names[i]);
    pj_map_free(&c.threads);
    return ok;
}

const pj_reader pj_reader_callgrind = {
    .name = "callgrind",
    .title = "callgrind profile",
    .suffixes = ".callgrind .callgrind.out",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_callgrind,
};
