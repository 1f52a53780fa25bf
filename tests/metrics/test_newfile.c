// New files appear whole or not at all.
#include "metrics/base/newfile.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/pj_sorter_XXXXXX";

static const char *file_in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void new_files_appear_whole(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    const char *path = file_in_folder("whole");
    pj_auto_newfile file = {.path = NULL};
    assert_true(pj_newfile_open(&file, path, &err));
    for (int i = 0; i < 10000; i++)
        assert_true(pj_newfile_add(&file, PJ_S("0123456789"), &err));
    assert_int_equal(access(path, F_OK), -1);
    assert_true(pj_newfile_commit(&file, &err));
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    assert_int_equal(ftell(in), 100000);
    fclose(in);
    unlink(path);
}

static void dropped_files_never_appear(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    const char *path = file_in_folder("never");
    pj_newfile file = {.path = NULL};
    assert_true(pj_newfile_open(&file, path, &err));
    assert_true(pj_newfile_add(&file, PJ_S("x"), &err));
    pj_newfile_drop(&file);
    assert_int_equal(access(path, F_OK), -1);
    assert_false(pj_newfile_open(&file, file_in_folder("no/where"), &err));
    assert_int_equal(err.code, PJ_E_IO);
}

/// A limit on the size of files stands for a disk that is full.
static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    pj_err err = {.code = PJ_E_NONE};
    pj_newfile file = {.path = NULL};
    bool good = pj_newfile_open(&file, file_in_folder("full"), &err);
    for (int i = 0; good && i < 100000; i++)
        good = pj_newfile_add(&file, PJ_S("0123456789"), &err);
    pj_newfile_drop(&file);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(good);
    assert_int_equal(err.code, PJ_E_IO);
    assert_non_null(strstr(err.text, "cannot be written: "));
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); // fails when a file is left
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_files_appear_whole),
        cmocka_unit_test(dropped_files_never_appear),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
