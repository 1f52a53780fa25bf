// Items are put in the order of their groups and summed group by group, so that one set of sums per
// location is enough; the order of additions is that of the profile.
#include "metrics/profile/profile_rows.h"

#include "metrics/base/buf.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/table/spread.h"

#include <math.h>
#include <stdlib.h>

typedef struct sums {
    double exclusive, inclusive;
    pj_profile_calls calls, primitive;
} sums;

typedef struct summing {
    const pj_profile *p;
    pj_profile_grouping by;
    pj_arena *arena;
    pj_site site;
    const pj_profile_column *exclusive, *inclusive, *calls, *primitive;
    pj_measure_fold fold;
    bool adds_inclusive; // inclusive values of a group may be added up
    uint32_t *place;     // of locations: the row within a group
    uint32_t *unit;      // of locations: the rank or thread that statistics are over, or none
    uint32_t places, units;
    int64_t *place_rank, *place_thread, *unit_name;
    uint32_t *unit_order, *first_unit; // units by place
    sums *sums;                        // by place
    double *unit_value;                // by unit; NaN = absent
    double *in_order;                  // those of a place
    pj_profile_rows out;
    size_t cap;
} summing;

/// Ranks and threads that are different, in the order in which they are met.
typedef struct kinds {
    int64_t *ranks, *threads;
    uint32_t count;
    pj_buckets buckets;
} kinds;

static uint32_t number_of(kinds *k, int64_t rank, int64_t thread)
{
    uint32_t hash = pj_buckets_hash((uint64_t)rank, (uint64_t)thread);
    size_t place = hash;
    for (uint32_t i; (i = pj_buckets_next(&k->buckets, hash, &place)) != PJ_NO_ITEM;)
        if (k->ranks[i] == rank && k->threads[i] == thread)
            return i;
    k->ranks[k->count] = rank;
    k->threads[k->count] = thread;
    pj_buckets_put(&k->buckets, hash, k->count);
    return k->count++;
}

static kinds new_kinds(pj_arena *arena, size_t most)
{
    return (kinds){.ranks = pj_new_n(arena, int64_t, most + 1),
                   .threads = pj_new_n(arena, int64_t, most + 1)};
}

static bool has_several_ranks(const pj_profile *p)
{
    for (uint32_t i = 1; i < p->location_count; i++)
        if (p->locations[i].rank != p->locations[0].rank)
            return true;
    return false;
}

static void order_units(summing *s, uint32_t units)
{
    uint32_t *place = pj_new_n(s->arena, uint32_t, units + (size_t)1);
    s->first_unit = pj_new_n(s->arena, uint32_t, s->places + (size_t)2);
    s->unit_order = pj_new_n(s->arena, uint32_t, units + (size_t)1);
    for (uint32_t i = 0; i < s->p->location_count; i++)
        if (s->unit[i] != PJ_NO_ITEM)
            place[s->unit[i]] = s->place[i];
    for (uint32_t u = 0; u < units; u++)
        s->first_unit[place[u] + 2]++;
    for (uint32_t i = 0; i < s->places; i++)
        s->first_unit[i + 2] += s->first_unit[i + 1];
    for (uint32_t u = 0; u < units; u++)
        s->unit_order[s->first_unit[place[u] + 1]++] = u;
}

static void lay_out(summing *s)
{
    const pj_profile *p = s->p;
    uint32_t n = p->location_count;
    s->place = pj_new_n(s->arena, uint32_t, n);
    s->unit = pj_new_n(s->arena, uint32_t, n);
    s->unit_name = pj_new_n(s->arena, int64_t, n + (size_t)1);
    s->out.over_threads = s->by.rank || !has_several_ranks(p);
    kinds places = new_kinds(s->arena, n), units = new_kinds(s->arena, n);
    for (uint32_t i = 0; i < n; i++) {
        const pj_profile_location *at = &p->locations[i];
        int64_t thread = s->by.thread ? at->thread : -1;
        s->place[i] = number_of(&places, s->by.rank ? at->rank : -1, thread);
        s->unit[i] = PJ_NO_ITEM;
        if (!pj_profile_tells(p, s->exclusive ? s->exclusive : s->inclusive, i))
            continue;
        s->unit[i] = number_of(&units, at->rank, s->out.over_threads ? at->thread : thread);
        s->unit_name[s->unit[i]] = s->out.over_threads ? at->thread : at->rank;
    }
    s->places = places.count;
    order_units(s, units.count);
    s->units = units.count;
    s->place_rank = places.ranks;
    s->place_thread = places.threads;
    pj_buckets_free(&places.buckets);
    pj_buckets_free(&units.buckets);
    s->out.has_statistics = s->units > s->places;
    s->sums = pj_new_n(s->arena, sums, s->places + (size_t)1);
    s->unit_value = pj_new_n(s->arena, double, s->units + (size_t)1);
    s->in_order = pj_new_n(s->arena, double, s->units + (size_t)1);
}

