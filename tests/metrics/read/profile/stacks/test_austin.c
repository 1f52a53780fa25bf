// Text of austin: times, idle time and memory by function and line, and what austin's own numbers
// add up to.
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/austin/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/stacks/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/stacks/austin3.csv"

static profile_totals named(const pj_profile *p, const char *key, const char *name)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    profile_totals *totals = profile_totals_of(p, key, PJ_NO_ITEM, arena);
    return profile_totals_named(p, totals, pj_str_of(name));
}

static void full_mode(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "full.austin");
    assert_true(pj_str_equal(pj_profile_text(p, p->version), PJ_S("3.7.0")));
    same_value(named(p, "time", "<module>").inclusive, 1475e-6);
    same_value(named(p, "time", "relax").exclusive, 1100e-6);
    same_value(named(p, "cpu_time", "relax").exclusive, 600e-6);
    same_value(named(p, "memory", "relax").exclusive, 3072);
    same_value(named(p, "time", "Grid.norm").exclusive, 250e-6);
    same_value(named(p, "time", "T0:7").exclusive, 900e-6); // no Python code
    assert_int_equal(p->location_count, 3);
    assert_int_equal(p->locations[1].rank, 0);
    assert_int_equal(p->locations[1].thread, 1);
    assert_int_equal(p->locations[2].rank, 1);
    uint32_t relax = region_called(p, PJ_S("relax"), &PJ_S("app/grid.py"));
    assert_int_equal(p->lines[0].region, relax);
    assert_int_equal(p->lines[0].line, 12);
    same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "time", 0, 0), 600e-6);
    same_value(profile_value(p, PJ_AT_LINE, PJ_CALLS, NULL, 0, 0), 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
}

static void wall_mode(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "wall.austin");
    same_value(named(p, "time", "relax").exclusive, 1e-3);
    same_value(named(p, "time", "odd frame").exclusive, 1e-4);
    same_value(profile_value(p, PJ_AT_LINE, PJ_CALLS, NULL, 0, 0), 2);
    assert_int_equal(p->measure_count, 1);
    assert_int_equal(p->locations[0].rank, -1); // one process: its file tells the rank
    assert_int_equal(p->oddities.first_line[PJ_ODDITY_malformed_record], 7);
}

/// What austin 2 and austin 1 print has no header.
static void without_header(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile second =
        read_profile_bytes("two",
                           PJ_S("P7;T0x7f1;app/grid.py:<module>:40;app/grid.py:relax:12 "
                                "600\r\nP8;T0x7f2;app/grid.py:<module>:41 400\r\n"),
                           &err);
    same_value(named(second, "time", "relax").exclusive, 600e-6);
    same_value(named(second, "time", "<module>").inclusive, 1e-3);
    assert_int_equal(second->location_count, 2);
    assert_int_equal(second->lines[0].line, 12);
    pj_auto_profile full =
        read_profile_bytes("full", PJ_S("P7;T0x7f1;grid.py:relax:12 600,1,-20\n"), &err);
    same_value(named(full, "time", "relax").exclusive, 600e-6);
    same_value(named(full, "memory", "relax").exclusive, -20);
    pj_auto_profile first = read_profile_bytes(
        "one",
        PJ_S("Process 7;Thread 34;main (app/grid.py);L40;relax (app/grid.py);L12 600\n"
             "Thread 35;main (app/grid.py);L41 400\n"),
        &err);
    same_value(named(first, "time", "relax").exclusive, 600e-6);
    same_value(named(first, "time", "main").inclusive, 1e-3);
    assert_int_equal(first->count[PJ_AT_REGION], 2);
    uint32_t relax = region_called(first, PJ_S("relax"), &PJ_S("app/grid.py"));
    assert_int_equal(first->lines[0].region, relax);
    assert_int_equal(first->lines[0].line, 12);
    assert_int_equal(first->lines[1].line, 41);
    assert_int_equal(first->oddities.count[PJ_ODDITY_malformed_record], 0);
}

/// austin 1 can tell three numbers of a stack, and lines within the frames.
static void modes_of_the_first(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile full = read_profile_bytes(
        "full",
        PJ_S("Thread 7f1e579fdb80 5 0 0\n"
             "Thread 7f1e579fdb80;main (app/grid.py);L40;relax (app/grid.py);L12 600 4 -8\n"
             "Process 7;Thread 7f1e579fdb80;main (app/grid.py);L41 400 0 0\n"),
        &err);
    same_value(named(full, "time", "relax").exclusive, 600e-6);
    same_value(named(full, "time", "main").inclusive, 1e-3);
    same_value(named(full, "time", "Thread 7f1e579fdb80").exclusive, 5e-6);
    same_value(named(full, "memory", "relax").exclusive, 4096);
    same_value(named(full, "memory_released", "main").inclusive, 8192);
    assert_int_equal(full->oddities.count[PJ_ODDITY_malformed_record], 0);
    pj_auto_profile other = read_profile_bytes(
        "other", PJ_S("Thread 7f1e579fdb80;main (app/grid.py:40);<frozen> (<frozen a.b>:12) 600\n"),
        &err);
    assert_string_equal(other->format, "austin");
    same_value(named(other, "time", "<frozen>").exclusive, 600e-6);
    assert_int_not_equal(region_called(other, PJ_S("<frozen>"), &PJ_S("<frozen a.b>")), PJ_NO_ITEM);
    assert_int_equal(other->lines[0].line, 12);
    pj_auto_profile another =
        read_profile_bytes("another", PJ_S("Thread 1;main (app/grid.py:40);f (a:12) 600\n"), &err);
    assert_string_equal(another->format, "collapsed");
}

static void binary_files_name_the_converter(void **state)
{
    (void)state;
    pj_err err = {0};
    assert_null(read_profile_bytes("a.mojo", PJ_S("MOJ\x03\x01"), &err));
    assert_true(pj_str_contains(pj_str_of(err.text), PJ_S("mojo2austin")));
}

static void as_austin_counts(void **state)
{
    (void)state;
    csv table;
    if (!csv_read(REFERENCE, &table)) {
        print_message("no data of real tools: %s\n", REFERENCE);
        skip();
    }
    pj_auto_profile p = read_profile_file(DATA "austin3.txt");
    pj_auto_arena arena = pj_arena_new(NULL);
    profile_totals *totals = profile_totals_of(p, "time", PJ_NO_ITEM, arena);
    for (size_t row = 0; row < table.rows; row++) {
        pj_str place = csv_cell(&table, row, "file_function");
        size_t colon = pj_str_find_last(place, ':');
        pj_str file = pj_str_head(place, colon), name = pj_str_from(place, colon + 1);
        uint32_t region = region_called(p, name, &file);
        assert_int_not_equal(region, PJ_NO_ITEM);
        same_value(totals[region].exclusive, csv_number(&table, row, "self_us") * 1e-6);
        same_value(totals[region].inclusive, csv_number(&table, row, "total_us") * 1e-6);
    }
    csv_free(&table);
    refuse_profile_file(DATA "austin3.mojo", "mojo2austin");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_mode),        cmocka_unit_test(wall_mode),
        cmocka_unit_test(without_header),   cmocka_unit_test(binary_files_name_the_converter),
        cmocka_unit_test(as_austin_counts), cmocka_unit_test(modes_of_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
