// Functions are matched by what stays the same when a program or its version changes: folders do
// not, lines may.
#include "metrics/profile/profile_difference.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/buckets.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_names.h"
#include "metrics/profile/profile_rows.h"
#include "metrics/profile/profile_table.h"

#include <math.h>
#include <stdlib.h>

typedef struct side {
    const pj_profile *p; // with values by region
    pj_profile_rows rows;
    const pj_profile_row **of; // by region; NULL = no values
    uint32_t *other;           // by region: the same function on the other side
} side;

static uint32_t hash_of(const pj_profile *p, uint32_t region, bool line)
{
    uint64_t name = pj_fingerprint_of(pj_profile_name(p, region));
    uint64_t module = pj_fingerprint_of(pj_function_module(p, region));
    return pj_buckets_hash(name ^ (line ? p->regions[region].line : 0), module);
}

static bool is_same(const side *a, uint32_t x, const side *b, uint32_t y, bool line)
{
    return (!line || a->p->regions[x].line == b->p->regions[y].line) &&
           pj_str_equal(pj_profile_name(a->p, x), pj_profile_name(b->p, y)) &&
           pj_str_equal(pj_function_module(a->p, x), pj_function_module(b->p, y));
}

/// The only function of `b` that is free and the same; PJ_NO_ITEM when there are none or several.
static uint32_t find(const pj_buckets *buckets, const side *a, uint32_t region, const side *b,
                     bool line)
{
    uint32_t found = PJ_NO_ITEM, hash = hash_of(a->p, region, line);
    size_t place = hash;
    for (uint32_t r; (r = pj_buckets_next(buckets, hash, &place)) != PJ_NO_ITEM;) {
        if (b->other[r] != PJ_NO_ITEM || !is_same(a, region, b, r, line))
            continue;
        if (found != PJ_NO_ITEM)
            return PJ_NO_ITEM;
        found = r;
    }
    return found;
}

static void index_side(const side *s, bool line, pj_buckets *buckets)
{
    for (uint32_t r = 0; r < s->p->count[PJ_AT_REGION]; r++)
        if (s->of[r] && s->other[r] == PJ_NO_ITEM)
            pj_buckets_put(buckets, hash_of(s->p, r, line), r);
}

static void match(side *a, side *b, bool line)
{
    pj_buckets of_a = {0}, of_b = {0};
    index_side(a, line, &of_a);
    index_side(b, line, &of_b);
    for (uint32_t r = 0; r < a->p->count[PJ_AT_REGION]; r++) {
        if (!a->of[r] || a->other[r] != PJ_NO_ITEM)
            continue;
        uint32_t other = find(&of_b, a, r, b, line);
        if (other == PJ_NO_ITEM || find(&of_a, b, other, a, line) != r)
            continue;
        a->other[r] = other;
        b->other[other] = r;
    }
    pj_buckets_free(&of_a);
    pj_buckets_free(&of_b);
}

static void open_side(side *s, const pj_profile *p, uint32_t measure, pj_arena *arena)
{
    s->p = p;
    s->rows = pj_profile_rows_of(p, (pj_profile_grouping){.item = PJ_BY_FUNCTION}, measure, arena);
    s->of = pj_new_n(arena, const pj_profile_row *, p->count[PJ_AT_REGION] + (size_t)1);
    s->other = pj_new_n(arena, uint32_t, p->count[PJ_AT_REGION] + (size_t)1);
    memset(s->other, 0xff, p->count[PJ_AT_REGION] * sizeof *s->other);
    for (size_t i = 0; i < s->rows.count; i++)
        s->of[s->rows.rows[i].item] = &s->rows.rows[i];
}

typedef struct change {
    const pj_profile_row *before, *after; // NULL = has none
    double difference;
    size_t place;
} change;

static double value_of(const pj_profile_row *row)
{
    return row && !isnan(row->exclusive) ? row->exclusive : 0;
}