static void find_columns(summing *s, uint32_t measure)
{
    const pj_profile *p = s->p;
    s->site = s->by.item == PJ_BY_PATH   ? PJ_AT_NODE
              : s->by.item == PJ_BY_LINE ? PJ_AT_LINE
                                         : PJ_AT_REGION;
    s->calls = pj_profile_find(p, s->site, PJ_CALLS, PJ_NO_ITEM);
    s->primitive = pj_profile_find(p, s->site, PJ_PRIMITIVE_CALLS, PJ_NO_ITEM);
    if (measure != PJ_NO_ITEM) {
        s->fold = p->measures[measure].fold;
        s->exclusive = pj_profile_find(p, s->site, PJ_EXCLUSIVE, measure);
        s->inclusive = pj_profile_find(p, s->site, PJ_INCLUSIVE, measure);
    }
    if (measure != PJ_NO_ITEM && s->site == PJ_AT_NODE) {
        pj_profile_paths paths = pj_profile_paths_of(p, measure, s->arena);
        s->exclusive = paths.exclusive;
        s->inclusive = paths.inclusive;
    }
    // Of several functions together only the exclusive values can be added.
    s->adds_inclusive = s->by.item == PJ_BY_FUNCTION || s->by.item == PJ_BY_PATH;
    s->out.has_calls = s->calls != NULL;
    s->out.has_primitive = s->primitive != NULL && s->by.item != PJ_BY_LINE;
    s->out.whole_calls = s->calls && s->calls->whole;
    s->out.whole_primitive = s->primitive && s->primitive->whole;
    s->out.has_exclusive = s->exclusive != NULL;
    s->out.has_inclusive = s->inclusive && (s->adds_inclusive || s->by.item == PJ_BY_NOTHING);
}

static void add_calls(const pj_profile_column *column, size_t cell, pj_profile_calls *sum)
{
    if (!column)
        return;
    if (!column->whole) {
        if (!isnan(column->real[cell]))
            sum->real = isnan(sum->real) ? column->real[cell] : sum->real + column->real[cell];
        return;
    }
    int64_t value = column->integer[cell];
    if (value == PJ_ABSENT_WHOLE)
        return;
    if (sum->whole == PJ_ABSENT_WHOLE)
        sum->whole = value;
    else if (__builtin_add_overflow(sum->whole, value, &sum->whole))
        sum->whole = INT64_MAX;
}

static void add_item(summing *s, uint32_t item)
{
    uint32_t width = s->p->location_count;
    for (uint32_t at = 0; at < width; at++) {
        size_t cell = (size_t)item * width + at;
        sums *into = &s->sums[s->place[at]];
        double own = pj_profile_value(s->p, s->exclusive, item, at);
        pj_measure_fold_in(&into->exclusive, own, s->fold);
        double with = pj_profile_value(s->p, s->inclusive, item, at);
        if (s->unit[at] != PJ_NO_ITEM)
            pj_measure_fold_in(&s->unit_value[s->unit[at]],
                               s->exclusive || !s->adds_inclusive ? own : with, s->fold);
        if (s->adds_inclusive)
            pj_measure_fold_in(&into->inclusive, with, s->fold);
        add_calls(s->calls, cell, &into->calls);
        add_calls(s->primitive, cell, &into->primitive);
    }
}

static void clear(summing *s)
{
    sums none = {.exclusive = NAN, .inclusive = NAN};
    if (s->out.whole_calls)
        none.calls.whole = PJ_ABSENT_WHOLE;
    else
        none.calls.real = NAN;
    if (s->out.whole_primitive)
        none.primitive.whole = PJ_ABSENT_WHOLE;
    else
        none.primitive.real = NAN;
    for (uint32_t i = 0; i < s->places; i++)
        s->sums[i] = none;
    for (uint32_t u = 0; u < s->units; u++)
        s->unit_value[u] = NAN;
}

