// Text for text as pstats has it: columns, blanks, the sentence for each restriction.
#include "metrics/profile/listing/pstats_listing.h"

#include "metrics/base/arena.h"
#include "metrics/base/job.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/derive/profile_merge.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_table.h"

#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

typedef struct numbers {
    int64_t calls, primitive; // 0 where they are unknown
    double exclusive, inclusive;
    bool has_time;
} numbers;

typedef struct listing {
    const pj_profile *p;
    const pj_pstats_ask *ask;
    pj_arena *arena;
    numbers *of;     // by region
    numbers *edge;   // by edge
    pj_str *names;   // as printed
    uint32_t *order; // the functions that are left
    size_t count, all;
    const struct list_key *keys[16];
    size_t key_count;
    bool reversed;
    pj_buf restrictions;
} listing;

typedef struct list_key {
    const char *name, *title;
    const char *parts; // what is compared in turn: c p t u (numbers downwards), f l n s (upwards)
} list_key;

static const list_key list_keys[] = {
    {"calls", "call count", "c"},        {"ncalls", "call count", "c"},
    {"cumtime", "cumulative time", "u"}, {"cumulative", "cumulative time", "u"},
    {"filename", "file name", "f"},      {"line", "line number", "l"},
    {"module", "file name", "f"},        {"name", "function name", "n"},
    {"nfl", "name/file/line", "nfl"},    {"pcalls", "primitive call count", "p"},
    {"stdname", "standard name", "s"},   {"time", "internal time", "t"},
    {"tottime", "internal time", "t"},
};

static bool find_key(listing *l, pj_str asked, pj_err *err)
{
    const list_key *found = NULL;
    for (size_t i = 0; i < sizeof list_keys / sizeof *list_keys; i++) {
        pj_str name = pj_str_of(list_keys[i].name);
        if (!pj_str_starts(name, asked))
            continue;
        bool other = found && strcmp(found->parts, list_keys[i].parts) != 0;
        if (other && !pj_str_equal(name, asked))
            return pj_fail(err, PJ_E_USAGE, NULL, 0,
                           "sort: \"" PJ_STR_FMT "\" begins several keys of pstats",
                           PJ_STR_ARG(asked));
        found = &list_keys[i];
        if (pj_str_equal(name, asked))
            break;
    }
    if (!found || l->key_count == sizeof l->keys / sizeof *l->keys)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "sort: pstats has no key \"" PJ_STR_FMT
                       "\"; valid: calls, cumulative, filename, line, module, name, nfl, pcalls, "
                       "stdname, time",
                       PJ_STR_ARG(asked));
    l->keys[l->key_count++] = found;
    return true;
}

static int compare_part(const listing *l, char part, uint32_t a, uint32_t b)
{
    const numbers *x = &l->of[a], *y = &l->of[b];
    const pj_profile_region *r = &l->p->regions[a], *q = &l->p->regions[b];
    switch (part) {
    case 'c':
        return (x->calls < y->calls) - (x->calls > y->calls);
    case 'p':
        return (x->primitive < y->primitive) - (x->primitive > y->primitive);
    case 't':
        return (x->exclusive < y->exclusive) - (x->exclusive > y->exclusive);
    case 'u':
        return (x->inclusive < y->inclusive) - (x->inclusive > y->inclusive);
    case 'f':
        return pj_str_order(l->p->texts[r->file], l->p->texts[q->file]);
    case 'l':
        return (r->line > q->line) - (r->line < q->line);
    case 'n':
        return pj_str_order(l->p->texts[r->name], l->p->texts[q->name]);
    default:
        return pj_str_order(l->names[a], l->names[b]);
    }
}

static int by_keys(const void *a, const void *b, void *context)
{
    const listing *l = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    for (size_t k = 0; k < l->key_count; k++)
        for (const char *part = l->keys[k]->parts; *part; part++) {
            int order = compare_part(l, *part, x, y);
            if (order)
                return order;
        }
    return (x > y) - (x < y);
}

/// As Python orders tuples (file, line, name).
static int by_tuple(const void *a, const void *b, void *context)
{
    const listing *l = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = compare_part(l, 'f', x, y);
    order = order ? order : compare_part(l, 'l', x, y);
    return order ? order : compare_part(l, 'n', x, y);
}

static int64_t sum_calls(const pj_profile *p, pj_site site, pj_value_part part, uint32_t item)
{
    const pj_profile_column *column = pj_profile_find(p, site, part, PJ_NO_ITEM);
    int64_t sum = 0;
    for (uint32_t at = 0; column && at < p->location_count; at++) {
        size_t cell = (size_t)item * p->location_count + at;
        double real = pj_profile_value(p, column, item, at);
        if (!isnan(real))
            sum += column->whole ? column->integer[cell] : llround(real);
    }
    return sum;
}

