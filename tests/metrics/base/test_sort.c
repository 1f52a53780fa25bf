// Sorting of many records: as qsort has them, of any number and size, and left when asked to.
#include "metrics/base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct record {
    uint32_t key, sum;
    char more[5];
} record;

static int by_key(const void *a, const void *b)
{
    const record *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static void records_come_in_order(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 8192, 8193, 50001};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        record *all = calloc(counts[c] + 1, sizeof *all);
        uint64_t sum = 0, seen = 0;
        for (uint32_t i = 0; i < counts[c]; i++) {
            all[i] = (record){.key = i * 2654435761u >> 12, .sum = i};
            sum += i;
        }
        atomic_bool stop = false;
        assert_true(pj_sort_records(all, counts[c], sizeof *all, by_key, &stop));
        for (size_t i = 0; i < counts[c]; i++) {
            assert_true(i == 0 || all[i - 1].key <= all[i].key);
            assert_int_equal(all[i].key, all[i].sum * 2654435761u >> 12);
            seen += all[i].sum;
        }
        assert_int_equal(seen, sum);
        stop = true;
        assert_false(pj_sort_records(all, counts[c], sizeof *all, by_key, &stop));
        free(all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
