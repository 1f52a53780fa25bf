// Answers to questions: the right one is taken, others are discarded.
#include "kernel/jupyter/prompt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void answer(pj_prompt *prompt, const char *parent_id, const char *value)
{
    json_t *content = json_pack("{s:s}", "value", value);
    pj_request reply = {.content = content, .parent_id = pj_str_of(parent_id)};
    pj_prompt_answer(prompt, &reply);
    json_decref(content);
}

static void assert_gets(pj_prompt *prompt, const char *expected)
{
    atomic_bool stop = false;
    pj_auto_buf out = {0};
    pj_err err = {0};
    assert_true(pj_prompt_wait(prompt, &stop, &out, &err));
    assert_string_equal(out.at ? out.at : "", expected);
}

static void test_answers(void **state)
{
    (void)state;
    pj_prompt *prompt = pj_prompt_new();
    answer(prompt, "", "nobody asked");
    pj_prompt_open(prompt, "q1");
    answer(prompt, "q0", "of an older question");
    answer(prompt, "", "first");
    answer(prompt, "q1", "too late");
    assert_gets(prompt, "first");
    pj_prompt_open(prompt, "q2");
    answer(prompt, "q2", "");
    assert_gets(prompt, "");
    pj_prompt_free(prompt);
}

static void test_interrupt(void **state)
{
    (void)state;
    pj_prompt *prompt = pj_prompt_new();
    pj_prompt_open(prompt, "q");
    atomic_bool stop = true;
    pj_auto_buf out = {0};
    pj_err err = {0};
    assert_false(pj_prompt_wait(prompt, &stop, &out, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    answer(prompt, "q", "stale");
    pj_prompt_open(prompt, "r");
    answer(prompt, "r", "fresh");
    assert_gets(prompt, "fresh");
    pj_prompt_free(prompt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
