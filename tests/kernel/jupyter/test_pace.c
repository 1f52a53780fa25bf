// Pacing against the rule of a Jupyter server: the bytes of any 3 s stay below 3 MB.
#include "kernel/jupyter/pace.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)

enum { PIECE = 64 << 10, MOST_PIECES = 4000 };

typedef struct record {
    uint64_t at[MOST_PIECES];
    size_t bytes[MOST_PIECES];
    size_t count;
} record;

/// Sends pieces as fast as the pace allows until `end`; returns the bytes sent.
static uint64_t send_all(pj_pace *pace, record *r, uint64_t begin, uint64_t end, size_t piece)
{
    uint64_t total = 0;
    for (uint64_t now = begin; now < end && r->count < MOST_PIECES;) {
        uint64_t wait = pj_pace_wait(pace, now, 0);
        now += wait;
        if (wait)
            continue;
        pj_pace_note(pace, now, piece);
        r->at[r->count] = now;
        r->bytes[r->count++] = piece;
        total += piece;
        now += MS / 5;
    }
    return total;
}

static void assert_within_limits(const record *r)
{
    for (size_t first = 0; first < r->count; first++) {
        uint64_t sum = 0;
        for (size_t i = first; i < r->count && r->at[i] < r->at[first] + 3 * SECOND; i++)
            sum += r->bytes[i];
        if (sum > 3000000)
            fail_msg("%llu bytes within 3 s", (unsigned long long)sum);
    }
}

static void test_no_window_is_overfull(void **state)
{
    (void)state;
    static const size_t pieces[] = {PIECE, 20000, 100};
    for (size_t i = 0; i < 3; i++) {
        static record r;
        r.count = 0;
        pj_pace pace = {.rate = PJ_PACE_RATE};
        send_all(&pace, &r, 100 * SECOND, 130 * SECOND, pieces[i]);
        assert_within_limits(&r);
    }
}

static void test_the_first_part_is_free(void **state)
{
    (void)state;
    pj_pace pace = {.rate = PJ_PACE_RATE};
    for (int i = 0; i < 25; i++) {
        assert_int_equal(pj_pace_wait(&pace, SECOND, 0), 0);
        pj_pace_note(&pace, SECOND, 100000);
    }
    pj_pace_note(&pace, SECOND, 1);
    assert_true(pj_pace_wait(&pace, SECOND, 0) > 0);
    pj_pace_forget(&pace);
    assert_int_equal(pj_pace_wait(&pace, SECOND, 0), 0);
}

/// Long output flows at the rate, without bursts and silences once it has settled.
static void test_steady_rate(void **state)
{
    (void)state;
    static record r;
    r.count = 0;
    pj_pace pace = {.rate = PJ_PACE_RATE};
    uint64_t total = send_all(&pace, &r, SECOND, 31 * SECOND, PIECE);
    assert_in_range(total, 26000000, 28000000);
    for (size_t i = 1; i < r.count; i++)
        if (r.at[i] > 10 * SECOND)
            assert_true(r.at[i] - r.at[i - 1] < 200 * MS);
}

/// What follows a burst trickles instead of waiting until the burst is forgotten.
static void test_no_silence_after_the_free_part(void **state)
{
    (void)state;
    static record r;
    r.count = 0;
    pj_pace pace = {.rate = PJ_PACE_RATE};
    send_all(&pace, &r, SECOND, 11 * SECOND, 16 << 10);
    uint64_t longest = 0;
    for (size_t i = 1; i < r.count; i++)
        longest = r.at[i] - r.at[i - 1] > longest ? r.at[i] - r.at[i - 1] : longest;
    assert_in_range(longest, 1, 500 * MS);
    assert_within_limits(&r);
}

static void test_what_is_on_its_way_counts(void **state)
{
    (void)state;
    pj_pace pace = {.rate = PJ_PACE_RATE};
    assert_int_equal(pj_pace_wait(&pace, SECOND, 2400000), 0);
    assert_true(pj_pace_wait(&pace, SECOND, 2600000) > 0);
}

static void test_off(void **state)
{
    (void)state;
    pj_pace pace = {0};
    for (int i = 0; i < 100; i++) {
        pj_pace_note(&pace, SECOND, 100 << 20);
        assert_int_equal(pj_pace_wait(&pace, SECOND, 1 << 30), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_window_is_overfull),
        cmocka_unit_test(test_the_first_part_is_free),
        cmocka_unit_test(test_steady_rate),
        cmocka_unit_test(test_no_silence_after_the_free_part),
        cmocka_unit_test(test_what_is_on_its_way_counts),
        cmocka_unit_test(test_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
