// Metrics over time: where their level changes, and what is said of archives of files of TALP.
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/pop/change_points.h"
#include "metrics/pop/trend.h"
#include "metrics/table/table.h"
#include "tests/support/made_run.h"
#include "widgets/report/trend_page.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64 };

static size_t changes_of(const double *values, size_t count, bool *changes)
{
    return pj_change_points(values, count, changes);
}

static void a_change_is_found_where_it_is(void **state)
{
    (void)state;
    static const double values[] = {10.0, 10.1, 9.9,  10.0, 10.2, 9.9,
                                    11.0, 11.1, 10.9, 11.0, 11.2, 10.9};
    bool changes[MOST];
    assert_int_equal(changes_of(values, 12, changes), 1);
    assert_true(changes[6]);
}

static void noise_is_no_change(void **state)
{
    (void)state;
    static const double values[] = {10.0, 10.1, 9.9,  10.0, 10.2, 9.9,
                                    10.1, 9.8,  10.0, 10.1, 9.9,  10.2};
    static const double equal[] = {2, 2, 2, 2, 2, 2, 2};
    bool changes[MOST];
    assert_int_equal(changes_of(values, 12, changes), 0);
    assert_int_equal(changes_of(equal, 7, changes), 0);
    assert_int_equal(changes_of(values, 0, changes), 0);
    assert_int_equal(changes_of(values, 1, changes), 0);
    assert_int_equal(changes_of(values, 5, changes), 0);
}

static void several_changes_and_scales(void **state)
{
    (void)state;
    double values[36];
    bool changes[MOST];
    for (int scale = 0; scale < 2; scale++) {
        for (size_t i = 0; i < 36; i++)
            values[i] = ((i < 12   ? 1.0
                          : i < 24 ? 3.0
                                   : 1.0) +
                         0.01 * (double)(i % 3)) *
                        (scale ? 1e9 : 1);
        assert_int_equal(changes_of(values, 36, changes), 2);
        assert_true(changes[12] && changes[24]);
    }
}

/// An archive of runs of two layouts, not in order of time; the second half takes longer.
static pj_table *archive(pj_run **runs, size_t count, pj_trend_opts opts, pj_err *err)
{
    for (size_t i = 0; i < count; i++) {
        size_t when = (i * 7) % count;
        char path[64];
        snprintf(path, sizeof path, "/archive/run%02zu", i);
        runs[i] = made_run_even(path, when % 2 ? 4 : 2, 1);
        pj_run_origin *origin = pj_new(runs[i]->arena, pj_run_origin);
        *origin = (pj_run_origin){
            .version = "3.5.0",
            .branch = "main",
            .commit = pj_arena_format(runs[i]->arena, "c%02zu<&>", when),
            .committed = pj_arena_format(runs[i]->arena, "2024-01-%02zuT00:00:00", when + 1)};
        runs[i]->origin = origin;
        runs[i]->runtime_ns = (when < count / 2 ? 10u : 20u) * UINT64_C(1000000000) + when * 1000;
    }
    return pj_trend_table(runs, count, opts, err);
}

static void archives_are_series_in_order_of_time(void **state)
{
    (void)state;
    pj_run *runs[MOST];
    pj_err err = {.code = PJ_E_NONE};
    const char *metrics[] = {"runtime_s"};
    pj_auto_table trend =
        archive(runs, 24, (pj_trend_opts){.metrics = metrics, .metric_count = 1}, &err);
    if (!trend)
        fail_msg("%s", err.text);
    assert_int_equal(trend->row_count, 24);
    size_t changes = 0, change = (size_t)pj_table_column(trend, PJ_S("change"));
    for (size_t row = 0; row < 24; row++) {
        const pj_cell *cells = pj_table_cell(trend, row, 0);
        bool same = row && strcmp(cells[3].text, pj_table_cell(trend, row - 1, 3)->text) == 0;
        assert_true(!same || strcmp(pj_table_cell(trend, row - 1, 0)->text, cells[0].text) < 0);
        if (cells[change].kind == PJ_CELL_EMPTY)
            continue;
        changes++;
        assert_true(fabs(pj_cell_number(cells[change]) - 1) < 1e-3);
        assert_true(strcmp(cells[0].text, "2024-01-13") > 0);
    }
    assert_int_equal(changes, 2); // one in each layout
    pj_auto_buf page = {.at = NULL}, badge = {.at = NULL};
    pj_trend_page(trend, &page);
    pj_trend_badge(trend, &badge);
    assert_non_null(strstr(page.at, "4xMPI 1xOpenMP"));
    assert_non_null(strstr(page.at, "\"2024-01-01T00:00:00 c00\\u003c&> main\""));
    assert_null(strstr(page.at, "c00<"));
    assert_null(strstr(page.at, "http://www.example"));
    assert_non_null(strstr(badge.at, "unknown"));
    for (size_t i = 0; i < 24; i++)
        pj_run_release(runs[i]);
}

static void a_metric_that_is_not_there_is_refused(void **state)
{
    (void)state;
    pj_run *runs[MOST];
    pj_err err = {.code = PJ_E_NONE};
    const char *metrics[] = {"luck"};
    assert_null(archive(runs, 4, (pj_trend_opts){.metrics = metrics, .metric_count = 1}, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    err = (pj_err){.code = PJ_E_NONE};
    for (size_t i = 0; i < 4; i++)
        pj_run_release(runs[i]);
    assert_null(archive(runs, 4, (pj_trend_opts){.region = "solve"}, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    for (size_t i = 0; i < 4; i++)
        pj_run_release(runs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_found_where_it_is),
        cmocka_unit_test(noise_is_no_change),
        cmocka_unit_test(several_changes_and_scales),
        cmocka_unit_test(archives_are_series_in_order_of_time),
        cmocka_unit_test(a_metric_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
