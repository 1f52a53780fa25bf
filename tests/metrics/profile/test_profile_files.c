// Input and output by file: files and ranks apart, reading and writing, calls from file to file.
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_files.h"
#include "metrics/table/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct making {
    pj_build *build;
    uint32_t visits, time;
} making;

static void add(const making *m, const char *name, const char *parameters, uint32_t location)
{
    uint32_t region = pj_build_region(m->build, pj_str_of(name), PJ_S(""), 0);
    uint32_t text = *parameters ? pj_build_text(m->build, pj_str_of(parameters)) : 0;
    uint32_t node = pj_build_node_with(m->build, PJ_NO_ITEM, region, text);
    pj_build_count(m->build, m->visits, node, location, 3);
    pj_build_add(m->build, m->time, node, location, 0.5);
}

static pj_profile *make(bool with_files, pj_err *err)
{
    pj_job job = {.workers = 1};
    pj_auto_build build = pj_build_new("made up", &job);
    making m = {.build = build};
    const pj_measure time = {.key = "time", .title = "Time", .unit = "s", .kind = PJ_MEASURE_TIME};
    pj_build_profile(build)->shape = PJ_SHAPE_TREE;
    m.visits = pj_build_column(build, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM, true);
    m.time = pj_build_column(build, PJ_AT_NODE, PJ_EXCLUSIVE, pj_build_measure(build, time), false);
    for (int rank = 0; rank < 2; rank++)
        pj_build_location(build, (pj_profile_location){.rank = rank, .thread = 0});
    add(&m, "solve", "", 0);
    if (with_files) {
        add(&m, "read", "file=/a", 0);
        add(&m, "pread", "file=/a", 0);
        add(&m, "open", "file=/a", 0);
        add(&m, "sendfile", "file=/a, file=/b", 1);
    }
    return pj_build_finish(build, err);
}

static void assert_row(const pj_table *table, size_t row, const char *file, int64_t rank,
                       int64_t calls)
{
    assert_string_equal(pj_table_cell(table, row, 0)->text, file);
    assert_int_equal(pj_table_cell(table, row, 1)->integer, rank);
    assert_int_equal(pj_table_cell(table, row, 2)->integer, calls);
}

static void files_are_rows(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile profile = make(true, &err);
    assert_non_null(profile);
    pj_table *table = pj_profile_files(profile, &err);
    assert_non_null(table);
    assert_int_equal(table->row_count, 2);
    assert_row(table, 0, "/a", 0, 9);
    assert_row(table, 1, "/b", 1, 3);
    static const double seconds[2][4] = {{1, 0, 0.5, 1.5}, {0, 0.5, 0, 0.5}};
    for (size_t row = 0; row < 2; row++)
        for (size_t i = 0; i < 4; i++)
            assert_float_equal(pj_table_cell(table, row, 3 + i)->real, seconds[row][i], 1e-12);
    pj_table_release(table);
}

static void without_files_it_says_so(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile profile = make(false, &err);
    assert_non_null(profile);
    assert_null(pj_profile_files(profile, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_rows),
        cmocka_unit_test(without_files_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
