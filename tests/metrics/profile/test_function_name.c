// Names of functions in lists: what tells those of one name apart.
#include "metrics/base/arena.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/function_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names_that_are_shared_tell_their_places(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_err err = {0};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_build build = pj_build_new("made", &job);
    pj_build_profile(build)->shape = PJ_SHAPE_FLAT;
    uint32_t at = pj_build_location(build, (pj_profile_location){.rank = 0});
    uint32_t time = pj_build_measure(
        build, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    uint32_t own = pj_build_column(build, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    uint32_t regions[] = {pj_build_region(build, PJ_S("wait"), PJ_S("/usr/threading.py"), 669),
                          pj_build_region(build, PJ_S("pixel"), PJ_S("survey.py"), 15),
                          pj_build_region(build, PJ_S("wait"), PJ_S("synchronize.py"), 247),
                          pj_build_region(build, PJ_S("wait"), PJ_S(""), 0)};
    for (size_t i = 0; i < 4; i++)
        pj_build_add(build, own, regions[i], at, 1);
    pj_auto_profile profile = pj_build_finish(build, &err);
    assert_non_null(profile);
    const char **names = pj_function_names(profile, regions, 4, arena);
    assert_string_equal(names[0], "wait (threading.py:669)");
    assert_string_equal(names[1], "pixel");
    assert_string_equal(names[2], "wait (synchronize.py:247)");
    assert_string_equal(names[3], "wait");
    assert_string_equal(pj_function_names(profile, regions, 2, arena)[0], "wait");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_are_shared_tell_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
