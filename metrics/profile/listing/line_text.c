// Prints line_profiler's and memory_profiler's listings byte for byte as they do.
#include "metrics/profile/listing/line_text.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/listing/line_source.h"
#include "metrics/profile/listing/python_block.h"
#include "metrics/profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// A line with its values over all locations.
typedef struct told {
    uint32_t line;   // of the profile
    uint32_t number; // in its file
    double hits, ticks, least, most;
} told;

/// A function and its lines, in their order.
typedef struct function {
    uint32_t region;
    told *lines;
    size_t count;
    double ticks;
    pj_str source; // from its first line on; empty = not found
    size_t shown;  // lines of it
} function;

typedef struct listing {
    const pj_profile *p;
    pj_line_text_opts opts;
    pj_buf *out;
    pj_arena *arena;
    const pj_profile_column *hits, *value, *growth;
    double unit; // seconds of a tick
    pj_line_source source;
    function *functions;
    size_t count;
} listing;

static const pj_profile_column *line_column(const pj_profile *p, const char *key)
{
    uint32_t measure = pj_profile_measure(p, pj_str_of(key));
    return measure == PJ_NO_ITEM ? NULL : pj_profile_find(p, PJ_AT_LINE, PJ_EXCLUSIVE, measure);
}

bool pj_line_text_has_time(const pj_profile *profile)
{
    return profile->count[PJ_AT_LINE] && line_column(profile, "time");
}

bool pj_line_text_has_memory(const pj_profile *profile)
{
    return profile->count[PJ_AT_LINE] && line_column(profile, "memory");
}

/// Ticks of a line: hits and ticks of the source are whole, and so are their sums.
static told tell_line(const listing *all, uint32_t line)
{
    told at = {.line = line,
               .number = all->p->lines[line].line,
               .hits = NAN,
               .ticks = NAN,
               .least = NAN,
               .most = NAN};
    for (uint32_t location = 0; location < all->p->location_count; location++) {
        double hits = pj_profile_value(all->p, all->hits, line, location);
        double time = pj_profile_value(all->p, all->value, line, location);
        double ticks = all->p->tick > 0 ? rint(time / all->unit * 1e3) / 1e3 : time / all->unit;
        if (isnan(time))
            continue;
        at.hits = isnan(at.hits) ? hits : at.hits + hits;
        at.ticks = isnan(at.ticks) ? ticks : at.ticks + ticks;
        at.least = fmin(at.least, ticks);
        at.most = fmax(at.most, ticks);
    }
    return at;
}

