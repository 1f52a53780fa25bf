// What reaches a terminal: colours do, other control characters of names do not.
#include "kernel/cli/shell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void control_characters_become_visible(void **state)
{
    (void)state;
    static const struct {
        const char *text, *clean;
    } rows[] = {
        {"plain text, caf\xc3\xa9\n\tmore\n", "plain text, caf\xc3\xa9\n\tmore\n"},
        {"\033[1;31mred\033[0m", "\033[1;31mred\033[0m"},
        {"\033]0;title\007x", "^[]0;title^Gx"},
        {"\033[2Jgone", "^[[2Jgone"},
        {"\033[6n", "^[[6n"},
        {"over\rwritten\177", "over^Mwritten^?"},
        {"\xc2\x9b"
         "2J",
         "^[[2J"},
        {"\033[31", "^[[31"},
        {"\033", "^["},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_buf clean = {0};
        pj_shell_clean(pj_str_of(rows[i].text), &clean);
        assert_int_equal(clean.len, strlen(rows[i].clean));
        assert_memory_equal(clean.len ? clean.at : "", rows[i].clean, clean.len);
    }
}

static void a_name_is_one_line_of_plain_text(void **state)
{
    (void)state;
    static const char name[] = "a\nb\r\033[31mc\td\302\233\303\251.csv";
    pj_auto_buf clean = {0};
    pj_shell_clean_name(pj_str_of(name), &clean);
    assert_string_equal(clean.at, "a^Jb^M^[[31mc^Id^[[\303\251.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_become_visible),
        cmocka_unit_test(a_name_is_one_line_of_plain_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
