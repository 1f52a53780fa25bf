// Ideal runtimes against those of Dimemas, to the nanosecond, on the traces of ../shared/data.
#include "metrics/analyse/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/paraver/"

static void ideal_runtimes(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        double ideal;
    } rows[] = {
        {"epoch/epoch_1proc.prv.gz", 21884758971}, {"epoch/epoch_2proc.prv.gz", 11504370091},
        {"epoch/epoch_4proc.prv.gz", 6051059081},  {"epoch/epoch_16proc.prv.gz", 2310335964},
        {"imagemagick/omp1.prv.gz", 14746566243},  {"imagemagick/omp2.prv.gz", 10380609993},
        {"imagemagick/omp4.prv.gz", 8581358106},   {"imagemagick/omp8.prv.gz", 7863894090},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[1024];
        snprintf(path, sizeof path, DATA "%s", rows[i].file);
        if (access(path, R_OK) != 0) {
            print_message("%s is not there\n", path);
            skip();
        }
        for (unsigned workers = 1; workers <= 4; workers += 3) {
            pj_job job = {.workers = workers};
            pj_err err = {.code = PJ_E_NONE};
            pj_auto_run run = pj_load(path, (pj_load_opts){.tag = NULL}, &job, &err);
            if (!run)
                fail_msg("%s", err.text);
            assert_true(run->ideal.available);
            if (run->ideal.runtime_ns != rows[i].ideal)
                fail_msg("%s: %.0f is not %.0f", path, run->ideal.runtime_ns, rows[i].ideal);
        }
    }
}

/// How the ideal runtime changes with the eager limit (DEFINITIONS 6).
static void eager_limits(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        pj_network network;
        double ideal;
    } rows[] = {
        {"epoch/epoch_4proc.prv.gz", {.eager_bytes = UINT64_MAX}, 6051059081.0 - 106293},
        {"epoch/epoch_4proc.prv.gz", {.all_rendezvous = true}, 6051059081.0 + 16409},
        {"epoch/epoch_16proc.prv.gz", {.eager_bytes = UINT64_MAX}, 2310335964.0 - 386313},
        {"epoch/epoch_16proc.prv.gz", {.all_rendezvous = true}, 2310335964.0 + 531394},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[1024];
        snprintf(path, sizeof path, DATA "%s", rows[i].file);
        if (access(path, R_OK) != 0) {
            print_message("%s is not there\n", path);
            skip();
        }
        pj_job job = {.workers = 2};
        pj_err err = {.code = PJ_E_NONE};
        pj_auto_run run = pj_load(path, (pj_load_opts){.network = rows[i].network}, &job, &err);
        assert_non_null(run);
        if (run->ideal.runtime_ns != rows[i].ideal)
            fail_msg("row %zu: %.0f is not %.0f", i, run->ideal.runtime_ns, rows[i].ideal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ideal_runtimes),
                                       cmocka_unit_test(eager_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
