// speedscope's own format: samples, events, units, frames that come last; what is invalid.
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/speedscope/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static void samples_and_events(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "sampled.speedscope.json");
    assert_int_equal(p->location_count, 2);
    assert_true(pj_str_equal(pj_profile_text(p, p->locations[1].name), PJ_S("two")));
    same_value(profile_totals_at(p, "time", 0, "main").inclusive, 3.5e-3);
    same_value(profile_totals_at(p, "time", 0, "norm").exclusive, 2.5e-3);
    same_value(profile_totals_at(p, "time", 1, "main").exclusive, 3e-3);
    same_value(profile_totals_at(p, "time", 1, "relax").exclusive, 13e-3);
    same_value(profile_totals_at(p, "time", 1, "relax").inclusive, 13e-3);
    same_value(profile_totals_at(p, "time", 1, "norm").inclusive, 5e-3);
    uint32_t main_region = region_called(p, PJ_S("main"), &PJ_S("grid.py"));
    assert_int_equal(p->regions[main_region].line, 40);
    assert_true(pj_str_equal(pj_profile_text(p, p->tool), PJ_S("hand@1")));
}

static void units(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "units.speedscope.json");
    same_value(profile_totals_at(p, "memory", 0, "a").inclusive, 1536);
    same_value(profile_totals_at(p, "samples", 1, "a").exclusive, 3);
    same_value(profile_totals_at(p, "time", 2, "b").exclusive, 250e-9);
}

static void refuse(const char *text, const char *why)
{
    pj_err err = {0};
    assert_null(read_profile_bytes("x.json", pj_str_of(text), &err));
    if (!pj_str_contains(pj_str_of(err.text), pj_str_of(why)))
        fail_msg("not \"%s\" but \"%s\"", why, err.text);
}

static void invalid_files(void **state)
{
    (void)state;
#define FRAMES                                                                                     \
    "{\"$schema\":\"speedscope\",\"shared\":{\"frames\":[{\"name\":\"a\"}]},\"profiles\":[{"
    refuse(FRAMES "\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0}]}]}", "never closed");
    refuse(FRAMES "\"events\":[{\"type\":\"C\",\"frame\":0,\"at\":0}]}]}", "not the innermost");
    refuse(FRAMES "\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":5},"
                  "{\"type\":\"C\",\"frame\":0,\"at\":4}]}]}",
           "earlier than the one before");
    refuse(FRAMES "\"samples\":[[1]],\"weights\":[2]}]}", "a frame that is not there");
    refuse(FRAMES "\"samples\":[[-1]],\"weights\":[2]}]}", "no frame of that number");
    refuse(FRAMES "\"samples\":[[0],[0]],\"weights\":[2]}]}", "not equally many");
    refuse(FRAMES "\"samples\":[[0]],\"weights\":[2]}]", "it ends early");
    refuse(FRAMES "\"samples\":{}}]}", "another kind of value");
#undef FRAMES
}

static void real_files(void **state)
{
    (void)state;
    static const char *const files[] = {
        "0.0.1/simple-no-pretty-print.speedscope.json", "0.0.1/simple.speedscope.json",
        "0.1.2/simple-sampled.speedscope.json", "0.6.0/two-sampled.speedscope.json"};
    char path[512];
    FILE *there = fopen(DATA "speedscope/speedscope/0.0.1/simple.speedscope.json", "r");
    if (!there) {
        print_message("no data of real tools: %s\n", DATA);
        skip();
    }
    fclose(there);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, DATA "speedscope/speedscope/%s", files[i]);
        pj_auto_profile p = read_profile_file(path);
        const char *key = i < 2 ? "samples" : "time";
        for (uint32_t at = 0; at < p->location_count; at++) {
            assert_true(profile_totals_at(p, key, at, "a").inclusive == 14);
            assert_true(profile_totals_at(p, key, at, "b").exclusive == 5);
            assert_true(profile_totals_at(p, key, at, "c").exclusive == 5);
            assert_true(profile_totals_at(p, key, at, "d").exclusive == 4);
        }
    }
    refuse_profile_file(DATA "speedscope/speedscope/invalid/incomplete-trace.json", "never closed");
    refuse_profile_file(DATA "speedscope/speedscope/invalid/out-of-order-events.json",
                        "not the innermost");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_and_events),
        cmocka_unit_test(units),
        cmocka_unit_test(invalid_files),
        cmocka_unit_test(real_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
