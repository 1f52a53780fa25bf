// Lines of TAU's text files. Announced counts are compared with the lines that are there; nothing
// is made of them.
#include "metrics/read/profile/tau/tau_text.h"

#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"

#include <stdlib.h>

enum { LINE_MAX = 1 << 20 };

typedef struct lines {
    pj_tau_text *text;
    pj_str rest;
    uint64_t number; // of the line that was taken last
    bool squares;    // there is a column of squares
} lines;

static bool fail(const lines *l, const char *what)
{
    l->text->what = what;
    l->text->line = l->number;
    return false;
}

static pj_str take_line(lines *l)
{
    l->number++;
    return pj_str_trim(pj_str_cut(&l->rest, '\n'));
}

// Numbers

/// Plain digits, as nearly all numbers here are; what has more to it is read in full.
static bool parse_number(pj_str word, double *value)
{
    enum { EXACT_DIGITS = 15 };
    uint64_t whole = 0;
    size_t i = word.len && word.at[0] == '-';
    if (word.len > i && word.len <= EXACT_DIGITS) {
        for (; i < word.len && word.at[i] >= '0' && word.at[i] <= '9'; i++)
            whole = whole * 10 + (uint64_t)(word.at[i] - '0');
        if (i == word.len) {
            *value = word.at[0] == '-' ? -(double)whole : (double)whole;
            return true;
        }
    }
    return pj_parse_double(word, value) && isfinite(*value);
}

static bool take_number(pj_str *rest, double *value)
{
    *rest = pj_str_trim(*rest);
    return parse_number(pj_str_cut(rest, ' '), value);
}

static bool take_numbers(pj_str *rest, double *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!take_number(rest, &values[i]))
            return false;
    return true;
}

// Names

/// Cuts the name from a line. Names may hold quotes: of a function the last two of the line are
/// those of GROUP="...", so that the name ends at the one before; of an event it ends at the last.
static bool take_name(pj_str *rest, pj_str *name, bool function)
{
    pj_str line = *rest;
    if (!line.len || line.at[0] != '"')
        return false;
    size_t last[3] = {0, 0, 0}, quotes = 0; // where the last three are
    for (size_t at = 0; at < line.len; at += 1 + pj_str_find(pj_str_from(line, at + 1), '"')) {
        last[0] = last[1];
        last[1] = last[2];
        last[2] = at;
        quotes++;
    }
    if (quotes < 2)
        return false;
    size_t close = quotes == 3 ? last[1] : last[function && quotes > 3 ? 0 : 2];
    *name = pj_str_head(pj_str_from(line, 1), close - 1);
    *rest = pj_str_from(line, close + 1);
    return true;
}

// Metadata

static void add_unescaped(pj_str text, pj_buf *out)
{
    static const struct entity {
        const char *name;
        char c;
    } entities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    enum { ENTITIES = sizeof entities / sizeof *entities };
    while (text.len) {
        size_t i = 0;
        while (i < ENTITIES && !pj_str_starts(text, pj_str_of(entities[i].name)))
            i++;
        pj_buf_add_char(out, i < ENTITIES ? entities[i].c : text.at[0]);
        text = pj_str_from(text, i < ENTITIES ? strlen(entities[i].name) : 1);
    }
}

/// What stands between two tags, behind which `*rest` goes on.
static bool take_element(pj_str *rest, pj_str open, pj_str close, pj_str *inside)
{
    const char *from = rest->len ? memmem(rest->at, rest->len, open.at, open.len) : NULL;
    if (!from)
        return false;
    pj_str behind = pj_str_from(*rest, (size_t)(from - rest->at) + open.len);
    const char *to = behind.len ? memmem(behind.at, behind.len, close.at, close.len) : NULL;
    if (!to)
        return false;
    *inside = pj_str_head(behind, (size_t)(to - behind.at));
    *rest = pj_str_from(behind, inside->len + close.len);
    return true;
}

static bool take_attribute(pj_str *rest, pj_str *name, pj_str *value)
{
    return take_element(rest, PJ_S("<name>"), PJ_S("</name>"), name) &&
           take_element(rest, PJ_S("<value>"), PJ_S("</value>"), value);
}

static void add_metadata(const pj_tau_text *text, pj_str rest)
{
    pj_auto_buf key = {.at = NULL}, plain = {.at = NULL};
    pj_str name, value;
    while (take_attribute(&rest, &name, &value)) {
        key.len = plain.len = 0;
        add_unescaped(name, &key);
        add_unescaped(value, &plain);
        pj_build_pair(text->trial->build, text->location, pj_buf_str(&key), pj_buf_str(&plain));
    }
}

pj_str pj_tau_text_metric(pj_str bytes)
{
    pj_str first = pj_str_trim(pj_str_cut(&bytes, '\n')), second = pj_str_cut(&bytes, '\n');
    pj_str name, value;
    while (take_attribute(&second, &name, &value))
        if (pj_str_equal(name, PJ_S("Metric Name")))
            return value;
    static const char mark[] = "_MULTI_";
    const char *at = first.len ? memmem(first.at, first.len, mark, sizeof mark - 1) : NULL;
    if (!at)
        return PJ_S("Time");
    first = pj_str_from(first, (size_t)(at - first.at) + sizeof mark - 1);
    if (pj_str_ends(first, PJ_S("_hw_counters")))
        first.len -= sizeof "_hw_counters" - 1;
    return first;
}

