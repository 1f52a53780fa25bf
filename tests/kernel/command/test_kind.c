// Every kind of value says what commands, displays and the language need of it.
#include "kernel/command/display.h"
#include "kernel/command/kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void what_is_counted_can_be_held_and_shown(void **state)
{
    (void)state;
    const pj_kind *kind;
    for (size_t i = 0; (kind = pj_kind_at(i)); i++) {
        assert_non_null(kind->name);
        assert_int_equal(kind->hold != NULL, kind->release != NULL);
        assert_int_equal(kind->writes != NULL, kind->write != NULL);
        if (kind->lang && !(kind->hold && kind->bytes && kind->brief && kind->table))
            fail_msg("the kind %s lacks what its object needs", kind->name);
    }
}

static void own_suffixes_are_its_own_and_exported(void **state)
{
    (void)state;
    const pj_kind *kind;
    for (size_t i = 0; (kind = pj_kind_at(i)); i++)
        for (const char *const *s = kind->suffixes; s && *s; s++) {
            const char *name = *s;
            char path[64];
            snprintf(path, sizeof path, "-.%s", name);
            pj_exports exports = {.paths = {.items = (const char *[]){path}, .count = 1}};
            assert_false(pj_export_is_common(pj_str_of(name)));
            assert_true(kind->writes(pj_str_of(name)));
            assert_true(pj_export_check(&exports, NULL));
        }
}

static void what_has_no_form_says_so(void **state)
{
    (void)state;
    pj_session session = {.face = NULL};
    pj_auto_value text = pj_value_text("a"), none = {0};
    pj_err err = {.code = PJ_E_NONE};
    assert_false(pj_export(&session, &text, "-.csv", &err));
    assert_string_equal(err.text, "a text has no form as .csv");
    err = (pj_err){.code = PJ_E_NONE};
    assert_false(pj_export(&session, &none, "-.txt", &err));
    assert_string_equal(err.text, "a nil has no form as .txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_counted_can_be_held_and_shown),
        cmocka_unit_test(own_suffixes_are_its_own_and_exported),
        cmocka_unit_test(what_has_no_form_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
