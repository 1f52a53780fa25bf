// gprof2dot's JSON: functions that come last, several costs, equal names in two modules.
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/gprof2dot/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static void costs(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "memory.json");
    same_value(profile_totals_at(p, "memory", 0, "main").inclusive, 1552);
    same_value(profile_totals_at(p, "memory", 0, "grow").inclusive, 1040);
    same_value(profile_totals_at(p, "allocated_blocks", 0, "malloc").exclusive, 3);
    assert_int_equal(p->count[PJ_AT_REGION], 4); // malloc is there twice
    assert_int_equal(p->measures[0].kind, PJ_MEASURE_BYTES);
}

static void invalid_files(void **state)
{
    (void)state;
    pj_err err = {0}, other = {0}, third = {0};
    assert_null(read_profile_bytes(
        "x", PJ_S("{\"costs\":[],\"functions\":[],\"events\":[{\"callchain\":[0],\"cost\":[1]}]}"),
        &err));
    assert_true(pj_str_contains(pj_str_of(err.text), PJ_S("a function that is not there")));
    assert_null(read_profile_bytes("x",
                                   PJ_S("{\"costs\":[],\"functions\":[{\"name\":\"a\"}],"
                                        "\"events\":[{\"callchain\":[0],\"cost\":[1]}]}"),
                                   &other));
    assert_true(pj_str_contains(pj_str_of(other.text), PJ_S("more costs than are described")));
    assert_null(
        read_profile_bytes("x", PJ_S("{\"version\":1,\"costs\":[],\"functions\":[]}"), &third));
    assert_true(pj_str_contains(pj_str_of(third.text), PJ_S("version is not 0")));
}

static void real_files(void **state)
{
    (void)state;
    FILE *there = fopen(DATA "gprof2dot/diamond.json", "r");
    if (!there) {
        print_message("no data of real tools: %s\n", DATA "gprof2dot");
        skip();
    }
    fclose(there);
    pj_auto_profile diamond = read_profile_file(DATA "gprof2dot/diamond.json");
    same_value(profile_totals_at(diamond, "memory", 0, "b").inclusive, 7); // 87.5 % of 8
    same_value(profile_totals_at(diamond, "memory", 0, "d").exclusive, 8);
    pj_auto_profile leaked = read_profile_file(DATA "gprof2dot/memtrail.leaked.json");
    same_value(profile_totals_at(leaked, "memory", 0, "_start").inclusive, 4609);
    same_value(profile_totals_at(leaked, "memory", 0, "test_cxx").exclusive, 513); // 11.13 %
    pj_auto_profile empty = read_profile_file(DATA "gprof2dot/empty.json");
    assert_int_equal(empty->oddities.count[PJ_ODDITY_empty], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs),
        cmocka_unit_test(invalid_files),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
