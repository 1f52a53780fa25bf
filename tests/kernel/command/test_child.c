// Children: their end, their log, an interrupt that ends the whole group.
#include "kernel/command/child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/pj_child_XXXXXX";
static char log_path[64];

static bool shell(const char *script, const atomic_bool *stop, pj_err *err)
{
    const char *words[] = {"sh", "-c", script, NULL};
    const char *settings[] = {"PJ_GIVEN=yes", "HOME=/none", NULL};
    pj_child child = {.words = words, .settings = settings, .folder = folder, .log = log_path};
    return pj_child_run(&child, stop, err);
}

static void success_is_silent(void **state)
{
    (void)state;
    pj_err err = {0};
    assert_true(shell("test \"$PJ_GIVEN $HOME\" = 'yes /none' && test \"$(pwd)\" != / && ! read x",
                      NULL, &err));
    assert_int_equal(err.code, PJ_E_NONE);
}

static void failure_shows_the_end_of_the_log(void **state)
{
    (void)state;
    pj_err err = {0};
    assert_false(
        shell("seq 100; printf '\\n\\033[31mthe reason\\033[0m\\n\\n' >&2; exit 3", NULL, &err));
    assert_int_equal(err.code, PJ_E_IO);
    assert_non_null(strstr(err.text, "sh failed:"));
    assert_non_null(strstr(err.text, "\n  the reason"));
    assert_null(strstr(err.text, "\n  50\n"));
    assert_null(strchr(err.text, '\033'));
}

static void errors_of_tex_are_found(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    pj_child_explain(PJ_S("page 1\n! LaTeX Error: File `x.sty' not found.\n\nl.7 \\usepackage\n"
                          "a\nb\nc\nd\ne\nf\ng\n"),
                     &out);
    assert_true(pj_str_starts(pj_buf_str(&out), PJ_S("\n  ! LaTeX Error: File `x.sty'")));
    assert_non_null(strstr(out.at, "l.7 \\usepackage"));
    assert_null(strstr(out.at, "\n  g"));
}

static void no_such_program(void **state)
{
    (void)state;
    pj_err err = {0};
    const char *words[] = {"no-such-program-anywhere", NULL};
    pj_child child = {.words = words, .log = log_path};
    assert_false(pj_child_run(&child, NULL, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    assert_false(pj_child_exists(words[0]));
    assert_true(pj_child_exists("sh"));
}

static void interrupt_ends_the_group(void **state)
{
    (void)state;
    pj_err err = {0};
    atomic_bool stop = true;
    time_t began = time(NULL);
    assert_false(shell("trap '' TERM; sleep 300 & echo $! >grandchild; wait", &stop, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    assert_true(time(NULL) - began < 60);
    char path[96];
    long pid = 0;
    snprintf(path, sizeof path, "%s/grandchild", folder);
    FILE *file = fopen(path, "re");
    if (file) { // it may have been ended before it wrote
        char text[32] = "";
        if (fgets(text, sizeof text, file))
            pid = strtol(text, NULL, 10);
        fclose(file);
    }
    for (int i = 0; pid > 0 && kill((pid_t)pid, 0) == 0 && i < 500; i++) {
        char status[64], line[256] = "";
        snprintf(status, sizeof status, "/proc/%ld/stat", pid);
        FILE *stat = fopen(status, "re");
        bool zombie = !stat || (fgets(line, sizeof line, stat) && strstr(line, ") Z"));
        if (stat)
            fclose(stat);
        if (zombie)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        assert_true(i < 499);
    }
}

static void assert_holds(const char *path, const char *wanted)
{
    char text[64] = "";
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, wanted);
}

static void output_and_messages_have_files_of_their_own(void **state)
{
    (void)state;
    pj_err err = {0};
    int status;
    char errors[96];
    snprintf(errors, sizeof errors, "%s/errors", folder);
    const char *words[] = {"sh", "-c", "echo out; echo err >&2; exit 7", NULL};
    const pj_child child = {.words = words, .log = log_path, .errors = errors};
    assert_true(pj_child_end(&child, NULL, &status, &err));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_holds(log_path, "out\n");
    assert_holds(errors, "err\n");
    unlink(errors);
}

static void count_waits(void *context)
{
    ++*(int *)context;
}

/// Ctrl-C comes first: what a program says to it is its last word.
static void patience_ends(void **state)
{
    (void)state;
    pj_err err = {0};
    int status, waits = 0;
    time_t began = time(NULL);
    const char *words[] = {"sh", "-c", "trap 'echo bye; exit 0' INT; while :; do sleep 0.01; done",
                           NULL};
    const pj_child child = {.words = words,
                            .log = log_path,
                            .asked_ms = 5000,
                            .patience_ns = 200000000,
                            .waits = count_waits,
                            .context = &waits};
    assert_false(pj_child_end(&child, NULL, &status, &err));
    assert_int_equal(err.code, PJ_E_IO);
    assert_non_null(strstr(err.text, "its time was over"));
    assert_true(time(NULL) - began < 4);
    assert_true(waits > 0);
    assert_holds(log_path, "bye\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_is_silent),
        cmocka_unit_test(failure_shows_the_end_of_the_log),
        cmocka_unit_test(errors_of_tex_are_found),
        cmocka_unit_test(no_such_program),
        cmocka_unit_test(interrupt_ends_the_group),
        cmocka_unit_test(output_and_messages_have_files_of_their_own),
        cmocka_unit_test(patience_ends),
    };
    if (!mkdtemp(folder))
        return 1;
    snprintf(log_path, sizeof log_path, "%s/log", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char path[96];
    snprintf(path, sizeof path, "%s/grandchild", folder);
    unlink(path);
    unlink(log_path);
    rmdir(folder);
    return failed;
}
