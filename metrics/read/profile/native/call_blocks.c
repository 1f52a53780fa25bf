// Reads call graphs in blocks of lines: the index at the end of a line says which function is
// meant, for names may repeat.
#include "metrics/read/profile/native/call_blocks.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/sort.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/read/profile/profile_text.h"

#include <stdio.h>
#include <stdlib.h>

/// A line taken apart.
typedef struct call_line {
    bool primary; // the function that its block is about
    bool whole;   // stands for a cycle
    bool in_cycle;
    bool timed; // has self and descendants
    double self, descendants;
    int64_t calls, more_calls; // -1 = not told; "7+3": recursive ones
    pj_str name;
    uint64_t index;
} call_line;

typedef struct function {
    pj_str name;
    uint64_t index;
    bool told; // has a block of its own
    bool in_cycle;
    double self, descendants;
    int64_t calls, more_calls;
    uint32_t region;
} function;

typedef struct edge {
    uint32_t caller, callee; // functions; PJ_NO_ITEM until the block says
    bool above;              // from the block of the callee
    bool timed;
    double self, descendants;
    int64_t calls;
} edge;

struct pj_call_blocks {
    bool counts;
    pj_map numbers; // of functions, by index
    function *functions;
    size_t count, cap;
    edge *edges;
    size_t edge_count, edge_cap;
    size_t first_edge; // of the block
    uint32_t subject;  // of the block; PJ_NO_ITEM before it is met
    bool whole;        // the block is about a cycle: its lines are no calls
};

pj_call_blocks *pj_call_blocks_new(bool counts)
{
    pj_call_blocks *blocks = pj_take_memory(sizeof *blocks);
    *blocks = (pj_call_blocks){.counts = counts, .subject = PJ_NO_ITEM};
    return blocks;
}

void pj_call_blocks_free(pj_call_blocks *blocks)
{
    pj_map_free(&blocks->numbers);
    free(blocks->functions);
    free(blocks->edges);
    free(blocks);
}

/// A decimal fraction: whole numbers are numbers of calls.
static bool take_decimal(pj_str *rest, double *out)
{
    pj_str behind = *rest, word = pj_text_word(&behind);
    if (pj_str_find(word, '.') == word.len || !pj_text_number(word, out))
        return false;
    *rest = behind;
    return true;
}

static bool take_whole(pj_str text, int64_t *out)
{
    return text.len && text.at[0] != '-' && pj_parse_i64(text, out);
}

/// "7", "7+3", "7/12": calls, and recursive ones behind a plus.
static void take_calls(pj_str *rest, call_line *line)
{
    pj_str behind = *rest, word = pj_text_word(&behind);
    size_t plus = pj_str_find(word, '+'), slash = pj_str_find(word, '/');
    size_t end = plus < slash ? plus : slash;
    int64_t calls, more = 0;
    if (!take_whole(pj_str_head(word, end), &calls) ||
        (end < word.len && !take_whole(pj_str_from(word, end + 1), &more)))
        return;
    line->calls = calls;
    line->more_calls = plus < word.len ? more : 0;
    *rest = behind;
}

/// "[12]" or, of functions that are not shown, "(12)" at the end of a line.
static bool take_index(pj_str *rest, uint64_t *index)
{
    pj_str before = pj_str_trim(*rest);
    char last = before.len ? before.at[before.len - 1] : 0;
    size_t open = pj_str_find_last(before, last == ']' ? '[' : '(');
    if ((last != ']' && last != ')') || open == before.len ||
        !pj_parse_u64((pj_str){before.at + open + 1, before.len - open - 2}, index))
        return false;
    *rest = pj_str_trim(pj_str_head(before, open));
    return true;
}

/// Takes "<cycle 2>" off the end of a name.
static bool take_cycle(pj_str *name)
{
    size_t open = pj_str_find_last(*name, '<');
    if (open == 0 || open == name->len || !pj_str_ends(*name, PJ_S(">")) ||
        !pj_str_starts(pj_str_from(*name, open), PJ_S("<cycle ")))
        return false;
    *name = pj_str_trim(pj_str_head(*name, open));
    return true;
}

