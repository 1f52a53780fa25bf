// What is odd or damaged in traces of PyTorch's profiler: each has its sentence, and what is not
// counts as ever.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/run/ai_account.h"
#include "tests/support/kineto_text.h"
#include "tests/support/packed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text, *says;
    uint64_t useful;
} traps[] = {
    {"{\"deviceProperties\": [],\n\"traceEvents\": [\n" KERNEL("a\"b", "1", "1", "1") ",\n" KERNEL(
         "c", "5", "2.5", "2") "\n]}",
     "1 events are no valid JSON", 2500},
    {"{\"deviceProperties\": [], \"traceEvents\": [" KERNEL("a", "9", "-3", "1") "," KERNEL(
         "b", "10", "2", "2") "]}",
     "1 events have a negative or absurd duration", 2000},
    {EVENTS("{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"o\", \"pid\": 9, \"tid\": 1, "
            "\"ts\": 1, \"dur\": -5.000}," KERNEL("a", "9", "1e14", "1") "," KERNEL("b", "10", "2",
                                                                                    "2")),
     "2 events have a negative or absurd duration", 2000},
    {"{\"deviceProperties\": [], \"traceEvents\": [" KERNEL("a", "0.000", "0.000", "1") "," KERNEL(
         "b", "\"10\"", "\"2\"", "2") "]}",
     "not reliable", 2000},
    {EVENTS(KERNEL("a", "0.000", "7.000", "1") "," KERNEL("b", "198093488368.463", "2", "2")),
     "1 records of devices have no time, or one before all times", 2000},
    {EVENTS(CALL("9", "2", "1", "18446744073709551000") "," KERNEL(
         "a", "10", "3", "18446744073709551000") "," KERNEL("b", "9", "1", "7")),
     "1 records have no launch", 4000},
    {"{\"deviceProperties\": [], \"traceEvents\": [" KERNEL("a", "20", "3", "1") "," KERNEL(
         "b", "10", "2", "2") "]}",
     "put in order", 5000},
    {"{\"deviceProperties\": [], \"traceEvents\": [" KERNEL("a", "10", "3", "1") "," KERNEL(
         "a", "10", "3", "1") "]}",
     "stand twice", 3000},
    {"{\"deviceProperties\": [], \"roctracer_version\": 4, \"traceEvents\": [" KERNEL(
         "a", "10", "1e6", "1") "," KERNEL("b", "20", "4", "2") "]}",
     "HIP streams", 14000},
    {"{\"deviceProperties\": [], \"traceEvents\": [" KERNEL("a", "10", "3",
                                                            "1") "," KERNEL("b", "20", "2", "2"),
     "cut short", 5000},
    {EVENTS(KERNEL("a", "10", "6", "1") "," KERNEL("b", "12", "8", "2")),
     "1 records of one stream overlap", 10000},
    {EVENTS(CALL("9", "12", "1", "1") "," KERNEL("a", "10", "3", "1")),
     "1 records begin before their launch", 3000},
    {EVENTS(CALL("9", "2", "1", "1") "," KERNEL("a", "10", "3", "7")),
     "1 records have no launch in the trace", 3000},
    {EVENTS(CALL("9", "2", "1", "1") "," CALL("8", "3", "1", "2") "," KERNEL("a", "10", "3", "1")),
     "2 processes stand in one file", 3000},
    {EVENTS("{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\", \"dur\": 3}," KERNEL("b", "10",
                                                                                        "3", "1")),
     "1 events of devices have no time", 3000},
    {EVENTS("{\"ph\": \"C\", \"name\": \"x\", \"args\": {\"v\": NaN, \"w\": -Infinity}},"
            "{\"ph\": \"X\", \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\", \"pid\": "
            "\"GPU 0\", "
            "\"tid\": \"Spans\", \"ts\": 10, \"dur\": 3, \"args\": \"none\"}"),
     "host rows are estimated", 3000},
    {EVENTS(KERNEL("a\x01\xff\xc3", "10", "3", "1")), "host rows are estimated", 3000},
    {EVENTS(KERNEL("nvshmem_put", "10", "3", "1")), "1 kernels seem to exchange data", 3000},
    {EVENTS(KERNEL("void deep_ep::dispatch<1>(int)", "10", "3", "1") "," KERNEL("nvshmem_put", "20",
                                                                                "3", "1")),
     "themselves: void deep_ep::dispatch, nvshmem_put", 6000},
    {EVENTS("{\"ph\": \"X\", \"cat\": \"overhead\", \"name\": \"Buffer Flush\", \"pid\": -1, "
            "\"tid\": 0, \"ts\": 2, \"dur\": 1.5}," KERNEL("a", "10", "30", "1")),
     "rank 0: its profiler took 5.0 % of the run", 30000},
};

/// Each trap has its sentence.
static void traps_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        pj_err err = {.code = PJ_E_NONE};
        pj_auto_run run = kineto_run_of(pj_str_of(traps[i].text), &err);
        if (!run)
            fail_msg("%zu: %s", i, err.text);
        if (!kineto_run_says(run, traps[i].says))
            fail_msg("%zu: \"%s\" is not said", i, traps[i].says);
        assert_int_equal(run->ai->shares[0].useful, traps[i].useful);
    }
}

