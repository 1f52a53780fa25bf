// Chrome trace events: calls of slices in order and in disorder, samples, what crashes leave, and
// what viztracer's and speedscope's files hold by their own tools.
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include "metrics/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/trace_event/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static profile_totals named(const pj_profile *p, uint32_t location, const char *name)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    profile_totals *totals = profile_totals_of(p, "time", location, arena);
    return profile_totals_named(p, totals, pj_str_of(name));
}

static void same_totals(profile_totals got, double calls, double exclusive_us, double inclusive_us)
{
    same_value(got.calls, calls);
    assert_true(fabs(got.exclusive - exclusive_us * 1e-6) < 1e-12);
    assert_true(fabs(got.inclusive - inclusive_us * 1e-6) < 1e-12);
}

/// A call may end a nanosecond after its caller: times are printed so.
static void calls_in_order(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "calls.json");
    assert_int_equal(p->location_count, 3);
    same_totals(named(p, 0, "norm"), 2, 25.5, 25.5);
    same_totals(named(p, 0, "relax"), 1, 34.5004, 60.0004);
    same_totals(named(p, 0, "main"), 1, 0.4996, 60.5);
    same_totals(named(p, 1, "again"), 2, 20, 20);
    assert_true(named(p, 1, "again").primitive == 1);
    same_totals(named(p, 1, "forward"), 1, 40, 60);
    same_totals(named(p, 2, "sgemm"), 1, 2, 2);
    uint32_t forward = region_called(p, PJ_S("forward"), &PJ_S("torch/nn.py"));
    assert_int_equal(p->regions[forward].line, 15);
    assert_int_equal(p->locations[2].rank, -1); // a device of the only process
    assert_int_equal(p->locations[2].kind, PJ_LOCATION_GPU);
    assert_true(pj_str_equal(pj_profile_text(p, p->locations[1].name), PJ_S("rank one, worker")));
    assert_int_equal(p->oddities.count[PJ_ODDITY_unknown_record], 2);
    assert_int_equal(p->oddities.count[PJ_ODDITY_ends_early], 0);
}

static void calls_in_disorder(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "disorder.json");
    same_totals(named(p, 0, "outer"), 1, 3, 10);
    same_totals(named(p, 0, "inner"), 1, 7, 7);
    same_totals(named(p, 0, "left"), 1, 2, 7);
    same_totals(named(p, 0, "late"), 1, 5, 5);
    same_totals(named(p, 1, "a"), 1, 5, 15);
    same_totals(named(p, 1, "b"), 1, 10, 10);
    assert_int_equal(p->oddities.count[PJ_ODDITY_leave_without_enter], 2);
    assert_int_equal(p->oddities.count[PJ_ODDITY_call_not_left], 2);
    assert_int_equal(p->oddities.count[PJ_ODDITY_ends_early], 0);
}

static void samples_of_stacks(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "samples.json");
    same_totals(named(p, 0, "[root]"), 0, 30, 50);
    same_totals(named(p, 0, "f"), 0, 20, 20);
    same_totals(named(p, 0, "g"), 0, 0, 0);
    assert_int_equal(region_called(p, PJ_S("slice"), NULL), PJ_NO_ITEM);
}

/// What was recorded before a crash counts; the last event is whole or left out.
static void files_cut_off(void **state)
{
    (void)state;
    static const char text[] = "[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"a\"},"
                               "{\"ph\":\"X\",\"ts\":5,\"dur\":2,\"name\":\"b\"}]";
    size_t second = strlen(text) - 1;
    const size_t first = strlen("[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"a\"},");
    for (size_t n = first; n <= strlen(text); n++) {
        pj_err err = {0};
        pj_auto_profile p = read_profile_bytes("cut", (pj_str){text, n}, &err);
        assert_non_null(p);
        assert_true(named(p, 0, "a").calls == 1);
        assert_true(named(p, 0, "b").calls == (n >= second));
        assert_int_equal(p->oddities.count[PJ_ODDITY_ends_early], n > first && n < second);
    }
}

