// Tail, range and search over what was run.
#include "kernel/jupyter/history.h"

#include "kernel/jupyter/history_file.h"
#include "metrics/base/clock.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

static int set_up(void **state)
{
    pj_history *h = pj_history_new(NULL);
    pj_history_add(h, 1, PJ_S("a = 1"));
    pj_history_add(h, 2, PJ_S("a"));
    pj_history_set_output(h, 2, PJ_S("1"));
    pj_history_add(h, 3, PJ_S("b = 2"));
    pj_history_add(h, 4, PJ_S("a"));
    pj_history_set_output(h, 4, PJ_S("one"));
    pj_history_set_output(h, 3, PJ_S("late")); // not the last any more: ignored
    *state = h;
    return 0;
}

static int tear_down(void **state)
{
    pj_history_free(*state);
    return 0;
}

static void assert_answer(pj_history *h, const char *request, const char *expected)
{
    json_t *content = json_loads(request, 0, NULL);
    assert_non_null(content);
    json_t *answer = pj_history_answer(h, content);
    assert_string_equal(json_string_value(json_object_get(answer, "status")), "ok");
    char *text = json_dumps(json_object_get(answer, "history"), JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    json_decref(answer);
    json_decref(content);
}

static void test_tail(void **state)
{
    assert_answer(*state, "{\"hist_access_type\":\"tail\",\"n\":2}",
                  "[[1,3,\"b = 2\"],[1,4,\"a\"]]");
    assert_answer(*state, "{\"hist_access_type\":\"tail\",\"n\":2,\"output\":true}",
                  "[[1,3,[\"b = 2\",null]],[1,4,[\"a\",\"one\"]]]");
    assert_answer(*state, "{\"hist_access_type\":\"tail\",\"n\":0}", "[]");
    assert_answer(*state, "{}", "[[1,1,\"a = 1\"],[1,2,\"a\"],[1,3,\"b = 2\"],[1,4,\"a\"]]");
}

static void test_range(void **state)
{
    assert_answer(*state, "{\"hist_access_type\":\"range\",\"session\":1,\"start\":2,\"stop\":3}",
                  "[[1,2,\"a\"]]");
    assert_answer(*state, "{\"hist_access_type\":\"range\",\"session\":0,\"start\":3}",
                  "[[1,3,\"b = 2\"],[1,4,\"a\"]]");
    assert_answer(*state, "{\"hist_access_type\":\"range\",\"start\":-1}", "[[1,4,\"a\"]]");
    assert_answer(*state, "{\"hist_access_type\":\"range\",\"session\":7}", "[]");
}

static void test_search(void **state)
{
    assert_answer(*state, "{\"hist_access_type\":\"search\",\"pattern\":\"a*\"}",
                  "[[1,1,\"a = 1\"],[1,2,\"a\"],[1,4,\"a\"]]");
    assert_answer(*state, "{\"hist_access_type\":\"search\",\"pattern\":\"a\",\"unique\":true}",
                  "[[1,4,\"a\"]]");
    assert_answer(*state, "{\"hist_access_type\":\"search\",\"pattern\":\"a*\",\"n\":1}",
                  "[[1,4,\"a\"]]");
    assert_answer(*state, "{\"hist_access_type\":\"search\",\"pattern\":\"? = [0-9]\"}",
                  "[[1,1,\"a = 1\"],[1,3,\"b = 2\"]]");
}

static void test_patterns(void **state)
{
    (void)state;
    assert_true(pj_history_fits(PJ_S("*"), PJ_S("")));
    assert_true(pj_history_fits(PJ_S("*b*d"), PJ_S("abcbd\nd")));
    assert_false(pj_history_fits(PJ_S("*b"), PJ_S("abc")));
    assert_true(pj_history_fits(PJ_S("?x"), PJ_S("\xE2\x82\xACx"))); // one code point
    assert_true(pj_history_fits(PJ_S("[!a]"), PJ_S("b")));
    assert_false(pj_history_fits(PJ_S("[!a]"), PJ_S("a")));
    assert_true(pj_history_fits(PJ_S("[]]"), PJ_S("]")));
    assert_true(pj_history_fits(PJ_S("[a"), PJ_S("[a"))); // not closed: itself
    assert_false(pj_history_fits(PJ_S(""), PJ_S("a")));
    char text[5000];
    memset(text, 'a', sizeof text);
    assert_false(pj_history_fits(PJ_S("a*a*a*a*a*a*a*a*a*b"), (pj_str){text, sizeof text}));
}

/// Who holds the file holds up nobody, and nothing is lost.
static void test_a_locked_file_is_not_waited_for(void **state)
{
    (void)state;
    enum { INPUTS = 100, ALLOWED_MS = 500 };
    char folder[] = "/tmp/pj-history-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/history", folder);
    pj_history *history = pj_history_new(strdup(path));
    pj_history_add(history, 1, PJ_S("first"));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    uint64_t began = pj_clock_ms();
    for (int i = 2; i < INPUTS; i++)
        pj_history_add(history, i, PJ_S("while it is locked"));
    assert_true(pj_clock_ms() - began < ALLOWED_MS);
    close(fd);
    pj_history_add(history, INPUTS, PJ_S("last"));
    json_t *records = pj_history_file_read(path);
    assert_int_equal(json_array_size(records), INPUTS);
    json_decref(records);
    pj_history_free(history);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tail, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_search, set_up, tear_down),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_a_locked_file_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
