// The ordered line gives the same for any number of workers, errors included.
#include "metrics/base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

typedef struct numbers {
    unsigned next, count;        // pieces to take
    unsigned bad_take, bad_work; // pieces that fail; 0 = none
    unsigned expected;           // next piece to put
    uint64_t sum;
    atomic_uint inside[2]; // calls of take and put under way
    unsigned reports;
} numbers;

typedef struct piece {
    unsigned number;
    uint64_t square;
} piece;

static bool take(void *self, void *slot, pj_err *err)
{
    numbers *n = self;
    piece *p = slot;
    assert_int_equal(atomic_fetch_add(&n->inside[0], 1), 0);
    bool more = n->next < n->count;
    if (more)
        *p = (piece){.number = ++n->next};
    if (more && n->next == n->bad_take)
        more = pj_fail(err, PJ_E_IO, NULL, n->next, "cannot take");
    atomic_fetch_sub(&n->inside[0], 1);
    return more;
}

static bool work(void *self, void *slot, pj_err *err)
{
    numbers *n = self;
    piece *p = slot;
    p->square = (uint64_t)p->number * p->number;
    if (n->bad_work && p->number >= n->bad_work)
        return pj_fail(err, PJ_E_FORMAT, NULL, p->number, "cannot work");
    return true;
}

static bool put(void *self, void *slot, pj_err *err)
{
    numbers *n = self;
    const piece *p = slot;
    (void)err;
    assert_int_equal(atomic_fetch_add(&n->inside[1], 1), 0);
    assert_int_equal(p->number, ++n->expected);
    n->sum += p->square;
    atomic_fetch_sub(&n->inside[1], 1);
    return true;
}

static void report(void *self)
{
    ((numbers *)self)->reports++;
}

static bool run_line(numbers *n, unsigned workers, pj_err *err)
{
    const pj_line line = {n, take, work, put, report};
    enum { MOST = 16 };
    piece pieces[MOST];
    void *slots[MOST];
    size_t count = pj_pool_slots(workers);
    assert_true(count <= MOST);
    for (size_t i = 0; i < count; i++)
        slots[i] = &pieces[i];
    return pj_pool_run(&line, workers, slots, count, err);
}

static void pieces_stay_in_order(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 8; workers++)
        for (unsigned count = 0; count < 100; count += 11) {
            numbers n = {.count = count};
            pj_err err = {.code = PJ_E_NONE};
            assert_true(run_line(&n, workers, &err));
            assert_int_equal(n.expected, count);
            assert_int_equal(n.sum, (uint64_t)count * (count + 1) * (2 * count + 1) / 6);
            assert_true(n.reports > 0 || count == 0);
        }
}

static void the_first_error_by_order_wins(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 8; workers++) {
        numbers n = {.count = 1000, .bad_work = 37, .bad_take = 40};
        pj_err err = {.code = PJ_E_NONE};
        assert_false(run_line(&n, workers, &err));
        assert_int_equal(err.code, PJ_E_FORMAT);
        assert_int_equal(err.line, 37);
        assert_int_equal(n.expected, 36);
    }
}

static void what_came_before_a_bad_input_is_put(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= 8; workers++) {
        numbers n = {.count = 1000, .bad_take = 12};
        pj_err err = {.code = PJ_E_NONE};
        assert_false(run_line(&n, workers, &err));
        assert_int_equal(err.code, PJ_E_IO);
        assert_int_equal(n.expected, 11);
    }
}

static void set_flag(void *context)
{
    *(bool *)context = true;
}

static void a_task_runs_and_ends(void **state)
{
    (void)state;
    bool done = false;
    pj_task *task = pj_task_start(set_flag, &done);
    assert_non_null(task);
    pj_task_join(task);
    assert_true(done);
    pj_task_join(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_stay_in_order),
        cmocka_unit_test(the_first_error_by_order_wins),
        cmocka_unit_test(what_came_before_a_bad_input_is_put),
        cmocka_unit_test(a_task_runs_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
