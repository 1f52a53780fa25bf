// cProfile files (pstats): one marshalled dictionary without a header,
//     {(file, line, name): (primitive calls, calls, exclusive, inclusive, callers)},
//     callers = {(file, line, name): (calls, primitive calls, exclusive, inclusive)} or : calls,
// as CPython's Lib/pstats.py, cProfile.py and profile.py write it. The order of the two counts is
// not the same in both. The dictionary of callers makes it a call graph.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/python/marshal.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

#include <stdlib.h>

enum { FUNCTION_ITEMS = 5, CALLER_ITEMS = 4, LEAST_ENTRY_BYTES = 8, POLL = 4096 };
// What they usually are, with a name of their own or not.
enum { FUNCTION_BYTES = 128, CALLER_BYTES = 40 };
static const uint64_t LARGEST_FILE = UINT64_C(4) << 30;

typedef struct columns {
    uint32_t calls, primitive, exclusive, inclusive;
} columns;

typedef struct reading {
    pj_marshal m;
    pj_build *build;
    uint32_t location, time;
    columns functions, callers;
    bool times_of_callers; // the columns of their times are made
    uint64_t entries, entries_most;
    // Of a region: 1 + the callee of which it was a caller last. So an edge is known to be new
    // without being looked for.
    uint32_t *called_by;
    bool *seen;      // regions that had an entry of their own
    bool again;      // the function has had an entry before
    uint32_t *order; // functions as the file has them; some were callers before
    uint32_t order_count;
    size_t seen_cap, called_cap, order_cap;
} reading;

static bool wrong(reading *r, const char *problem)
{
    return pj_marshal_fail(&r->m, problem);
}

static bool take_text(reading *r, uint32_t *text)
{
    pj_marshal_value value;
    uint32_t known = pj_marshal_known(&r->m, true);
    if (known) {
        *text = known - 1;
        return true;
    }
    if (!pj_marshal_next(&r->m, &value))
        return false;
    if (value.kind != PJ_MARSHAL_TEXT)
        return wrong(r, "a function is not named (file, line, name)");
    *text = pj_build_text(r->build, value.text);
    pj_marshal_note(&r->m, &value, *text + 1);
    return true;
}

static bool take_line(reading *r, uint32_t *line)
{
    pj_marshal_value value;
    if (!pj_marshal_next(&r->m, &value))
        return false;
    if (value.kind != PJ_MARSHAL_WHOLE || value.whole > INT32_MAX)
        return wrong(r, "a function is not named (file, line, name)");
    *line = value.whole > 0 ? (uint32_t)value.whole : 0;
    return true;
}

static bool is_builtin(pj_str file)
{
    return file.len == 0 || pj_str_equal(file, PJ_S("~")) || pj_str_equal(file, PJ_S("<built-in>"));
}

/// The region of a key that has been taken.
static bool take_region(reading *r, const pj_marshal_value *key, uint32_t *region)
{
    uint32_t file = 0, line = 0, name = 0;
    if (key->kind != PJ_MARSHAL_TUPLE || key->count != 3)
        return wrong(r, "a function is not named (file, line, name)");
    if (!take_text(r, &file) || !take_line(r, &line) || !take_text(r, &name))
        return false;
    pj_marshal_leave(&r->m, key);
    *region = pj_build_region_of(r->build, name, file, line);
    if (!pj_build_ok(r->build))
        return false;
    if (is_builtin(pj_profile_text(pj_build_profile(r->build), file)))
        pj_build_region_at(r->build, *region)->kind = PJ_REGION_builtin;
    pj_marshal_note(&r->m, key, *region + 1);
    return true;
}

/// The region of the next key of a dictionary, or its end.
static bool take_key(reading *r, uint32_t *region, bool *ended)
{
    pj_marshal_value key;
    uint32_t known = pj_marshal_known(&r->m, false);
    *ended = false;
    if (known) {
        *region = known - 1;
        return true;
    }
    if (!pj_marshal_next(&r->m, &key))
        return false;
    *ended = key.kind == PJ_MARSHAL_END;
    return *ended || take_region(r, &key, region);
}

static bool take_calls(reading *r, uint32_t column, uint32_t item)
{
    pj_marshal_value value;
    if (!pj_marshal_number(&r->m, &value))
        return false;
    if (value.kind == PJ_MARSHAL_LARGE)
        pj_build_odd(r->build, PJ_ODDITY_large_value, 0);
    else if (value.kind == PJ_MARSHAL_WHOLE)
        pj_build_count(r->build, column, item, r->location, value.whole);
    else
        return wrong(r, "a number of calls is not an integer");
    return true;
}

