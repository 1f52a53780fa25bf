// Arrays that are too long for memory: the same things in the same order as in memory, and a disk
// that is full ends in an error.
#include "metrics/ai/ai_match.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_spill.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/tiny.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

static pj_ai_spill begun(void)
{
    pj_ai_spill spill = {.active = false};
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_ai_spill_begin(&spill, &err));
    return spill;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void arrays_grow_and_are_sorted(void **state)
{
    (void)state;
    enum { COUNT = PJ_SIZE(2000000, 50000) }; // several runs
    pj_ai_spill spill = begun();
    uint64_t *items = NULL, seed = 5, *other = malloc(100000 * sizeof *other);
    size_t cap = 0;
    for (size_t i = 0; i < COUNT; i++) {
        pj_ai_spill_pass(&spill, i);
        pj_ai_grow(&spill, items, &cap, i + 1);
        items[i] = next_random(&seed) << 21 | i;
    }
    assert_int_equal(pj_ai_spill_held(&spill, items, cap * sizeof *items), 0);
    assert_true(pj_ai_spill_sort(&spill, items + 1, COUNT - 1, sizeof *items, by_value, NULL));
    uint64_t sum = items[0], wanted = 0;
    seed = 5;
    for (uint64_t i = 0; i < COUNT; i++)
        wanted += next_random(&seed) << 21 | i;
    for (size_t i = 1; i < COUNT; i++) {
        sum += items[i];
        assert_true(i == 1 || items[i - 1] < items[i]);
    }
    assert_int_equal(sum, wanted);
    memset(other, 7, 100000 * sizeof *other);
    other = pj_ai_spill_move(&spill, other, 100000 * sizeof *other);
    assert_int_equal(pj_ai_spill_held(&spill, other, 1), 0);
    assert_int_equal(*((unsigned char *)other + 799999), 7);
    pj_ai_spill_drop(&spill, other);
    pj_ai_spill_drop(&spill, items);
    assert_int_equal(spill.count, 0);
    pj_ai_spill_free(&spill);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1 << 20;
    signal(SIGXFSZ, SIG_IGN);
    pj_ai_spill spill = begun();
    pj_err err = {.code = PJ_E_NONE};
    uint64_t *items = NULL;
    size_t cap = 0;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (size_t i = 0; i < 1000000; i++) {
        pj_ai_grow(&spill, items, &cap, i + 1);
        items[i] = i;
    }
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(pj_ai_spill_check(&spill, &err));
    assert_int_equal(err.code, PJ_E_IO);
    assert_string_equal(err.where, spill.folder);
    assert_int_equal(items[999999], 999999);
    pj_ai_spill_drop(&spill, items);
    pj_ai_spill_free(&spill);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    char *own = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    pj_ai_spill spill = {.active = false};
    pj_err err = {.code = PJ_E_NONE};
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_false(pj_ai_spill_begin(&spill, &err));
    if (own)
        setenv("TMPDIR", own, 1);
    else
        unsetenv("TMPDIR");
    free(own);
    assert_int_equal(err.code, PJ_E_IO);
    assert_string_equal(err.where, "/no/such/folder");
    assert_non_null(strstr(err.text, "TMPDIR"));
}

/// Kernels on two streams in any order, some of which are there twice, copies, exchanges, steps.
static pj_ai_rank *made(int64_t number, pj_job *job)
{
    enum { RECORDS = 60000, OFTEN = 500 };
    pj_ai_rank *rank = pj_ai_rank_new("made");
    pj_err err = {.code = PJ_E_NONE};
    uint64_t seed = (uint64_t)number + 3;
    rank->rank = number;
    rank->draws = PJ_AI_DRAWS_DEVICES;
    uint16_t streams[] = {pj_ai_rank_stream(rank, 0, 7), pj_ai_rank_stream(rank, 0, 9)};
    uint32_t gemm = pj_ai_rank_name(rank, PJ_S("gemm"));
    uint32_t reduce = pj_ai_rank_name(rank, PJ_S("ncclDevKernel_AllReduce"));
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint32_t k = i ^ 64; // out of order
        int64_t begin = 1000 * (int64_t)k + (int64_t)(next_random(&seed) % 300);
        pj_ai_record record = {.begin = begin,
                               .end = begin + 400 + (int64_t)(next_random(&seed) % 900),
                               .call = k + 1,
                               .name = k % 30 == 29 ? reduce : gemm,
                               .exchange = PJ_AI_NONE,
                               .stream = streams[k % 3 == 0],
                               .work = k % 30 == 29   ? PJ_AI_EXCHANGE
                                       : k % 17 == 16 ? PJ_AI_COPY
                                                      : PJ_AI_COMPUTE};
        if (record.work == PJ_AI_EXCHANGE)
            record.exchange = pj_ai_rank_add_exchange(
                rank, (pj_ai_exchange){.seq = -1,
                                       .in_elements = 8,
                                       .out_elements = 8,
                                       .source = -1,
                                       .target = -1,
                                       .kernel = reduce,
                                       .operation = pj_ai_rank_name(rank, PJ_S("allreduce"))});
        pj_ai_rank_add_record(rank, record);
        if (k % 100 == 3)
            pj_ai_rank_add_record(rank, record);
        if (k % 50 != 7)
            pj_ai_rank_add_call(
                rank, (pj_ai_call){.begin = begin - 200, .end = begin - 100, .id = k + 1}, 1);
        if (k % 600 == 0)
            pj_ai_rank_add_step(
                rank, (pj_ai_step){.begin = begin - 300, .end = begin + 599000, .number = k / 600});
        if (i % OFTEN == 0)
            assert_true(pj_ai_rank_fit(rank, job, &err));
    }
    assert_true(pj_ai_rank_settle(rank, job, &err));
    assert_true(pj_ai_rank_fit(rank, job, &err));
    return rank;
}