static int by_number(const void *a, const void *b)
{
    const told *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/// Regions with their lines; those of files by line alone have none.
static void collect(listing *all)
{
    const pj_profile *p = all->p;
    uint32_t regions = p->count[PJ_AT_REGION];
    size_t *counts = pj_new_n(all->arena, size_t, regions + (size_t)1);
    all->functions = pj_new_n(all->arena, function, regions + (size_t)1);
    all->count = regions;
    for (uint32_t i = 0; i < p->count[PJ_AT_LINE]; i++)
        counts[p->lines[i].region]++;
    for (uint32_t i = 0; i < regions; i++) {
        all->functions[i].region = i;
        all->functions[i].lines = pj_new_n(all->arena, told, counts[i] + 1);
    }
    for (uint32_t i = 0; i < p->count[PJ_AT_LINE]; i++) {
        function *at = &all->functions[p->lines[i].region];
        told line = tell_line(all, i);
        at->ticks += isnan(line.ticks) ? 0 : line.ticks;
        at->lines[at->count++] = line;
    }
    for (uint32_t i = 0; i < regions; i++)
        qsort(all->functions[i].lines, all->functions[i].count, sizeof(told), by_number);
}

static pj_str file_of(const listing *all, const function *at)
{
    return pj_profile_text(all->p, all->p->regions[at->region].file);
}

/// Order by file, first line and name; regions are few, and their texts are compared rarely.
static bool is_before(const listing *all, const function *a, const function *b)
{
    const pj_profile_region *x = &all->p->regions[a->region], *y = &all->p->regions[b->region];
    int order = x->file == y->file ? 0 : pj_str_order(file_of(all, a), file_of(all, b));
    if (order)
        return order < 0;
    if (x->line != y->line)
        return x->line < y->line;
    return pj_str_order(pj_profile_name(all->p, a->region), pj_profile_name(all->p, b->region)) < 0;
}

/// Merges two sorted halves of `from` into `to`.
static void merge(const listing *all, const function *from, function *to, size_t half, size_t count)
{
    size_t a = 0, b = half;
    for (size_t i = 0; i < count; i++)
        to[i] =
            b == count || (a < half && !is_before(all, &from[b], &from[a])) ? from[a++] : from[b++];
}

/// Sorts by halves from the bottom up: qsort cannot be told of the profile.
static void sort_functions(listing *all)
{
    function *from = all->functions;
    function *to = pj_new_n(all->arena, function, all->count + 1);
    for (size_t width = 1; width < all->count; width *= 2) {
        for (size_t first = 0; first < all->count; first += 2 * width) {
            size_t left = all->count - first;
            size_t count = left < 2 * width ? left : 2 * width;
            merge(all, from + first, to + first, width < count ? width : count, count);
        }
        function *other = from;
        from = to;
        to = other;
    }
    all->functions = from;
}

/// The lines of a function: those of its block in the source, else as far as the profile goes.
static void find_source(listing *all, function *at)
{
    const pj_profile_region *region = &all->p->regions[at->region];
    at->source = pj_line_source_from(&all->source, region->file, region->line);
    uint32_t last = at->count ? at->lines[at->count - 1].number : 0;
    at->shown = last >= region->line ? last - region->line + 1 : 1;
    if (at->source.len)
        at->shown = pj_python_block(at->source);
}

/// Texts of the columns, each right in its width; blank where the line was not executed.
enum { HITS, TIME, PER_HIT, SHARE, LEAST, MOST, COLUMNS, CELL = 32 };

static const unsigned widths[COLUMNS] = {9, 12, 8, 8, 12, 12};

typedef struct row {
    char text[COLUMNS][CELL];
    unsigned len[COLUMNS];
} row;

static size_t put_digits(uint64_t number, char *end)
{
    size_t len = 0;
    do
        end[-(ptrdiff_t)++len] = (char)('0' + number % 10);
    while (number /= 10);
    return len;
}

/// One decimal, as "%.1f" has it: where a tenth more or less is not sure, that decides.
static unsigned put_tenths(double value, char *out)
{
    double scaled = value * 10;
    double over = scaled < 1e9 ? scaled - floor(scaled) : 0.5;
    if (!(scaled >= 0) || fabs(over - 0.5) < 1e-5)
        return (unsigned)snprintf(out, CELL, "%.1f", value);
    uint64_t tenths = (uint64_t)scaled + (over > 0.5);
    char digits[CELL];
    size_t len = put_digits(tenths / 10, digits + CELL);
    memcpy(out, digits + CELL - len, len);
    out[len] = '.';
    out[len + 1] = (char)('0' + tenths % 10);
    return (unsigned)len + 2;
}

static void put_number(row *r, unsigned column, double value)
{
    r->len[column] = isnan(value) ? 0 : put_tenths(value, r->text[column]);
}

static row make_row(const listing *all, const function *at, const told *line)
{
    row r = {.len = {0}};
    double scale = all->unit / all->opts.unit;
    if (!line || isnan(line->ticks))
        return r;
    put_number(&r, HITS, line->hits);
    r.len[HITS] -= r.len[HITS] > 2 ? 2 : 0; // it is whole
    put_number(&r, TIME, line->ticks * scale);
    if (line->hits > 0)
        put_number(&r, PER_HIT, line->ticks * scale / line->hits);
    if (at->ticks > 0)
        put_number(&r, SHARE, 100 * line->ticks / at->ticks);
    put_number(&r, LEAST, line->least * scale);
    put_number(&r, MOST, line->most * scale);
    return r;
}

static void add_right(pj_buf *out, const char *text, unsigned len, unsigned width)
{
    char *at = pj_buf_room(out, CELL + width);
    unsigned blanks = len < width ? width - len : 0;
    memset(at, ' ', blanks);
    memcpy(at + blanks, text, len);
    out->len += blanks + len;
}

/// Several locations have two columns more.
static void add_row(listing *all, pj_str number, const row *r, pj_str source)
{
    unsigned columns = all->p->location_count > 1 ? COLUMNS : LEAST;
    add_right(all->out, number.at, (unsigned)number.len, 6);
    for (unsigned i = 0; i < columns; i++) {
        pj_buf_add_char(all->out, ' ');
        add_right(all->out, r->text[i], r->len[i], widths[i]);
    }
    pj_buf_add(all->out, PJ_S("  "));
    pj_buf_add(all->out, source);
    pj_buf_add_char(all->out, '\n');
}

static void add_header(listing *all)
{
    static const row titles = {{"Hits", "Time", "Per Hit", "% Time", "Least", "Most"},
                               {4, 4, 7, 6, 5, 4}};
    size_t first = all->out->len;
    add_row(all, PJ_S("Line #"), &titles, PJ_S("Line Contents"));
    size_t width = all->out->len - first - 1;
    for (size_t i = 0; i < width; i++)
        pj_buf_add_char(all->out, '=');
    pj_buf_add_char(all->out, '\n');
}

/// Where the sources are not at hand, the profile may have the text of a line itself.
static pj_str text_of(const listing *all, const told *line)
{
    return line ? pj_profile_text(all->p, all->p->lines[line->line].text) : PJ_S("");
}

/// Lines without source are shown one by one, unless a long part of a file lies between two.
static void add_lines(listing *all, function *at)
{
    enum { GAP = 100000 };
    const pj_profile_region *region = &all->p->regions[at->region];
    pj_str rest = at->source;
    size_t next = 0;
    for (size_t i = 0; i < at->shown; i++) {
        char number[CELL];
        uint32_t line = region->line + (uint32_t)i;
        while (next < at->count && at->lines[next].number < line)
            next++;
        if (!at->source.len && next < at->count && at->lines[next].number - line > GAP) {
            line = at->lines[next].number;
            i = line - region->line;
        }
        bool has = next < at->count && at->lines[next].number == line;
        const told *values = has ? &at->lines[next] : NULL;
        row r = make_row(all, at, values);
        size_t digits = put_digits(line, number + CELL);
        pj_str text = {number + CELL - digits, digits};
        add_row(all, text, &r, at->source.len ? pj_line_source_cut(&rest) : text_of(all, values));
    }
}

static void add_function(listing *all, function *at)
{
    pj_str file = file_of(all, at), name = pj_profile_name(all->p, at->region);
    find_source(all, at);
    bool texts = at->count && text_of(all, &at->lines[0]).len;
    pj_buf_addf(all->out, "Total time: %g s\n", at->ticks * all->unit);
    if (at->source.len || texts)
        pj_buf_addf(all->out, "File: " PJ_STR_FMT "\nFunction: " PJ_STR_FMT " at line %u\n",
                    PJ_STR_ARG(file), PJ_STR_ARG(name), (unsigned)all->p->regions[at->region].line);
    else
        pj_buf_addf(all->out,
                    "\nCould not find file " PJ_STR_FMT "\n"
                    "Are you sure you are running this program from the same directory\n"
                    "that you ran the profiler from?\n"
                    "Continuing without the function's contents.\n",
                    PJ_STR_ARG(file));
    pj_buf_add_char(all->out, '\n');
    add_header(all);
    add_lines(all, at);
    pj_buf_add_char(all->out, '\n');
}

static void add_times(listing *all)
{
    pj_buf_addf(all->out, "Timer unit: %g s\n\n", all->opts.unit);
    for (size_t i = 0; i < all->count; i++)
        if (all->functions[i].ticks > 0 || !all->opts.skip_zero)
            add_function(all, &all->functions[i]);
}

/// Largest memory, summed growth and occurrences of a line; NaN where there are none.
static void tell_memory(const listing *all, uint32_t line, double *memory, double *growth,
                        double *times)
{
    *memory = *growth = *times = NAN;
    for (uint32_t location = 0; location < all->p->location_count; location++) {
        double here = pj_profile_value(all->p, all->growth, line, location);
        double hits = pj_profile_value(all->p, all->hits, line, location);
        *memory = fmax(*memory, pj_profile_value(all->p, all->value, line, location));
        if (!isnan(here))
            *growth = isnan(*growth) ? here : *growth + here;
        if (!isnan(hits))
            *times = isnan(*times) ? hits : *times + hits;
    }
}

static void add_memory_row(listing *all, uint32_t line)
{
    double memory, growth, times;
    char cells[3][40] = {"", "", ""};
    tell_memory(all, line, &memory, &growth, &times);
    if (!isnan(memory))
        snprintf(cells[0], sizeof cells[0], "%7.3f MiB", memory);
    if (!isnan(growth))
        snprintf(cells[1], sizeof cells[1], "%7.3f MiB", growth);
    if (!isnan(times))
        snprintf(cells[2], sizeof cells[2], "%.0f", times);
    pj_str text = pj_profile_text(all->p, all->p->lines[line].text);
    pj_buf_addf(all->out, "%6u %12s %12s  %10s   " PJ_STR_FMT "\n",
                (unsigned)all->p->lines[line].line, cells[0], cells[1], cells[2], PJ_STR_ARG(text));
}

/// Tables stand in the order of the profile, as memory_profiler has them.
static void add_memory(listing *all)
{
    static const char header[] = "Line #    Mem usage    Increment  Occurrences   Line Contents\n"
                                 "=============================================================\n";
    for (size_t i = 0; i < all->count; i++) {
        function *at = &all->functions[i];
        if (!at->count)
            continue;
        pj_buf_addf(all->out, "Filename: " PJ_STR_FMT "\n\n%s", PJ_STR_ARG(file_of(all, at)),
                    header);
        for (size_t k = 0; k < at->count; k++)
            add_memory_row(all, at->lines[k].line);
        pj_buf_puts(all->out, "\n\n");
    }
}

bool pj_line_text(const pj_profile *profile, pj_line_text_opts opts, pj_buf *out, pj_err *err)
{
    bool memory = pj_line_text_has_memory(profile);
    if (!memory && !pj_line_text_has_time(profile))
        return pj_fail(err, PJ_E_MISSING, profile->file_count ? profile->files[0] : "", 0,
                       "has no values by line: line_profiler (.lprof) and memory_profiler do");
    pj_auto_arena arena = pj_arena_new(NULL);
    if (opts.unit <= 0)
        opts.unit = 1e-6;
    listing all = {.p = profile,
                   .opts = opts,
                   .out = out,
                   .arena = arena,
                   .source = {.profile = profile, .folder = opts.source, .arena = arena}};
    all.unit = profile->tick > 0 ? profile->tick : 1e-9;
    all.hits = pj_profile_find(profile, PJ_AT_LINE, PJ_CALLS, PJ_NO_ITEM);
    all.value = line_column(profile, memory ? "memory" : "time");
    all.growth = line_column(profile, "increment");
    collect(&all);
    if (memory) {
        add_memory(&all);
    } else {
        sort_functions(&all);
        add_times(&all);
    }
    pj_line_source_free(&all.source);
    return true;
}