/// The "[12]" that a function's own line begins with.
static bool take_first_index(pj_str *rest)
{
    uint64_t index;
    pj_str behind = *rest, word = pj_text_word(&behind);
    if (!pj_str_starts(word, PJ_S("[")) || !pj_str_ends(word, PJ_S("]")) || word.len < 3 ||
        !pj_parse_u64((pj_str){word.at + 1, word.len - 2}, &index))
        return false;
    *rest = behind;
    return true;
}

static bool take_apart(pj_str text, bool counts, call_line *line)
{
    double share;
    *line = (call_line){.calls = -1};
    line->primary = text.len && text.at[0] == '[' && take_first_index(&text);
    if (line->primary && !take_decimal(&text, &share))
        return false;
    line->timed = take_decimal(&text, &line->self) && take_decimal(&text, &line->descendants);
    if (line->primary && !line->timed)
        return false;
    if (counts)
        take_calls(&text, line);
    if (!take_index(&text, &line->index) || !text.len)
        return false;
    line->whole = pj_str_starts(text, PJ_S("<cycle "));
    line->in_cycle = take_cycle(&text);
    line->name = text;
    return true;
}

/// The number of the function with the index of the line.
static uint32_t function_of(pj_call_blocks *blocks, const call_line *line)
{
    uint32_t number;
    if (pj_map_get(&blocks->numbers, line->index, &number))
        return number;
    if (blocks->count == blocks->cap)
        pj_grow(blocks->functions, &blocks->cap, blocks->count + 1);
    number = (uint32_t)blocks->count++;
    blocks->functions[number] = (function){.name = line->name, .index = line->index, .calls = -1};
    pj_map_put(&blocks->numbers, line->index, number);
    return number;
}

static void add_subject(pj_call_blocks *blocks, const call_line *line)
{
    uint32_t number = function_of(blocks, line);
    function *at = &blocks->functions[number];
    if (!at->told)
        *at = (function){.name = line->name,
                         .index = line->index,
                         .told = true,
                         .in_cycle = line->in_cycle,
                         .self = line->self,
                         .descendants = line->descendants,
                         .calls = line->calls,
                         .more_calls = line->more_calls};
    blocks->subject = number;
    for (size_t i = blocks->first_edge; i < blocks->edge_count; i++)
        blocks->edges[i].callee = number;
}

bool pj_call_blocks_line(pj_call_blocks *blocks, pj_str text)
{
    call_line line;
    if (!take_apart(text, blocks->counts, &line))
        return false;
    if (pj_str_equal(line.name, PJ_S("<spontaneous>")))
        return true;
    if (line.whole) {
        blocks->whole |= line.primary;
        return true;
    }
    if (line.primary) {
        add_subject(blocks, &line);
        return true;
    }
    uint32_t other = function_of(blocks, &line);
    bool above = blocks->subject == PJ_NO_ITEM;
    if (blocks->edge_count == blocks->edge_cap)
        pj_grow(blocks->edges, &blocks->edge_cap, blocks->edge_count + 1);
    blocks->edges[blocks->edge_count++] = (edge){.caller = above ? other : blocks->subject,
                                                 .callee = above ? PJ_NO_ITEM : other,
                                                 .above = above,
                                                 .timed = line.timed,
                                                 .self = line.self,
                                                 .descendants = line.descendants,
                                                 .calls = line.calls};
    return true;
}

void pj_call_blocks_end(pj_call_blocks *blocks)
{
    if (blocks->whole || blocks->subject == PJ_NO_ITEM)
        blocks->edge_count = blocks->first_edge;
    blocks->first_edge = blocks->edge_count;
    blocks->subject = PJ_NO_ITEM;
    blocks->whole = false;
}

static int by_ends(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    return (int)x->above - (int)y->above;
}