static void text_of_streams(unsigned streams, char *out, size_t most)
{
    size_t at = (size_t)snprintf(out, most, "{\"deviceProperties\": [], \"traceEvents\": [");
    for (unsigned i = 0; i < streams; i++)
        at +=
            (size_t)snprintf(out + at, most - at,
                             "%s{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": %u, "
                             "\"dur\": 1, \"args\": {\"device\": 0, \"stream\": %u}}",
                             i ? "," : "", i, i);
    snprintf(out + at, most - at, "]}");
}

/// What is beyond the most that is kept is said, and counts.
static void masses_are_bounded(void **state)
{
    (void)state;
    enum { STREAMS = 4100, MOST = STREAMS * 128, LONG = 5 << 20 };
    char *text = malloc(MOST + LONG);
    pj_err err = {.code = PJ_E_NONE};
    text_of_streams(STREAMS, text, MOST);
    pj_auto_run many = kineto_run_of(pj_str_of(text), &err);
    assert_non_null(many);
    assert_true(kineto_run_says(many, "4 records are of more than 4096 streams"));
    assert_int_equal(many->ai->shares[0].useful, 1000 * STREAMS);
    int at =
        sprintf(text, "{\"deviceProperties\": [], \"traceEvents\": [" KERNEL(
                          "a", "1", "2", "1") ","
                                              "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"");
    memset(text + at, 'x', LONG);
    sprintf(text + at + LONG, "\"}," KERNEL("b", "5", "2", "2") "]}");
    pj_auto_run wide = kineto_run_of(pj_str_of(text), &err);
    assert_non_null(wide);
    assert_true(kineto_run_says(wide, "1 events are longer than 4 MiB"));
    assert_int_equal(wide->ai->shares[0].useful, 4000);
    free(text);
}

/// A first step of 40 us before two of 10.
static void a_warm_up_is_said(void **state)
{
    (void)state;
#define STEP(number, ts)                                                                           \
    "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#" number               \
    "\", \"pid\": 9, \"tid\": 1, \"ts\": " ts ", \"dur\": 9}"
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = kineto_run_of(
        PJ_S(EVENTS(STEP("3", "1") "," STEP("4", "41") "," STEP("5", "51") "," CALL(
            "9", "2", "1",
            "1") "," CALL("9", "42", "1",
                          "2") "," CALL("9", "52", "1",
                                        "3") "," KERNEL("a", "4", "30",
                                                        "1") "," KERNEL("a", "44", "5",
                                                                        "2") "," KERNEL("a", "54",
                                                                                        "10",
                                                                                        "3"))),
        &err);
    assert_non_null(run);
    assert_true(kineto_run_says(run, "step 3 takes 4.0 times as long as the others"));
    assert_true(kineto_run_says(run, "--roi steps:4..5"));
}

/// Names of more than 64 KiB are cut, arguments nested a million deep are passed over.
static void long_and_deep_texts(void **state)
{
    (void)state;
    enum { LONG = 70 << 10, DEEP = 1000000 };
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_buf text = {.at = NULL};
    pj_buf_puts(&text, "{\"deviceProperties\": [], \"traceEvents\": [{\"ph\": \"X\", \"cat\": "
                       "\"kernel\", \"ts\": 1, \"dur\": 2, \"name\": \"");
    for (unsigned i = 0; i < LONG; i++)
        pj_buf_add_char(&text, 'k');
    pj_buf_puts(&text, "\"}, {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"b\", \"ts\": 5, "
                       "\"dur\": 3, \"args\": {\"deep\": ");
    for (unsigned i = 0; i < 2 * DEEP; i++)
        pj_buf_add_char(&text, i < DEEP ? '[' : ']');
    pj_buf_puts(&text, "}}]}");
    pj_auto_run run = kineto_run_of(pj_str_of(text.at), &err);
    assert_non_null(run);
    assert_true(kineto_run_says(run, "1 texts are longer than 64 KiB"));
    assert_int_equal(run->ai->shares[0].useful, 5000);
    text.len = 0;
    for (unsigned i = 0; i < DEEP; i++)
        pj_buf_puts(&text, "[");
    assert_null(kineto_run_of(pj_str_of(text.at), &err));
    assert_true(err.code && *err.text);
}

static void expect_cut(pj_str packed, uint64_t useful, uint64_t byte, bool seam)
{
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = pj_run_new("made.json.gz");
    pj_pass pass = {.run = run, .job = &job};
    char sentence[64];
    snprintf(sentence, sizeof sentence, "what follows byte %llu of its text",
             (unsigned long long)byte);
    assert_true(pj_read_memory("made", packed, &pass, &err));
    assert_int_equal(run->ai->shares[0].useful, useful);
    assert_true(kineto_run_says(run, sentence));
    assert_int_equal(kineto_run_says(run, "1 compressed files lack text"), seam);
    assert_non_null(strstr(run->damage, "cut short"));
}

/// Where a member of three is damaged, or missing, what came before the event in which it begins
/// counts; an event that is broken within a member is passed over.
static void lost_members_are_said(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "{\"deviceProperties\": [], \"traceEvents\": [\n" KERNEL("a", "1", "2", "1") ",\n{\"ph\": ",
        "\"X\"},\n" KERNEL("b", "10", "2", "2") ",\n{\"ph\": \"X\", \"ca",
        "t\": \"kernel\", \"ts\": 30, \"dur\": 9},\n" KERNEL("c\"d", "40", "2", "3") ",\n" KERNEL(
            "c", "20", "2", "3") "\n]}"};
    pj_auto_buf packed = {.at = NULL}, lost = {.at = NULL};
    size_t ends[3];
    for (unsigned i = 0; i < 3; i++) {
        packed_gzip(&packed, pj_str_of(parts[i]));
        ends[i] = packed.len;
    }
    size_t byte = strlen(parts[0]) - strlen("{\"ph\": ");
    pj_auto_run whole = kineto_run_of(pj_buf_str(&packed), NULL);
    assert_true(kineto_run_says(whole, "1 events are no valid JSON"));
    assert_int_equal(whole->ai->shares[0].useful, 15000);
    assert_null(whole->damage);
    pj_buf_add(&lost, pj_str_head(pj_buf_str(&packed), ends[0]));
    pj_buf_add(&lost, pj_str_from(pj_buf_str(&packed), ends[1]));
    expect_cut(pj_buf_str(&lost), 2000, byte, true);
    memset(packed.at + ends[0] + 12, 0xff, 40);
    expect_cut(pj_buf_str(&packed), 2000, byte, false);
    packed.len = ends[0];
    expect_cut(pj_buf_str(&packed), 2000, byte, false);
}

