// Tables of runs: columns that users rely on, and cells of a run made by hand.
#include "metrics/run/run_info.h"
#include "metrics/run/run_table.h"
#include "tests/support/made_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void expect_columns(const pj_table *table, const char *keys)
{
    pj_str rest = pj_str_of(keys);
    for (size_t i = 0; i < table->column_count; i++)
        assert_true(pj_str_equal(pj_str_cut(&rest, ','), pj_str_of(table->columns[i].key)));
    assert_int_equal(rest.len, 0);
}

static const pj_cell *cell(const pj_table *table, size_t row, const char *key)
{
    int column = pj_table_column(table, pj_str_of(key));
    assert_true(column >= 0 && row < table->row_count);
    return pj_table_cell(table, row, (size_t)column);
}

static void test_stats(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2};
    pj_auto_run run = made_run("x/run.prv", threads, 2);
    run->totals[2] = (pj_totals){.useful_ns = 1,
                                 .serial_useful_ns = 2,
                                 .openmp_useful_ns = 3,
                                 .openmp_ns = 4,
                                 .outside_mpi_ns = 5,
                                 .runtime_ns = 9007199254740993,
                                 .mpi_io_ns = 30,
                                 .spent_ns[PJ_SPENT_IO] = 50};
    run->counters[PJ_COUNTER_INSTRUCTIONS].present = true;
    run->counters[PJ_COUNTER_INSTRUCTIONS].useful[2] = 7;
    pj_auto_table table = pj_run_table_stats(run);
    expect_columns(table, "rank,thread,useful_ns,serial_useful_ns,openmp_useful_ns,openmp_ns,"
                          "outside_mpi_ns,runtime_ns,instructions,cycles,mpi_io_ns,posix_io_ns,"
                          "io_calls,io_bytes_read,io_bytes_written");
    assert_int_equal(table->row_count, 3);
    assert_string_equal(table->title, "Statistics of run");
    static const int64_t expected[] = {1, 1, 1, 2, 3, 4, 5, 9007199254740993, 7};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(pj_table_cell(table, 2, i)->integer, expected[i]);
    assert_int_equal(cell(table, 2, "mpi_io_ns")->integer, 30);
    assert_int_equal(cell(table, 2, "posix_io_ns")->integer, 20);
    assert_int_equal(cell(table, 0, "rank")->integer, 0);
    assert_int_equal(cell(table, 1, "thread")->integer, 0);
    assert_int_equal(cell(table, 2, "cycles")->kind, PJ_CELL_EMPTY);
    assert_string_equal(cell(table, 2, "cycles")->text,
                        "the trace has no cycle counter (PAPI_TOT_CYC)");
}

static void test_applications(void **state)
{
    (void)state;
    pj_auto_run run = made_run_even("run", 3, 1);
    run->layout.applications = 2;
    run->layout.application_of = pj_new_n(run->arena, uint32_t, 3);
    run->layout.application_of[2] = 1;
    pj_auto_table table = pj_run_info_table(run, "made by hand");
    const char *ranks[2] = {NULL, NULL};
    for (size_t row = 0; row < table->row_count; row++) {
        const char *key = pj_table_cell(table, row, 0)->text;
        if (strcmp(key, "application_0_ranks") == 0)
            ranks[0] = pj_table_cell(table, row, 1)->text;
        else if (strcmp(key, "application_1_ranks") == 0)
            ranks[1] = pj_table_cell(table, row, 1)->text;
    }
    assert_string_equal(ranks[0], "0-1");
    assert_string_equal(ranks[1], "2-2");
}

static void test_import(void **state)
{
    (void)state;
    pj_auto_run run = made_run_even("run", 1, 1);
    pj_auto_table none = pj_run_table_import(run);
    expect_columns(none, "key,severity,count,first_line,sentence");
    assert_int_equal(none->row_count, 0);
    pj_import_add(&run->import, PJ_IMPORT_unknown_record, 12);
    pj_import_add(&run->import, PJ_IMPORT_unknown_record, 40);
    pj_auto_table one = pj_run_table_import(run);
    assert_int_equal(one->row_count, 1);
    assert_string_equal(cell(one, 0, "key")->text, "unknown_record");
    assert_string_equal(cell(one, 0, "severity")->text, "warning");
    assert_int_equal(cell(one, 0, "count")->integer, 2);
    assert_int_equal(cell(one, 0, "first_line")->integer, 12);
}

static void test_ideal(void **state)
{
    (void)state;
    pj_auto_run run = made_run_simple("run", 2, 1, 100, 140);
    pj_auto_table table = pj_run_table_ideal(run);
    expect_columns(table, "rank,finish_ns,compute_ns");
    assert_int_equal(table->row_count, 2);
    assert_true(cell(table, 1, "finish_ns")->real == 120);
    assert_true(cell(table, 1, "compute_ns")->real == 100);
    assert_string_equal(table->note, "ideal runtime 120 ns");
    run->ideal.available = false;
    run->ideal.reason = "no MPI in the trace";
    pj_auto_table none = pj_run_table_ideal(run);
    assert_int_equal(none->row_count, 0);
    assert_string_equal(none->note, "no MPI in the trace");
}

static size_t row_of(const pj_table *table, const char *key)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (strcmp(cell(table, row, "key")->text, key) == 0)
            return row;
    fail_msg("no %s", key);
    return 0;
}

static void expect_fact(const pj_table *table, const char *key, const char *value,
                        const char *words)
{
    size_t row = row_of(table, key);
    assert_string_equal(cell(table, row, "value")->text, value);
    assert_string_equal(cell(table, row, "words")->text, words);
}

/// Values are raw, words have units and thousands.
static void test_info(void **state)
{
    (void)state;
    pj_auto_run run = made_run_simple("d/run.prv", 2, 4, 100, 140);
    run->file_bytes = 1234567;
    run->ideal.available = false;
    run->ideal.reason = "no events to replay";
    pj_auto_table table = pj_run_info_table(run, "made by hand");
    expect_columns(table, "key,value,unit,title,words");
    expect_fact(table, "layout", "2x4", "2x4");
    expect_fact(table, "region_of_interest", "the whole trace", "the whole trace");
    expect_fact(table, "format", "prv", "made by hand");
    expect_fact(table, "tag", "", "none");
    size_t size = row_of(table, "file_bytes");
    assert_int_equal(cell(table, size, "value")->integer, 1234567);
    assert_string_equal(cell(table, size, "unit")->text, "B");
    assert_string_equal(cell(table, size, "title")->text, "Size");
    assert_non_null(strstr(cell(table, size, "words")->text, "(1,234,567 B)"));
    size_t ideal = row_of(table, "ideal_runtime_ns");
    assert_int_equal(cell(table, ideal, "value")->kind, PJ_CELL_EMPTY);
    assert_string_equal(cell(table, ideal, "value")->text, cell(table, ideal, "words")->text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stats),  cmocka_unit_test(test_applications),
        cmocka_unit_test(test_import), cmocka_unit_test(test_ideal),
        cmocka_unit_test(test_info),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
