// The rows of input and output of BSC's set, by hand: of two threads that compute for 60 and 40 ns
// of 100, one is in MPI-I/O for 10, the other for 30 and then for 20 in input and output outside
// MPI.
#include "metrics/base/err.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/study/study.h"
#include "tests/support/folder.h"
#include "tests/support/trace/device_trace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define HEADER "#Paraver (01/01/2026 at 00:00):100_ns:1(2):1:2(1:1,1:1)\n"

static const char both[] = HEADER "1:1:1:1:1:0:60:1\n"
                                  "1:2:1:2:1:0:40:1\n"
                                  "2:2:1:2:1:40:50000005:1\n"
                                  "1:2:1:2:1:40:70:12\n"
                                  "2:1:1:1:1:60:50000005:1\n"
                                  "1:1:1:1:1:60:70:12\n"
                                  "2:1:1:1:1:70:50000005:0\n"
                                  "2:2:1:2:1:70:50000005:0\n"
                                  "1:1:1:1:1:70:100:13\n"
                                  "1:2:1:2:1:70:90:12\n"
                                  "1:2:1:2:1:90:100:13\n";
static const char neither[] = HEADER "1:1:1:1:1:0:100:1\n"
                                     "1:2:1:2:1:0:100:1\n";

static pj_metrics *rows_of(const char *text, const pj_metric_set **set)
{
    pj_err err = {0};
    device_trace_put("run.prv", text);
    pj_auto_run run = device_trace_load("run.prv", 1);
    pj_run *runs[] = {run};
    pj_auto_study study = pj_study_new(runs, 1, (pj_study_opts){0}, &err);
    *set = pj_metric_set_by_key(PJ_S("bsc-2026"));
    pj_metrics *metrics = pj_metrics_new(*set, study, (pj_metrics_opts){0}, &err);
    assert_non_null(metrics);
    device_trace_remove();
    return metrics;
}

static pj_metric_value row(const pj_metrics *metrics, const pj_metric_set *set, const char *key)
{
    int at = pj_metric_row(set, pj_str_of(key));
    assert_true(at >= 0);
    return pj_metrics_at(metrics, 0, (size_t)at);
}

static void rows_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        double value;
    } wanted[] = {{"mpi_io_efficiency", 0.8},
                  {"mpi_io_load_balance", 2.0 / 3},
                  {"posix_io_efficiency", 0.9},
                  {"posix_io_load_balance", 0.5},
                  {"io_efficiency", 0.625}};
    const pj_metric_set *set;
    pj_auto_metrics metrics = rows_of(both, &set);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        pj_metric_value got = row(metrics, set, wanted[i].key);
        assert_null(got.reason);
        if (fabs(got.value - wanted[i].value) > 1e-12)
            fail_msg("%s: %.17g", wanted[i].key, got.value);
    }
}

static void what_did_not_happen_has_no_row(void **state)
{
    (void)state;
    static const char *const keys[] = {"io_efficiency", "mpi_io_efficiency", "mpi_io_load_balance",
                                       "posix_io_efficiency", "posix_io_load_balance"};
    const pj_metric_set *set;
    pj_auto_metrics metrics = rows_of(neither, &set);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(row(metrics, set, keys[i]).reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(what_did_not_happen_has_no_row),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
