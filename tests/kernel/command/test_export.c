// Files by suffix: written whole or not at all.
#include "kernel/command/export.h"

#include "tests/support/recording_face.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
    char folder[32];
    char path[64];
    pj_recording face;
    pj_session *session;
    pj_value value; // a table
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/popinjay_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    pj_recording_open(&f->face);
    f->session = pj_session_new(&f->face.face, NULL);
    pj_table *table = pj_table_new("T");
    pj_table_add_column(table, (pj_column){.key = "a", .title = "A"});
    pj_table_add_row(table)[0] = pj_cell_int(7);
    f->value = pj_value_table_take(table);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", f->folder);
    assert_int_equal(system(line), 0); // NOLINT(cert-env33-c)
    pj_value_clear(&f->value);
    pj_session_free(f->session);
    pj_recording_close(&f->face);
    free(f);
    return 0;
}

static const char *in_folder(fixture *f, const char *name)
{
    snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
    return f->path;
}

static void content_of(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t n = fread(out, 1, size - 1, file);
    out[n] = 0;
    fclose(file);
}

static int count_files(fixture *f)
{
    char line[64], text[16];
    snprintf(line, sizeof line, "ls -A %s | wc -l", f->folder);
    FILE *pipe = popen(line, "r"); // NOLINT(cert-env33-c)
    assert_non_null(fgets(text, sizeof text, pipe));
    pclose(pipe);
    return (int)strtol(text, NULL, 10);
}

static void every_suffix_is_written(void **state)
{
    fixture *f = *state;
    const char *suffix;
    for (size_t i = 0; (suffix = pj_export_suffix(i)); i++) {
        char name[16];
        pj_err err = {0};
        snprintf(name, sizeof name, "x.%s", suffix);
        bool common = pj_export_is_common(pj_str_of(suffix)); // the others are of single kinds
        assert_int_equal(pj_export(f->session, &f->value, in_folder(f, name), &err), common);
        assert_int_equal(access(f->path, F_OK), common ? 0 : -1);
    }
    char text[64];
    content_of(in_folder(f, "x.csv"), text, sizeof text);
    assert_string_equal(text, "a\n7\n");
}

static void an_old_file_keeps_its_mode_and_is_replaced(void **state)
{
    fixture *f = *state;
    char text[64];
    struct stat info;
    FILE *old = fopen(in_folder(f, "x.csv"), "w");
    fputs("something much longer than the new content of it\n", old);
    fclose(old);
    assert_int_equal(chmod(f->path, 0600), 0);
    assert_true(pj_export(f->session, &f->value, f->path, NULL));
    content_of(f->path, text, sizeof text);
    assert_string_equal(text, "a\n7\n");
    assert_int_equal(stat(f->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(count_files(f), 1);
}

/// Of a table of millions of rows the writing takes long; nothing is left of it.
static void an_interrupt_ends_the_writing(void **state)
{
    fixture *f = *state;
    atomic_bool stop = true, *before = f->session->stop;
    f->session->stop = &stop;
    static const char *const names[] = {"x.csv", "x.json", "x.html", "x.md"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pj_err err = {0};
        assert_false(pj_export(f->session, &f->value, in_folder(f, names[i]), &err));
        assert_int_equal(err.code, PJ_E_STOPPED);
    }
    f->session->stop = before;
    assert_int_equal(count_files(f), 0);
}

static void a_link_stays_a_link(void **state)
{
    fixture *f = *state;
    char link[64];
    struct stat info;
    snprintf(link, sizeof link, "%s/link.csv", f->folder);
    fclose(fopen(in_folder(f, "real.csv"), "w"));
    assert_int_equal(symlink("real.csv", link), 0);
    assert_true(pj_export(f->session, &f->value, link, NULL));
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    char text[64];
    content_of(f->path, text, sizeof text);
    assert_string_equal(text, "a\n7\n");
}

static void failures_name_the_file_and_leave_nothing(void **state)
{
    fixture *f = *state;
    pj_err err = {0};
    assert_false(pj_export(f->session, &f->value, "/dev/full.csv/x.csv", &err));
    assert_int_equal(err.code, PJ_E_IO);
    assert_string_equal(err.where, "/dev/full.csv/x.csv");
    err = (pj_err){0};
    assert_int_equal(mkdir(in_folder(f, "d.csv"), 0700), 0);
    assert_false(pj_export(f->session, &f->value, f->path, &err));
    assert_non_null(strstr(err.text, "Is a directory"));
    err = (pj_err){0};
    assert_false(pj_export(f->session, &f->value, in_folder(f, "name"), &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    assert_non_null(strstr(err.text, ".csv"));
    err = (pj_err){0};
    assert_false(pj_export(f->session, &f->value, in_folder(f, "x.cvs"), &err));
    assert_non_null(strstr(err.text, "did you mean .csv?"));
    assert_int_equal(count_files(f), 1);
}

static void standard_output_is_a_target(void **state)
{
    fixture *f = *state;
    assert_true(pj_export(f->session, &f->value, "-.csv", NULL));
    assert_string_equal(f->face.out.at, "a\n7\n");
    assert_int_equal(f->session->exports, 1);
}

#define EXPORT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPORT_TEST(every_suffix_is_written),
        EXPORT_TEST(an_old_file_keeps_its_mode_and_is_replaced),
        EXPORT_TEST(an_interrupt_ends_the_writing),
        EXPORT_TEST(a_link_stays_a_link),
        EXPORT_TEST(failures_name_the_file_and_leave_nothing),
        EXPORT_TEST(standard_output_is_a_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
