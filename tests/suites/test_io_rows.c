// The rows of input and output of BSC's set, by hand: of two threads that compute for 60 and 40 ns
// of 100, one is in MPI-I/O for 10, the other for 30 and then for 20 in input and output outside
// MPI.
#include "metrics/analyse/load.h"
#include "metrics/analyse/summarise.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"
#include "metrics/run/run_table.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
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
/// As Extrae 4 writes it: MPI-I/O of the first thread writes by itself, the other one reads, and
/// writes as older versions of Extrae tell it; opening a file moves nothing.
static const char calls[] = HEADER "1:1:1:1:1:0:60:1\n"
                                   "1:2:1:2:1:0:40:1\n"
                                   "1:2:1:2:1:40:50:12\n"
                                   "2:2:1:2:1:40:40000004:1:40000010:3:40000011:4096:40000013:1\n"
                                   "2:2:1:2:1:50:40000004:0\n"
                                   "1:2:1:2:1:50:100:12\n"
                                   "2:2:1:2:1:50:40000005:1:40000010:3:40000011:100\n"
                                   "1:1:1:1:1:60:70:12\n"
                                   "2:1:1:1:1:60:50000005:145:50000110:512\n"
                                   "2:1:1:1:1:62:40000004:6:40000010:3:40000011:512:40000013:1\n"
                                   "2:1:1:1:1:68:40000004:0\n"
                                   "2:1:1:1:1:70:50000005:0:50000110:512\n"
                                   "1:1:1:1:1:70:100:1\n"
                                   "2:2:1:2:1:60:40000005:0\n"
                                   "2:2:1:2:1:61:40000004:11:40000010:4:40000013:1\n"
                                   "2:2:1:2:1:63:40000004:0\n";
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

/// -1 = empty, with `*reason`.
static int64_t stat(const pj_table *table, size_t row, const char *key, const char **reason)
{
    int at = pj_table_column(table, pj_str_of(key));
    assert_true(at >= 0);
    const pj_cell *cell = pj_table_cell(table, row, (size_t)at);
    *reason = cell->kind == PJ_CELL_EMPTY ? cell->text : NULL;
    return *reason ? -1 : cell->integer;
}

static void calls_and_bytes_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        int64_t value[2];
    } wanted[] = {{"mpi_io_ns", {10, 0}},
                  {"posix_io_ns", {0, 60}},
                  {"io_calls", {1, 3}},
                  {"io_bytes_read", {0, 4096}},
                  {"io_bytes_written", {512, 100}}};
    const char *reason;
    device_trace_put("run.prv", calls);
    pj_auto_run run = device_trace_load("run.prv", 1);
    pj_auto_table table = pj_run_table_stats(run);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (size_t row = 0; row < 2; row++)
            if (stat(table, row, wanted[i].key, &reason) != wanted[i].value[row])
                fail_msg("%s of %zu: %s", wanted[i].key, row, reason ? reason : "");
    bool told = false;
    for (size_t i = 0; i < run->remarks.count; i++)
        told |= strcmp(run->remarks.items[i].key, "io_overlap") == 0 &&
                strstr(run->remarks.items[i].text, "6 ns of other input and output lie in");
    assert_true(told);
    device_trace_remove();
}

/// Time in a state says nothing of calls.
static void what_is_not_told_has_its_reason(void **state)
{
    (void)state;
    const char *reason;
    device_trace_put("run.prv", HEADER "1:1:1:1:1:0:60:1\n1:1:1:1:1:60:100:12\n"
                                       "2:2:1:2:1:0:40000004:1\n1:2:1:2:1:0:60:12\n"
                                       "2:2:1:2:1:60:40000004:0\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    pj_auto_table table = pj_run_table_stats(run);
    assert_int_equal(stat(table, 0, "io_calls", &reason), -1);
    assert_string_equal(reason, "the trace has time in input and output, but no calls of it");
    assert_int_equal(stat(table, 1, "io_calls", &reason), 1);
    assert_int_equal(stat(table, 1, "io_bytes_read", &reason), -1);
    assert_string_equal(reason, "the trace does not tell how many bytes its calls move");
    device_trace_remove();
}

/// MPI_Init reads a file, which no state says.
static void files_in_other_calls_of_mpi_are_no_mpi_io(void **state)
{
    (void)state;
    device_trace_put("run.prv", HEADER "1:1:1:1:1:0:10:1\n2:1:1:1:1:10:50000003:31\n"
                                       "1:1:1:1:1:10:40:15\n2:1:1:1:1:20:40000004:1:40000011:7\n"
                                       "2:1:1:1:1:25:40000004:0\n2:1:1:1:1:40:50000003:0\n"
                                       "1:1:1:1:1:40:100:1\n1:2:1:2:1:0:100:1\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    const pj_totals *t = run->totals;
    assert_int_equal(t->mpi_io_ns, 0);
    assert_int_equal(t->spent_ns[PJ_SPENT_IO], 5);
    assert_int_equal(t->spent_ns[PJ_SPENT_MPI], 25);
    assert_int_equal(t->mpi_ns, 30);
    assert_int_equal(t->io_calls, 1);
    assert_int_equal(t->io_read_bytes, 7);
    device_trace_remove();
}

static void summaries_tell_it_too(void **state)
{
    (void)state;
    const char *reason;
    pj_err err = {0};
    pj_job job = {.workers = 1};
    device_trace_put("run.prv", calls);
    pj_auto_run made = NULL;
    if (!pj_summarise(folder_file("run.prv"), folder_file("run.json"), (pj_load_opts){0}, &job,
                      &made, &err))
        fail_msg("%s", err.text);
    pj_auto_run run =
        pj_load(folder_file("run.json"), (pj_load_opts){.no_replay = true}, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    pj_auto_table table = pj_run_table_stats(run);
    assert_int_equal(stat(table, 0, "mpi_io_ns", &reason), 10);
    assert_int_equal(stat(table, 0, "posix_io_ns", &reason), 0);
    assert_int_equal(stat(table, 1, "io_calls", &reason), 3);
    assert_int_equal(stat(table, 1, "io_bytes_read", &reason), 4096);
    device_trace_remove();
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
        cmocka_unit_test(calls_and_bytes_are_told),
        cmocka_unit_test(what_is_not_told_has_its_reason),
        cmocka_unit_test(files_in_other_calls_of_mpi_are_no_mpi_io),
        cmocka_unit_test(summaries_tell_it_too),
        cmocka_unit_test(what_did_not_happen_has_no_row),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
