// The files beside a trace, by its name.
#include "metrics/trace/companion.h"

#include "metrics/base/newfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TRACE PJ_BINARY_DIR "/companied"

static void names_follow_the_trace(void **state)
{
    (void)state;
    static const struct {
        const char *trace, *pcf;
    } rows[] = {{"a.prv", "a.pcf"},
                {"b/a.prv.gz", "b/a.pcf"},
                {"a.gz", "a.pcf"},
                {"memory", "memory.pcf"},
                {"a.prv.b", "a.prv.b.pcf"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_buf path = {.at = NULL};
        pj_companion_path(rows[i].trace, ".pcf", &path);
        assert_string_equal(path.at, rows[i].pcf);
    }
}

static void only_regular_files_are_read(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_newfile_put(TRACE ".row", PJ_S("LEVEL"), NULL));
    assert_true(pj_companion_read(TRACE ".prv.gz", ".row", &text, NULL));
    assert_string_equal(text.at, "LEVEL");
    pj_err err = {.code = PJ_E_NONE};
    assert_false(pj_companion_read(TRACE ".prv", ".none", &text, &err));
    assert_int_equal(err.code, PJ_E_NONE);
    unlink(TRACE ".pipe");
    assert_int_equal(mkfifo(TRACE ".pipe", 0600), 0);
    assert_false(pj_companion_read(TRACE ".prv", ".pipe", &text, &err)); // and does not wait
    assert_int_equal(err.code, PJ_E_IO);
    assert_string_equal(err.text, "is no regular file");
    unlink(TRACE ".pipe");
    unlink(TRACE ".row");
}

static void traces_that_share_companions(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool shared;
    } rows[] = {{"x.prv", "x.prv", true},
                {"x.prv.gz", "x.prv", true},
                {"x.prv.gz", "./x.prv", true},
                {"x.prv", "../x.prv", false},
                {"x.prv", "y.prv", false},
                {"x.prv", "/dev/x.prv", false},
                {"/dev/x.prv", "/dev/./x.prv.gz", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(pj_companion_shared(rows[i].a, rows[i].b), rows[i].shared);
    assert_true(pj_newfile_put(TRACE ".row", PJ_S("LEVEL"), NULL));
    unlink(TRACE ".link");
    assert_int_equal(symlink(TRACE ".row", TRACE ".link"), 0);
    assert_true(pj_companion_shared(TRACE ".row", TRACE ".link"));
    unlink(TRACE ".link");
    unlink(TRACE ".row");
}

static void names_tell_companions_and_their_trace(void **state)
{
    (void)state;
    assert_true(pj_companion_named("a/run.pcf"));
    assert_true(pj_companion_named("run.row.gz"));
    assert_false(pj_companion_named("run.prv"));
    assert_false(pj_companion_named("pcf"));
    assert_true(pj_companion_belongs("a/run.pcf", "a/run.prv.gz"));
    assert_true(pj_companion_belongs("a/run.row.gz", "a/run.prv"));
    assert_false(pj_companion_belongs("a/run.pcf", "b/run.prv"));
    assert_false(pj_companion_belongs("a/run.pcf", "a/run_2.prv"));
    assert_false(pj_companion_belongs("a/run.prv", "a/run.prv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_follow_the_trace),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(traces_that_share_companions),
        cmocka_unit_test(names_tell_companions_and_their_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
