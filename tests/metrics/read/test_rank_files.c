// Files of a run, one for each rank, as one path.
#include "metrics/read/rank_files.h"

#include "metrics/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void ranks_are_one_path(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    static const char *const paths[] = {"a/r0.json", "a/r10.json", "a/r{1,}.json"};
    const char **files = NULL;
    const char *joined = pj_rank_files_join(paths, 3, arena);
    assert_int_equal(pj_rank_files_of(joined, arena, &files), 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(files[i], paths[i]);
    assert_int_equal(pj_rank_files_of("a/r0.json", arena, &files), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_one_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
