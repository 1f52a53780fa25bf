// Merging, order, bounds: what is published comes out whole and in order.
#include "kernel/jupyter/pubqueue.h"

#include "kernel/command/jsontext.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

static pj_origin origin;

static pj_pubqueue *new_queue(pj_pubqueue_opts opts)
{
    pj_origin_init(&origin);
    return pj_pubqueue_new(&origin, opts);
}

static bool readable(pj_pubqueue *q)
{
    struct pollfd p = {.fd = pj_pubqueue_fd(q), .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

/// The next message once it is due, as "stdout:text" or its type; "" when there is none.
static const char *next(pj_pubqueue *q, char *out, size_t size)
{
    int wait_ms;
    pj_post *post;
    while (!(post = pj_pubqueue_take(q, &wait_ms)) && wait_ms >= 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    out[0] = 0;
    if (!post)
        return out;
    json_t *content = json_loads(post->content, JSON_ALLOW_NUL, NULL);
    if (strcmp(post->type, "stream") == 0)
        snprintf(out, size, "%s:%s", json_string_value(json_object_get(content, "name")),
                 json_string_value(json_object_get(content, "text")));
    else
        snprintf(out, size, "%s", post->type);
    json_decref(content);
    pj_post_free(post);
    return out;
}

static void assert_next(pj_pubqueue *q, const char *expected)
{
    char text[256];
    assert_string_equal(next(q, text, sizeof text), expected);
}

static void write_text(pj_pubqueue *q, pj_stream stream, const char *text)
{
    pj_pubqueue_write(q, NULL, stream, pj_str_of(text));
}

static void post_status(pj_pubqueue *q)
{
    pj_pubqueue_post(q, pj_publish_status(&origin, NULL, "idle"));
}

static void test_merging_keeps_order(void **state)
{
    (void)state;
    pj_pubqueue *q = new_queue((pj_pubqueue_opts){0});
    write_text(q, PJ_STDOUT, "a");
    write_text(q, PJ_STDOUT, "b");
    write_text(q, PJ_STDERR, "e");
    write_text(q, PJ_STDOUT, "c");
    post_status(q);
    write_text(q, PJ_STDOUT, "d");
    assert_next(q, "stdout:ab");
    assert_next(q, "stderr:e");
    assert_next(q, "stdout:c");
    assert_next(q, "status");
    assert_next(q, "stdout:d");
    assert_next(q, "");
    pj_pubqueue_free(q);
}

static void test_stream_waits_for_more(void **state)
{
    (void)state;
    pj_pubqueue *q = new_queue((pj_pubqueue_opts){0});
    int wait_ms;
    assert_null(pj_pubqueue_take(q, &wait_ms));
    assert_int_equal(wait_ms, -1);
    assert_false(readable(q));
    write_text(q, PJ_STDOUT, "a");
    assert_true(readable(q));
    assert_null(pj_pubqueue_take(q, &wait_ms));
    assert_in_range(wait_ms, 1, PJ_PUBQUEUE_MERGE_MS);
    write_text(q, PJ_STDOUT, "b");
    assert_false(readable(q)); // no wake-up for text that joins what waits
    post_status(q);
    assert_true(readable(q));
    assert_next(q, "stdout:ab");
    assert_next(q, "status");
    pj_pubqueue_free(q);
}

static void test_flood_of_both_streams_is_merged(void **state)
{
    (void)state;
    pj_pubqueue *q = new_queue((pj_pubqueue_opts){0});
    for (int i = 0; i < 10000; i++) {
        write_text(q, PJ_STDOUT, "o");
        write_text(q, PJ_STDERR, "e");
    }
    post_status(q);
    int wait_ms, messages = 0;
    for (pj_post *post; (post = pj_pubqueue_take(q, &wait_ms)); messages++)
        pj_post_free(post);
    assert_in_range(messages, 3, 20);
    pj_pubqueue_free(q);
}

static void test_large_text_is_cut_between_code_points(void **state)
{
    (void)state;
    pj_pubqueue *q = new_queue((pj_pubqueue_opts){0});
    const size_t count = 100000; // three bytes each, 64 kB is no multiple of three
    pj_auto_buf text = {0};
    for (size_t i = 0; i < count; i++)
        pj_buf_puts(&text, "\xE2\x82\xAC");
    pj_pubqueue_write(q, NULL, PJ_STDOUT, pj_buf_str(&text));
    post_status(q);
    size_t bytes = 0;
    int wait_ms;
    for (pj_post *post; (post = pj_pubqueue_take(q, &wait_ms)); pj_post_free(post)) {
        json_t *content = json_loads(post->content, 0, NULL);
        const json_t *part = json_object_get(content, "text");
        assert_true(json_string_length(part) <= PJ_PUBQUEUE_CHUNK);
        assert_null(part ? strstr(json_string_value(part), "\xEF\xBF\xBD") : NULL);
        bytes += json_string_length(part);
        json_decref(content);
    }
    assert_int_equal(bytes, 3 * count);
    pj_pubqueue_free(q);
}

static void test_split_code_point(void **state)
{
    (void)state;
    pj_pubqueue *q = new_queue((pj_pubqueue_opts){0});
    write_text(q, PJ_STDOUT, "x\xE2");
    char text[64];
    int wait_ms;
    pj_post *post;
    while (!(post = pj_pubqueue_take(q, &wait_ms)))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_non_null(strstr(post->content, "\"x\""));
    pj_post_free(post);
    write_text(q, PJ_STDOUT, "\x82\xAC");
    post_status(q);
    assert_string_equal(next(q, text, sizeof text), "stdout:\xE2\x82\xAC");
    assert_next(q, "status");
    write_text(q, PJ_STDOUT, "y\xE2");
    post_status(q); // its end does not come any more
    assert_next(q, "stdout:y\xEF\xBF\xBD");
    assert_next(q, "status");
    pj_pubqueue_free(q);
}

static void test_full_queue_asks_for_patience(void **state)
{
    (void)state;
    pj_pubqueue *q = new_queue((pj_pubqueue_opts){.limit = 1000});
    char line[1001], text[256];
    memset(line, 'x', sizeof line - 1);
    line[1000] = 0;
    assert_int_equal(pj_pubqueue_delay(q, true), 0);
    write_text(q, PJ_STDOUT, line);
    assert_true(pj_pubqueue_delay(q, true) > 0);
    assert_true(pj_pubqueue_delay(q, false) > 0);
    post_status(q); // never waits
    assert_non_null(strstr(next(q, text, sizeof text), "xxx"));
    assert_next(q, "status");
    assert_int_equal(pj_pubqueue_delay(q, true), 0);
    pj_pubqueue_free(q);
}

/// With a rate, what is beyond the free part comes as slowly as it says, and whole.
static void test_rate(void **state)
{
    (void)state;
    const uint64_t rate = 90000; // 250 kB are free
    pj_pubqueue *q = new_queue((pj_pubqueue_opts){.rate = rate});
    char text[1000];
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 190; i++) {
        assert_int_equal(pj_pubqueue_delay(q, true), 0);
        pj_pubqueue_write(q, NULL, PJ_STDOUT, (pj_str){text, sizeof text});
    }
    for (int i = 0; i < 100; i++) // 64 kB may be on their way
        if (!pj_pubqueue_delay(q, true))
            pj_pubqueue_write(q, NULL, PJ_STDOUT, (pj_str){text, sizeof text});
    assert_true(pj_pubqueue_delay(q, true) > 0);
    post_status(q);
    int wait_ms;
    for (pj_post *post; (post = pj_pubqueue_take(q, &wait_ms)); pj_post_free(post))
        continue;
    assert_true(pj_pubqueue_delay(q, true) > 0);
    pj_pubqueue_turned_idle(q);
    assert_int_equal(pj_pubqueue_delay(q, true), 0);
    pj_pubqueue_free(q);
}

static void test_close(void **state)
{
    (void)state;
    pj_pubqueue *q = new_queue((pj_pubqueue_opts){0});
    write_text(q, PJ_STDOUT, "last");
    pj_pubqueue_close(q);
    assert_false(pj_pubqueue_finished(q));
    int wait_ms;
    pj_post *post = pj_pubqueue_take(q, &wait_ms);
    assert_non_null(post); // at once
    pj_post_free(post);
    assert_null(pj_pubqueue_take(q, &wait_ms));
    assert_int_equal(wait_ms, 0); // nothing would ever wake the taker again
    assert_true(pj_pubqueue_finished(q));
    pj_pubqueue_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merging_keeps_order),
        cmocka_unit_test(test_stream_waits_for_more),
        cmocka_unit_test(test_flood_of_both_streams_is_merged),
        cmocka_unit_test(test_large_text_is_cut_between_code_points),
        cmocka_unit_test(test_split_code_point),
        cmocka_unit_test(test_full_queue_asks_for_patience),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
