// Names tell the format of traces alone; an archive is as large as all of its files.
#include "metrics/analyse/trace_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/"

static void names_tell_the_format(void **state)
{
    (void)state;
    assert_string_equal(pj_trace_files_named("a/run.prv")->name, "prv");
    assert_string_equal(pj_trace_files_named("run.prv.gz")->name, "prv");
    assert_string_equal(pj_trace_files_named("traces.otf2")->name, "otf2");
    assert_string_equal(pj_trace_files_named("run.prv.popinjay.json.gz")->name, "summary");
    assert_null(pj_trace_files_named("run.pcf"));
    assert_null(pj_trace_files_named(".prv"));
    assert_null(pj_trace_files_named("cpu.prof"));
}

static uint64_t size_of(const char *path)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    return (uint64_t)facts.st_size;
}

static void sizes_are_of_all_files(void **state)
{
    (void)state;
    static const char *const archive[] = {SAMPLES "otf2/run.otf2",  SAMPLES "otf2/run.def",
                                          SAMPLES "otf2/run/0.def", SAMPLES "otf2/run/0.evt",
                                          SAMPLES "otf2/run/1.def", SAMPLES "otf2/run/1.evt",
                                          SAMPLES "otf2/run/2.def", SAMPLES "otf2/run/2.evt",
                                          SAMPLES "otf2/run/3.def", SAMPLES "otf2/run/3.evt"};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof archive / sizeof *archive; i++)
        sum += size_of(archive[i]);
    assert_int_equal(pj_trace_files_bytes(archive[0]), sum);
    assert_int_equal(pj_trace_files_bytes(SAMPLES "prv/exchange.prv"),
                     size_of(SAMPLES "prv/exchange.prv"));
    assert_int_equal(pj_trace_files_bytes("no/such.prv"), 0);
}

static void parts_belong_to_their_trace(void **state)
{
    (void)state;
    static const char *const parts[] = {"a/run.def", "a/run", "a/run/"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_true(pj_trace_files_belongs(parts[i], "a/run.otf2"));
    static const char *const others[] = {"a/run.otf2", "a/run_2", "b/run.def", "a/run.pcf", "a/r"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(pj_trace_files_belongs(others[i], "a/run.otf2"));
    assert_true(pj_trace_files_belongs("a/run.pcf", "a/run.prv.gz"));
    assert_false(pj_trace_files_belongs("a/run", "a/run.prv"));
}

static void parts_and_suffixes_are_told_by_the_rows(void **state)
{
    (void)state;
    static const char *const parts[] = {"a/run.pcf", "run.row.gz", "traces.def", "traces/3.evt"};
    pj_auto_buf suffixes = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_true(pj_trace_files_part(parts[i]));
    assert_false(pj_trace_files_part("run.prv"));
    assert_false(pj_trace_files_part("notes.txt"));
    pj_trace_files_suffixes(&suffixes);
    assert_string_equal(suffixes.at, ".prv, .prv.gz, .otf2");
    assert_string_equal(pj_trace_files_title(0), "Paraver trace");
    assert_null(pj_trace_files_title(100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_the_format),
        cmocka_unit_test(sizes_are_of_all_files),
        cmocka_unit_test(parts_belong_to_their_trace),
        cmocka_unit_test(parts_and_suffixes_are_told_by_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
