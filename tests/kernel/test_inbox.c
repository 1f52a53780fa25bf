// Requests in order; a failure aborts the cells behind it and nothing else.
#include "kernel/inbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static pj_request *new_request(pj_str type)
{
    pj_request *r = calloc(1, sizeof *r);
    atomic_init(&r->owners, 1);
    r->type = type;
    return r;
}

static void assert_take(pj_inbox *inbox, pj_str type, bool expected)
{
    bool aborted = !expected;
    pj_request *r = pj_inbox_take(inbox, &aborted);
    assert_non_null(r);
    assert_true(pj_request_is(r, type));
    assert_int_equal(aborted, expected);
    pj_request_drop(r);
}

static void test_abort(void **state)
{
    (void)state;
    const pj_str cell = PJ_S("execute_request"), other = PJ_S("complete_request");
    pj_inbox *inbox = pj_inbox_new();
    pj_inbox_add(inbox, new_request(cell));
    pj_inbox_add(inbox, new_request(other));
    pj_inbox_add(inbox, new_request(cell));
    pj_inbox_abort_cells(inbox);
    pj_inbox_add(inbox, new_request(cell)); // came afterwards
    assert_take(inbox, cell, true);
    assert_take(inbox, other, false);
    assert_take(inbox, cell, true);
    assert_take(inbox, cell, false);
    pj_inbox_free(inbox);
}

static void test_close(void **state)
{
    (void)state;
    pj_inbox *inbox = pj_inbox_new();
    pj_inbox_add(inbox, new_request(PJ_S("execute_request")));
    pj_inbox_close(inbox);
    bool aborted;
    assert_null(pj_inbox_take(inbox, &aborted));
    pj_inbox_free(inbox); // frees what is left
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_abort),
        cmocka_unit_test(test_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