static numbers sum_item(const pj_profile *p, pj_site site, uint32_t item, uint32_t measure)
{
    numbers n = {.calls = sum_calls(p, site, PJ_CALLS, item),
                 .primitive = sum_calls(p, site, PJ_PRIMITIVE_CALLS, item)};
    const pj_profile_column *own = pj_profile_find(p, site, PJ_EXCLUSIVE, measure);
    const pj_profile_column *all = pj_profile_find(p, site, PJ_INCLUSIVE, measure);
    for (uint32_t at = 0; at < p->location_count; at++) {
        double exclusive = pj_profile_value(p, own, item, at);
        double inclusive = pj_profile_value(p, all, item, at);
        n.has_time = n.has_time || !isnan(exclusive) || !isnan(inclusive);
        n.exclusive += isnan(exclusive) ? 0 : exclusive;
        n.inclusive += isnan(inclusive) ? 0 : inclusive;
    }
    return n;
}

/// pstats' func_std_string.
static pj_str std_name(const pj_profile *p, uint32_t region, pj_arena *arena)
{
    const pj_profile_region *r = &p->regions[region];
    pj_str name = p->texts[r->name], file = p->texts[r->file];
    bool builtin = pj_str_equal(file, PJ_S("~")) && r->line == 0;
    bool angles = name.len > 1 && name.at[0] == '<' && name.at[name.len - 1] == '>';
    const char *text;
    if (builtin && angles)
        text = pj_arena_format(arena, "{%.*s}", (int)name.len - 2, name.at + 1);
    else if (builtin)
        return name;
    else
        text = pj_arena_format(arena, PJ_STR_FMT ":%u(" PJ_STR_FMT ")", PJ_STR_ARG(file), r->line,
                               PJ_STR_ARG(name));
    return pj_str_of(text);
}

static void sum_up(listing *l, uint32_t measure)
{
    const pj_profile *p = l->p;
    uint32_t regions = p->count[PJ_AT_REGION], edges = p->count[PJ_AT_EDGE];
    l->of = pj_new_n(l->arena, numbers, regions + (size_t)1);
    l->edge = pj_new_n(l->arena, numbers, edges + (size_t)1);
    l->names = pj_new_n(l->arena, pj_str, regions + (size_t)1);
    l->order = pj_new_n(l->arena, uint32_t, regions + (size_t)1);
    for (uint32_t r = 0; r < regions; r++) {
        l->of[r] = sum_item(p, PJ_AT_REGION, r, measure);
        l->names[r] = std_name(p, r, l->arena);
        if (l->of[r].has_time || l->of[r].calls)
            l->order[l->count++] = r;
    }
    for (uint32_t e = 0; e < edges; e++)
        l->edge[e] = sum_item(p, PJ_AT_EDGE, e, measure);
    l->all = l->count;
}

static void say_reduced(listing *l, size_t before, const char *restriction)
{
    if (l->count != before)
        pj_buf_addf(&l->restrictions, "   List reduced from %zu to %zu due to restriction <%s>\n",
                    before, l->count, restriction);
}

static bool keep_matching(listing *l, pj_err *err)
{
    const char *text = pj_arena_text(l->arena, l->ask->match);
    regex_t pattern;
    char why[128];
    int status = regcomp(&pattern, text, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        regerror(status, &pattern, why, sizeof why);
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "match: \"%s\" is no regular expression: %s", text,
                       why);
    }
    size_t before = l->count, kept = 0;
    for (size_t i = 0; i < before; i++) {
        const char *name = pj_arena_text(l->arena, l->names[l->order[i]]);
        if (regexec(&pattern, name, 0, NULL, 0) == 0)
            l->order[kept++] = l->order[i];
    }
    regfree(&pattern);
    l->count = kept;
    say_reduced(l, before, pj_arena_format(l->arena, "'%s'", text));
    return true;
}

static bool restrict_rows(listing *l, pj_err *err)
{
    size_t before = l->count;
    if (l->ask->first_part > 0) {
        l->count = (size_t)((double)before * l->ask->first_part + 0.5);
        say_reduced(l, before, pj_arena_format(l->arena, "%g", l->ask->first_part));
    }
    if (l->ask->match.len && !keep_matching(l, err))
        return false;
    before = l->count;
    if (l->ask->first && l->ask->first < before) {
        l->count = (size_t)l->ask->first;
        say_reduced(l, before, pj_arena_format(l->arena, "%zu", l->count));
    }
    return true;
}

