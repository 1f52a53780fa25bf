// Numbers to and from text.
#include "metrics/base/num.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_whole(void **state)
{
    (void)state;
    uint64_t u;
    int64_t i;
    assert_true(pj_parse_u64(PJ_S("18446744073709551615"), &u) && u == UINT64_MAX);
    assert_false(pj_parse_u64(PJ_S("18446744073709551616"), &u));
    assert_false(pj_parse_u64(PJ_S("99999999999999999999"), &u));
    assert_true(pj_parse_u64(PJ_S("007"), &u) && u == 7);
    assert_true(pj_parse_i64(PJ_S("-9223372036854775808"), &i) && i == INT64_MIN);
    assert_true(pj_parse_i64(PJ_S("9223372036854775807"), &i) && i == INT64_MAX);
    assert_false(pj_parse_i64(PJ_S("9223372036854775808"), &i));
    assert_false(pj_parse_i64(PJ_S("-9223372036854775809"), &i));
    static const char *const bad[] = {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "--1", "a"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_false(pj_parse_u64(pj_str_of(bad[k]), &u));
        assert_false(pj_parse_i64(pj_str_of(bad[k]), &i));
    }
    assert_false(pj_parse_u64(PJ_S("-1"), &u));
}

static void test_real(void **state)
{
    (void)state;
    double d;
    assert_true(pj_parse_double(PJ_S("-1.5e3"), &d) && d == -1500);
    assert_true(pj_parse_double((pj_str){"2.5;", 3}, &d) && d == 2.5); // not terminated
    static const char *const bad[] = {"", " 1", "\t1", "1 ", "1,5", "1e", "x", "1.2.3"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (pj_parse_double(pj_str_of(bad[k]), &d))
            fail_msg("\"%s\" is accepted", bad[k]);
}

static void test_shortest_text(void **state)
{
    (void)state;
    static const double values[] = {0,           0.1,
                                    1.0 / 3,     1e300,
                                    5e-324,      DBL_MAX,
                                    21898659139, 0.99925583023615461,
                                    -2.5,        123456789012345680.0};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        char text[32];
        double back;
        size_t len = pj_format_double(values[k], text);
        assert_int_equal(len, strlen(text));
        assert_true(pj_parse_double(pj_str_of(text), &back));
        assert_true(back == values[k]);
    }
    char text[32];
    pj_format_double(0.1, text);
    assert_string_equal(text, "0.1");
    pj_format_double(21898659139.0, text);
    assert_string_equal(text, "21898659139");
    pj_format_double(NAN, text);
    assert_string_equal(text, "nan");
}

/// What rounds to 0 is not less than it.
static void zero_has_no_sign(void **state)
{
    (void)state;
    char text[32];
    assert_int_equal(pj_format_fixed(-0.0004, 3, text), 5);
    assert_string_equal(text, "0.000");
    pj_format_fixed(-0.0, 0, text);
    assert_string_equal(text, "0");
    pj_format_fixed(-0.0006, 3, text);
    assert_string_equal(text, "-0.001");
}

/// A locale with a decimal comma, made here: none needs to be installed.
static void make_locale(void)
{
    char folder[] = "/tmp/pj_locale_XXXXXX", line[200];
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8", folder);
    assert_int_equal(system(line), 0);
    setenv("LOCPATH", folder, 1);
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    unsetenv("LOCPATH");
    assert_string_equal(localeconv()->decimal_point, ",");
}

/// A comma for the point in the process's locale changes nothing.
static void test_locale(void **state)
{
    (void)state;
    make_locale();
    char text[32];
    double d;
    pj_format_double(1.5, text);
    bool parsed = pj_parse_double(PJ_S("1.5"), &d);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "1.5");
    assert_true(parsed && d == 1.5);
}

