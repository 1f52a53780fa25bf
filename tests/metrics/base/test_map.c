// Keys keep their last value.
#include "metrics/base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void maps_keep_what_was_put(void **state)
{
    (void)state;
    pj_map map = {.count = 0};
    uint32_t value = 7;
    assert_false(pj_map_get(&map, 0, &value));
    for (uint64_t k = 0; k < 5000; k++)
        pj_map_put(&map, k << (k % 40), (uint32_t)k);
    uint64_t seen_keys = 0;
    for (uint64_t k = 0; k < 5000; k++) {
        assert_true(pj_map_get(&map, k << (k % 40), &value));
        seen_keys += value == k; // later keys may be equal to earlier ones
    }
    assert_true(seen_keys > 4000);
    assert_false(pj_map_get(&map, UINT64_MAX, &value));
    pj_map_put(&map, 3, 1);
    pj_map_put(&map, 3, 2);
    assert_true(pj_map_get(&map, 3, &value) && value == 2);
    pj_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_keep_what_was_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
