// Requests in order; a failure aborts the cells behind it and nothing else.
#include "kernel/jupyter/inbox.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static pj_request *new_request(pj_str type)
{
    pj_request *r = calloc(1, sizeof *r);
    atomic_init(&r->owners, 1);
    r->type = type;
    return r;
}

static void add(pj_inbox *inbox, pj_str type)
{
    pj_inbox_add_take(inbox, (pj_inbox_item){.request = new_request(type)});
}

static void assert_take(pj_inbox *inbox, pj_str type, bool expected)
{
    pj_inbox_item item;
    assert_int_equal(pj_inbox_take(inbox, NULL, &item), PJ_INBOX_ITEM);
    assert_true(pj_request_is(item.request, type));
    assert_int_equal(item.aborted, expected);
    pj_inbox_item_drop(&item);
}

static void test_abort(void **state)
{
    (void)state;
    const pj_str cell = PJ_S("execute_request"), other = PJ_S("complete_request");
    pj_inbox *inbox = pj_inbox_new();
    add(inbox, cell);
    add(inbox, other);
    add(inbox, cell);
    pj_inbox_abort_cells(inbox);
    add(inbox, cell); // came afterwards
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
    add(inbox, PJ_S("execute_request"));
    pj_inbox_close(inbox);
    pj_inbox_item item;
    assert_int_equal(pj_inbox_take(inbox, NULL, &item), PJ_INBOX_CLOSED);
    assert_true(pj_inbox_left(inbox, &item));
    pj_inbox_item_drop(&item);
    assert_false(pj_inbox_left(inbox, &item));
    add(inbox, PJ_S("execute_request"));
    pj_inbox_free(inbox); // frees what is left
}

static atomic_bool interrupted;

static void on_interrupt(int number)
{
    (void)number;
    atomic_store(&interrupted, true);
}

/// A signal counts when it comes before the wait, too, and what waits comes first.
static void test_signals(void **state)
{
    (void)state;
    struct sigaction before, action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, &before);
    pj_inbox *inbox = pj_inbox_new();
    add(inbox, PJ_S("execute_request"));
    raise(SIGINT);
    pj_inbox_item item;
    alarm(20); // what waits for ever fails
    assert_int_equal(pj_inbox_take(inbox, &interrupted, &item), PJ_INBOX_ITEM);
    pj_inbox_item_drop(&item);
    assert_int_equal(pj_inbox_take(inbox, &interrupted, &item), PJ_INBOX_SIGNAL);
    alarm(0);
    pj_inbox_free(inbox);
    sigaction(SIGINT, &before, NULL);
}

static void count_call(void *context)
{
    ++*(int *)context;
}

/// An errand is dropped once, whether it was taken or not, and never aborted.
static void test_errands(void **state)
{
    (void)state;
    int drops = 0;
    pj_inbox_item errand = {.errand = {count_call, count_call, &drops}};
    pj_inbox *inbox = pj_inbox_new();
    pj_inbox_add_take(inbox, errand);
    pj_inbox_add_take(inbox, errand);
    pj_inbox_abort_cells(inbox);
    pj_inbox_item item;
    assert_int_equal(pj_inbox_take(inbox, NULL, &item), PJ_INBOX_ITEM);
    assert_false(item.aborted);
    pj_inbox_item_drop(&item);
    assert_int_equal(drops, 1);
    pj_inbox_free(inbox);
    assert_int_equal(drops, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_abort),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_errands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