static bool take_time(reading *r, uint32_t column, uint32_t item)
{
    pj_marshal_value value;
    if (!pj_marshal_number(&r->m, &value))
        return false;
    if (value.kind != PJ_MARSHAL_REAL && value.kind != PJ_MARSHAL_WHOLE)
        return wrong(r, "a time is not a number");
    double seconds = value.kind == PJ_MARSHAL_REAL ? value.real : (double)value.whole;
    if (seconds < 0 && isfinite(seconds))
        pj_build_odd(r->build, PJ_ODDITY_negative_left_out, 0);
    else
        pj_build_add(r->build, column, item, r->location, seconds);
    return true;
}

/// Files are small beside what they refer to again and again, or they are made to exhaust a reader.
static bool count_entry(reading *r)
{
    if (++r->entries > r->entries_most)
        return wrong(r, "it has more entries than its bytes can hold");
    return r->entries % POLL || pj_job_check(r->m.job, "", NULL);
}

static void add_time_columns(reading *r)
{
    r->callers.primitive =
        pj_build_column(r->build, PJ_AT_EDGE, PJ_PRIMITIVE_CALLS, PJ_NO_ITEM, true);
    r->callers.exclusive = pj_build_column(r->build, PJ_AT_EDGE, PJ_EXCLUSIVE, r->time, false);
    r->callers.inclusive = pj_build_column(r->build, PJ_AT_EDGE, PJ_INCLUSIVE, r->time, false);
    r->times_of_callers = true;
}

/// Records of a caller: what old merges have appended stands for its sum.
static bool take_caller_records(reading *r, const pj_marshal_value *records, uint32_t edge)
{
    if (records->count == 0 || records->count % CALLER_ITEMS)
        return wrong(r, "a caller has not (calls, primitive calls, exclusive, inclusive)");
    if (!r->times_of_callers)
        add_time_columns(r);
    for (uint32_t k = 0; k < records->count; k += CALLER_ITEMS)
        if (!count_entry(r) || !take_calls(r, r->callers.calls, edge) ||
            !take_calls(r, r->callers.primitive, edge) ||
            !take_time(r, r->callers.exclusive, edge) || !take_time(r, r->callers.inclusive, edge))
            return false;
    pj_marshal_leave(&r->m, records);
    return true;
}

static uint32_t find_edge(reading *r, uint32_t caller, uint32_t callee)
{
    size_t had = r->called_cap;
    if (caller >= had) {
        pj_grow(r->called_by, &r->called_cap, caller + (size_t)1);
        memset(r->called_by + had, 0, (r->called_cap - had) * sizeof *r->called_by);
    }
    bool known = r->again || r->called_by[caller] == callee + 1;
    r->called_by[caller] = callee + 1;
    return known ? pj_build_edge(r->build, caller, callee)
                 : pj_build_new_edge(r->build, caller, callee);
}

static bool take_caller(reading *r, uint32_t caller, uint32_t callee)
{
    pj_marshal_value value;
    if (!pj_marshal_tuple(&r->m, &value))
        return false;
    uint32_t edge = find_edge(r, caller, callee);
    if (value.kind == PJ_MARSHAL_TUPLE)
        return pj_build_ok(r->build) && take_caller_records(r, &value, edge);
    if (value.kind != PJ_MARSHAL_WHOLE)
        return wrong(r, "a caller has not (calls, primitive calls, exclusive, inclusive)");
    pj_build_count(r->build, r->callers.calls, edge, r->location, value.whole);
    return count_entry(r);
}

static bool take_callers(reading *r, uint32_t callee)
{
    pj_marshal_value callers;
    uint32_t caller = 0;
    bool ended = false;
    if (!pj_marshal_next(&r->m, &callers))
        return false;
    if (callers.kind != PJ_MARSHAL_DICT)
        return wrong(r, "the callers of a function are not a dictionary");
    while (take_key(r, &caller, &ended) && !ended)
        if (!take_caller(r, caller, callee))
            return false;
    if (ended)
        pj_marshal_leave(&r->m, &callers);
    return ended;
}

static void note_entry(reading *r, uint32_t region)
{
    size_t had = r->seen_cap;
    if (region >= had) {
        pj_grow(r->seen, &r->seen_cap, region + (size_t)1);
        memset(r->seen + had, 0, r->seen_cap - had);
    }
    pj_grow(r->order, &r->order_cap, r->order_count + (size_t)1);
    r->order[r->order_count++] = region;
    r->again = r->seen[region];
    r->seen[region] = true;
    if (r->again)
        pj_build_odd(r->build, PJ_ODDITY_equal_entries, 0);
}