// Functions

static void add_groups(const pj_tau_text *text, uint32_t function, pj_str rest)
{
    enum { GROUPS_MAX = 64 };
    uint32_t groups[GROUPS_MAX], count = 0;
    size_t open = pj_str_find(rest, '"');
    rest = pj_str_from(rest, open + 1);
    rest = pj_str_head(rest, pj_str_find_last(rest, '"'));
    while (rest.len && count < GROUPS_MAX) {
        pj_str group = pj_str_trim(pj_str_cut(&rest, '|'));
        if (group.len)
            groups[count++] = pj_build_text(text->trial->build, group);
    }
    pj_trial_groups(text->trial, function, groups, count);
}

static bool read_function(lines *l, pj_str line)
{
    enum { CALLS, SUBRS, EXCLUSIVE, INCLUSIVE, NUMBERS };
    const pj_tau_text *text = l->text;
    double n[NUMBERS], unused[2];
    pj_str name;
    if (line.len > LINE_MAX)
        return fail(l, "the line is longer than 1 MiB");
    if (!take_name(&line, &name, true) || !take_numbers(&line, n, NUMBERS) ||
        !take_numbers(&line, unused, l->squares ? 2 : 1))
        return fail(l, "the line is no function with calls, subroutines and two times");
    uint32_t function = pj_trial_function_of(text->trial, name);
    if (!text->trial->functions[function].group_count)
        add_groups(text, function, line);
    bool fresh;
    size_t record = pj_trial_record_of(text->trial, function, text->location, &fresh);
    if (text->metric == 0 || fresh) { // calls are those of the first metric that has the function
        text->trial->records[record].calls += n[CALLS];
        text->trial->records[record].child_calls += n[SUBRS];
        if (!fresh)
            pj_build_odd(text->trial->build, PJ_ODDITY_equal_entries, l->number);
    }
    pj_trial_add(text->trial, record, text->metric, n[EXCLUSIVE], n[INCLUSIVE], l->number);
    return true;
}

static bool read_functions(lines *l, uint64_t announced)
{
    uint64_t found = 0;
    while (l->rest.len && l->rest.at[0] == '"') {
        if (!read_function(l, take_line(l)))
            return false;
        found++;
    }
    l->number += found < announced; // where the next one was to be
    return found >= announced || fail(l, "fewer functions follow than the first line says");
}

// User events

static bool read_event(const lines *l, pj_str line)
{
    enum { COUNT, MAX, MIN, MEAN, SQUARES, NUMBERS };
    double n[NUMBERS];
    pj_str name;
    if (line.len > LINE_MAX || !take_name(&line, &name, false) || !take_numbers(&line, n, NUMBERS))
        return false;
    pj_build_event(
        l->text->trial->build,
        (pj_profile_event){.name = pj_build_text(l->text->trial->build, pj_str_trim(name)),
                           .location = l->text->location,
                           .count = n[COUNT],
                           .max = n[MAX],
                           .min = n[MIN],
                           .mean = n[MEAN],
                           .sum_of_squares = n[SQUARES]});
    return true;
}

static void read_events(lines *l)
{
    pj_build *build = l->text->trial->build;
    uint64_t announced = 0, found = 0;
    while (l->rest.len) {
        pj_str line = take_line(l);
        if (!line.len || line.at[0] == '#')
            continue;
        if (line.at[0] != '"') {
            pj_parse_u64(pj_str_head(line, pj_str_find(line, ' ')), &announced);
            continue;
        }
        found++;
        if (!read_event(l, line))
            pj_build_odd(build, PJ_ODDITY_malformed_record, l->number);
    }
    if (found < announced)
        pj_build_odd(build, PJ_ODDITY_ends_early, l->number);
}

bool pj_tau_text_read(pj_tau_text *text, pj_str bytes)
{
    lines l = {.text = text, .rest = bytes};
    uint64_t functions, aggregates = 0;
    pj_str first = take_line(&l);
    if (!pj_parse_u64(pj_str_head(first, pj_str_find(first, ' ')), &functions))
        return fail(&l, "the first line does not say how many functions there are");
    pj_str header = take_line(&l);
    l.squares = pj_str_contains(pj_str_head(header, pj_str_find(header, '<')), PJ_S("SumExclSqr"));
    if (text->metric == 0)
        add_metadata(text, header);
    if (!read_functions(&l, functions))
        return false;
    pj_str line = take_line(&l);
    if (pj_str_ends(line, PJ_S("aggregates")))
        pj_parse_u64(pj_str_head(line, pj_str_find(line, ' ')), &aggregates);
    else
        pj_build_odd(text->trial->build, PJ_ODDITY_ends_early, l.number);
    while (aggregates-- > 0 && l.rest.len)
        take_line(&l);
    if (text->metric == 0)
        read_events(&l);
    return true;
}
