// Functions are matched by what stays the same when a program or its version changes: folders do
// not, lines may.
#include "metrics/profile/derive/profile_difference.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/derive/same_function.h"
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
    uint32_t *other;           // by region: the same function on the other side; NOBODY
    bool is_time;
    double scale; // of its times
} side;

enum { NOBODY = 1 << 30 }; // a region without values, more than there are regions

/// Regions without values are in nobody's way.
static void match(side *a, side *b)
{
    for (pj_same_level level = PJ_SAME_ALL; level < PJ_SAME_LEVELS; level++)
        pj_same_functions((pj_same_side){a->p, a->other}, (pj_same_side){b->p, b->other}, level);
}

static void open_side(side *s, const pj_profile *p, uint32_t measure, pj_arena *arena)
{
    s->p = p;
    s->is_time = p->measures[measure].kind == PJ_MEASURE_TIME;
    s->rows = pj_profile_rows_of(p, (pj_profile_grouping){.item = PJ_BY_FUNCTION}, measure, arena);
    s->of = pj_new_n(arena, const pj_profile_row *, p->count[PJ_AT_REGION] + (size_t)1);
    s->other = pj_new_n(arena, uint32_t, p->count[PJ_AT_REGION] + (size_t)1);
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
        s->other[r] = NOBODY;
    for (size_t i = 0; i < s->rows.count; i++) {
        s->of[s->rows.rows[i].item] = &s->rows.rows[i];
        s->other[s->rows.rows[i].item] = PJ_NO_ITEM;
    }
}

typedef struct change {
    const pj_profile_row *before, *after; // NULL = has none
    double difference;
    size_t place;
} change;

static double value_of(const side *s, const pj_profile_row *row)
{
    return row && !isnan(row->exclusive) ? row->exclusive * s->scale : 0;
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
        list[i].difference = value_of(b, list[i].after) - value_of(a, list[i].before);
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
    double before = value_of(a, c->before), after = value_of(b, c->after);
    double total = b->rows.total > 0 ? b->rows.total : a->rows.total;
    pj_profile_short_label(s->p, region, &label);
    *cell++ = pj_cell_text(pj_arena_text(table->arena, pj_buf_str(&label)));
    *cell++ = pj_cell_text(pj_arena_text(table->arena, s->p->texts[r->name]));
    *cell++ = pj_cell_text(pj_arena_text(table->arena, s->p->texts[r->file]));
    *cell++ = pj_cell_int(r->line);
    *cell++ = calls_cell(c->before, &a->rows);
    *cell++ = calls_cell(c->after, &b->rows);
    *cell++ = c->before ? pj_cell_real(before) : pj_cell_empty("the profile has no such function");
    *cell++ = c->after ? pj_cell_real(after) : pj_cell_empty("the profile has no such function");
    *cell++ = pj_cell_real(c->difference);
    *cell++ = c->after && before > 0 ? pj_cell_real(after / before)
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

/// Of what is no time.
static const pj_column counted[] = {
    {"a", "Before", "Exclusive.", PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"b", "After", "Exclusive.", PJ_UNIT_NONE, PJ_TEXT_NONE},
    {"difference", "Change", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
};

static pj_table *make_table(const side *a, const side *b, pj_arena *arena)
{
    enum { FIRST_TIME = 6, SHARE = 10 };
    size_t count = 0;
    const change *list = list_changes(a, b, &count, arena);
    pj_table *table = pj_table_new("What changed");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        bool seconds = a->is_time || columns[i].unit != PJ_UNIT_S;
        pj_table_add_column(table, seconds ? columns[i] : counted[i - FIRST_TIME]);
    }
    double largest = fmax(a->rows.total, b->rows.total);
    unsigned decimals = largest > 0 ? (unsigned)fmax(0, fmin(9, 4 - floor(log10(largest)))) : 3;
    for (size_t i = 0; i < 3; i++)
        pj_table_set_decimals(table, FIRST_TIME + i, decimals);
    pj_table_set_decimals(table, SHARE, 1);
    for (size_t i = 0; i < count; i++)
        put_change(table, a, b, &list[i]);
    return table;
}

/// The first as if it had taken as long as the second.
static bool normalise(side *a, const side *b, pj_err *err)
{
    if (!(a->rows.total > 0) || !(b->rows.total > 0))
        return pj_fail(err, PJ_E_MISSING, NULL, 0,
                       "the profiles cannot be normalised: the total of the %s one is 0",
                       a->rows.total > 0 ? "second" : "first");
    a->scale = b->rows.total / a->rows.total;
    return true;
}

pj_table *pj_profile_difference(pj_profile *before, pj_profile *after, bool normalised, pj_err *err)
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
    a.scale = b.scale = 1;
    match(&a, &b);
    bool ok = !normalised || normalise(&a, &b, err);
    pj_table *table = ok ? make_table(&a, &b, arena) : NULL;
    if (table && normalised)
        table->note = "normalised: the times before are scaled to the total after";
    pj_profile_rows_free(&a.rows);
    pj_profile_rows_free(&b.rows);
    return table;
}