/// Back to back and inside one another at one time.
static void equal_times(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile next = read_profile_bytes(
        "next",
        PJ_S("[{\"ph\":\"B\",\"ts\":0,\"name\":\"a\"},{\"ph\":\"E\",\"ts\":5,\"name\":\"a\"},"
             "{\"ph\":\"B\",\"ts\":5,\"name\":\"a\"},{\"ph\":\"E\",\"ts\":9}]"),
        &err);
    same_totals(named(next, 0, "a"), 2, 9, 9);
    assert_true(named(next, 0, "a").primitive == 2);
    pj_auto_profile inside = read_profile_bytes(
        "inside",
        PJ_S("[{\"ph\":\"B\",\"ts\":0,\"name\":\"a\"},{\"ph\":\"B\",\"ts\":5,\"name\":\"a\"},"
             "{\"ph\":\"E\",\"ts\":5,\"name\":\"a\"},{\"ph\":\"E\",\"ts\":9}]"),
        &err);
    assert_true(named(inside, 0, "a").calls == 2 && named(inside, 0, "a").primitive == 1);
    pj_auto_profile whole =
        read_profile_bytes("whole",
                           PJ_S("[{\"ph\":\"X\",\"ts\":0,\"dur\":5,\"name\":\"a\"},"
                                "{\"ph\":\"X\",\"ts\":5,\"dur\":4,\"name\":\"a\"},"
                                "{\"ph\":\"X\",\"ts\":5,\"dur\":0,\"name\":\"z\"}]"),
                           &err);
    same_totals(named(whole, 0, "a"), 2, 9, 9);
    assert_true(named(whole, 0, "z").calls == 1);
}

static void odd_events(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes(
        "odd",
        PJ_S("[{\"ph\":\"X\",\"ts\":1,\"dur\":2},{\"ph\":\"X\",\"dur\":2,\"name\":\"a\"},"
             "{\"ph\":\"X\",\"ts\":1,\"dur\":-2,\"name\":\"a\"},7,"
             "{\"ph\":\"X\",\"ts\":1,\"tdur\":3,\"name\":\"\\u00e9\\ud83d\\ude00\"}]"),
        &err);
    assert_non_null(p);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 3);
    same_totals(named(p, 0, "\xc3\xa9\xf0\x9f\x98\x80"), 1, 1, 3);
    same_totals(named(p, 0, "(unnamed)"), 1, 2, 2);
    assert_null(read_profile_bytes("bad", PJ_S("[{\"ph\":\"X\"} {}]"), &err));
    assert_true(pj_str_contains(pj_str_of(err.text), PJ_S("a comma is missing, at byte 12")));
}

/// Values that Python writes and JSON does not have, and arguments nested a million deep.
static void values_that_json_lacks(void **state)
{
    (void)state;
    enum { DEEP = 1000000 };
    pj_err err = {0};
    pj_auto_buf text = {.at = NULL};
    pj_buf_puts(&text, "{\"meta\": NaN, \"traceEvents\": [{\"ph\":\"X\",\"ts\":1,\"dur\":2,"
                       "\"name\":\"a\",\"args\":{\"v\": [NaN, -Infinity], \"deep\": ");
    for (unsigned i = 0; i < 2 * DEEP; i++)
        pj_buf_add_char(&text, i < DEEP ? '[' : ']');
    pj_buf_puts(&text, "}},{\"ph\":\"X\",\"ts\":NaN,\"dur\":2,\"name\":\"b\"},"
                       "{\"ph\":\"X\",\"ts\":5,\"dur\":Infinity,\"name\":\"c\"}]}");
    pj_auto_profile p = read_profile_bytes("python", pj_buf_str(&text), &err);
    if (!p)
        fail_msg("%s", err.text);
    same_totals(named(p, 0, "a"), 1, 2, 2);
    same_totals(named(p, 0, "c"), 1, 0, 0);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 1);
}

