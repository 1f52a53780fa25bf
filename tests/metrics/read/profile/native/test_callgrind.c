// callgrind: compressed names and positions, parts of threads, inlined code, calls; every cost as
// callgrind_annotate has it.
#include "metrics/base/buf.h"
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/callgrind/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static double region_value(const pj_profile *p, const char *name, const char *file,
                           pj_value_part part, const char *key, uint32_t location)
{
    pj_str file_text = pj_str_of(file);
    uint32_t region = region_called(p, pj_str_of(name), &file_text);
    assert_int_not_equal(region, PJ_NO_ITEM);
    return profile_value(p, PJ_AT_REGION, part, key, region, location);
}

static void threads_and_inlined_code(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "threads.callgrind");
    assert_int_equal(p->shape, PJ_SHAPE_GRAPH);
    assert_int_equal(p->location_count, 2);
    assert_int_equal(p->locations[1].thread, 2);
    same_value(region_value(p, "main", "grid.c", PJ_EXCLUSIVE, "Ir", 0), 30);
    same_value(region_value(p, "main", "grid.c", PJ_INCLUSIVE, "Ir", 0), 100);
    same_value(region_value(p, "relax", "grid.c", PJ_EXCLUSIVE, "Ir", 0), 40);
    same_value(region_value(p, "relax", "grid.c", PJ_INCLUSIVE, "Ir", 0), 60);
    same_value(region_value(p, "relax", "inline.h", PJ_EXCLUSIVE, "Dr", 0), 2);
    same_value(region_value(p, "relax", "grid.c", PJ_CALLS, NULL, 0), 2);
    same_value(region_value(p, "relax", "grid.c", PJ_EXCLUSIVE, "Ir", 1), 7);
    same_value(region_value(p, "relax'2", "grid.c", PJ_INCLUSIVE, "Ir", 1), 9);
    same_value(region_value(p, "sqrt", "sqrt.c", PJ_INCLUSIVE, "Dr", 0), 1);
    uint32_t sqrt_region = region_called(p, PJ_S("sqrt"), NULL);
    assert_true(
        pj_str_equal(pj_profile_text(p, p->regions[sqrt_region].module), PJ_S("libm.so.6")));
    assert_int_equal(p->count[PJ_AT_EDGE], 3);
    assert_int_equal(p->count[PJ_AT_LINE], 5);
    assert_int_equal(p->oddities.count[PJ_ODDITY_wrong_total], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
}

/// Headers come in any order, behind comments; a text without events is none.
static void any_header_comes_first(void **state)
{
    (void)state;
    static const char *const heads[] = {"# made by hand\n\nversion: 1\n", "desc: Trigger: end\n",
                                        "pid: 12\ncmd: a b\n", "positions: line\n", "events:Ir\n"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        pj_auto_buf text = {.at = NULL};
        pj_buf_addf(&text, "%s%sfl=a.c\nfn=main\n0x5 0xa\n", heads[i],
                    i == 4 ? "" : "events: Ir\n");
        pj_err err = {0};
        pj_auto_profile p = read_profile_bytes("x.txt", pj_buf_str(&text), &err);
        assert_non_null(p);
        assert_string_equal(p->format, "callgrind");
        same_value(region_value(p, "main", "a.c", PJ_EXCLUSIVE, "Ir", 0), 10);
    }
    pj_err err = {0};
    assert_null(read_profile_bytes("x.txt", PJ_S("desc: a\nversion: 1\n"), &err));
    err = (pj_err){0};
    assert_null(read_profile_bytes("x.txt", PJ_S("note: a\nevents: Ir\n"), &err));
}

