// Contents of what the kernel says, against the message specification.
#include "kernel/jupyter/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static pj_origin origin;

static int set_up(void **state)
{
    (void)state;
    pj_origin_init(&origin);
    return 0;
}

/// Frees the post.
static void assert_says(pj_post *post, const char *type, const char *content)
{
    assert_string_equal(post->type, type);
    json_t *got = json_loads(post->content, 0, NULL), *wanted = json_loads(content, 0, NULL);
    assert_non_null(wanted);
    if (!json_equal(got, wanted))
        fail_msg("%s, not %s", post->content, content);
    json_decref(got);
    json_decref(wanted);
    pj_post_free(post);
}

static void test_publications(void **state)
{
    (void)state;
    assert_says(pj_publish_status(&origin, NULL, "busy"), "status",
                "{\"execution_state\":\"busy\"}");
    assert_says(pj_publish_input(&origin, NULL, PJ_S("x\xFF"), 3), "execute_input",
                "{\"code\":\"x\\ufffd\",\"execution_count\":3}");
    assert_says(pj_publish_clear(&origin, NULL, true), "clear_output", "{\"wait\":true}");
    assert_says(pj_publish_stream(&origin, NULL, PJ_STDERR, PJ_S("a")), "stream",
                "{\"name\":\"stderr\",\"text\":\"a\"}");
    assert_says(pj_publish_result(&origin, NULL, 2, NULL, NULL), "execute_result",
                "{\"execution_count\":2,\"data\":{},\"metadata\":{}}");
    assert_says(pj_publish_comm_close(&origin, NULL, PJ_S("c")), "comm_close",
                "{\"comm_id\":\"c\",\"data\":{}}");
    assert_says(pj_publish_welcome(&origin, PJ_S("")), "iopub_welcome", "{\"subscription\":\"\"}");
    pj_post *question = pj_ask_input(&origin, NULL, "name?", true);
    assert_int_equal(question->channel, PJ_STDIN);
    assert_says(question, "input_request", "{\"prompt\":\"name?\",\"password\":true}");
}

static void test_displays(void **state)
{
    (void)state;
    json_t *data = json_pack("{s:s}", "text/plain", "t"), *more = json_pack("{s:i}", "w", 1);
    pj_display display = {.data = data};
    assert_says(pj_publish_display(&origin, NULL, &display), "display_data",
                "{\"data\":{\"text/plain\":\"t\"},\"metadata\":{},\"transient\":{}}");
    display = (pj_display){.data = data, .metadata = more, .id = "d", .update = true};
    assert_says(pj_publish_display(&origin, NULL, &display), "update_display_data",
                "{\"data\":{\"text/plain\":\"t\"},\"metadata\":{\"w\":1},"
                "\"transient\":{\"display_id\":\"d\"}}");
    assert_int_equal(data->refcount, 1); // borrowed
    json_decref(data);
    json_decref(more);
}

static void test_what_queues_look_at(void **state)
{
    (void)state;
    pj_post *status = pj_publish_status(&origin, NULL, "idle");
    pj_post *stream = pj_publish_stream(&origin, NULL, PJ_STDOUT, PJ_S("a"));
    assert_true(status->turns_idle);
    assert_false(stream->turns_idle);
    assert_int_equal(stream->topic_len, strlen("stream.stdout"));
    assert_memory_equal(stream->topic, "stream.stdout", stream->topic_len);
    pj_post_free(status);
    pj_post_free(stream);
}

static void test_ids_are_unique(void **state)
{
    (void)state;
    char first[64], second[64];
    pj_post *a = pj_publish_status(&origin, NULL, "idle"),
            *b = pj_publish_status(&origin, NULL, "busy");
    pj_post_id(&origin, a, first, sizeof first);
    pj_post_id(&origin, b, second, sizeof second);
    assert_string_not_equal(first, second);
    assert_int_equal(strlen(origin.session), 32);
    pj_origin other;
    pj_origin_init(&other);
    assert_string_not_equal(origin.session, other.session);
    pj_post_free(a);
    pj_post_free(b);
}

static void test_replies(void **state)
{
    (void)state;
    assert_says(
        pj_post_new(&origin, NULL, "r", pj_reply_error("E", "bad\xFF")), "r",
        "{\"status\":\"error\",\"ename\":\"E\",\"evalue\":\"bad\\ufffd\",\"traceback\":[]}");
    assert_says(pj_post_new(&origin, NULL, "r", pj_reply_aborted(4)), "r",
                "{\"status\":\"aborted\",\"execution_count\":4}");
    assert_says(pj_post_new(&origin, NULL, "r", NULL), "r", "{}"); // a value that failed
    json_t *info = pj_reply_kernel_info();
    assert_non_null(info);
    assert_string_equal(json_string_value(json_object_get(info, "implementation_version")),
                        PJ_VERSION);
    json_decref(info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_publications),
        cmocka_unit_test(test_displays),
        cmocka_unit_test(test_what_queues_look_at),
        cmocka_unit_test(test_ids_are_unique),
        cmocka_unit_test(test_replies),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
