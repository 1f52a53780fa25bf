// Ranges of programs: calls find the innermost one that is open on their thread, in whatever order
// the ranges come and whether they nest or not.
#include "metrics/ai/ai_ranges.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static pj_ai_rank *rank_with_calls(int64_t thread, uint32_t count)
{
    pj_ai_rank *rank = pj_ai_rank_new("made");
    for (uint32_t i = 0; i < count; i++) // at 0, 10, 20, ..
        pj_ai_rank_add_call(rank, (pj_ai_call){.begin = 10 * i, .end = 10 * i + 5, .id = i + 1},
                            thread);
    return rank;
}

static const char *region_of_call(const pj_ai_rank *rank, uint32_t id)
{
    for (size_t i = 0; i < rank->call_count; i++)
        if (rank->calls[i].id == id)
            return rank->names[rank->regions[rank->calls[i].place].name];
    return NULL;
}

/// The last range first; "b" and "c" cross, numbers behind a name are cut off.
static void ranges_come_in_any_order(void **state)
{
    (void)state;
    pj_ai_rank *rank = rank_with_calls(7, 8);
    pj_ai_ranges_expect(rank, true, SIZE_MAX);
    pj_ai_ranges_add(rank, 7, 25, 60, PJ_S("c, seq = 12"));
    pj_ai_ranges_add(rank, 8, 0, 80, PJ_S("another thread"));
    pj_ai_ranges_add(rank, 7, 10, 40, PJ_S("b"));
    pj_ai_ranges_add(rank, 7, 10, 70, PJ_S("a"));
    pj_ai_ranges_finish(rank);
    static const char *const want[] = {"", "b", "b", "c", "c", "c", "a", ""};
    for (uint32_t i = 0; i < 8; i++)
        assert_string_equal(region_of_call(rank, i + 1), want[i]);
    // at 40 "b" is over: "c" lies in "a" alone
    uint16_t place = 0;
    for (size_t i = 0; i < rank->call_count; i++)
        place = rank->calls[i].id == 5 ? rank->calls[i].place : place;
    assert_string_equal(rank->names[rank->regions[rank->regions[place].parent].name], "a");
    pj_ai_rank_free(rank);
}

/// With room for two ranges a third that is older than the first one comes too late.
static void late_ranges_are_counted(void **state)
{
    (void)state;
    pj_ai_rank *rank = rank_with_calls(7, 4);
    pj_ai_ranges_expect(rank, true, 2);
    pj_ai_ranges_add(rank, 7, 10, 15, PJ_S("one"));
    pj_ai_ranges_add(rank, 7, 20, 25, PJ_S("two"));
    pj_ai_ranges_add(rank, 7, 30, 35, PJ_S("three"));
    pj_ai_ranges_add(rank, 7, 0, 40, PJ_S("late"));
    pj_ai_ranges_finish(rank);
    assert_int_equal(rank->odd[PJ_AI_ODD_late_range], 1);
    assert_string_equal(region_of_call(rank, 2), "one");
    assert_string_equal(region_of_call(rank, 4), "three");
    assert_string_equal(region_of_call(rank, 1), "");
    pj_ai_rank_free(rank);
}

/// More kinds of ranges than are told apart, and a stack of any depth.
static void masses_are_bounded(void **state)
{
    (void)state;
    enum { KINDS = 70000 };
    pj_ai_rank *rank = rank_with_calls(7, 4);
    pj_ai_ranges_expect(rank, true, 16);
    for (int i = 0; i < KINDS; i++) {
        char name[32];
        snprintf(name, sizeof name, "range %d", i);
        pj_ai_ranges_add(rank, 7, i, 2 * KINDS - i, pj_str_of(name));
    }
    pj_ai_ranges_finish(rank);
    assert_true(rank->region_count <= UINT16_MAX);
    assert_true(rank->odd[PJ_AI_ODD_regions] > 0);
    assert_string_equal(region_of_call(rank, 4), "range 30");
    pj_ai_rank_free(rank);
}

static pj_ai_exchange told_by(const char *range, const char **operation)
{
    pj_ai_rank *rank = rank_with_calls(7, 1);
    pj_ai_exchange exchange = {.source = -1, .target = -1};
    pj_ai_ranges_expect(rank, false, 16);
    pj_ai_ranges_add(rank, 7, -5, 5, PJ_S("forward")); // which is not asked for
    pj_ai_ranges_add(rank, 7, -1, 5, pj_str_of(range));
    pj_ai_ranges_finish(rank);
    assert_true(rank->region_count <= 2);
    pj_ai_ranges_name_exchange(rank, rank->calls[0].place, &exchange);
    static const char *const known[] = {"allreduce", "allgather", "send", "recv"};
    *operation = "";
    for (size_t i = 0; i < 4; i++)
        if (pj_str_equal(pj_str_of(rank->names[exchange.operation]), pj_str_of(known[i])))
            *operation = known[i];
    pj_ai_rank_free(rank);
    return exchange;
}

static void ranges_tell_operations(void **state)
{
    (void)state;
    const char *operation;
    told_by("nccl:all_reduce, op_id = 3", &operation);
    assert_string_equal(operation, "allreduce");
    told_by("nccl:_all_gather_base", &operation);
    assert_string_equal(operation, "allgather");
    told_by("ncclAllReduce", &operation);
    assert_string_equal(operation, "allreduce");
    pj_ai_exchange sent = told_by("nccl:send 2->3", &operation);
    assert_string_equal(operation, "send");
    assert_int_equal(sent.source, 2);
    assert_int_equal(sent.target, 3);
    pj_ai_exchange got = told_by("nccl:recv 3<-2", &operation);
    assert_string_equal(operation, "recv");
    assert_int_equal(got.source, 2);
    assert_int_equal(got.target, 3);
    told_by("nccl:send", &operation); // to whom?
    assert_string_equal(operation, "");
    told_by("nccl:", &operation);
    assert_string_equal(operation, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_come_in_any_order),
        cmocka_unit_test(late_ranges_are_counted),
        cmocka_unit_test(masses_are_bounded),
        cmocka_unit_test(ranges_tell_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
