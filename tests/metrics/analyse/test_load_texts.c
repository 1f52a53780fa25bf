// Options of reading as texts: what they mean, and what is said of those that mean nothing.
#include "metrics/analyse/load_texts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void texts_become_options(void **state)
{
    (void)state;
    const pj_load_texts texts = {.how = {.roi = "10%..90%", .roi_cut = "drop", .clock = "raw"},
                                 .latency = "2us",
                                 .bandwidth = "inf",
                                 .eager = "32k",
                                 .memory = "2G",
                                 .range = "1s..2s",
                                 .ranks = "3-5"};
    pj_load_opts opts = {0};
    pj_network network = {0};
    pj_timeline_opts timeline = {0};
    uint64_t memory = 0;
    pj_err err = {0};
    assert_true(pj_load_how_take(&texts.how, &opts, &err));
    assert_true(opts.roi.drop && opts.raw_clock && opts.roi.kind == PJ_ROI_RANGE);
    assert_true(pj_load_texts_network(&texts, &network, &err));
    assert_true(network.latency_ns == 2000 && isinf(network.bandwidth));
    assert_true(network.eager_bytes == 32768 && !network.all_rendezvous);
    assert_true(pj_load_texts_memory(&texts, &memory, &err));
    assert_true(memory == (uint64_t)2 << 30);
    assert_true(pj_load_texts_timeline(&texts, &timeline, &err));
    assert_true(timeline.first_rank == 3 && timeline.last_rank == 5);
    assert_true(pj_load_texts_timeline(&(pj_load_texts){.ranks = NULL}, &timeline, &err));
    assert_true(timeline.last_rank == UINT32_MAX);
}

static void nonsense_is_named(void **state)
{
    (void)state;
    static const pj_load_texts network[] = {
        {.latency = "soon"}, {.bandwidth = "much"}, {.eager = "all"}};
    pj_load_opts opts = {0};
    pj_network out = {0};
    pj_timeline_opts timeline = {0};
    for (size_t i = 0; i < sizeof network / sizeof *network; i++) {
        pj_err err = {0};
        assert_false(pj_load_texts_network(&network[i], &out, &err));
        assert_int_equal(err.code, PJ_E_USAGE);
    }
    pj_err err = {0}, other = {0};
    assert_false(pj_load_how_take(&(pj_load_how){.roi = "nonsense"}, &opts, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    assert_false(pj_load_texts_timeline(&(pj_load_texts){.ranks = "5-3"}, &timeline, &other));
    assert_non_null(strstr(other.text, "names no ranks"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_options),
        cmocka_unit_test(nonsense_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