static void test_units(void **state)
{
    (void)state;
    double d;
    uint64_t u;
    assert_true(pj_parse_duration(PJ_S("12.5ms"), &d) && d == 12.5e6);
    assert_true(pj_parse_duration(PJ_S("3 s"), &d) && d == 3e9);
    assert_true(pj_parse_duration(PJ_S("0"), &d) && d == 0);
    assert_false(pj_parse_duration(PJ_S("7"), &d)); // of what?
    assert_false(pj_parse_duration(PJ_S("7 h"), &d));
    assert_false(pj_parse_duration(PJ_S("-7us"), &d));
    assert_false(pj_parse_duration(PJ_S("ms"), &d));
    assert_true(pj_parse_size(PJ_S("32k"), &u) && u == 32768);
    assert_true(pj_parse_size(PJ_S("1.5G"), &u) && u == 1610612736);
    assert_true(pj_parse_size(PJ_S("100"), &u) && u == 100);
    assert_false(pj_parse_size(PJ_S("99999999T"), &u));
    assert_false(pj_parse_size(PJ_S("1Q"), &u));
    assert_true(pj_parse_size(PJ_S("12GB"), &u) && u == 12000000000);
    assert_true(pj_parse_size(PJ_S("12 GiB"), &u) && u == UINT64_C(12) << 30);
    assert_true(pj_parse_size(PJ_S("3kB"), &u) && u == 3000);
    assert_true(pj_parse_size(PJ_S("3KB"), &u) && u == 3000);
    assert_true(pj_parse_size(PJ_S("2m"), &u) && u == 2 << 20);
    assert_true(pj_parse_size(PJ_S("7B"), &u) && u == 7);
    static const char *const wrong[] = {"1Gb", "1iB", "1GBB", "1GiBB", "1kM", "1G/s"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(pj_parse_size(pj_str_of(wrong[i]), &u));
    assert_true(pj_parse_rate(PJ_S("12GB/s"), &d) && d == 12e9);
    assert_true(pj_parse_rate(PJ_S("1GiB/s"), &d) && d == 1073741824);
    assert_true(pj_parse_rate(PJ_S("1g"), &d) && d == 1e9);
    assert_false(pj_parse_rate(PJ_S("1Gb/s"), &d)); // bits
    assert_true(pj_parse_rate(PJ_S("10G"), &d) && d == 10e9);
    assert_true(pj_parse_rate(PJ_S("inf"), &d) && isinf(d));
    assert_false(pj_parse_rate(PJ_S("0"), &d));
}

static void test_for_people(void **state)
{
    (void)state;
    char text[32];
    static const struct {
        double ns;
        const char *text;
    } durations[] = {{0, "0 ns"},
                     {999, "999 ns"},
                     {1000, "1.00 us"},
                     {341400, "341 us"},
                     {999999, "1.00 ms"},
                     {21898659139.0, "21.9 s"},
                     {1234567890123.0, "1235 s"}};
    for (size_t k = 0; k < sizeof durations / sizeof *durations; k++) {
        pj_format_duration(durations[k].ns, text);
        assert_string_equal(text, durations[k].text);
    }
    pj_format_bytes(2340000, text);
    assert_string_equal(text, "2.34 MB");
    pj_format_bytes(17, text);
    assert_string_equal(text, "17 B");
    static const struct {
        int64_t value;
        const char *text;
    } grouped[] = {{0, "0"},
                   {999, "999"},
                   {-1000, "-1,000"},
                   {10380609993, "10,380,609,993"},
                   {INT64_MIN, "-9,223,372,036,854,775,808"}};
    for (size_t k = 0; k < sizeof grouped / sizeof *grouped; k++) {
        assert_int_equal(pj_format_grouped(grouped[k].value, text), strlen(grouped[k].text));
        assert_string_equal(text, grouped[k].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),         cmocka_unit_test(test_real),
        cmocka_unit_test(test_shortest_text), cmocka_unit_test(zero_has_no_sign),
        cmocka_unit_test(test_locale),        cmocka_unit_test(test_units),
        cmocka_unit_test(test_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
