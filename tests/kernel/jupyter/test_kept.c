// What is kept of cells: in order, the latest, within bounds.
#include "kernel/jupyter/kept.h"

#include "metrics/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static pj_origin origin;

static pj_request *new_request(const char *id)
{
    pj_request *request = pj_take_memory(sizeof *request);
    *request = (pj_request){.msg_id = pj_str_of(id), .header = PJ_S("{}")};
    atomic_init(&request->owners, 1);
    return request;
}

static void keep(pj_kept *kept, pj_post *take)
{
    pj_kept_post(kept, take);
    pj_post_free(take);
}

static pj_request *begin(pj_kept *kept, const char *id, int count)
{
    pj_request *request = new_request(id);
    keep(kept, pj_publish_input(&origin, request, PJ_S("code"), count));
    return request;
}

static void keep_display(pj_kept *kept, pj_request *parent, const char *text, bool updates)
{
    json_t *data = json_pack("{s:s}", "text/plain", text);
    pj_display display = {.data = data, .id = "d", .update = updates};
    keep(kept, pj_publish_display(&origin, parent, &display));
    json_decref(data);
}

static void assert_kept(pj_kept *kept, uint64_t count, const char *expected)
{
    size_t gone;
    json_t *list = pj_kept_outputs(kept, count, NULL, &gone);
    char *text = list ? json_dumps(list, JSON_COMPACT) : NULL;
    if (expected)
        assert_string_equal(text, expected);
    else
        assert_null(list);
    free(text);
    json_decref(list);
}

static void test_order_and_merging(void **state)
{
    (void)state;
    pj_kept *kept = pj_kept_new(1 << 20);
    pj_request *r = begin(kept, "a", 3), *stranger = new_request("b");
    pj_kept_text(kept, r, PJ_STDOUT, PJ_S("x"));
    pj_kept_text(kept, r, PJ_STDOUT, PJ_S("y"));
    pj_kept_text(kept, r, PJ_STDERR, PJ_S("e"));
    pj_kept_text(kept, stranger, PJ_STDOUT, PJ_S("not a cell"));
    pj_kept_text(kept, NULL, PJ_STDOUT, PJ_S("of nobody"));
    keep(kept, pj_publish_status(&origin, r, "idle"));
    assert_kept(kept, 3,
                "[{\"type\":\"stdout\",\"text\":\"xy\"},{\"type\":\"stderr\",\"text\":\"e\"}]");
    assert_kept(kept, 0,
                "[{\"type\":\"stdout\",\"text\":\"xy\"},{\"type\":\"stderr\",\"text\":\"e\"}]");
    assert_kept(kept, 4, NULL);
    pj_request_drop(r);
    pj_request_drop(stranger);
    pj_kept_free(kept);
}

static void test_updates_and_clearing(void **state)
{
    (void)state;
    pj_kept *kept = pj_kept_new(1 << 20);
    pj_request *r = begin(kept, "a", 1);
    keep_display(kept, r, "one", false);
    keep_display(kept, r, "two", true);
    assert_kept(kept, 1,
                "[{\"type\":\"display_data\",\"content\":{\"data\":{\"text/plain\":\"two\"},"
                "\"metadata\":{},\"transient\":{\"display_id\":\"d\"}}}]");
    keep(kept, pj_publish_clear(&origin, r, false));
    assert_kept(kept, 1, "[]");
    pj_request_drop(r);
    pj_kept_free(kept);
}

static void test_bounds(void **state)
{
    (void)state;
    enum { LIMIT = 10000 };
    pj_kept *kept = pj_kept_new(LIMIT);
    char text[3000];
    memset(text, 'x', sizeof text);
    for (int i = 1; i <= 5; i++) {
        char id[16];
        snprintf(id, sizeof id, "c%d", i);
        pj_request *r = begin(kept, id, i);
        pj_kept_text(kept, r, PJ_STDOUT, (pj_str){text, sizeof text});
        pj_request_drop(r);
    }
    assert_kept(kept, 1, NULL);
    size_t gone = 9;
    json_t *list = pj_kept_outputs(kept, 5, NULL, &gone);
    assert_int_equal(json_array_size(list), 1);
    assert_int_equal(gone, 0);
    json_decref(list);
    pj_request *long_one = begin(kept, "long", 6);
    for (int i = 0; i < 10; i++)
        pj_kept_text(kept, long_one, i % 2 ? PJ_STDERR : PJ_STDOUT, (pj_str){text, sizeof text});
    list = pj_kept_outputs(kept, 6, NULL, &gone);
    assert_int_equal(json_array_size(list) + gone, 10);
    assert_in_range(json_array_size(list), 1, LIMIT / sizeof text);
    json_decref(list);
    assert_null(pj_kept_outputs(kept, 6, long_one, &gone)); // the cell that asks
    pj_request_drop(long_one);
    pj_kept_free(kept);
}

/// The latest cell of a number counts, as after a restart of the counter in a subshell.
static void test_same_number_twice(void **state)
{
    (void)state;
    pj_kept *kept = pj_kept_new(1 << 20);
    pj_request *a = begin(kept, "a", 1), *b = begin(kept, "b", 1);
    pj_kept_text(kept, b, PJ_STDOUT, PJ_S("b"));
    pj_kept_text(kept, a, PJ_STDOUT, PJ_S("a"));
    assert_kept(kept, 1, "[{\"type\":\"stdout\",\"text\":\"b\"}]");
    pj_request_drop(a);
    pj_request_drop(b);
    pj_kept_free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_merging),
        cmocka_unit_test(test_updates_and_clearing),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_same_number_twice),
    };
    pj_origin_init(&origin);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