static void expect_same(const pj_ai_rank *a, const pj_ai_rank *b)
{
    const pj_ai_device *x = &a->devices[0], *y = &b->devices[0];
    assert_int_equal(a->device_count, 1);
    assert_int_equal(x->first, y->first);
    assert_int_equal(x->last, y->last);
    assert_int_equal(x->kernels, y->kernels);
    assert_int_equal(x->useful, y->useful);
    assert_int_equal(x->active, y->active);
    assert_int_equal(x->hidden, y->hidden);
    assert_memory_equal(x->idle, y->idle, sizeof x->idle);
    assert_memory_equal(a->odd, b->odd, sizeof a->odd);
    assert_memory_equal(x->step_useful, y->step_useful, a->step_count * sizeof *x->step_useful);
    assert_int_equal(x->piece_count, y->piece_count);
    for (size_t i = 0; i < x->piece_count; i++) {
        assert_int_equal(x->pieces[i].begin, y->pieces[i].begin);
        assert_int_equal(x->pieces[i].end, y->pieces[i].end);
        assert_int_equal(x->pieces[i].exchange, y->pieces[i].exchange);
    }
    assert_int_equal(x->computed.count, y->computed.count);
    assert_memory_equal(x->computed.items, y->computed.items,
                        x->computed.count * sizeof *x->computed.items);
    assert_int_equal(a->exchange_count, b->exchange_count);
    for (size_t i = 0; i < a->exchange_count; i++) {
        assert_int_equal(a->exchanges[i].begin, b->exchanges[i].begin);
        assert_int_equal(a->exchanges[i].wait, b->exchanges[i].wait);
        assert_int_equal(a->exchanges[i].step, b->exchanges[i].step);
        assert_memory_equal(a->exchanges[i].idle, b->exchanges[i].idle, sizeof a->exchanges->idle);
    }
}

static void ranks_are_the_same_wherever_they_lie(void **state)
{
    (void)state;
    pj_job large = {.memory_budget = UINT64_C(1) << 40}, small = {.memory_budget = 6 << 20};
    pj_err err = {.code = PJ_E_NONE};
    pj_ai_rank *all[2][2];
    pj_ai_match match[2];
    for (int i = 0; i < 2; i++) {
        all[0][i] = made(i, &large);
        all[1][i] = made(i, &small);
        assert_false(all[0][i]->spill.active);
        assert_true(all[1][i]->spill.active);
    }
    assert_true(pj_ai_match_ranks(all[0], 2, true, &large, &match[0], &err));
    assert_true(pj_ai_match_ranks(all[1], 2, true, &small, &match[1], &err));
    assert_int_equal(match[0].instance_count, match[1].instance_count);
    assert_int_equal(match[0].member_count, match[1].member_count);
    assert_memory_equal(match[0].members, match[1].members,
                        match[0].member_count * sizeof *match[0].members);
    for (int i = 0; i < 2; i++)
        expect_same(all[0][i], all[1][i]);
    for (int i = 0; i < 2; i++) {
        pj_ai_match_free(&match[i]);
        pj_ai_rank_free(all[i][0]);
        pj_ai_rank_free(all[i][1]);
    }
    assert_int_equal(large.memory_used, 0);
    assert_int_equal(small.memory_used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_grow_and_are_sorted),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
        cmocka_unit_test(ranks_are_the_same_wherever_they_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
