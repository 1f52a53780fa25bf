// Which exchanges are one message or collective, by what writers of traces tell of them.
#include "metrics/ai/ai_match.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/// A message of a rank whose other side is `other`, as the writer calls it.
static pj_ai_rank *rank_with(int64_t number, const char *group, bool sends, int64_t other)
{
    pj_ai_rank *rank = pj_ai_rank_new("rank");
    rank->rank = number;
    pj_ai_rank_add_exchange(rank, (pj_ai_exchange){.begin = 1000,
                                                   .end = 2000,
                                                   .step = INT64_MIN,
                                                   .seq = -1,
                                                   .source = sends ? -1 : other,
                                                   .target = sends ? other : -1,
                                                   .operation = pj_ai_rank_name(
                                                       rank, sends ? PJ_S("send") : PJ_S("recv")),
                                                   .group = pj_ai_rank_name(rank, pj_str_of(group)),
                                                   .size = 4});
    return rank;
}

/// How many exchanges of two ranks have no partner.
static uint64_t alone(pj_ai_rank *sender, pj_ai_rank *receiver)
{
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_ai_match match;
    pj_ai_rank *ranks[] = {sender, receiver};
    assert_true(pj_ai_match_ranks(ranks, 2, true, &job, &match, &err));
    uint64_t count = match.refused[PJ_AI_REFUSED_alone];
    pj_ai_match_free(&match);
    pj_ai_rank_free(sender);
    pj_ai_rank_free(receiver);
    return count;
}

static void messages_name_ranks_or_places(void **state)
{
    (void)state;
    static const struct {
        const char *group;
        int64_t from, to, source, target; // ranks, and what their records call them
        uint64_t alone;
    } cases[] = {
        {"p [0, 1, 2, 3]", 1, 3, 1, 3, 0},
        {"p [1, 2]", 1, 2, 1, 2, 0}, // ranks
        {"p [1, 2]", 1, 2, 0, 1, 0}, // places, of which 1 is a rank, too
        {"p [4, 6, 8]", 4, 8, 4, 8, 0},
        {"p [4, 6, 8]", 4, 8, 0, 2, 0},
        {"p [1, 2, 3]", 1, 3, 1, 3, 0},
        {"p [1, 2, 3]", 1, 3, 0, 2, 0},
        {"p [8, 9, ..., 40]", 8, 30, 8, 30, 0}, // a long list is not told whole
        {"p [4, 6, 8]", 4, 8, 6, 8, 2},
        {"", 4, 8, 4, 8, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (alone(rank_with(cases[i].from, cases[i].group, true, cases[i].target),
                  rank_with(cases[i].to, cases[i].group, false, cases[i].source)) != cases[i].alone)
            fail_msg("case %zu", i);
}

/// Without groups nobody knows whom a collective lacks.
static void unknown_groups_lack_nobody(void **state)
{
    (void)state;
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_ai_match match;
    pj_ai_rank *ranks[3];
    for (int64_t r = 0; r < 3; r++) {
        ranks[r] = pj_ai_rank_new("rank");
        ranks[r]->rank = r;
        int64_t later = r == 2 ? 10000000 : 0;
        pj_ai_rank_add_exchange(ranks[r],
                                (pj_ai_exchange){.begin = 1000 + later,
                                                 .end = 2000 + later,
                                                 .step = INT64_MIN,
                                                 .seq = -1,
                                                 .kernel = pj_ai_rank_name(ranks[r], PJ_S("k"))});
    }
    assert_true(pj_ai_match_ranks(ranks, 3, true, &job, &match, &err));
    assert_int_equal(match.by_ends, 1);
    assert_int_equal(match.partial, 0);
    pj_ai_match_free(&match);
    for (size_t r = 0; r < 3; r++)
        pj_ai_rank_free(ranks[r]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_name_ranks_or_places),
        cmocka_unit_test(unknown_groups_lack_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
