// New files appear whole or not at all.
#include "metrics/base/newfile.h"

#include "metrics/base/file.h"
#include "tests/support/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void new_files_appear_whole(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    const char *path = folder_file("whole");
    pj_auto_newfile file = {.path = NULL};
    assert_true(pj_newfile_open(&file, path, &err));
    for (int i = 0; i < 10000; i++)
        assert_true(pj_newfile_add(&file, PJ_S("0123456789"), &err));
    assert_int_equal(access(path, F_OK), -1);
    assert_true(pj_newfile_commit(&file, &err));
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_file_read(path, &text, &err));
    assert_int_equal(text.len, 100000);
    unlink(path);
}

static void dropped_files_never_appear(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    const char *path = folder_file("never");
    pj_newfile file = {.path = NULL};
    assert_true(pj_newfile_open(&file, path, &err));
    assert_true(pj_newfile_add(&file, PJ_S("x"), &err));
    pj_newfile_drop(&file);
    assert_int_equal(access(path, F_OK), -1);
    assert_false(pj_newfile_open(&file, folder_file("no/where"), &err));
    assert_int_equal(err.code, PJ_E_IO);
}

static void links_and_permissions_stay(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    char target[256];
    strcpy(target, folder_file("target"));
    const char *link = folder_file("link");
    assert_true(pj_newfile_put(target, PJ_S("old"), &err));
    assert_int_equal(chmod(target, 0640), 0);
    assert_int_equal(symlink(target, link), 0);
    assert_true(pj_newfile_put(link, PJ_S("new"), &err));
    struct stat facts;
    assert_int_equal(lstat(link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(stat(target, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0640);
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_file_read(target, &text, &err));
    assert_string_equal(text.at, "new");
    unlink(link);
    unlink(target);
}

static void devices_stay_devices(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_newfile_put("/dev/null", PJ_S("x"), &err));
    struct stat facts;
    assert_int_equal(stat("/dev/null", &facts), 0);
    assert_true(S_ISCHR(facts.st_mode));
    assert_false(pj_newfile_put("/dev/full", PJ_S("x"), &err));
    assert_int_equal(err.code, PJ_E_IO);
    pj_err folders = {.code = PJ_E_NONE};
    assert_false(pj_newfile_put(folder_file(""), PJ_S("x"), &folders));
    assert_int_equal(folders.code, PJ_E_IO);
}

/// The files of the test's folder.
static unsigned count_files(void)
{
    unsigned count = 0;
    DIR *dir = opendir(folder_file(""));
    for (struct dirent *entry; (entry = readdir(dir));)
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void a_killed_writer_leaves_nothing(void **state)
{
    (void)state;
    const char *path = folder_file("killed");
    int probe = open(folder_file(""), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (probe < 0) {
        print_message("skipped: this file system has no files without a name\n");
        skip();
    }
    close(probe);
    pid_t child = fork();
    if (child == 0) {
        pj_newfile file = {.path = NULL};
        if (!pj_newfile_open(&file, path, NULL))
            _exit(1);
        while (pj_newfile_add(&file, PJ_S("0123456789"), NULL) && file.waiting.len)
            ; // until some of it was written
        raise(SIGKILL);
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(count_files(), 0);
}

static void a_file_takes_the_place_of_another(void **state)
{
    (void)state;
    const char *path = folder_file("twice");
    for (unsigned i = 0; i < 3; i++) {
        assert_true(pj_newfile_put(path, i ? PJ_S("new") : PJ_S("longer, and old"), NULL));
        assert_int_equal(count_files(), 1);
    }
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_file_read(path, &text, NULL));
    assert_string_equal(text.at, "new");
    unlink(path);
}

/// Asked before the work: it says what the writing would say, and leaves nothing.
static void a_place_is_checked_first(void **state)
{
    (void)state;
    static const char *const refused[] = {"none/new", "a_file/new", ""};
    assert_true(pj_newfile_put(folder_file("a_file"), PJ_S("x"), NULL));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        pj_err checked = {.code = PJ_E_NONE}, written = {.code = PJ_E_NONE};
        assert_false(pj_newfile_check(folder_file(refused[i]), &checked));
        assert_false(pj_newfile_put(folder_file(refused[i]), PJ_S("x"), &written));
        assert_int_equal(checked.code, PJ_E_IO);
        assert_string_equal(checked.text, written.text);
    }
    assert_true(pj_newfile_check(folder_file("new"), NULL));
    assert_int_equal(access(folder_file("new"), F_OK), -1);
    assert_true(pj_newfile_check(folder_file("a_file"), NULL));
    assert_true(pj_newfile_check("new", NULL));
    assert_true(pj_newfile_check("/dev/full", NULL)); // written into: nobody knows before
    unlink(folder_file("a_file"));
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
    bool good = pj_newfile_open(&file, folder_file("full"), &err);
    for (int i = 0; good && i < 100000; i++)
        good = pj_newfile_add(&file, PJ_S("0123456789"), &err);
    pj_newfile_drop(&file);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(good);
    assert_int_equal(err.code, PJ_E_IO);
    assert_non_null(strstr(err.text, "cannot be written: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_files_appear_whole),
        cmocka_unit_test(dropped_files_never_appear),
        cmocka_unit_test(links_and_permissions_stay),
        cmocka_unit_test(devices_stay_devices),
        cmocka_unit_test(a_killed_writer_leaves_nothing),
        cmocka_unit_test(a_file_takes_the_place_of_another),
        cmocka_unit_test(a_place_is_checked_first),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
