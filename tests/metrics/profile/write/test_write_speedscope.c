// What is written for speedscope is read again with the same call paths, threads and values.
#include "metrics/base/buf.h"
#include "metrics/profile/write/profile_write.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/"

static pj_profile *write_and_read(pj_profile *profile)
{
    pj_auto_buf bytes = {.at = NULL};
    pj_err err = {0};
    const pj_profile_writer *writer = pj_profile_writer_of(PJ_S("speedscope.json"));
    assert_non_null(writer);
    if (!writer->write(profile, &(pj_job){.stop = NULL}, &bytes, &err))
        fail_msg("%s", err.text);
    pj_profile *again = read_profile_bytes("again.speedscope.json", pj_buf_str(&bytes), &err);
    if (!again)
        fail_msg("%s", err.text);
    return again;
}

static void round_trip(const char *path, const char *key, const char *key_again)
{
    pj_auto_profile first = read_profile_file(path);
    pj_auto_profile again = write_and_read(first);
    pj_auto_arena arena = pj_arena_new(NULL);
    assert_int_equal(again->location_count, first->location_count);
    for (uint32_t at = 0; at < first->location_count; at++) {
        profile_totals *one = profile_totals_of(first, key, at, arena);
        profile_totals *other = profile_totals_of(again, key_again, at, arena);
        for (uint32_t r = 0; r < first->count[PJ_AT_REGION]; r++) {
            pj_str name = pj_profile_name(first, r);
            profile_totals a = profile_totals_named(first, one, name);
            profile_totals b = profile_totals_named(again, other, name);
            assert_true(a.exclusive == b.exclusive);
            same_value(a.inclusive, b.inclusive);
        }
    }
}

static void samples_come_back(void **state)
{
    (void)state;
    round_trip(SAMPLES "speedscope/sampled.speedscope.json", "time", "time");
    round_trip(SAMPLES "trace_event/calls.json", "time", "time");
    round_trip(SAMPLES "trace_event/disorder.json", "time", "time");
    round_trip(SAMPLES "collapsed/threads.collapsed", "samples", "samples");
    round_trip(SAMPLES "perf_script/two_events.perf.txt", "period", "samples");
    round_trip(SAMPLES "gprof2dot/memory.json", "memory", "memory");
}

static void odd_names_come_back(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile first =
        read_profile_bytes("odd", PJ_S("a\"\\b\x01;\xc3\xa9\xff 3\na\"\\b\x01 1\n"), &err);
    pj_auto_profile again = write_and_read(first);
    assert_int_not_equal(region_called(again, PJ_S("a\"\\b\x01"), NULL), PJ_NO_ITEM);
    assert_int_not_equal(region_called(again, PJ_S("\xc3\xa9\xef\xbf\xbd"), NULL), PJ_NO_ITEM);
}

static void graphs_are_refused(void **state)
{
    (void)state;
    pj_auto_profile graph = read_profile_file(SAMPLES "pstats/small.prof");
    pj_auto_buf bytes = {.at = NULL};
    pj_err err = {0};
    assert_false(pj_profile_writer_of(PJ_S("speedscope.json"))
                     ->write(graph, &(pj_job){.stop = NULL}, &bytes, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_back),
        cmocka_unit_test(odd_names_come_back),
        cmocka_unit_test(graphs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