static void print_files(const listing *l, pj_buf *out)
{
    for (uint32_t f = 0; f < l->p->file_count; f++) {
        struct stat facts;
        struct tm when;
        char date[64] = "";
        if (stat(l->p->files[f], &facts) == 0 && localtime_r(&facts.st_mtime, &when) &&
            strftime(date, sizeof date, "%a %b %e %H:%M:%S %Y    ", &when) == 0)
            date[0] = '\0';
        pj_buf_addf(out, "%s%s\n", date, l->p->files[f]);
    }
    if (l->p->file_count)
        pj_buf_add_char(out, '\n');
}

static void print_head(const listing *l, pj_buf *out)
{
    int64_t calls = 0, primitive = 0;
    double time = 0;
    for (uint32_t r = 0; r < l->p->count[PJ_AT_REGION]; r++) {
        calls += l->of[r].calls;
        primitive += l->of[r].primitive;
        time += l->of[r].exclusive;
    }
    print_files(l, out);
    pj_buf_addf(out, "         %" PRId64 " function calls", calls);
    if (calls != primitive)
        pj_buf_addf(out, " (%" PRId64 " primitive calls)", primitive);
    pj_buf_addf(out, " in %.3f seconds\n\n", time);
}

static void print_order(const listing *l, pj_buf *out)
{
    if (!l->key_count) {
        pj_buf_puts(out, "   Random listing order was used\n");
    } else {
        pj_buf_puts(out, "   Ordered by: ");
        for (size_t k = 0; k < l->key_count; k++)
            pj_buf_addf(out, "%s%s", k ? ", " : "", l->keys[k]->title);
        pj_buf_add_char(out, '\n');
    }
    pj_buf_add(out, pj_buf_str(&l->restrictions));
    pj_buf_add_char(out, '\n');
}

static void print_counts(pj_buf *out, const numbers *n, int width)
{
    char text[64];
    if (n->calls != n->primitive)
        snprintf(text, sizeof text, "%" PRId64 "/%" PRId64, n->calls, n->primitive);
    else
        snprintf(text, sizeof text, "%" PRId64, n->calls);
    pj_buf_addf(out, "%*s", width, text);
}

static void print_time(pj_buf *out, double time, int64_t divisor)
{
    if (divisor == 0)
        pj_buf_puts(out, "         ");
    else
        pj_buf_addf(out, " %8.3f", time / (double)divisor);
}

static void print_functions(const listing *l, pj_buf *out)
{
    pj_buf_puts(out, "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n");
    for (size_t i = 0; i < l->count; i++) {
        const numbers *n = &l->of[l->order[i]];
        print_counts(out, n, 9);
        print_time(out, n->exclusive, 1);
        print_time(out, n->exclusive, n->calls);
        print_time(out, n->inclusive, 1);
        print_time(out, n->inclusive, n->primitive);
        pj_buf_addf(out, " " PJ_STR_FMT "\n", PJ_STR_ARG(l->names[l->order[i]]));
    }
    pj_buf_puts(out, "\n\n");
}

/// Characters, not bytes, of UTF-8.
static size_t width_of(pj_str text)
{
    size_t width = 0;
    for (size_t i = 0; i < text.len; i++)
        width += ((unsigned char)text.at[i] & 0xc0) != 0x80;
    return width;
}

static void print_padded(pj_buf *out, pj_str text, size_t width)
{
    pj_buf_add(out, text);
    for (size_t i = width_of(text); i < width; i++)
        pj_buf_add_char(out, ' ');
}

/// The functions at the other end of the edges of one, in the order of their names.
static void print_others(const listing *l, uint32_t region, const uint32_t *edges, size_t count,
                         size_t width, pj_buf *out)
{
    bool callers = l->ask->side == PJ_CALLERS;
    print_padded(out, l->names[region], width);
    pj_buf_puts(out, callers ? "<- " : "-> ");
    if (count == 0)
        pj_buf_add_char(out, '\n');
    for (size_t i = 0; i < count; i++) {
        const numbers *n = &l->edge[edges[i]];
        const pj_profile_edge *edge = &l->p->edges[edges[i]];
        uint32_t other = callers ? edge->caller : edge->callee;
        if (i > 0)
            print_padded(out, (pj_str){0}, width + (n->has_time ? 1 : 3));
        if (n->has_time) {
            print_counts(out, n, i > 0 ? 9 : 7);
            print_time(out, n->exclusive, 1);
            print_time(out, n->inclusive, 1);
            pj_buf_addf(out, "  " PJ_STR_FMT "\n", PJ_STR_ARG(l->names[other]));
        } else {
            pj_buf_addf(out, PJ_STR_FMT "(%" PRId64 ")", PJ_STR_ARG(l->names[other]), n->calls);
            print_time(out, l->of[other].inclusive, 1);
            pj_buf_add_char(out, '\n');
        }
    }
}

