// Comms with a target that records what reaches it.
#include "kernel/comm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct record {
    int opened, messages, closed;
    bool refuse;
} record;

static bool opened(void *self, pj_str id, const pj_request *request)
{
    (void)id, (void)request;
    record *r = self;
    r->opened++;
    return !r->refuse;
}

static void message(void *self, pj_str id, const pj_request *request)
{
    (void)request;
    assert_true(pj_str_equal(id, PJ_S("c1")));
    ((record *)self)->messages++;
}

static void closed(void *self, pj_str id)
{
    assert_true(pj_str_equal(id, PJ_S("c1")));
    ((record *)self)->closed++;
}

static pj_request request_with(json_t *content)
{
    return (pj_request){.content = content};
}

static size_t count(pj_comms *comms, pj_str target)
{
    json_t *info = pj_comms_info(comms, target);
    size_t size = json_object_size(json_object_get(info, "comms"));
    json_decref(info);
    return size;
}

static void test_life_of_a_comm(void **state)
{
    (void)state;
    record r = {0};
    const pj_comm_target targets[] = {{"t", &r, opened, message, closed}, {.name = NULL}};
    pj_comms *comms = pj_comms_new(targets);
    json_t *content = json_pack("{s:s, s:s}", "comm_id", "c1", "target_name", "t");
    pj_request request = request_with(content);
    pj_comms_message(comms, &request); // not open yet
    assert_int_equal(r.messages, 0);
    assert_true(pj_comms_open(comms, &request));
    assert_int_equal(count(comms, PJ_S("")), 1);
    assert_int_equal(count(comms, PJ_S("t")), 1);
    assert_int_equal(count(comms, PJ_S("other")), 0);
    pj_comms_message(comms, &request);
    pj_comms_close(comms, &request);
    pj_comms_close(comms, &request); // once only
    assert_int_equal(r.messages, 1);
    assert_int_equal(r.closed, 1);
    assert_int_equal(count(comms, PJ_S("")), 0);
    json_decref(content);
    pj_comms_free(comms);
}

static void test_refusals(void **state)
{
    (void)state;
    record r = {.refuse = true};
    const pj_comm_target targets[] = {{"t", &r, opened, message, closed}, {.name = NULL}};
    pj_comms *comms = pj_comms_new(targets);
    static const char *const contents[] = {
        "{\"comm_id\":\"c1\",\"target_name\":\"t\"}",
        "{\"comm_id\":\"c1\",\"target_name\":\"unknown\"}",
        "{\"target_name\":\"t\"}",
        "{}",
    };
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        json_t *content = json_loads(contents[i], 0, NULL);
        pj_request request = request_with(content);
        assert_false(pj_comms_open(comms, &request));
        json_decref(content);
    }
    assert_int_equal(r.opened, 1);
    assert_int_equal(count(comms, PJ_S("")), 0);
    pj_comms_free(comms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life_of_a_comm),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