static int by_size(const void *a, const void *b)
{
    const change *x = a, *y = b;
    double left = fabs(x->difference), right = fabs(y->difference);
    if (left != right)
        return left < right ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

static change *list_changes(const side *a, const side *b, size_t *count, pj_arena *arena)
{
    change *list = pj_new_n(arena, change, a->rows.count + b->rows.count + 1);
    for (size_t i = 0; i < a->rows.count; i++) {
        const pj_profile_row *row = &a->rows.rows[i];
        uint32_t other = a->other[row->item];
        list[(*count)++] =
            (change){.before = row, .after = other == PJ_NO_ITEM ? NULL : b->of[other]};
    }
    for (size_t i = 0; i < b->rows.count; i++)
        if (b->other[b->rows.rows[i].item] == PJ_NO_ITEM)
            list[(*count)++] = (change){.after = &b->rows.rows[i]};
    for (size_t i = 0; i < *count; i++) {
        list[i].place = i;
        list[i].difference = value_of(list[i].after) - value_of(list[i].before);
    }
    qsort(list, *count, sizeof *list, by_size);
    return list;
}

static pj_cell calls_cell(const pj_profile_row *row, const pj_profile_rows *rows)
{
    if (!row || !rows->has_calls || (rows->whole_calls && row->calls.whole == PJ_ABSENT_WHOLE))
        return pj_cell_empty(row ? "not recorded" : "the profile has no such function");
    return rows->whole_calls ? pj_cell_int(row->calls.whole) : pj_cell_real(row->calls.real);
}

static void put_change(pj_table *table, const side *a, const side *b, const change *c)
{
    const side *s = c->after ? b : a;
    uint32_t region = (c->after ? c->after : c->before)->item;
    const pj_profile_region *r = &s->p->regions[region];
    pj_auto_buf label = {0};
    pj_cell *cell = pj_table_add_row(table);
    double before = value_of(c->before), total = b->rows.total > 0 ? b->rows.total : a->rows.total;
    pj_profile_short_label(s->p, region, &label);
    *cell++ = pj_cell_text(pj_arena_text(table->arena, pj_buf_str(&label)));
    *cell++ = pj_cell_text(pj_arena_text(table->arena, s->p->texts[r->name]));
    *cell++ = pj_cell_text(pj_arena_text(table->arena, s->p->texts[r->file]));
    *cell++ = pj_cell_int(r->line);
    *cell++ = calls_cell(c->before, &a->rows);
    *cell++ = calls_cell(c->after, &b->rows);
    *cell++ = c->before ? pj_cell_real(before) : pj_cell_empty("the profile has no such function");
    *cell++ = c->after ? pj_cell_real(value_of(c->after))
                       : pj_cell_empty("the profile has no such function");
    *cell++ = pj_cell_real(c->difference);
    *cell++ = c->after && before > 0 ? pj_cell_real(value_of(c->after) / before)
                                     : pj_cell_empty("one of them has nothing");
    *cell++ = total > 0 ? pj_cell_real(c->difference / total * 100) : pj_cell_empty(NULL);
}

static const pj_column columns[] = {
    {"name", "Function", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    {"function", "Function", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"file", "File", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"line", "Line", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_OF_MACHINES},
    {"calls_a", "Calls before", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"calls_b", "Calls after", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"a_s", "Before", "Exclusive.", PJ_UNIT_S, PJ_TEXT_NONE},
    {"b_s", "After", "Exclusive.", PJ_UNIT_S, PJ_TEXT_NONE},
    {"difference_s", "Change", NULL, PJ_UNIT_S, PJ_TEXT_NONE},
    {"ratio", "Ratio", "After over before.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
    {"share", "% of all", "Of the second profile.", PJ_UNIT_NONE, PJ_TEXT_NONE},
};

static pj_table *make_table(const side *a, const side *b, pj_arena *arena)
{
    enum { FIRST_TIME = 6, SHARE = 10 };
    size_t count = 0;
    const change *list = list_changes(a, b, &count, arena);
    pj_table *table = pj_table_new("What changed");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    double largest = fmax(a->rows.total, b->rows.total);
    unsigned decimals = largest > 0 ? (unsigned)fmax(0, fmin(9, 4 - floor(log10(largest)))) : 3;
    for (size_t i = 0; i < 3; i++)
        pj_table_set_decimals(table, FIRST_TIME + i, decimals);
    pj_table_set_decimals(table, SHARE, 1);
    for (size_t i = 0; i < count; i++)
        put_change(table, a, b, &list[i]);
    return table;
}

pj_table *pj_profile_difference(pj_profile *before, pj_profile *after, pj_err *err)
{
    pj_job job = {0};
    uint32_t measures[2];
    pj_auto_profile p = pj_profile_graph(before, &job, err);
    pj_auto_profile q = p ? pj_profile_graph(after, &job, err) : NULL;
    if (!q || !pj_profile_pick_measure(p, (pj_str){0}, &measures[0], err) ||
        !pj_profile_pick_measure(q, (pj_str){0}, &measures[1], err))
        return NULL;
    pj_auto_arena arena = pj_arena_new(NULL);
    side a = {0}, b = {0};
    open_side(&a, p, measures[0], arena);
    open_side(&b, q, measures[1], arena);
    match(&a, &b, true);
    match(&a, &b, false);
    pj_table *table = make_table(&a, &b, arena);
    pj_profile_rows_free(&a.rows);
    pj_profile_rows_free(&b.rows);
    return table;
}
