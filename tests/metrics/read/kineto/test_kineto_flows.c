// Arrows from launches to records in traces of PyTorch's profiler.
#include "metrics/run/ai_account.h"
#include "tests/support/kineto_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BARE(category, pid, ts, dur)                                                               \
    "{\"ph\": \"X\", \"cat\": \"" category "\", \"name\": \"cudaLaunchKernel\", \"pid\": " pid     \
    ", \"tid\": 7, \"ts\": " ts ", \"dur\": " dur "}"
#define ARROW_OF(id, phase, pid, ts)                                                               \
    "{\"ph\": \"" phase "\", \"cat\": \"ac2g\", \"name\": \"ac2g\", \"id\": " id ", \"pid\": " pid \
    ", \"tid\": 7, \"ts\": " ts "}"
#define ARROW(phase, pid, ts) ARROW_OF("3", phase, pid, ts)

static pj_run *read_text(const char *text)
{
    return kineto_run_of(pj_str_of(text), NULL);
}

/// Without correlations in arguments arrows tell that the kernel is launched from 3 to 4 us: host
/// until then, latency after it. They may stand before what they join;
/// of two calls that begin at one time the second arrow is of the second one.
static void arrows_tell_launches(void **state)
{
    (void)state;
    static const char *const texts[] = {
        EVENTS(BARE("kernel", "0", "0", "2") "," BARE("kernel", "0", "6", "2") "," BARE(
            "cuda_runtime", "9", "3", "1") "," ARROW("s", "9", "3") "," ARROW("f", "0", "6")),
        EVENTS(ARROW("f", "0", "6") "," ARROW("s", "9", "3") "," BARE(
            "cuda_runtime", "9", "3", "1") "," BARE("kernel", "0", "0", "2") "," BARE("kernel", "0",
                                                                                      "6", "2"))};
    for (unsigned i = 0; i < 2; i++) {
        pj_auto_run run = read_text(texts[i]);
        const uint64_t *idle = run->ai->shares[0].idle;
        assert_int_equal(idle[PJ_AI_IDLE_host], 1000);
        assert_int_equal(idle[PJ_AI_IDLE_launch], 1000);
        assert_int_equal(idle[PJ_AI_IDLE_launch_latency], 2000);
        assert_int_equal(idle[PJ_AI_IDLE_unknown], 0);
    }
    pj_auto_run twice = read_text(
        EVENTS(BARE("cuda_runtime", "9", "3", "1") "," ARROW_OF("4", "s", "9", "3") "," BARE(
            "cuda_runtime", "9", "3",
            "2") "," ARROW("s", "9", "3") "," BARE("kernel", "0", "0",
                                                   "2") "," BARE("kernel", "0", "6",
                                                                 "2") "," ARROW("f", "0", "6")));
    assert_int_equal(twice->ai->shares[0].idle[PJ_AI_IDLE_launch], 2000);
    assert_int_equal(twice->ai->shares[0].idle[PJ_AI_IDLE_launch_latency], 1000);
    pj_auto_run none = read_text(EVENTS(BARE("kernel", "0", "0", "2") "," BARE(
        "kernel", "0", "6", "2") "," BARE("cuda_runtime", "9", "3", "1")));
    assert_int_equal(none->ai->shares[0].idle[PJ_AI_IDLE_unknown], 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arrows_tell_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
