// Clocks of ranks that run apart, and messages between them that take some time: the shifts that
// are found let nothing arrive before it was sent.
#include "metrics/base/arena.h"
#include "metrics/read/otf2/otf2_hull.h"
#include "metrics/read/otf2/otf2_sync.h"

#include <math.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { RANKS = 7, MESSAGES = 4000, LATENCY = 2000, LATE_MOST = 30000 };
#define SECONDS 100.0

typedef struct message {
    uint32_t from, to;
    int64_t sent, received;
} message;

typedef struct network {
    double rate[RANKS], ahead[RANKS]; // of the clocks: by how much they run fast, ns at the begin
    message messages[MESSAGES];
    uint64_t seed;
} network;

static uint32_t draw(network *n, uint32_t most)
{
    n->seed = n->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(n->seed >> 33) % most;
}

static int64_t shown(const network *n, uint32_t rank, double time)
{
    return (int64_t)(time * (1 + n->rate[rank]) + n->ahead[rank]);
}

static void send_messages(network *n)
{
    for (int i = 0; i < MESSAGES; i++) {
        double sent = SECONDS * 1e9 * i / MESSAGES;
        double took = LATENCY + draw(n, LATE_MOST);
        uint32_t from = draw(n, RANKS), to = (from + 1 + draw(n, RANKS - 1)) % RANKS;
        n->messages[i] = (message){from, to, shown(n, from, sent), shown(n, to, sent + took)};
    }
}

static int64_t solve(const network *n, pj_otf2_shift *shifts)
{
    pj_otf2_sync *sync = pj_otf2_sync_new(RANKS);
    for (int i = 0; i < MESSAGES; i++) {
        const message *m = &n->messages[i];
        pj_otf2_sync_message(sync, m->from, (uint64_t)m->sent, m->to, (uint64_t)m->received);
    }
    int64_t lacks = pj_otf2_sync_solve(sync, shifts);
    pj_otf2_sync_free(sync);
    return lacks;
}

static int64_t mended(pj_otf2_shift shift, int64_t time)
{
    return time + (int64_t)floor(shift.rate * (double)time) + shift.ns;
}

static void no_message_is_early(const network *n, const pj_otf2_shift *shifts)
{
    for (int i = 0; i < MESSAGES; i++) {
        const message *m = &n->messages[i];
        assert_true(mended(shifts[m->from], m->sent) <= mended(shifts[m->to], m->received));
    }
}

/// `rates` in 10^-9.
static network make_network(const int *rates, uint64_t seed)
{
    network n = {.seed = seed};
    for (uint32_t r = 0; r < RANKS; r++) {
        n.rate[r] = rates[r] * 1e-9;
        n.ahead[r] = 1e9 + 1e6 * draw(&n, 1000);
    }
    send_messages(&n);
    return n;
}

static void shifts_are_enough_for_steady_clocks(void **state)
{
    (void)state;
    const int rates[RANKS] = {0};
    network n = make_network(rates, 3);
    pj_otf2_shift shifts[RANKS];
    assert_int_equal(solve(&n, shifts), 0);
    for (uint32_t r = 0; r < RANKS; r++)
        assert_true(shifts[r].rate == 0);
    no_message_is_early(&n, shifts);
}

static void rates_are_found(void **state)
{
    (void)state;
    static const int rates[][RANKS] = {
        {0, 1000, -1000, 12000, 300, 0, -40000},
        {2000000, 0, 0, -5000000, 1000000, 0, 7},
        {1000, 1000, 1000, 1000, 1000, 1000, 4000},
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (uint64_t seed = 1; seed < 9; seed++) {
            network n = make_network(rates[i], seed);
            pj_otf2_shift shifts[RANKS];
            assert_true(solve(&n, shifts) > LATENCY);
            no_message_is_early(&n, shifts);
            double first = (1 + shifts[0].rate) * (1 + n.rate[0]);
            const double open = 2 * LATE_MOST / (SECONDS * 1e9);
            for (uint32_t r = 1; r < RANKS; r++)
                assert_true(fabs((1 + shifts[r].rate) * (1 + n.rate[r]) - first) < open);
        }
}

/// A message that was never sent so is no drift.
static void one_message_makes_no_drift(void **state)
{
    (void)state;
    const int rates[RANKS] = {0};
    network n = make_network(rates, 5);
    message *wrong = &n.messages[MESSAGES / 2];
    wrong->received -= 1000000;
    pj_otf2_shift shifts[RANKS];
    assert_true(solve(&n, shifts) > 100000);
    for (uint32_t r = 0; r < RANKS; r++)
        assert_true(shifts[r].rate == 0);
}

/// In whatever order they come, the same ties are left, and none lies above the lines through them.
static void hulls_do_not_depend_on_the_order(void **state)
{
    (void)state;
    enum { TIES = 200 };
    network n = {.seed = 11};
    pj_otf2_tie ties[TIES];
    for (int i = 0; i < TIES; i++)
        ties[i] = (pj_otf2_tie){(int64_t)draw(&n, 1000), (int64_t)draw(&n, 300)};
    pj_otf2_hull in_order = {.ties = NULL}, reversed = {.ties = NULL};
    for (int i = 0; i < TIES; i++) {
        pj_otf2_hull_add(&in_order, ties[i]);
        pj_otf2_hull_add(&reversed, ties[TIES - 1 - i]);
    }
    assert_int_equal(in_order.count, reversed.count);
    assert_memory_equal(in_order.ties, reversed.ties, in_order.count * sizeof *in_order.ties);
    assert_true(in_order.count > 2);
    for (size_t k = 1; k < in_order.count; k++) {
        pj_otf2_tie a = in_order.ties[k - 1], b = in_order.ties[k];
        assert_true(a.effect < b.effect);
        for (int i = 0; i < TIES; i++)
            assert_true((ties[i].cause - a.cause) * (b.effect - a.effect) <=
                        (b.cause - a.cause) * (ties[i].effect - a.effect));
    }
    pj_otf2_hull_free(&in_order);
    pj_otf2_hull_free(&reversed);
}

/// Ties on a bow are all tight; those that are kept lie nearly as high.
static void hulls_are_bounded(void **state)
{
    (void)state;
    enum { TIES = 5000 };
    pj_otf2_hull hull = {.ties = NULL};
    for (int64_t i = 0; i < TIES; i++)
        pj_otf2_hull_add(&hull, (pj_otf2_tie){i * (2 * TIES - i), 1000 * i});
    assert_in_range(hull.count, 8, PJ_OTF2_HULL_MOST);
    const int64_t highest = (int64_t)TIES * TIES, step = 1000;
    int64_t need = pj_otf2_hull_need(&hull, 0, 0), tight = 0;
    for (int64_t i = 0; i < TIES; i++)
        if (i * (2 * TIES - i) - step * i > tight)
            tight = i * (2 * TIES - i) - step * i;
    assert_in_range(need, tight - highest / 100, tight + 2);
    pj_otf2_hull_free(&hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_are_enough_for_steady_clocks),
        cmocka_unit_test(rates_are_found),
        cmocka_unit_test(one_message_makes_no_drift),
        cmocka_unit_test(hulls_do_not_depend_on_the_order),
        cmocka_unit_test(hulls_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