/// Over the units of a place; load balance is the mean over the most.
static void add_statistics(const summing *s, uint32_t place, pj_profile_row *row)
{
    double sum = 0, squares = 0;
    uint32_t units = s->first_unit[place + 1] - s->first_unit[place];
    row->least = row->most = NAN;
    for (uint32_t i = s->first_unit[place]; i < s->first_unit[place + 1]; i++) {
        uint32_t u = s->unit_order[i];
        double value = s->unit_value[u];
        row->have += isnan(value) ? 0 : 1;
        value = isnan(value) ? 0 : value;
        s->in_order[i - s->first_unit[place]] = value;
        sum += value;
        squares += value * value;
        row->least = row->least <= value ? row->least : value;
        if (!(row->most >= value)) {
            row->most = value;
            row->where = s->unit_name[u];
        }
    }
    row->mean = sum / units;
    row->deviation = sqrt(fabs(squares / units - row->mean * row->mean));
    row->balance = row->most > 0 ? row->mean / row->most : NAN;
    row->spread = pj_spread_of(s->in_order, units);
}

static bool has_any(const summing *s, const sums *sum)
{
    bool calls = s->out.whole_calls ? sum->calls.whole != PJ_ABSENT_WHOLE : !isnan(sum->calls.real);
    return (s->calls && calls) || !isnan(sum->exclusive) || !isnan(sum->inclusive);
}

static void emit(summing *s, uint32_t item)
{
    for (uint32_t i = 0; i < s->places; i++) {
        const sums *sum = &s->sums[i];
        if (!has_any(s, sum))
            continue;
        pj_grow(s->out.rows, &s->cap, s->out.count + 1);
        pj_profile_row *row = &s->out.rows[s->out.count++];
        *row = (pj_profile_row){.item = item,
                                .rank = s->place_rank[i],
                                .thread = s->place_thread[i],
                                .calls = sum->calls,
                                .primitive_calls = sum->primitive,
                                .exclusive = sum->exclusive,
                                .inclusive = sum->inclusive,
                                .where = -1};
        if (s->by.item == PJ_BY_NOTHING)
            row->inclusive = sum->exclusive;
        if (s->out.has_statistics)
            add_statistics(s, i, row);
        s->out.total += isnan(sum->exclusive) ? 0 : sum->exclusive;
    }
}

/// An item in the group that it is summed in.
typedef struct member {
    uint32_t group, item;
} member;

typedef struct members {
    member *at;
    size_t count, cap;
} members;

static void add_member(members *list, uint32_t group, uint32_t item)
{
    pj_grow(list->at, &list->cap, list->count + 1);
    list->at[list->count++] = (member){group, item};
}

static void list_members(const summing *s, members *list)
{
    const pj_profile *p = s->p;
    for (uint32_t i = 0; i < p->count[s->site]; i++) {
        const pj_profile_region *region = s->site == PJ_AT_REGION ? &p->regions[i] : NULL;
        if (s->by.item == PJ_BY_GROUP) {
            for (uint32_t g = 0; region && g < region->group_count; g++)
                add_member(list, p->groups[region->first_group + g], i);
            if (region && !region->group_count)
                add_member(list, 0, i);
        } else if (s->by.item == PJ_BY_FILE && region) {
            add_member(list, region->file, i);
        } else if (s->by.item == PJ_BY_MODULE && region) {
            add_member(list, region->module ? region->module : region->file | PJ_ROW_IS_FILE, i);
        } else {
            add_member(list, s->by.item == PJ_BY_NOTHING ? 0 : i, i);
        }
    }
}

static int by_group(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

pj_profile_rows pj_profile_rows_of(const pj_profile *profile, pj_profile_grouping grouping,
                                   uint32_t measure, pj_arena *arena)
{
    summing s = {.p = profile, .by = grouping, .arena = arena};
    members list = {0};
    find_columns(&s, measure);
    lay_out(&s);
    list_members(&s, &list);
    pj_grow(s.out.rows, &s.cap, list.count * s.places); // groups have fewer
    bool in_order = grouping.item <= PJ_BY_LINE;
    if (!in_order && list.count)
        qsort(list.at, list.count, sizeof *list.at, by_group);
    for (size_t i = 0; i < list.count;) {
        uint32_t group = list.at[i].group;
        clear(&s);
        for (; i < list.count && list.at[i].group == group; i++)
            add_item(&s, list.at[i].item);
        emit(&s, group);
    }
    free(list.at);
    return s.out;
}

void pj_profile_rows_free(pj_profile_rows *rows)
{
    free(rows->rows);
    *rows = (pj_profile_rows){.count = 0};
}
