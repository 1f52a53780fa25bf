// Every command of commands.def: it has help, each argument a sentence, valid values are accepted
// and others refused with the list.
#include "kernel/command/call.h"
#include "kernel/command/help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define EACH_COMMAND(c)                                                                            \
    const pj_command *c;                                                                           \
    for (size_t command_index = 0; (c = pj_command_at(command_index)); command_index++)
#define EACH_PARAM(p, c)                                                                           \
    for (pj_param p##_copy, *p = &p##_copy; p; p = NULL)                                           \
        for (size_t p##_index = 0; pj_command_param_at(c, p##_index, p); p##_index++)

static bool is_sentence(const char *text)
{
    size_t len = strlen(text);
    return len > 10 && text[len - 1] == '.' && text[0] >= 'A' && text[0] <= 'Z';
}

static void every_command_has_help(void **state)
{
    (void)state;
    EACH_COMMAND(c)
    {
        assert_true(c->name && c->summary && c->detail && c->example && c->run && c->faces);
        assert_true(pj_str_ends(pj_str_of(c->detail), PJ_S(".")));
        assert_ptr_equal(pj_command_find(pj_str_of(c->name), c->faces), c);
        pj_auto_buf text = {0};
        pj_help_command(c, NULL, &text);
        EACH_PARAM(p, c)
        {
            assert_true(is_sentence(p->help));
            assert_non_null(strstr(text.at, p->place & PJ_IN_SHELL ? p->shown : p->name));
            pj_param found;
            assert_true(pj_command_param(c, pj_str_of(p->name), &found));
            assert_int_equal(found.index, p->index);
            assert_true(!p->letter || pj_command_letter(c, p->letter, &found));
            assert_int_equal(found.index, p->index);
        }
    }
}

static void names_and_letters_are_unique(void **state)
{
    (void)state;
    EACH_COMMAND(c)
    EACH_PARAM(p, c)
    EACH_PARAM(q, c)
    if (q->index < p->index) {
        assert_string_not_equal(p->name, q->name);
        assert_true(!p->letter || p->letter != q->letter);
    }
}

static void fields_lie_inside_the_struct(void **state)
{
    (void)state;
    static const size_t sizes[] = {
        [PJ_PARAM_FLAG] = sizeof(bool),        [PJ_PARAM_TEXT] = sizeof(char *),
        [PJ_PARAM_CHOICE] = sizeof(char *),    [PJ_PARAM_COUNT] = sizeof(uint64_t),
        [PJ_PARAM_SIZE] = sizeof(uint64_t),    [PJ_PARAM_DURATION] = sizeof(double),
        [PJ_PARAM_RATE] = sizeof(double),      [PJ_PARAM_PATH] = sizeof(char *),
        [PJ_PARAM_TEXTS] = sizeof(pj_texts),   [PJ_PARAM_REST] = sizeof(pj_texts),
        [PJ_PARAM_INPUTS] = sizeof(pj_inputs), [PJ_PARAM_NUMBER] = sizeof(double),
        [PJ_PARAM_PART] = sizeof(double),
    };
    EACH_COMMAND(c)
    EACH_PARAM(p, c)
    {
        assert_true(p->offset + sizes[p->type] <= c->args_size);
        EACH_PARAM(q, c)
        if (q->index < p->index)
            assert_true(p->offset >= q->offset + sizes[q->type] ||
                        q->offset >= p->offset + sizes[p->type]);
    }
}

/// Binds one option of a command in the shell's way; the error's code.
static pj_err_code bind(const pj_command *c, const pj_param *p, const char *value)
{
    pj_session *session = pj_session_new(&pj_face_silent, NULL);
    pj_call call;
    pj_err err = {0};
    pj_call_begin(&call, session, c);
    bool ok = p->place & PJ_IN_SHELL
                  ? pj_call_place(&call, PJ_IN_SHELL, pj_value_borrow_text(value), &err)
                  : pj_call_option(&call, pj_str_of(p->name), pj_value_borrow_text(value), &err);
    assert_int_equal(ok, err.code == PJ_E_NONE);
    pj_call_end(&call);
    pj_session_free(session);
    return err.code;
}

static void valid_values_are_accepted_and_others_refused(void **state)
{
    (void)state;
    EACH_COMMAND(c)
    EACH_PARAM(p, c)
    {
        const char *valid;
        for (size_t i = 0; (valid = pj_param_choice(p, NULL, i)); i++)
            assert_int_equal(bind(c, p, valid), PJ_E_NONE);
        if (p->type == PJ_PARAM_CHOICE)
            assert_int_equal(bind(c, p, "no-such-value"), PJ_E_USAGE);
        bool number = p->type == PJ_PARAM_COUNT || p->type == PJ_PARAM_SIZE ||
                      p->type == PJ_PARAM_DURATION || p->type == PJ_PARAM_RATE;
        if (number)
            assert_int_equal(bind(c, p, "many"), PJ_E_USAGE);
    }
}

static void every_choice_lists_something(void **state)
{
    (void)state;
    EACH_COMMAND(c)
    EACH_PARAM(p, c)
    if (p->type == PJ_PARAM_CHOICE)
        assert_non_null(pj_param_choice(p, NULL, 0));
}

static void unknown_options_are_refused(void **state)
{
    (void)state;
    pj_session *session = pj_session_new(&pj_face_silent, NULL);
    EACH_COMMAND(c)
    {
        const char *words[] = {"--no-such-option=1"};
        pj_call call;
        pj_err err = {0};
        pj_call_begin(&call, session, c);
        bool rest_first = c->groups->rows->type == PJ_PARAM_REST;
        assert_true(pj_call_words(&call, 1, words, &err) == rest_first);
        assert_int_equal(err.code, PJ_E_USAGE);
        assert_non_null(strstr(err.text, "no-such-option"));
        EACH_PARAM(p, c)
        if (!(p->place & PJ_IN_SHELL))
            assert_non_null(strstr(err.text, p->name));
        pj_call_end(&call);
    }
    pj_session_free(session);
}

static void the_man_page_names_every_option(void **state)
{
    (void)state;
    pj_auto_buf man = {0}, bash = {0};
    pj_help_man(&man);
    pj_help_bash(&bash);
    EACH_COMMAND(c)
    {
        if (!(c->faces & PJ_IN_SHELL))
            continue;
        pj_auto_buf heading = {0};
        pj_buf_addf(&heading, ".SS %s\n", c->name);
        assert_non_null(strstr(man.at, heading.at));
        EACH_PARAM(p, c)
        if (!(p->place & PJ_IN_SHELL))
            assert_non_null(strstr(bash.at, p->name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_has_help),
        cmocka_unit_test(names_and_letters_are_unique),
        cmocka_unit_test(fields_lie_inside_the_struct),
        cmocka_unit_test(valid_values_are_accepted_and_others_refused),
        cmocka_unit_test(every_choice_lists_something),
        cmocka_unit_test(unknown_options_are_refused),
        cmocka_unit_test(the_man_page_names_every_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
