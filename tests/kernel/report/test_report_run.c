// Cells of a notebook run without Jupyter: outputs as nbformat has them.
#include "kernel/report/report_run.h"

#include "tests/support/recording_face.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct bench {
    pj_recording face;
    atomic_bool stop;
    pj_report report;
} bench;

static int set_up(void **state)
{
    bench *b = calloc(1, sizeof *b);
    pj_recording_open(&b->face);
    b->report.session = pj_session_new(&b->face.face, &b->stop);
    b->report.format = PJ_REPORT_html;
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    bench *b = *state;
    pj_session_free(b->report.session);
    pj_recording_close(&b->face);
    free(b);
    return 0;
}

/// A notebook of one cell, run; new.
static json_t *run(bench *b, const char *code, pj_err *err)
{
    json_t *notebook =
        json_pack("{s:[{s:s,s:s,s:[]}]}", "cells", "cell_type", "code", "source", code, "outputs");
    pj_ignore(pj_report_run(&b->report, notebook, err));
    return notebook;
}

static json_t *output(json_t *notebook, size_t index)
{
    json_t *cell = json_array_get(json_object_get(notebook, "cells"), 0);
    return json_array_get(json_object_get(cell, "outputs"), index);
}

static const char *data(json_t *notebook, size_t index, const char *mime)
{
    return json_string_value(
        json_object_get(json_object_get(output(notebook, index), "data"), mime));
}

static void outputs_are_kept_in_order(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    json_t *notebook = run(*state, "print(1) print(2) display('x') print(3)\n1 + 1", &err);
    assert_int_equal(err.code, PJ_E_NONE);
    assert_string_equal(json_string_value(json_object_get(output(notebook, 0), "text")), "1\n2\n");
    assert_string_equal(data(notebook, 1, "text/plain"), "x");
    assert_string_equal(json_string_value(json_object_get(output(notebook, 2), "text")), "3\n");
    assert_string_equal(data(notebook, 3, "text/plain"), "2");
    assert_null(output(notebook, 4));
    json_decref(notebook);
}

#define TABLE "m = metrics(load '" PJ_SOURCE_DIR "/notebooks/traces/stencil_2x1.prv.gz')\nm"

/// A page wants vector pictures, a stored notebook wants to be small.
static void documents_have_vectors(void **state)
{
    bench *b = *state;
    pj_err err = {.code = PJ_E_NONE};
    json_t *page = run(b, TABLE, &err);
    assert_non_null(data(page, 0, "image/svg+xml"));
    assert_non_null(data(page, 0, "application/pdf"));
    b->report.format = PJ_REPORT_ipynb;
    json_t *stored = run(b, TABLE, &err);
    assert_non_null(data(stored, 0, "text/html"));
    assert_null(data(stored, 0, "image/svg+xml"));
    assert_null(data(stored, 0, "application/pdf"));
    assert_null(data(stored, 0, "text/latex"));
    json_decref(page);
    json_decref(stored);
}

static void words_are_markdown(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    json_t *notebook = run(*state, TABLE ":findings()", &err);
    assert_int_equal(err.code, PJ_E_NONE);
    assert_non_null(strstr(data(notebook, 0, "text/markdown"), "parallel efficiency is "));
    json_decref(notebook);
}

static void a_failing_cell_fails_the_report(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    json_t *notebook = run(*state, "error 'on purpose'", &err);
    assert_int_equal(err.code, PJ_E_SCRIPT);
    assert_non_null(strstr(err.text, "on purpose"));
    json_decref(notebook);
}

int main(void)
{
#define BENCH_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        BENCH_TEST(outputs_are_kept_in_order),
        BENCH_TEST(documents_have_vectors),
        BENCH_TEST(words_are_markdown),
        BENCH_TEST(a_failing_cell_fails_the_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
