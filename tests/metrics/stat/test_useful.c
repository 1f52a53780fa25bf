// The statistics against the values of paramedir (data/reference/stats_*.csv).
#include "metrics/analyse/load.h"

#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/num.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"

/// Value of the column named `key` in line `row` (0 = header) of a CSV text of integers.
static int64_t field_of(pj_str text, const char *key, unsigned row)
{
    pj_str header = pj_str_cut(&text, '\n'), line = header;
    for (unsigned i = 0; i < row; i++)
        line = pj_str_cut(&text, '\n');
    while (header.len) {
        pj_str name = pj_str_cut(&header, ','), value = pj_str_cut(&line, ',');
        int64_t number;
        if (pj_str_equal(pj_str_trim(name), pj_str_of(key))) {
            assert_true(pj_parse_i64(pj_str_trim(value), &number));
            return number;
        }
    }
    fail_msg("no column %s", key);
    return 0;
}

static void check_run(const pj_run *run, pj_str csv)
{
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        const pj_totals *totals = &run->totals[i];
        unsigned row = i + 1;
        uint32_t rank = run->layout.rank_of[i];
        assert_int_equal(rank + 1, field_of(csv, "rank", row));
        assert_int_equal(i - run->layout.first_location[rank] + 1, field_of(csv, "thread", row));
        assert_int_equal(totals->serial_useful_ns, field_of(csv, "Serial Useful Computation", row));
        assert_int_equal(totals->openmp_useful_ns, field_of(csv, "OpenMP Useful Computation", row));
        assert_int_equal(totals->openmp_ns, field_of(csv, "OpenMP Total Runtime", row));
        assert_int_equal(totals->useful_ns, field_of(csv, "Total Useful Computation", row));
        assert_int_equal(totals->runtime_ns, field_of(csv, "Total Runtime", row));
        assert_int_equal(run->counters[PJ_COUNTER_INSTRUCTIONS].useful[i],
                         field_of(csv, "Useful Instructions", row));
        assert_int_equal(run->counters[PJ_COUNTER_CYCLES].useful[i],
                         field_of(csv, "Useful Cycles", row));
    }
}

static void reference_values(void **state)
{
    static const struct {
        const char *folder, *name;
    } traces[] = {{"epoch", "epoch_1proc"},  {"epoch", "epoch_2proc"}, {"epoch", "epoch_4proc"},
                  {"epoch", "epoch_16proc"}, {"imagemagick", "omp1"},  {"imagemagick", "omp2"},
                  {"imagemagick", "omp4"},   {"imagemagick", "omp8"}};
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        char path[1024];
        pj_auto_buf csv = {.at = NULL};
        snprintf(path, sizeof path, DATA "reference/stats_%s.csv", traces[i].name);
        if (!pj_file_read(path, &csv, NULL)) {
            print_message("no reference data beside the repository\n");
            skip();
        }
        snprintf(path, sizeof path, DATA "paraver/%s/%s.prv.gz", traces[i].folder, traces[i].name);
        for (unsigned workers = 1; workers <= 4; workers += 3) {
            pj_job job = {.workers = workers};
            pj_err err = {.code = PJ_E_NONE};
            pj_auto_run run = pj_load(path, (pj_load_opts){.no_replay = true}, &job, &err);
            if (!run)
                fail_msg("%s", err.text);
            check_run(run, pj_buf_str(&csv));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reference_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