typedef struct end_of_edge {
    uint32_t own, edge;
    uint32_t other;
} end_of_edge;

static int by_end(const void *a, const void *b, void *context)
{
    const end_of_edge *x = a, *y = b;
    if (x->own != y->own)
        return x->own < y->own ? -1 : 1;
    return by_tuple(&x->other, &y->other, context);
}

static void print_edges(listing *l, pj_buf *out)
{
    const pj_profile *p = l->p;
    bool callers = l->ask->side == PJ_CALLERS, timed = false;
    uint32_t edges = p->count[PJ_AT_EDGE];
    size_t width = 0;
    end_of_edge *ends = pj_new_n(l->arena, end_of_edge, edges + (size_t)1);
    uint32_t *sorted = pj_new_n(l->arena, uint32_t, edges + (size_t)1);
    uint32_t *first = pj_new_n(l->arena, uint32_t, p->count[PJ_AT_REGION] + (size_t)2);
    for (uint32_t e = 0; e < edges; e++) {
        pj_profile_edge edge = p->edges[e];
        ends[e] = callers ? (end_of_edge){edge.callee, e, edge.caller}
                          : (end_of_edge){edge.caller, e, edge.callee};
        first[ends[e].own + 1]++;
        timed = timed || l->edge[e].has_time;
    }
    qsort_r(ends, edges, sizeof *ends, by_end, l);
    for (uint32_t e = 0; e < edges; e++)
        sorted[e] = ends[e].edge;
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
        first[r + 1] += first[r];
    for (size_t i = 0; i < l->count; i++) {
        size_t own = width_of(l->names[l->order[i]]);
        width = own > width ? own : width;
    }
    width += 2;
    print_padded(out, PJ_S("Function "), width);
    pj_buf_puts(out, callers ? "was called by...\n" : "called...\n");
    if (timed) {
        print_padded(out, (pj_str){0}, width);
        pj_buf_puts(out, "    ncalls  tottime  cumtime\n");
    }
    for (size_t i = 0; i < l->count; i++) {
        uint32_t r = l->order[i];
        print_others(l, r, sorted + first[r], first[r + 1] - first[r], width, out);
    }
    pj_buf_puts(out, "\n\n");
}

static void reverse(listing *l)
{
    for (size_t i = 0; i < l->count / 2; i++) {
        uint32_t kept = l->order[i];
        l->order[i] = l->order[l->count - 1 - i];
        l->order[l->count - 1 - i] = kept;
    }
}

static bool list(listing *l, pj_buf *out, pj_err *err)
{
    uint32_t measure;
    pj_str keys = l->ask->sort;
    if (!pj_profile_pick_measure(l->p, (pj_str){0}, &measure, err))
        return false;
    l->reversed = pj_str_starts(keys, PJ_S("-"));
    keys = l->reversed ? pj_str_from(keys, 1) : keys;
    while (keys.len)
        if (!find_key(l, pj_str_trim(pj_str_cut(&keys, ',')), err))
            return false;
    sum_up(l, measure);
    if (l->key_count)
        qsort_r(l->order, l->count, sizeof *l->order, by_keys, l);
    if (l->reversed)
        reverse(l);
    if (!restrict_rows(l, err))
        return false;
    if (l->ask->side == PJ_ALL_EDGES)
        print_head(l, out);
    if (l->count == 0)
        return true;
    print_order(l, out);
    if (l->ask->side == PJ_ALL_EDGES)
        print_functions(l, out);
    else
        print_edges(l, out);
    return true;
}

static pj_profile *without_folders(pj_profile *profile, pj_err *err)
{
    pj_job job = {0};
    pj_auto_build build = pj_build_new("", &job);
    bool ok = pj_profile_merge(build, &profile, 1, (pj_profile_merging){.strip = true}, err);
    return ok ? pj_build_finish(build, err) : NULL;
}

bool pj_pstats_listing(pj_profile *profile, const pj_pstats_ask *ask, pj_buf *out, pj_err *err)
{
    pj_job job = {0};
    pj_auto_profile graph = pj_profile_graph(profile, &job, err);
    if (!graph)
        return false;
    pj_auto_profile p = ask->strip ? without_folders(graph, err) : pj_profile_hold(graph);
    if (!p)
        return false;
    pj_auto_arena arena = pj_arena_new(NULL);
    listing l = {.p = p, .ask = ask, .arena = arena};
    bool ok = list(&l, out, err);
    pj_buf_free(&l.restrictions);
    return ok;
}
