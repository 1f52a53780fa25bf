// What people choose traces from: the list of a folder, and a first look at what is in it.
#include "metrics/analyse/folder_list.h"

#include "metrics/analyse/paths.h"
#include "metrics/analyse/trace_look.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/"

static const pj_folder_entry *entry(const pj_folder *folder, const char *name)
{
    for (size_t i = 0; i < folder->count; i++)
        if (strcmp(folder->entries[i].name, name) == 0)
            return &folder->entries[i];
    return NULL;
}

static void a_folder_tells_its_traces(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_folder found;
    pj_err err = {0};
    assert_true(pj_folder_list(SAMPLES "otf2", arena, &found, &err));
    assert_true(found.count >= 2);
    assert_true(found.entries[0].folder);
    const pj_folder_entry *anchor = entry(&found, "run.otf2");
    assert_string_equal(anchor->format, "OTF2 archive");
    struct stat alone;
    assert_int_equal(stat(SAMPLES "otf2/run.otf2", &alone), 0);
    assert_true(anchor->bytes > (uint64_t)alone.st_size);
    assert_true(entry(&found, "run")->folder);
    assert_null(entry(&found, "run")->format);
    assert_null(entry(&found, "."));
    assert_true(pj_folder_list(SAMPLES "kineto", arena, &found, &err)); // any name ends in .json
    assert_string_equal(entry(&found, "e7.json")->format, "PyTorch trace");
    assert_true(pj_folder_list(SAMPLES "trace_event", arena, &found, &err));
    assert_string_equal(entry(&found, "calls.json")->format, PJ_FOLDER_PROFILE);
    assert_false(pj_folder_list(SAMPLES "nowhere", arena, &found, &err));
    assert_int_equal(err.code, PJ_E_IO);
}

static void a_look_tells_the_layout(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_trace_look look;
    pj_err err = {0};
    assert_true(pj_trace_look_at(SAMPLES "prv/exchange.prv", arena, &look, &err));
    assert_string_equal(look.format, "Paraver trace");
    assert_true(strchr(look.layout, 'x') != NULL && !look.summary && !look.name);
    assert_true(pj_trace_look_at(SAMPLES "otf2/run.otf2", arena, &look, &err));
    assert_string_equal(look.format, "OTF2 archive");
    assert_false(pj_trace_look_at("/dev/null", arena, &look, &err));
    assert_non_null(strstr(err.text, "no regular file"));
    err = (pj_err){0};
    assert_false(pj_trace_look_at(SAMPLES "no_such.prv", arena, &look, &err));
    assert_int_equal(err.code, PJ_E_IO);
}

static void companions_are_no_runs(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_paths paths = {0};
    pj_err err = {0};
    assert_true(pj_paths_runs(SAMPLES "prv/exchange.*", arena, &paths, &err));
    for (size_t i = 0; i < paths.count; i++)
        assert_null(strstr(paths.items[i], ".pcf"));
    assert_true(paths.count >= 1);
    assert_false(pj_paths_runs(SAMPLES "prv/exchange.pcf", arena, &paths, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    paths.count = 0;
    assert_true(pj_paths_runs(SAMPLES "otf2/run*", arena, &paths, NULL));
    assert_int_equal(paths.count, 1); // neither its definitions nor its folder
    err = (pj_err){0};
    assert_false(pj_paths_runs(SAMPLES "otf2/no_such.otf2", arena, &paths, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    free(paths.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_tells_its_traces),
        cmocka_unit_test(a_look_tells_the_layout),
        cmocka_unit_test(companions_are_no_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
