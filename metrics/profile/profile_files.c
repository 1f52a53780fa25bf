// Files stand in the parameters of call paths, kinds of calls in the names of functions.
#include "metrics/profile/profile_files.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/location_values.h"
#include "metrics/profile/profile_sums.h"

#include <math.h>
#include <stdlib.h>

#define MARK PJ_S("file=")

typedef enum kind { READING, WRITING, OTHER, KINDS } kind;

typedef struct row {
    pj_str file;
    int64_t rank;
    double calls, seconds[KINDS];
} row;

typedef struct rows {
    row *items;
    size_t count, cap;
} rows;

/// "" where the call path is of no file.
static pj_str file_of(const pj_profile *p, uint32_t node)
{
    pj_str text = pj_profile_text(p, p->nodes[node].parameters), file = {0};
    if (!pj_str_starts(text, MARK))
        return file;
    for (size_t at = 0; at < text.len; at++)
        if (pj_str_starts(pj_str_from(text, at), MARK) && (at == 0 || text.at[at - 1] == ' '))
            file = pj_str_from(text, at + MARK.len);
    return file;
}

static kind kind_of(pj_str name)
{
    static const struct {
        const char *word;
        kind kind;
    } words[] = {{"read", READING}, {"getline", READING}, {"fgets", READING}, {"write", WRITING},
                 {"puts", WRITING}, {"printf", WRITING},  {"sync", WRITING},  {"flush", WRITING},
                 {"copy", WRITING}, {"send", WRITING}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (pj_str_contains(name, pj_str_of(words[i].word)))
            return words[i].kind;
    return OTHER;
}

static int by_file_and_rank(const void *a, const void *b)
{
    const row *x = a, *y = b;
    const int order = pj_str_order(x->file, y->file);
    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static double total_of(const row *r)
{
    return r->seconds[READING] + r->seconds[WRITING] + r->seconds[OTHER];
}

static int by_time(const void *a, const void *b)
{
    const double x = total_of(a), y = total_of(b);
    return x != y ? (x < y ? 1 : -1) : by_file_and_rank(a, b);
}

static void add_node(const pj_location_values *time, const pj_location_values *calls, uint32_t node,
                     rows *out)
{
    const pj_profile *p = time->profile;
    const pj_str file = file_of(p, node);
    for (uint32_t at = 0; file.len && at < p->location_count; at++) {
        const double took = pj_location_value(time, node, at, false);
        const double visits = pj_location_value(calls, node, at, false);
        if (isnan(took) && isnan(visits))
            continue;
        row made = {
            .file = file, .rank = p->locations[at].rank, .calls = isnan(visits) ? 0 : visits};
        made.seconds[kind_of(pj_profile_name(p, p->nodes[node].region))] = isnan(took) ? 0 : took;
        pj_grow(out->items, &out->cap, out->count + 1);
        out->items[out->count++] = made;
    }
}

/// Rows of one file and rank become one.
static void join(rows *all)
{
    qsort(all->items, all->count, sizeof *all->items, by_file_and_rank);
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        row *last = kept ? &all->items[kept - 1] : NULL;
        const row *r = &all->items[i];
        if (!last || by_file_and_rank(last, r) != 0) {
            all->items[kept++] = *r;
            continue;
        }
        last->calls += r->calls;
        for (unsigned k = 0; k < KINDS; k++)
            last->seconds[k] += r->seconds[k];
    }
    all->count = kept;
    qsort(all->items, all->count, sizeof *all->items, by_time);
}

static pj_table *table_of(const rows *all)
{
    static const pj_column columns[] = {
        {"file", "File", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"rank", "Rank", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"calls", "Calls", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"read_s", "Reading", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
        {"write_s", "Writing", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
        {"other_s", "Opening and the rest", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
        {"total_s", "Together", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
    };
    pj_table *table = pj_table_new("Input and output by file");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->items[i];
        pj_cell *cell = pj_table_add_row(table);
        *cell++ = pj_cell_text(pj_arena_text(table->arena, r->file));
        *cell++ = r->rank < 0 ? pj_cell_empty("not told") : pj_cell_int(r->rank);
        *cell++ = pj_cell_int((int64_t)r->calls);
        for (unsigned k = 0; k < KINDS; k++)
            *cell++ = pj_cell_real(r->seconds[k]);
        *cell++ = pj_cell_real(total_of(r));
    }
    return table;
}

pj_table *pj_profile_files(pj_profile *profile, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const uint32_t measure = pj_profile_sums_usual_measure(profile);
    pj_location_values time, calls;
    rows all = {0};
    if (measure == PJ_NO_ITEM || profile->measures[measure].kind != PJ_MEASURE_TIME ||
        profile->shape != PJ_SHAPE_TREE) {
        pj_fail(err, PJ_E_MISSING, profile->file_count ? profile->files[0] : NULL, 0,
                "has no times of call paths");
        return NULL;
    }
    if (!pj_location_values_new(profile, measure, true, arena, &time, err))
        return NULL;
    const bool ok = pj_location_values_new(profile, PJ_NO_ITEM, true, arena, &calls, err);
    for (uint32_t node = 0; ok && node < time.profile->count[PJ_AT_NODE]; node++)
        add_node(&time, &calls, node, &all);
    if (all.items)
        join(&all);
    pj_table *table = all.items ? table_of(&all) : NULL;
    if (ok && !table)
        pj_fail(err, PJ_E_MISSING, profile->file_count ? profile->files[0] : NULL, 0,
                "tells no input and output by file: popinjay record --io records it");
    free(all.items);
    if (ok)
        pj_location_values_free(&calls);
    pj_location_values_free(&time);
    return table;
}
