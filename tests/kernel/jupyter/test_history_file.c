// The user's history file: sessions, many writers, damage, bounds, permissions.
#include "kernel/command/jsontext.h"
#include "kernel/jupyter/history.h"
#include "kernel/jupyter/history_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
    char folder[32];
    char path[64];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/pj_historyXXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/a/b/history", f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char line[80];
    snprintf(line, sizeof line, "rm -r %s", f->folder);
    assert_int_equal(system(line), 0); // NOLINT(cert-env33-c)
    free(f);
    return 0;
}

static pj_history *open_history(const fixture *f)
{
    return pj_history_new(strdup(f->path));
}

static json_t *ask(pj_history *history, const char *request)
{
    json_t *content = json_loads(request, 0, NULL);
    json_t *answer = pj_history_answer(history, content);
    json_t *found = json_incref(json_object_get(answer, "history"));
    json_decref(content);
    json_decref(answer);
    return found;
}

static void assert_answer(pj_history *history, const char *request, const char *expected)
{
    json_t *found = ask(history, request);
    char *text = json_dumps(found, JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    json_decref(found);
}

static void write_text(const char *path, const char *text, int flags)
{
    int fd = open(path, O_WRONLY | flags, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void sessions_follow_each_other(void **state)
{
    const fixture *f = *state;
    pj_history *one = open_history(f);
    pj_history_add(one, 1, PJ_S("a = 1"));
    pj_history_add(one, 2, PJ_S("a"));
    pj_history_set_output(one, 2, PJ_S("1"));
    pj_history *two = open_history(f);
    pj_history_add(two, 1, PJ_S("b\n\"x\""));
    pj_history_add(one, 3, PJ_S("later")); // both write
    pj_history_free(one);
    assert_answer(two, "{\"hist_access_type\":\"tail\",\"n\":3,\"output\":true}",
                  "[[1,2,[\"a\",\"1\"]],[1,3,[\"later\",null]],[2,1,[\"b\\n\\\"x\\\"\",null]]]");
    assert_answer(two, "{\"hist_access_type\":\"range\",\"session\":-1,\"start\":2,\"stop\":4}",
                  "[[1,2,\"a\"],[1,3,\"later\"]]");
    assert_answer(two, "{\"hist_access_type\":\"range\",\"session\":1,\"start\":1,\"stop\":2}",
                  "[[1,1,\"a = 1\"]]");
    assert_answer(two, "{\"hist_access_type\":\"range\"}", "[[2,1,\"b\\n\\\"x\\\"\"]]");
    pj_history_add(two, 2, PJ_S("a"));
    assert_answer(two, "{\"hist_access_type\":\"search\",\"pattern\":\"a*\",\"unique\":true}",
                  "[[1,1,\"a = 1\"],[2,2,\"a\"]]");
    pj_history_free(two);
}

static void nobody_else_may_read_it(void **state)
{
    const fixture *f = *state;
    struct stat facts;
    pj_history *h = open_history(f);
    assert_int_not_equal(access(f->path, F_OK), 0); // not before it is needed
    pj_history_add(h, 1, PJ_S("secret"));
    pj_history_free(h);
    assert_int_equal(stat(f->path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
}

static void many_kernels_write_side_by_side(void **state)
{
    enum { KERNELS = 6, CELLS = 100 };
    const fixture *f = *state;
    for (int k = 0; k < KERNELS; k++) {
        if (fork() != 0)
            continue;
        pj_history *h = open_history(f);
        for (int i = 1; i <= CELLS; i++)
            pj_history_add(h, i, PJ_S("input"));
        pj_history_free(h);
        _exit(0);
    }
    while (wait(NULL) > 0)
        continue;
    unsigned seen[KERNELS + 1] = {0};
    json_t *records = pj_history_file_read(f->path), *record;
    size_t i;
    json_array_foreach(records, i, record)
    {
        json_int_t session = json_integer_value(json_array_get(record, 0));
        assert_in_range(session, 1, KERNELS);
        assert_int_equal(json_integer_value(json_array_get(record, 1)), ++seen[session]);
    }
    assert_int_equal(json_array_size(records), KERNELS * CELLS);
    json_decref(records);
}

static void damage_is_left_out(void **state)
{
    const fixture *f = *state;
    pj_history *h = open_history(f);
    pj_history_add(h, 1, PJ_S("first"));
    write_text(f->path, "[1,2,\"cut o", O_APPEND); // a writer that was killed
    pj_history_add(h, 3, PJ_S("third"));
    write_text(f->path, "\xff\xfe\n[]\n{\"a\":1}\n[0,1,\"x\"]\n[1,\"x\",\"y\"]\n", O_APPEND);
    pj_history_free(h);
    h = open_history(f);
    assert_answer(h, "{\"hist_access_type\":\"tail\",\"n\":9}",
                  "[[1,1,\"first\"],[1,3,\"third\"]]");
    pj_history_free(h);
    write_text(f->path, "popinjay histoxy", 0); // a damaged head: numbers go on
    h = open_history(f);
    pj_history_add(h, 1, PJ_S("again"));
    assert_answer(h, "{\"hist_access_type\":\"tail\",\"n\":1}", "[[2,1,\"again\"]]");
    pj_history_free(h);
}

static void other_files_stay_as_they_are(void **state)
{
    const fixture *f = *state;
    char other[64], text[32] = "";
    snprintf(other, sizeof other, "%s/notes", f->folder);
    write_text(other, "my notes\n", O_CREAT);
    pj_history *h = pj_history_new(strdup(other));
    pj_history_add(h, 1, PJ_S("x"));
    assert_answer(h, "{\"hist_access_type\":\"tail\",\"n\":1}", "[[1,1,\"x\"]]");
    pj_history_free(h);
    FILE *file = fopen(other, "r");
    assert_int_equal(fread(text, 1, sizeof text, file), 9);
    fclose(file);
    static const char *const odd[] = {"/dev/null", "/proc/self/nothing/x", "/tmp"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        h = pj_history_new(strdup(odd[i]));
        pj_history_add(h, 1, PJ_S("x"));
        assert_answer(h, "{\"hist_access_type\":\"tail\",\"n\":1}", "[[1,1,\"x\"]]");
        pj_history_free(h);
    }
}

static void it_never_grows_without_bound(void **state)
{
    enum { EACH = 32000 };
    const fixture *f = *state;
    pj_history *h = open_history(f);
    char *input = malloc(EACH + 1);
    memset(input, 'x', EACH);
    for (int i = 1; i <= 2 * PJ_HISTORY_FILE_BYTES / EACH; i++)
        pj_history_add(h, i, (pj_str){input, EACH});
    free(input);
    pj_history_free(h);
    struct stat facts;
    assert_int_equal(stat(f->path, &facts), 0);
    assert_in_range(facts.st_size, PJ_HISTORY_FILE_BYTES / 4, PJ_HISTORY_FILE_BYTES + 2 * EACH);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(pj_history_file_session(f->path), 2);
    h = open_history(f);
    json_t *found = ask(h, "{\"hist_access_type\":\"tail\",\"n\":1}");
    assert_int_equal(json_integer_value(json_array_get(json_array_get(found, 0), 1)),
                     2 * PJ_HISTORY_FILE_BYTES / EACH);
    json_decref(found);
    pj_history_free(h);
}

static void the_environment_says_where(void **state)
{
    (void)state;
    setenv("HOME", "/h", 1);
    unsetenv("XDG_STATE_HOME");
    unsetenv("POPINJAY_HISTORY");
    char *path = pj_history_file_path();
    assert_string_equal(path, "/h/.local/state/popinjay/history");
    free(path);
    setenv("XDG_STATE_HOME", "/state", 1);
    path = pj_history_file_path();
    assert_string_equal(path, "/state/popinjay/history");
    free(path);
    setenv("POPINJAY_HISTORY", "/elsewhere", 1);
    path = pj_history_file_path();
    assert_string_equal(path, "/elsewhere");
    free(path);
    setenv("POPINJAY_HISTORY", "off", 1);
    assert_null(pj_history_file_path());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sessions_follow_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_else_may_read_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_kernels_write_side_by_side, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_stay_as_they_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_never_grows_without_bound, set_up, tear_down),
        cmocka_unit_test(the_environment_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
