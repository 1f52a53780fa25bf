// Every setting has its default, bounds and help; the folder of states follows XDG.
#include "kernel/command/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void rows_are_whole_and_defaults_lie_in_bounds(void **state)
{
    (void)state;
    for (int id = 0; id < PJ_SETTINGS; id++) {
        const pj_setting *s = pj_setting_of((pj_setting_id)id);
        assert_int_equal(strncmp(s->variable, "POPINJAY_", 9), 0);
        assert_true(strlen(s->help) > 20);
        unsetenv(s->variable);
        uint64_t value;
        pj_err err = {0};
        if (s->most > 0)
            assert_true(pj_setting_number((pj_setting_id)id, &value, &err));
        assert_null(pj_setting_text((pj_setting_id)id));
    }
}

static void numbers_out_of_bounds_name_their_variable(void **state)
{
    (void)state;
    static const char *const bad[] = {"0", "3601", "soon", "-1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t value;
        pj_err err = {0};
        setenv("POPINJAY_TIMEOUT", bad[i], 1);
        assert_false(pj_setting_number(PJ_SETTING_TIMEOUT, &value, &err));
        assert_int_equal(err.code, PJ_E_USAGE);
        assert_string_equal(err.where, "POPINJAY_TIMEOUT");
    }
    uint64_t value;
    setenv("POPINJAY_TIMEOUT", "3600", 1);
    assert_true(pj_setting_number(PJ_SETTING_TIMEOUT, &value, NULL));
    assert_int_equal(value, 3600);
    setenv("POPINJAY_TIMEOUT", "", 1);
    assert_true(pj_setting_number(PJ_SETTING_TIMEOUT, &value, NULL));
    assert_int_equal(value, 30);
}

static void states_lie_where_xdg_says(void **state)
{
    (void)state;
    pj_auto_buf path = {0};
    setenv("XDG_STATE_HOME", "/var/states", 1);
    setenv("HOME", "/far/me", 1);
    assert_true(pj_state_file("history", &path));
    assert_string_equal(path.at, "/var/states/popinjay/history");
    path.len = 0;
    setenv("XDG_STATE_HOME", "relative", 1);
    assert_true(pj_state_file("history", &path));
    assert_string_equal(path.at, "/far/me/.local/state/popinjay/history");
    path.len = 0;
    unsetenv("HOME");
    assert_false(pj_state_file("history", &path));
    assert_int_equal(path.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole_and_defaults_lie_in_bounds),
        cmocka_unit_test(numbers_out_of_bounds_name_their_variable),
        cmocka_unit_test(states_lie_where_xdg_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
