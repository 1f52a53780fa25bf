// Axes of calendar time: what is a time, and which ticks stand at it.
#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "widgets/figure/time_axis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static double seconds_of(const char *text)
{
    double seconds = -1;
    if (!pj_time_axis_parse(pj_str_of(text), &seconds))
        fail_msg("%s is a time", text);
    return seconds;
}

static void times_are_seconds_since_1970(void **state)
{
    (void)state;
    assert_true(seconds_of("1970-01-01") == 0);
    assert_true(seconds_of("1970-01-02T00:00:01") == 86401);
    assert_true(seconds_of("2000-03-01T00:00:00Z") == 951868800);
    assert_true(seconds_of("2024-02-29T12:30") == 1709209800);
    assert_true(seconds_of("2026-05-01T07:08:09+02:00") == 1777619289);
    assert_true(seconds_of("1969-12-31 23:59:59") == -1);
}

static void other_texts_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",           "2024",       "2024-13-01",       "2024-00-10",      "2024-01-00",
        "2024/01/01", "yesterday!", "2024-01-01Tab:00", "2024-01-01T10:77"};
    double seconds;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(pj_time_axis_parse(pj_str_of(texts[i]), &seconds));
}

/// A few ticks in order within the axis whatever the span is, and the first one's text.
static void check_ticks(const char *from, const char *to, const char *first)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_axis axis = pj_time_axis(seconds_of(from), seconds_of(to), arena);
    assert_true(axis.from < seconds_of(from) && axis.to > seconds_of(to));
    assert_in_range(axis.tick_count, 1, 9);
    for (size_t i = 0; i < axis.tick_count; i++) {
        double at = axis.ticks[i].value;
        assert_true(at >= axis.from && at <= axis.to);
        assert_true(i == 0 || at > axis.ticks[i - 1].value);
    }
    assert_string_equal(axis.ticks[0].label, first);
}

static void ticks_are_at_hours_days_months_or_years(void **state)
{
    (void)state;
    check_ticks("2024-01-01T10:10:00", "2024-01-01T10:20:00", "01-01 10:15");
    check_ticks("2024-01-01T10:10:00", "2024-01-01T14:20:00", "01-01 11:00");
    check_ticks("2024-02-27", "2024-03-02", "2024-02-27");
    check_ticks("2024-01-10", "2024-05-20", "2024-02");
    check_ticks("1999-06-01", "2024-05-20", "2000-01");
    check_ticks("1000-01-01", "9999-12-31", "2000-01");
    check_ticks("2024-05-20", "2024-05-20", "05-19 00:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_seconds_since_1970),
        cmocka_unit_test(other_texts_are_none),
        cmocka_unit_test(ticks_are_at_hours_days_months_or_years),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
