// Columns as series: which columns, which units, what is left out.
#include "widgets/plot/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static pj_table *table_of_ranks(void)
{
    pj_table *table = pj_table_new("Ranks");
    pj_table_add_column(table, (pj_column){.key = "rank", .title = "Rank"});
    pj_table_add_column(table, (pj_column){.key = "host", .title = "Host", .text = true});
    pj_table_add_column(table, (pj_column){.key = "useful", .title = "Useful", .unit = PJ_UNIT_NS});
    pj_table_add_column(table, (pj_column){.key = "mpi", .title = "MPI", .unit = PJ_UNIT_NS});
    for (int i = 0; i < 6; i++) {
        pj_cell *row = pj_table_add_row(table);
        row[0] = pj_cell_int(i);
        row[1] = pj_cell_text(i % 2 ? "odd" : "even");
        row[2] =
            i == 3 ? pj_cell_empty("not recorded") : pj_cell_int(INT64_C(1000000000) * (i + 1));
        row[3] = pj_cell_real(5e8);
    }
    return table;
}

static void the_first_columns_are_the_default(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_table table = table_of_ranks();
    pj_series_set set;
    assert_true(pj_series_of(table, (pj_plot_opts){0}, false, arena, &set, NULL));
    assert_int_equal(set.count, 1);
    assert_string_equal(set.items[0].name, "Useful");
    assert_string_equal(set.x_title, "Rank");
    assert_string_equal(set.y_title, "Useful [s]");
    assert_true(set.items[0].points[1].y == 2.0);
    assert_true(set.y_hi == 6.0 && set.y_lo == 1.0);
}

static void missing_values_are_counted_with_their_reason(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_table table = table_of_ranks();
    pj_series_set set;
    assert_true(pj_series_of(table, (pj_plot_opts){0}, false, arena, &set, NULL));
    assert_int_equal(set.points, 5);
    assert_string_equal(pj_series_note(&set, arena), "1 of 6 values are not shown: not recorded");
}

static void by_splits_into_one_series_per_value(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_table table = table_of_ranks();
    pj_series_set set;
    pj_plot_opts opts = {.by = "host", .y = {"mpi"}};
    assert_true(pj_series_of(table, opts, false, arena, &set, NULL));
    assert_int_equal(set.count, 2);
    assert_string_equal(set.items[0].name, "even");
    assert_int_equal(set.items[1].count, 3);
}

static void several_columns_share_a_unit(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_table table = table_of_ranks();
    pj_series_set set;
    pj_plot_opts opts = {.y = {"useful", "mpi"}};
    assert_true(pj_series_of(table, opts, true, arena, &set, NULL));
    assert_int_equal(set.count, 2);
    assert_string_equal(set.y_title, "Time [s]");
    assert_true(fabs(set.items[1].points[0].y - 0.5) < 1e-12);
    assert_string_equal(set.labels[5], "5");
}

static void hover_texts_hold_exact_values(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_table table = table_of_ranks();
    pj_series_set set;
    assert_true(pj_series_of(table, (pj_plot_opts){0}, false, arena, &set, NULL));
    assert_string_equal(pj_series_hover(&set, &set.items[0], &set.items[0].points[1], arena),
                        "Rank: 1\nUseful: 2,000,000,000 ns");
}

/// A plot says what it is of, unless its title is the user's.
static void a_plot_names_its_table(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_table table = table_of_ranks();
    pj_series_set set;
    assert_true(pj_series_of(table, (pj_plot_opts){0}, false, arena, &set, NULL));
    assert_string_equal(pj_series_subtitle(&set, (pj_plot_opts){0}), table->title);
    assert_null(pj_series_subtitle(&set, (pj_plot_opts){.title = "Mine"}));
}

static void mistakes_name_the_columns(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_table table = table_of_ranks();
    static const pj_plot_opts wrong[] = {{.x = "rnk"}, {.y = {"rnk"}}, {.by = "rnk"}};
    for (size_t i = 0; i < 3; i++) {
        pj_err err = {0};
        pj_series_set set;
        assert_false(pj_series_of(table, wrong[i], false, arena, &set, &err));
        assert_int_equal(err.code, PJ_E_USAGE);
        assert_non_null(strstr(err.text, "rank, host, useful, mpi"));
    }
    pj_err err = {0};
    pj_series_set set;
    assert_false(pj_series_of(table, (pj_plot_opts){.y = {"host"}}, false, arena, &set, &err));
    assert_non_null(strstr(err.text, "is text"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_columns_are_the_default),
        cmocka_unit_test(missing_values_are_counted_with_their_reason),
        cmocka_unit_test(by_splits_into_one_series_per_value),
        cmocka_unit_test(several_columns_share_a_unit),
        cmocka_unit_test(hover_texts_hold_exact_values),
        cmocka_unit_test(mistakes_name_the_columns),
        cmocka_unit_test(a_plot_names_its_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