typedef struct columns {
    uint32_t location;
    uint32_t self, total, calls, primitive;
    uint32_t edge_self, edge_total, edge_calls;
} columns;

static columns add_columns(pj_build *b, bool counts)
{
    columns c = {.calls = PJ_NO_ITEM};
    c.location = pj_build_location(
        b, (pj_profile_location){.rank = -1, .thread = -1, .kind = PJ_LOCATION_PROCESS});
    uint32_t time = pj_build_measure(
        b, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    c.self = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    c.total = pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, time, false);
    c.edge_self = pj_build_column(b, PJ_AT_EDGE, PJ_EXCLUSIVE, time, false);
    c.edge_total = pj_build_column(b, PJ_AT_EDGE, PJ_INCLUSIVE, time, false);
    if (!counts)
        return c;
    c.calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
    c.primitive = pj_build_column(b, PJ_AT_REGION, PJ_PRIMITIVE_CALLS, PJ_NO_ITEM, true);
    c.edge_calls = pj_build_column(b, PJ_AT_EDGE, PJ_CALLS, PJ_NO_ITEM, true);
    return c;
}

/// The region of a function. Of several with one name, all but the first are told apart by index.
static uint32_t region_of(pj_build *b, const function *at, pj_map *taken)
{
    char index[32];
    uint32_t owner, name = pj_build_text(b, at->name);
    if (!pj_map_get(taken, name, &owner)) {
        pj_map_put(taken, name, 1);
        return pj_build_region_of(b, name, 0, 0);
    }
    int len = snprintf(index, sizeof index, "[%llu]", (unsigned long long)at->index);
    return pj_build_region_apart(b, name, 0, 0, pj_build_text(b, (pj_str){index, (size_t)len}));
}

static void add_functions(pj_call_blocks *blocks, pj_build *b, const columns *to)
{
    pj_map taken = {.entries = NULL};
    for (size_t i = 0; i < blocks->count; i++) {
        function *at = &blocks->functions[i];
        at->region = region_of(b, at, &taken);
        if (!at->told)
            continue;
        pj_build_add(b, to->self, at->region, to->location, at->self);
        pj_build_add(b, to->total, at->region, to->location, at->self + at->descendants);
        if (at->in_cycle)
            pj_build_odd(b, PJ_ODDITY_cycle_members, 0);
        if (at->calls < 0)
            continue;
        pj_build_count(b, to->calls, at->region, to->location, at->calls + at->more_calls);
        pj_build_count(b, to->primitive, at->region, to->location, at->calls);
    }
    pj_map_free(&taken);
}

static void add_edges(pj_call_blocks *blocks, pj_build *b, const columns *to)
{
    if (!pj_sort_records(blocks->edges, blocks->edge_count, sizeof *blocks->edges, by_ends,
                         pj_build_stop(b)))
        return;
    const edge *last = NULL;
    for (size_t i = 0; i < blocks->edge_count; i++) {
        const edge *at = &blocks->edges[i];
        if (last && last->caller == at->caller && last->callee == at->callee)
            continue;
        last = at;
        uint32_t number = pj_build_edge(b, blocks->functions[at->caller].region,
                                        blocks->functions[at->callee].region);
        if (at->timed) {
            pj_build_add(b, to->edge_self, number, to->location, at->self);
            pj_build_add(b, to->edge_total, number, to->location, at->self + at->descendants);
        }
        if (at->calls >= 0)
            pj_build_count(b, to->edge_calls, number, to->location, at->calls);
    }
}

bool pj_call_blocks_build(pj_call_blocks *blocks, pj_build *build)
{
    pj_call_blocks_end(blocks);
    if (!blocks->count)
        return false;
    pj_build_profile(build)->shape = PJ_SHAPE_GRAPH;
    columns to = add_columns(build, blocks->counts);
    add_functions(blocks, build, &to);
    add_edges(blocks, build, &to);
    return true;
}