static bool take_function(reading *r, uint32_t region)
{
    pj_marshal_value value;
    if (!pj_marshal_tuple(&r->m, &value))
        return false;
    if (value.kind != PJ_MARSHAL_TUPLE || value.count != FUNCTION_ITEMS)
        return wrong(r,
                     "a function has not (primitive calls, calls, exclusive, inclusive, callers)");
    note_entry(r, region);
    if (!count_entry(r) || !take_calls(r, r->functions.primitive, region) ||
        !take_calls(r, r->functions.calls, region) ||
        !take_time(r, r->functions.exclusive, region) ||
        !take_time(r, r->functions.inclusive, region) || !take_callers(r, region))
        return false;
    pj_marshal_leave(&r->m, &value);
    return true;
}

static bool take_profile(reading *r)
{
    pj_marshal_value top;
    uint32_t region = 0;
    bool ended = false;
    if (!pj_marshal_next(&r->m, &top))
        return false;
    if (top.kind != PJ_MARSHAL_DICT)
        return wrong(r, "it does not begin with a dictionary of functions");
    while (take_key(r, &region, &ended) && !ended)
        if (!take_function(r, region))
            return false;
    return ended && (r->m.at == r->m.end || wrong(r, "bytes follow its end"));
}

static void begin(reading *r)
{
    pj_build *b = r->build;
    pj_build_profile(b)->shape = PJ_SHAPE_GRAPH;
    r->location = pj_build_location(b, (pj_profile_location){.rank = -1});
    r->time = pj_build_measure(
        b, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    r->functions = (columns){
        .calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true),
        .primitive = pj_build_column(b, PJ_AT_REGION, PJ_PRIMITIVE_CALLS, PJ_NO_ITEM, true),
        .exclusive = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, r->time, false),
        .inclusive = pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, r->time, false),
    };
    r->callers.calls = pj_build_column(b, PJ_AT_EDGE, PJ_CALLS, PJ_NO_ITEM, true);
}

/// What print_stats has printed is not what it was printed from.
static bool is_listing(pj_str head)
{
    pj_str line = pj_str_cut(&head, '\n');
    return pj_str_contains(line, PJ_S(" function calls ")) && pj_str_contains(line, PJ_S(" in ")) &&
           pj_str_contains(line, PJ_S(" seconds"));
}

/// Why the walk has ended: damage, the job, or the builder, which tells it itself.
static bool tell(const reading *r, const pj_source *source, pj_err *err)
{
    pj_spot here = {.offset = (uint64_t)(r->m.at - r->m.start), .at_byte = true};
    if (r->m.problem)
        return pj_source_damaged(source, here, err, "%s", r->m.problem);
    return !pj_build_ok(r->build) || pj_job_check(r->m.job, pj_source_path(source), err);
}

static bool read_pstats(pj_source *source, pj_build *build, pj_err *err)
{
    pj_str bytes;
    if (is_listing(pj_source_head(source)))
        return pj_fail(err, PJ_E_FORMAT, pj_source_path(source), 0,
                       "is a listing that pstats has printed, not a profile; record one with "
                       "python -m cProfile -o FILE");
    if (!pj_source_whole(source, LARGEST_FILE, &bytes, err))
        return false;
    pj_build_profile(build)->by_line = true;
    reading r = {.m = pj_marshal_open(bytes, pj_source_job(source)),
                 .build = build,
                 .entries_most = bytes.len / LEAST_ENTRY_BYTES};
    begin(&r);
    pj_build_expect(build, PJ_AT_REGION, bytes.len / FUNCTION_BYTES);
    pj_build_expect(build, PJ_AT_EDGE, bytes.len / CALLER_BYTES);
    bool ok = take_profile(&r) || tell(&r, source, err);
    pj_build_order(build, r.order, r.order_count);
    free(r.order);
    free(r.seen);
    free(r.called_by);
    pj_marshal_close(&r.m);
    return ok;
}

/// A dictionary whose first key is a tuple, or nothing. JSON begins with '{', too, but no text
/// follows it that marshal could mean.
static bool sniff(pj_str head)
{
    enum { FLAG = 0x80 };
    uint8_t first = head.len ? (uint8_t)head.at[0] : 0,
            next = head.len > 1 ? (uint8_t)head.at[1] : 0;
    if (is_listing(head) || first == ('{' | FLAG))
        return true;
    return first == '{' &&
           (next & FLAG || next == '(' || next == ')' || next == '0' || next == 'r');
}

const pj_reader pj_reader_pstats = {
    .name = "pstats",
    .title = "cProfile profile",
    .suffixes = ".prof .pstats .cprof",
    .gives = PJ_GIVES_PROFILE,
    .sniff = sniff,
    .profile = read_pstats,
};
