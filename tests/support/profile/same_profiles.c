// Arrays are compared byte by byte where their items have no padding.
#include "tests/support/profile/same_profiles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void same_array(const void *a, const void *b, size_t a_count, size_t b_count, size_t size)
{
    assert_int_equal(a_count, b_count);
    if (a_count)
        assert_memory_equal(a, b, a_count * size);
}

#define SAME(items, count) same_array(a->items, b->items, a->count, b->count, sizeof *a->items)

static void same_texts(const pj_profile *a, const pj_profile *b)
{
    assert_int_equal(a->text_count, b->text_count);
    for (uint32_t i = 0; i < a->text_count; i++)
        assert_true(pj_str_equal(a->texts[i], b->texts[i]));
    assert_int_equal(a->command, b->command);
    assert_int_equal(a->created, b->created);
    assert_int_equal(a->tool, b->tool);
    assert_int_equal(a->version, b->version);
}

static void same_values(const pj_profile *a, const pj_profile *b)
{
    assert_int_equal(a->column_count, b->column_count);
    for (uint32_t c = 0; c < a->column_count; c++) {
        const pj_profile_column *x = &a->columns[c], *y = &b->columns[c];
        size_t cells = (size_t)a->count[x->site] * a->location_count;
        assert_int_equal(x->site, y->site);
        assert_int_equal(x->part, y->part);
        assert_int_equal(x->measure, y->measure);
        assert_int_equal(x->whole, y->whole);
        same_array(x->integer, y->integer, cells, cells, sizeof *x->integer);
    }
}

static void same_measures(const pj_profile *a, const pj_profile *b)
{
    assert_int_equal(a->measure_count, b->measure_count);
    for (uint32_t i = 0; i < a->measure_count; i++) {
        assert_string_equal(a->measures[i].key, b->measures[i].key);
        assert_string_equal(a->measures[i].unit, b->measures[i].unit);
    }
}

static void same_series(const pj_profile *a, const pj_profile *b)
{
    assert_int_equal(a->series_count, b->series_count);
    for (uint32_t i = 0; i < a->series_count; i++)
        same_array(a->series[i].points, b->series[i].points, a->series[i].count, b->series[i].count,
                   sizeof *a->series[i].points);
}

static void same_locations(const pj_profile *a, const pj_profile *b)
{
    assert_int_equal(a->location_count, b->location_count);
    for (uint32_t i = 0; i < a->location_count; i++) {
        const pj_profile_location *x = &a->locations[i], *y = &b->locations[i];
        assert_int_equal(x->rank, y->rank);
        assert_int_equal(x->thread, y->thread);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->name, y->name);
        assert_int_equal(x->file, y->file);
    }
}

static void same_brackets(const pj_profile *a, const pj_profile *b)
{
    assert_int_equal(a->bracket_count, b->bracket_count);
    for (uint32_t i = 0; i < a->bracket_count; i++) {
        const pj_profile_bracket *x = &a->brackets[i], *y = &b->brackets[i];
        assert_int_equal(x->series, y->series);
        assert_int_equal(x->region, y->region);
        assert_int_equal(x->level, y->level);
        assert_memory_equal(&x->begin, &y->begin, 4 * sizeof x->begin); // to value_end
    }
}

void same_profiles(const pj_profile *a, const pj_profile *b)
{
    assert_string_equal(a->format, b->format);
    assert_int_equal(a->shape, b->shape);
    assert_memory_equal(a->count, b->count, sizeof a->count);
    same_texts(a, b);
    SAME(regions, count[PJ_AT_REGION]);
    SAME(nodes, count[PJ_AT_NODE]);
    SAME(edges, count[PJ_AT_EDGE]);
    SAME(lines, count[PJ_AT_LINE]);
    same_locations(a, b);
    same_measures(a, b);
    same_values(a, b);
    same_series(a, b);
    same_brackets(a, b);
    SAME(phases, phase_count);
    SAME(events, event_count);
    SAME(pairs, pair_count);
    assert_memory_equal(&a->oddities, &b->oddities, sizeof a->oddities);
}
