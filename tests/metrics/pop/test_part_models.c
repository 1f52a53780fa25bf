// Models of parts: which becomes the runtime, in which order, and what is said of those without
// one.
#include "metrics/base/err.h"
#include "metrics/pop/part_models.h"
#include "metrics/pop/part_series.h"
#include "metrics/table/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SIZES = 5 };

static const double sizes[SIZES] = {2, 4, 8, 16, 32};

static double cell(const pj_table *table, size_t row, const char *column)
{
    return pj_cell_number(
        *pj_table_cell(table, row, (size_t)pj_table_column(table, pj_str_of(column))));
}

static const char *name(const pj_table *table, size_t row)
{
    return pj_table_cell(table, row, 0)->text;
}

static pj_part_study study_of(const pj_part_series *items, size_t count, size_t runs)
{
    return (pj_part_study){.title = "Functions",
                           .p = sizes,
                           .runs = runs,
                           .items = items,
                           .count = count,
                           .strong = true};
}

static void what_grows_is_first_and_becomes_the_runtime(void **state)
{
    (void)state;
    double falls[SIZES], grows[SIZES], stays[SIZES] = {1, 1, 1, 1, 1};
    for (size_t i = 0; i < SIZES; i++) {
        falls[i] = 64 / sizes[i];
        grows[i] = 0.25 * sizes[i];
    }
    const pj_part_series items[] = {{"falls", falls}, {"grows", grows}, {"stays", stays}};
    pj_part_study parts = study_of(items, 3, SIZES);
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table = pj_part_models_table(&parts, (double[]){64, 256}, 2, &err);
    assert_non_null(table);
    assert_int_equal(table->row_count, 6);
    assert_string_equal(name(table, 0), "grows");
    assert_string_equal(name(table, 2), "stays");
    assert_string_equal(name(table, 4), "falls");
    assert_true(fabs(cell(table, 1, "predicted_s") - 64) < 1e-9);
    assert_true(fabs(cell(table, 1, "low_s") - 64) < 1e-9);
    assert_true(fabs(cell(table, 1, "growth") - 8) < 1e-9);
    assert_true(fabs(cell(table, 4, "predicted_s") - 1) < 1e-9);
    assert_true(fabs(cell(table, 1, "share") - 64 / 65.25) < 1e-9);
    assert_true(fabs(cell(table, 1, "share_measured") - 8 / 11.0) < 1e-9);
    assert_non_null(strstr(table->note,
                           "With 256 threads grows has most of the time: 98.1 %, of 32 "
                           "threads 72.7 %"));
    assert_non_null(strstr(table->note, "warning: 256 is outside"));
}

static void parts_that_some_run_lacks_have_no_model(void **state)
{
    (void)state;
    double some[SIZES] = {NAN, 1, 2, 3, 4}, all[SIZES] = {5, 5, 5, 5, 5};
    const pj_part_series items[] = {{"all", all}, {"some", some}};
    pj_part_study parts = study_of(items, 2, SIZES);
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table = pj_part_models_table(&parts, NULL, 0, &err);
    assert_non_null(table);
    assert_string_equal(name(table, 1), "some");
    assert_true(cell(table, 0, "p") == 128);
    assert_int_equal(pj_table_cell(table, 1, 2)->kind, PJ_CELL_EMPTY);
    assert_string_equal(pj_table_cell(table, 1, 2)->text, "not all runs have it");
    assert_non_null(strstr(table->note, "Parts without a model have 44.4 % of the time"));
}

static void repetitions_are_averaged_and_two_sizes_are_too_few(void **state)
{
    (void)state;
    static const double doubled[] = {2, 2, 4, 4, 8};
    double value[SIZES] = {7, 9, 4, 4, 2};
    const pj_part_series items[] = {{"solve", value}};
    pj_part_study parts = study_of(items, 1, SIZES);
    pj_err err = {.code = PJ_E_NONE};
    parts.p = doubled;
    pj_auto_table table = pj_part_models_table(&parts, (double[]){16}, 1, &err);
    assert_non_null(table);
    assert_true(fabs(cell(table, 0, "predicted_s") - 1) < 1e-9);
    assert_true(cell(table, 0, "points") == 3);
    parts.runs = 4;
    assert_null(pj_part_models_table(&parts, NULL, 0, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
}

/// The same means, but repetitions that differ: what other ones would have given is wider.
static void repetitions_widen_intervals(void **state)
{
    (void)state;
    static const double p[] = {2, 2, 2, 4, 4, 4, 8, 8, 8, 16, 16, 16};
    static const double differ[] = {6, 8, 10, 3, 4, 5, 1.5, 2, 2.5, 0.75, 1, 1.25};
    double even[12], uneven[12];
    for (size_t i = 0; i < 12; i++) {
        even[i] = 16 / p[i];
        uneven[i] = differ[i];
    }
    const pj_part_series items[] = {{"even", even}, {"uneven", uneven}};
    pj_part_study parts = study_of(items, 2, 12);
    parts.p = p;
    pj_auto_table table = pj_part_models_table(&parts, (double[]){32}, 1, NULL);
    size_t steady = strcmp(name(table, 0), "even") == 0 ? 0 : 1;
    assert_true(fabs(cell(table, steady, "high_s") - cell(table, steady, "low_s")) < 1e-9);
    assert_true(cell(table, 1 - steady, "high_s") - cell(table, 1 - steady, "low_s") > 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_is_first_and_becomes_the_runtime),
        cmocka_unit_test(parts_that_some_run_lacks_have_no_model),
        cmocka_unit_test(repetitions_are_averaged_and_two_sizes_are_too_few),
        cmocka_unit_test(repetitions_widen_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
