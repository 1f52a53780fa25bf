// Lines come out in order, with and without files.
#include "metrics/replay/sorter.h"

#include "tests/support/folder.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>

#include <cmocka.h>

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

typedef struct seen {
    size_t count;
    uint64_t time, order, number;
} seen;

/// Lines say their place, so that the order can be checked, and are of any length.
static bool check_line(void *self, pj_str line, pj_err *err)
{
    (void)err;
    seen *last = self;
    unsigned long long time, order, number, length;
    char text[64];
    snprintf(text, sizeof text, PJ_STR_FMT, PJ_STR_ARG(line));
    assert_int_equal(sscanf(text, "%llu %llu %llu %llu", &time, &order, &number, &length), 4);
    assert_int_equal(line.len, length);
    assert_true(time >= last->time);
    assert_true(time > last->time || order >= last->order);
    assert_true(time > last->time || order > last->order || number > last->number ||
                last->count == 0);
    *last = (seen){last->count + 1, time, order, number};
    return true;
}

static void sort_lines(size_t lines, size_t memory)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_sorter *sorter = pj_sorter_new(folder_file("out"), memory);
    uint64_t seed = lines + memory;
    for (size_t i = 0; i < lines; i++) {
        char text[512];
        uint64_t time = next_random(&seed) % (lines / 4 + 1), order = next_random(&seed) % 3;
        size_t length = 60 + next_random(&seed) % 400;
        memset(text, ' ', sizeof text);
        int used = snprintf(text, sizeof text, "%llu %llu %zu %zu ", (unsigned long long)time,
                            (unsigned long long)order, i, length);
        text[used] = ' ';
        assert_true(pj_sorter_add(sorter, time, order, (pj_str){text, length}, &err));
    }
    seen last = {.count = 0};
    assert_true(pj_sorter_each(sorter, check_line, &last, &err));
    assert_int_equal(last.count, lines);
    pj_sorter_free(sorter);
}

static void lines_come_out_in_order(void **state)
{
    (void)state;
    static const size_t memory[] = {1, 1000, 20000, 1 << 24}; // hundreds of runs to none
    for (size_t m = 0; m < sizeof memory / sizeof *memory; m++)
        for (size_t lines = 0; lines <= 1000; lines += 333)
            sort_lines(lines, memory[m]);
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
    pj_sorter *sorter = pj_sorter_new(folder_file("full"), 1000);
    bool sorted = true;
    for (uint64_t i = 0; sorted && i < 100000; i++)
        sorted = pj_sorter_add(sorter, i, 0, PJ_S("0123456789"), &err);
    pj_sorter_free(sorter);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(sorted);
    assert_int_equal(err.code, PJ_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_out_in_order),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
