// Open comms: what is told of them, and whom they belong to.
#include "kernel/jupyter/comm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static size_t count(pj_comms *comms, pj_str target)
{
    json_t *info = pj_comms_info(comms, target);
    assert_string_equal(json_string_value(json_object_get(info, "status")), "ok");
    size_t size = json_object_size(json_object_get(info, "comms"));
    json_decref(info);
    return size;
}

static void test_info(void **state)
{
    (void)state;
    pj_comms *comms = pj_comms_new();
    pj_comms_add(comms, PJ_S("a"), PJ_S("t"), NULL);
    pj_comms_add(comms, PJ_S("b"), PJ_S("u"), NULL);
    pj_comms_add(comms, PJ_S("b"), PJ_S("t"), NULL); // known: left as it is
    pj_comms_add(comms, PJ_S(""), PJ_S("t"), NULL);  // nothing
    assert_int_equal(count(comms, PJ_S("")), 2);
    assert_int_equal(count(comms, PJ_S("t")), 1);
    assert_int_equal(count(comms, PJ_S("u")), 1);
    assert_int_equal(count(comms, PJ_S("v")), 0);
    pj_comms_remove(comms, PJ_S("a"));
    pj_comms_remove(comms, PJ_S("a"));
    assert_int_equal(count(comms, PJ_S("")), 1);
    assert_int_equal(count(comms, PJ_S("u")), 1);
    pj_comms_free(comms);
}

static void test_makers(void **state)
{
    (void)state;
    pj_comms *comms = pj_comms_new();
    pj_request *maker = calloc(1, sizeof *maker);
    atomic_init(&maker->owners, 1);
    pj_comms_add(comms, PJ_S("a"), PJ_S("t"), maker);
    pj_comms_add(comms, PJ_S("b"), PJ_S("t"), NULL);
    pj_request *told = pj_comms_maker(comms, PJ_S("a"));
    assert_ptr_equal(told, maker);
    pj_request_drop(told);
    assert_null(pj_comms_maker(comms, PJ_S("b")));
    assert_null(pj_comms_maker(comms, PJ_S("c")));
    pj_comms_remove(comms, PJ_S("a"));
    assert_null(pj_comms_maker(comms, PJ_S("a")));
    assert_int_equal(atomic_load(&maker->owners), 1);
    pj_request_drop(maker);
    pj_comms_free(comms);
}

/// Opened and closed in another order: each is found until its end.
static void test_many(void **state)
{
    (void)state;
    enum { COMMS = 500 };
    pj_comms *comms = pj_comms_new();
    char id[16];
    for (int i = 0; i < COMMS; i++)
        pj_comms_add(comms, (pj_str){id, (size_t)snprintf(id, sizeof id, "%d", i)}, PJ_S("t"),
                     NULL);
    for (int i = 0; i < COMMS; i++) {
        int which = i * 7 % COMMS;
        pj_comms_remove(comms, (pj_str){id, (size_t)snprintf(id, sizeof id, "%d", which)});
        assert_int_equal(count(comms, PJ_S("t")), COMMS - 1 - i);
    }
    pj_comms_free(comms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_makers),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
