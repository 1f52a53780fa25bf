// Numbers for people: one unit and one number of decimals in a column.
#include "widgets/figure/column_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *shown(pj_buf *out, pj_unit unit, const double *values, size_t count)
{
    pj_column_text form = pj_column_text_fit(unit, values, count);
    out->len = 0;
    pj_buf_puts(out, "");
    for (size_t i = 0; i < count; i++) {
        pj_buf_puts(out, i ? " " : "");
        pj_column_text_number(out, form, values[i]);
    }
    pj_buf_addf(out, " %s", form.unit);
    return out->at;
}

static void the_unit_fits_the_largest_value(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    assert_string_equal(shown(&out, PJ_UNIT_NS, (double[]){21898659139, 2339560724}, 2),
                        "21.90 2.34 s");
    assert_string_equal(shown(&out, PJ_UNIT_NS, (double[]){1500, 250}, 2), "1.500 0.250 us");
    assert_string_equal(shown(&out, PJ_UNIT_BYTES, (double[]){3.2e9}, 1), "3.200 GB");
    assert_string_equal(shown(&out, PJ_UNIT_RATIO, (double[]){0.95151, 1}, 2), "0.952 1.000 ");
    assert_string_equal(shown(&out, PJ_UNIT_GHZ, (double[]){2.4}, 1), "2.400 GHz");
}

static void small_values_keep_three_digits_beside_large_ones(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    assert_string_equal(shown(&out, PJ_UNIT_S, (double[]){1.02, 0.0826}, 2), "1.0200 0.0826 s");
    assert_string_equal(shown(&out, PJ_UNIT_NONE, (double[]){5, 1e-9}, 2), "5.000 1.000e-9 ");
}

static void thousands_are_grouped_with_and_without_fractions(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    assert_string_equal(shown(&out, PJ_UNIT_NONE, (double[]){-1234567.25, 999.5, 0.5}, 3),
                        "-1,234,567.250 999.500 0.500 ");
}

/// In columns of so many decimals; a change keeps its sign.
static void what_is_not_nothing_is_not_shown_as_nothing(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    pj_column_text form = {.factor = 1, .unit = "", .decimals = 3};
    pj_column_text_cell(&out, form, pj_cell_real(0.0002));
    pj_buf_puts(&out, " ");
    pj_column_text_cell(&out, form, pj_cell_real(0));
    pj_buf_puts(&out, " ");
    pj_column_text_cell(&out, form, pj_cell_real(0.0006));
    pj_buf_puts(&out, " ");
    pj_column_text_cell(&out, form, pj_cell_real(-0.0002));
    pj_buf_puts(&out, " ");
    pj_column_text_cell(&out, form, pj_cell_real(-4.9e-17));
    form.sign = true;
    pj_buf_puts(&out, " ");
    pj_column_text_cell(&out, form, pj_cell_real(0.0002));
    assert_string_equal(out.at, "<0.001 0.000 0.001 >-0.001 0.000 0.000");
}

static void whole_numbers_are_grouped(void **state)
{
    (void)state;
    pj_table *table = pj_table_new("t");
    pj_table_add_column(table, (pj_column){.key = "n", .title = "Count"});
    pj_table_add_row(table)[0] = pj_cell_int(93158874793);
    pj_table_add_row(table)[0] = pj_cell_empty("why");
    pj_column_text form = pj_column_text_of(table, 0);
    pj_auto_buf out = {0};
    pj_column_text_cell(&out, form, *pj_table_cell(table, 0, 0));
    assert_string_equal(out.at, "93,158,874,793");
    out.len = 0;
    pj_column_text_cell(&out, form, *pj_table_cell(table, 1, 0));
    assert_string_equal(out.at, "n/a");
    pj_table_release(table);
}

static void titles_carry_the_unit(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    pj_column_text_title(&out, pj_column_text_unit(PJ_UNIT_NS, 5e9), "Useful");
    assert_string_equal(out.at, "Useful [s]");
}

static void missing_values_do_not_spoil_the_fit(void **state)
{
    (void)state;
    pj_column_text form = pj_column_text_fit(PJ_UNIT_NS, (double[]){NAN, 2e6}, 2);
    assert_string_equal(form.unit, "ms");
    form = pj_column_text_fit(PJ_UNIT_NS, NULL, 0);
    assert_string_equal(form.unit, "ns");
}

/// Toy runs and long campaigns alike have numbers that can be read.
static void core_times_have_a_fitting_unit(void **state)
{
    static const struct {
        double hours;
        const char *text, *unit;
    } cases[] = {{7.6e-5, "0.274", "core-seconds"},
                 {0.5, "30.00", "core-minutes"},
                 {1234, "1,234.0", "core-hours"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_auto_buf out = {0};
        pj_column_text form = pj_column_text_fit(PJ_UNIT_CORE_HOURS, &cases[i].hours, 1);
        pj_column_text_number(&out, form, cases[i].hours);
        assert_string_equal(out.at, cases[i].text);
        assert_string_equal(form.unit, cases[i].unit);
    }
}

static void units_in_cells_are_not_in_titles(void **state)
{
    (void)state;
    pj_auto_table table = pj_table_new("Calls");
    pj_table_add_column(table, (pj_column){.key = "t", .title = "Longest", .unit = PJ_UNIT_NS});
    pj_table_add_row(table)[0] = pj_cell_of(PJ_UNIT_NS, 2e6);
    assert_string_equal(pj_column_text_of(table, 0).unit, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_are_grouped_with_and_without_fractions),
        cmocka_unit_test(the_unit_fits_the_largest_value),
        cmocka_unit_test(small_values_keep_three_digits_beside_large_ones),
        cmocka_unit_test(what_is_not_nothing_is_not_shown_as_nothing),
        cmocka_unit_test(whole_numbers_are_grouped),
        cmocka_unit_test(titles_carry_the_unit),
        cmocka_unit_test(missing_values_do_not_spoil_the_fit),
        cmocka_unit_test(core_times_have_a_fitting_unit),
        cmocka_unit_test(units_in_cells_are_not_in_titles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
