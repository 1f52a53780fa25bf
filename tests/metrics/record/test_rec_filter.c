// The recorder judges functions as popinjay score does, by the same filter files.
#include "metrics/analyse/score_filter.h"
#include "metrics/base/newfile.h"
#include "metrics/record/rec_filter.h"
#include "tests/support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const files[] = {
    "SCOREP_REGION_NAMES_BEGIN\n EXCLUDE *\n INCLUDE app:* lib.[ab]:f\nSCOREP_REGION_NAMES_END\n",
    ("# all\nSCOREP_REGION_NAMES_BEGIN EXCLUDE app:ma?n # not that\n INCLUDE MANGLED app:main "
     "SCOREP_REGION_NAMES_END SCOREP_FILE_NAMES_BEGIN EXCLUDE */lib/* INCLUDE */lib/b.py "
     "SCOREP_FILE_NAMES_END"),
    ("SCOREP_FILE_NAMES_BEGIN\nEXCLUDE *.py\nSCOREP_FILE_NAMES_END\nSCOREP_REGION_NAMES_BEGIN\n"
     "INCLUDE *\nSCOREP_REGION_NAMES_END\n"),
    "SCOREP_REGION_NAMES_BEGIN EXCLUDE MANGLED app:a\\ b app:\\*x app:#c\nSCOREP_REGION_NAMES_END",
    "",
};

static const struct function {
    const char *name, *file;
} functions[] = {
    {"app:main", "/src/app.py"},
    {"app.Class:method", "/src/app.py"},
    {"lib.a:f", "/src/lib/a.py"},
    {"lib.b:f", "/src/lib/b.py"},
    {"lib.c:f", "/src/lib/c.py"},
    {"app:a b", "<string>"},
    {"app:*x", ""},
    {"app:yx", ""},
    {"app:", "/lib/"},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

/// A process reads its filter once.
static int judge(const char *path)
{
    unsigned verdicts = 0;
    setenv("POPINJAY_RECORD_FILTER", path, 1);
    pj_rec_filter_begin();
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (pj_rec_filter_excludes(functions[i].name, functions[i].file))
            verdicts |= 1U << i;
    return (int)verdicts;
}

static void judges_as_score_does(void **state)
{
    (void)state;
    const char *path = folder_file("rules");
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        pj_err err = {0};
        assert_true(pj_newfile_put(path, pj_str_of(files[f]), &err));
        pj_score_filter filter;
        assert_true(pj_score_filter_parse(&filter, path, pj_str_of(files[f]), &err));
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            int verdicts = judge(path);
            _exit(write(ends[1], &verdicts, sizeof verdicts) != sizeof verdicts);
        }
        int verdicts = -1;
        assert_true(read(ends[0], &verdicts, sizeof verdicts) == sizeof verdicts);
        assert_true(waitpid(child, NULL, 0) == child);
        close(ends[0]);
        close(ends[1]);
        for (unsigned i = 0; i < FUNCTIONS; i++)
            if (pj_score_filter_excludes(&filter, functions[i].name, functions[i].name,
                                         functions[i].file) != (verdicts >> i & 1))
                fail_msg("file %zu: %s", f, functions[i].name);
        pj_score_filter_free(&filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(judges_as_score_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
