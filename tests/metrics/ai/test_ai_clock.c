// Clocks of ranks from what ends together on them.
#include "metrics/ai/ai_match.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { EXCHANGES = 40 };

/// A rank whose clock is `ahead` ns off and gains `gains` ns each ns; its exchanges end together
/// with those of others, one each second but for a little jitter.
static pj_ai_rank *rank_with(int64_t number, int64_t ahead, double gains, double seconds)
{
    pj_ai_rank *rank = pj_ai_rank_new("rank");
    rank->rank = number;
    for (int i = 0; i < EXCHANGES; i++) {
        double at = 1e9 * seconds * i / EXCHANGES;
        int64_t jitter = (i * 7 + number * 3) % 5 * 400;
        int64_t end = 1000000000000 + ahead + (int64_t)(at * (1 + gains)) + jitter;
        pj_ai_rank_add_exchange(
            rank, (pj_ai_exchange){.begin = end - 1000000,
                                   .end = end,
                                   .step = INT64_MIN,
                                   .seq = i,
                                   .in_elements = 8,
                                   .out_elements = 8,
                                   .operation = pj_ai_rank_name(rank, PJ_S("allreduce")),
                                   .group = pj_ai_rank_name(rank, PJ_S("0")),
                                   .size = 3});
    }
    return rank;
}

typedef struct fitted {
    pj_ai_rank *ranks[3];
    pj_ai_match match;
} fitted;

static void fit(fitted *f, bool raw)
{
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_ai_match_ranks(f->ranks, 3, raw, &job, &f->match, &err));
}

static void forget(fitted *f)
{
    pj_ai_match_free(&f->match);
    for (int r = 0; r < 3; r++)
        pj_ai_rank_free(f->ranks[r]);
}

/// How far ends of one exchange lie apart on the common clock.
static int64_t worst_skew(const fitted *f)
{
    int64_t worst = 0;
    for (int i = 0; i < EXCHANGES; i++) {
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (int r = 0; r < 3; r++) {
            int64_t end = pj_ai_rank_common(f->ranks[r], f->ranks[r]->exchanges[i].end);
            least = end < least ? end : least;
            most = end > most ? end : most;
        }
        worst = most - least > worst ? most - least : worst;
    }
    return worst;
}

static void clocks_that_drift_are_straightened(void **state)
{
    (void)state;
    fitted f = {.ranks = {rank_with(0, 0, 0, 40), rank_with(1, 5000000, 20e-6, 40),
                          rank_with(2, -3000000, -35e-6, 40)}};
    fit(&f, false);
    assert_true(fabs(f.ranks[1]->drift + 20e-6) < 1e-7);
    assert_true(fabs(f.ranks[2]->drift - 35e-6) < 1e-7);
    assert_true(fabs(f.match.drift - 35e-6) < 1e-7);
    for (int r = 0; r < 3; r++) {
        int64_t end = f.ranks[r]->exchanges[EXCHANGES - 1].end;
        int64_t back = pj_ai_rank_own(f.ranks[r], pj_ai_rank_common(f.ranks[r], end));
        assert_true(back - end <= 1 && end - back <= 1);
    }
    assert_true(worst_skew(&f) < 6000); // what jitter and the slope leave
    forget(&f);
}

/// Ten seconds and less tell nothing of it, nor does a millionth.
static void short_and_small_drifts_stay(void **state)
{
    (void)state;
    fitted brief = {
        .ranks = {rank_with(0, 0, 0, 9), rank_with(1, 5000000, 20e-6, 9), rank_with(2, 0, 0, 9)}};
    fit(&brief, false);
    assert_true(brief.match.drift == 0);
    assert_true(brief.match.farthest > 4900000);
    forget(&brief);
    fitted small = {.ranks = {rank_with(0, 0, 0, 40), rank_with(1, 5000000, 0.5e-6, 40),
                              rank_with(2, 0, 0, 40)}};
    fit(&small, false);
    assert_true(small.match.drift == 0);
    forget(&small);
}

static void raw_clocks_stay(void **state)
{
    (void)state;
    fitted f = {.ranks = {rank_with(0, 0, 0, 40), rank_with(1, 5000000, 20e-6, 40),
                          rank_with(2, 0, 0, 40)}};
    fit(&f, true);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(f.ranks[r]->offset, 0);
        assert_true(f.ranks[r]->drift == 0);
    }
    assert_true(f.match.farthest >= 4000000); // which is told of
    forget(&f);
}

/// Ranks of one machine keep their clock, whatever their exchanges say; others go along it.
static void ranks_of_a_machine_have_one_clock(void **state)
{
    (void)state;
    fitted f = {
        .ranks = {rank_with(0, 0, 0, 9), rank_with(1, 300000, 0, 9), rank_with(2, 5000000, 0, 9)}};
    f.ranks[0]->clock = f.ranks[1]->clock = f.ranks[0];
    fit(&f, false);
    assert_int_equal(f.ranks[0]->offset, f.ranks[1]->offset);
    assert_true(f.ranks[2]->offset < -4600000);
    forget(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_drift_are_straightened),
        cmocka_unit_test(short_and_small_drifts_stay),
        cmocka_unit_test(raw_clocks_stay),
        cmocka_unit_test(ranks_of_a_machine_have_one_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