static void as_viztracer_counts(const char *file, const char *reference)
{
    char path[512];
    csv table;
    snprintf(path, sizeof path, REFERENCE "trace-event/%s", reference);
    if (!csv_read(path, &table)) {
        print_message("no data of real tools: %s\n", path);
        skip();
    }
    snprintf(path, sizeof path, DATA "trace-event/%s", file);
    pj_auto_profile p = read_profile_file(path);
    for (size_t row = 0; row < table.rows; row++) {
        pj_auto_arena arena = pj_arena_new(NULL);
        uint32_t thread = (uint32_t)csv_number(&table, row, "thread");
        profile_totals *totals = profile_totals_of(p, "time", thread, arena);
        pj_str file_name = csv_cell(&table, row, "file");
        uint32_t r = 0;
        while (r < p->count[PJ_AT_REGION] &&
               !(pj_str_equal(pj_profile_name(p, r), csv_cell(&table, row, "function")) &&
                 pj_str_equal(pj_profile_text(p, p->regions[r].file), file_name) &&
                 p->regions[r].line == csv_number(&table, row, "line")))
            r++;
        assert_true(r < p->count[PJ_AT_REGION]);
        same_value(totals[r].calls, csv_number(&table, row, "calls"));
        same_value(totals[r].primitive, csv_number(&table, row, "primitive_calls"));
        same_value(totals[r].exclusive, csv_number(&table, row, "exclusive_s"));
        same_value(totals[r].inclusive, csv_number(&table, row, "inclusive_s"));
    }
    csv_free(&table);
}

static void real_files_of_viztracer(void **state)
{
    (void)state;
    as_viztracer_counts("viztracer.json", "viztracer.csv");
    as_viztracer_counts("viztracer_threads.json", "viztracer_threads.csv");
}

/// Speedscope takes arguments for a part of the name: a row counts for the name before them.
static void check_sample(const csv *table, size_t row)
{
    char path[512];
    pj_str file = csv_cell(table, row, "sample"), name = csv_cell(table, row, "function");
    snprintf(path, sizeof path, DATA "speedscope/trace-event/" PJ_STR_FMT, PJ_STR_ARG(file));
    pj_auto_profile p = read_profile_file(path);
    uint32_t location = (uint32_t)csv_number(table, row, "profile");
    pj_auto_arena arena = pj_arena_new(NULL);
    size_t arguments = 0;
    while (arguments < name.len && !pj_str_starts(pj_str_from(name, arguments), PJ_S(" {")))
        arguments++;
    const char *plain = pj_arena_text(arena, pj_str_head(name, arguments));
    if (arguments == name.len && !pj_str_equal(name, PJ_S("anonymous"))) {
        assert_true(fabs(named(p, location, plain).exclusive * 1e6 -
                         csv_number(table, row, "self")) < 1e-6);
        assert_true(fabs(named(p, location, plain).inclusive * 1e6 -
                         csv_number(table, row, "total")) < 1e-6);
        return;
    }
    double self = 0;
    for (size_t other = 0; other < table->rows; other++) {
        pj_str text = csv_cell(table, other, "function");
        bool same = pj_str_equal(csv_cell(table, other, "sample"), file) &&
                    csv_number(table, other, "profile") == location &&
                    pj_str_starts(text, pj_str_of(plain));
        self += same ? csv_number(table, other, "self") : 0;
    }
    assert_true(fabs(named(p, location, plain).exclusive * 1e6 - self) < 1e-6);
}

static void as_speedscope_counts(void **state)
{
    (void)state;
    csv table;
    if (!csv_read(REFERENCE "speedscope/samples.csv", &table)) {
        print_message("no data of real tools: %s\n", REFERENCE "speedscope/samples.csv");
        skip();
    }
    size_t checked = 0;
    for (size_t row = 0; row < table.rows; row++) {
        if (!pj_str_ends(csv_cell(&table, row, "sample"), PJ_S(".json")))
            continue;
        check_sample(&table, row);
        checked++;
    }
    assert_true(checked > 80);
    csv_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_in_order),
        cmocka_unit_test(calls_in_disorder),
        cmocka_unit_test(samples_of_stacks),
        cmocka_unit_test(files_cut_off),
        cmocka_unit_test(equal_times),
        cmocka_unit_test(odd_events),
        cmocka_unit_test(values_that_json_lacks),
        cmocka_unit_test(real_files_of_viztracer),
        cmocka_unit_test(as_speedscope_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