/// Costs may be relative as positions are, and missing ones are 0.
static void plain_files(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "plain.callgrind");
    same_value(region_value(p, "main", "a.php", PJ_INCLUSIVE, "Time_(10ns)", 0), 920);
    same_value(region_value(p, "main", "a.php", PJ_INCLUSIVE, "Memory_(bytes)", 0), 33000);
    same_value(region_value(p, "load", "a.php", PJ_EXCLUSIVE, "Memory_(bytes)", 0), 15000);
    same_value(region_value(p, "parse", "b.php", PJ_CALLS, NULL, 0), 3);
    assert_int_equal(p->oddities.first_line[PJ_ODDITY_malformed_record], 18);
}

/// xdebug writes each call of a function by itself with all that is below it: only what others have
/// called is the function's.
static void direct_recursion_counts_once(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p =
        read_profile_bytes("x",
                           PJ_S("version: 1\ncreator: xdebug\nevents: Time\n"
                                "fl=a.php\nfn=f\n2 10\n"
                                "fl=a.php\nfn=f\n2 20\ncfl=a.php\ncfn=f\ncalls=1 0 0\n2 10\n"
                                "fl=a.php\nfn=f\n2 30\ncfl=a.php\ncfn=f\ncalls=1 0 0\n2 30\n"
                                "fl=a.php\nfn=main\n9 5\ncfl=a.php\ncfn=f\ncalls=1 0 0\n9 60\n"),
                           &err);
    assert_non_null(p);
    same_value(region_value(p, "f", "a.php", PJ_EXCLUSIVE, "Time", 0), 60);
    same_value(region_value(p, "f", "a.php", PJ_INCLUSIVE, "Time", 0), 60);
    same_value(region_value(p, "f", "a.php", PJ_CALLS, NULL, 0), 3);
    same_value(region_value(p, "main", "a.php", PJ_INCLUSIVE, "Time", 0), 65);
    assert_int_equal(p->oddities.count[PJ_ODDITY_inclusive_less], 0);
}

/// yappi leaves out calls: what the others paid is less than the function itself took.
static void missing_calls_are_counted(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p =
        read_profile_bytes("x",
                           PJ_S("version: 1\ncreator: yappi\nevents: Ticks\nfl=a.py\nfn=f\n2 100\n"
                                "fl=a.py\nfn=main\n9 5\ncfl=a.py\ncfn=f\ncalls=1 0 0\n9 60\n"),
                           &err);
    assert_non_null(p);
    same_value(region_value(p, "f", "a.py", PJ_INCLUSIVE, "Ticks", 0), 60);
    assert_int_equal(p->oddities.count[PJ_ODDITY_inclusive_less], 1);
}

static void odd_lines(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes(
        "odd",
        PJ_S("events: A\n1 2\nfn=(9)\n1 9223372036854775808\n1 -5\n0xfg 1\n+1 7\n1 2 3\n"
             "calls=2\ncfn=x\ncalls=x\n"),
        &err);
    assert_non_null(p);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 6);
    assert_int_not_equal(region_called(p, PJ_S("(9)"), NULL), PJ_NO_ITEM);
}

static void as_callgrind_annotate_tells(void **state)
{
    (void)state;
    csv table;
    csv_of_real_tools(REFERENCE "native/callgrind_work_full.csv", &table);
    pj_auto_profile p = read_profile_file(DATA "native/callgrind.work_full.out");
    assert_int_equal(p->count[PJ_AT_REGION], table.rows);
    for (size_t row = 0; row < table.rows; row++) {
        pj_str file = csv_cell(&table, row, "file");
        uint32_t region = region_called(p, csv_cell(&table, row, "function"), &file);
        assert_int_not_equal(region, PJ_NO_ITEM);
        same_value(profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, "Ir", region, 0),
                   csv_number(&table, row, "exclusive"));
        same_value(profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, "Ir", region, 0),
                   csv_number(&table, row, "inclusive"));
    }
    csv_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_inlined_code),
        cmocka_unit_test(plain_files),
        cmocka_unit_test(any_header_comes_first),
        cmocka_unit_test(direct_recursion_counts_once),
        cmocka_unit_test(missing_calls_are_counted),
        cmocka_unit_test(odd_lines),
        cmocka_unit_test(as_callgrind_annotate_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
