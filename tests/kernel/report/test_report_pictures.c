// Pictures in the text of a notebook: found outside of code, taken along, told when they are not.
#include "kernel/report/report_pictures.h"
#include "metrics/base/newfile.h"
#include "tests/support/folder.h"
#include "tests/support/recording_face.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static pj_recording face;
static pj_session *session;
static atomic_bool stop;
static const char *from;

static int open_all(void **state)
{
    if (folder_make(state) != 0)
        return -1;
    from = strdup(folder_file("."));
    pj_recording_open(&face);
    session = pj_session_new(&face.face, &stop);
    bool ok = pj_newfile_put(folder_file("a.png"), PJ_S("PNG"), NULL) &&
              pj_newfile_put(folder_file("b c.svg"), PJ_S("SVG"), NULL);
    return ok ? 0 : -1;
}

static int close_all(void **state)
{
    pj_session_free(session);
    pj_recording_close(&face);
    free((char *)from);
    unlink(folder_file("a.png"));
    unlink(folder_file("b c.svg"));
    unlink(folder_file("pipe.png"));
    return folder_remove(state);
}

/// What the text of a cell with the attachment at.png becomes; for HTML nothing is written.
static const char *taken(pj_report *report, const char *text)
{
    json_t *notebook = json_pack("{s:[{s:s,s:[s],s:{s:{s:s}}}]}", "cells", "cell_type", "markdown",
                                 "source", text, "attachments", "at.png", "image/png", "QVQ=\n");
    pj_recording_reset(&face);
    assert_true(pj_report_pictures(report, notebook, from, NULL, NULL));
    const json_t *cell = json_array_get(json_object_get(notebook, "cells"), 0);
    pj_str made = pj_str_of(json_string_value(json_object_get(cell, "source")));
    const char *kept = pj_arena_text(report->arena, made);
    json_decref(notebook);
    return kept;
}

static void html_holds_its_pictures(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"![A](a.png)", "![A](data:image/png;base64,UE5H)"},
        {"x ![A [b]](./a.png \"Title\") y", "x ![A [b]](data:image/png;base64,UE5H \"Title\") y"},
        {"![](<b c.svg>)![](b%20c.svg)",
         "![](data:image/svg+xml;base64,U1ZH)![](data:image/svg+xml;base64,U1ZH)"},
        {"![A](attachment:at.png)", "![A](data:image/png;base64,QVQ=)"},
        {"<img width=\"40\" src='a.png'/>", "<img width=\"40\" src='data:image/png;base64,UE5H'/>"},
        {"![R](https://a.example/b.png)", "![R](https://a.example/b.png)"},
        {"`![A](a.png)` and ``a`![A](a.png)`` and \\![A](a.png)",
         "`![A](a.png)` and ``a`![A](a.png)`` and \\![A](a.png)"},
        {"```\n![A](a.png)\n```\n", "```\n![A](a.png)\n```\n"},
        {"a ` b\n\n![A](a.png) `", "a ` b\n\n![A](data:image/png;base64,UE5H) `"},
        {"![open](a.png", "![open](a.png"},
        {"![no target]() <img alt=\"\"> ! [", "![no target]() <img alt=\"\"> ! ["},
        {"", ""},
    };
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_report report = {.session = session, .arena = arena, .format = PJ_REPORT_html};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_string_equal(taken(&report, texts[i][0]), texts[i][1]);
        assert_int_equal(face.err.len, 0);
    }
}

static void what_cannot_be_taken_is_told(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_report report = {.session = session, .arena = arena, .format = PJ_REPORT_html};
    static const char *const texts[][2] = {
        {"![A](gone.png)", "gone.png cannot be read"},
        {"![A](attachment:gone.png)", "gone.png cannot be read"},
        {"![A](pipe.png)", "pipe.png cannot be read"}, // nobody writes into it
        {"![A](a.tiff)", "a.tiff is of no kind"},
        {"![A](/dev/zero)", "/dev/zero is of no kind"}, // has no end
    };
    assert_int_equal(mkfifo(folder_file("pipe.png"), 0600), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_string_equal(taken(&report, texts[i][0]), texts[i][0]);
        assert_non_null(strstr(face.err.at, texts[i][1]));
    }
    report.format = PJ_REPORT_pdf;
    assert_string_equal(taken(&report, "![The *plan*](gone.png)"), "The *plan*");
    assert_string_equal(taken(&report, "![R](https://a.example/b.png)"),
                        "[R](<https://a.example/b.png>)");
}

static void pdf_has_files_and_no_tags(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *folder = pj_arena_text(arena, pj_str_of(from));
    pj_report report = {
        .session = session, .arena = arena, .folder = folder, .format = PJ_REPORT_pdf};
    assert_string_equal(taken(&report, "![A](a.png)\n<IMG alt=\"B\" src=\"a.png\" width=\"40\">"),
                        "![A](picture-1.png)\n![B](picture-2.png){width=40px}");
    assert_int_equal(unlink(folder_file("picture-1.png")), 0);
    assert_int_equal(unlink(folder_file("picture-2.png")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_holds_its_pictures),
        cmocka_unit_test(what_cannot_be_taken_is_told),
        cmocka_unit_test(pdf_has_files_and_no_tags),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