/// All of the text is there.
static void a_wrong_checksum_cuts_nothing(void **state)
{
    (void)state;
    pj_auto_buf packed = {.at = NULL};
    packed_gzip(&packed, PJ_S(EVENTS(KERNEL("a", "1", "2", "1"))));
    memset(packed.at + packed.len - 8, 0, 8);
    pj_auto_run run = kineto_run_of(pj_buf_str(&packed), NULL);
    assert_int_equal(run->ai->shares[0].useful, 2000);
    assert_true(kineto_run_says(run, "checksum of the file is missing or wrong"));
    assert_false(kineto_run_says(run, "cut short"));
    assert_non_null(strstr(run->damage, "all of its text was used"));
}

/// Whatever comes of a file that is cut anywhere, plain or of several members: a run that has at
/// most what the whole one has and says that it is cut, or lacks its checksum, or one message.
static void every_prefix_gives_something(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "{\"deviceProperties\": [], \"traceEvents\": [\n" CALL("9", "0", "1", "1") ",\n",
        KERNEL("a", "1", "2", "1") ",\n" KERNEL("b", "10", "2", "2") ",\n{\"ph\": \"X\", \"ca",
        "t\": \"kernel\", \"ts\": 30, \"dur\": 9},\n" KERNEL("c", "60", "2", "3") "\n]}"};
    pj_auto_buf plain = {.at = NULL}, packed = {.at = NULL};
    for (unsigned i = 0; i < 3; i++) {
        pj_buf_puts(&plain, parts[i]);
        packed_gzip(&packed, pj_str_of(parts[i]));
    }
    const pj_str wholes[] = {pj_buf_str(&plain), pj_buf_str(&packed)};
    for (unsigned w = 0; w < 2; w++) {
        uint64_t most = 0;
        for (size_t len = 0; len <= wholes[w].len; len++) {
            pj_err err = {.code = PJ_E_NONE};
            pj_auto_run run = kineto_run_of(pj_str_head(wholes[w], len), &err);
            if (!run && (!err.code || !*err.text))
                fail_msg("%zu of %zu bytes: neither run nor message", len, wholes[w].len);
            if (!run)
                continue;
            assert_true(run->ai->shares[0].useful >= most);
            most = run->ai->shares[0].useful;
            bool said = kineto_run_says(run, "cut short") || kineto_run_says(run, "checksum");
            if (len + 2 < wholes[w].len && !said)
                fail_msg("%zu of %zu bytes: the end is not missed", len, wholes[w].len);
        }
        assert_int_equal(most, 15000);
    }
}

static void a_trace_without_devices_says_so(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    assert_null(kineto_run_of(PJ_S(EVENTS()), &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    assert_non_null(strstr(err.text, "no device activity in the trace"));
    err = (pj_err){.code = PJ_E_NONE};
    assert_null(kineto_run_of(PJ_S("{\"deviceProperties\": [], \"traceEvents\": [[[[["), &err));
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_non_null(strstr(err.text, "is cut short or broken"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traps_are_counted),
        cmocka_unit_test(masses_are_bounded),
        cmocka_unit_test(a_warm_up_is_said),
        cmocka_unit_test(long_and_deep_texts),
        cmocka_unit_test(lost_members_are_said),
        cmocka_unit_test(a_wrong_checksum_cuts_nothing),
        cmocka_unit_test(every_prefix_gives_something),
        cmocka_unit_test(a_trace_without_devices_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
