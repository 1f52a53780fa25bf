// Replies on their way: order, the descriptor, and who waits for them.
#include "kernel/jupyter/outbox.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static bool readable(pj_outbox *outbox)
{
    struct pollfd p = {.fd = pj_outbox_fd(outbox), .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static void test_order_and_descriptor(void **state)
{
    (void)state;
    pj_origin origin;
    pj_origin_init(&origin);
    pj_outbox *outbox = pj_outbox_new();
    assert_false(readable(outbox));
    pj_post *posts[3];
    for (int i = 0; i < 3; i++)
        pj_outbox_add(outbox, posts[i] = pj_publish_status(&origin, NULL, "idle"));
    assert_true(readable(outbox));
    assert_int_equal(pj_outbox_added(outbox), 3);
    bool closed;
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(pj_outbox_take(outbox, &closed), posts[i]);
        pj_post_free(posts[i]);
        pj_outbox_sent(outbox);
    }
    assert_null(pj_outbox_take(outbox, &closed));
    assert_false(closed);
    assert_false(readable(outbox));
    pj_outbox_wait(outbox, 3); // returns at once
    pj_outbox_free(outbox);
}

static void test_close(void **state)
{
    (void)state;
    pj_origin origin;
    pj_origin_init(&origin);
    pj_outbox *outbox = pj_outbox_new();
    pj_outbox_close(outbox);
    assert_true(readable(outbox));
    pj_outbox_add(outbox, pj_publish_status(&origin, NULL, "idle")); // too late: freed
    bool closed;
    assert_null(pj_outbox_take(outbox, &closed));
    assert_true(closed);
    pj_outbox_wait(outbox, 7); // nothing will come: nobody waits
    pj_outbox_free(outbox);
}

typedef struct waiter {
    pj_outbox *outbox;
    atomic_bool done;
} waiter;

static void *await_one(void *context)
{
    waiter *w = context;
    pj_outbox_wait(w->outbox, 1);
    atomic_store(&w->done, true);
    return NULL;
}

/// At the end of a kernel a status still follows the reply that it tells of.
static void a_closed_one_is_waited_for_until_it_is_empty(void **state)
{
    (void)state;
    pj_origin origin;
    pj_origin_init(&origin);
    waiter w = {.outbox = pj_outbox_new()};
    pj_outbox_add(w.outbox, pj_publish_status(&origin, NULL, "idle"));
    pj_outbox_close(w.outbox);
    pthread_t thread;
    pthread_create(&thread, NULL, await_one, &w);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    assert_false(atomic_load(&w.done));
    bool closed;
    pj_post_free(pj_outbox_take(w.outbox, &closed));
    pj_outbox_sent(w.outbox);
    pthread_join(thread, NULL);
    pj_outbox_free(w.outbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_descriptor),
        cmocka_unit_test(test_close),
        cmocka_unit_test(a_closed_one_is_waited_for_until_it_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
