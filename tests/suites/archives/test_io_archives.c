// The rows of input and output of BSC's set in an archive, by hand: of two ranks that compute for
// 60 and 40 ns of 100, one is in MPI-I/O for 10, in which it writes by itself, the other for 30 and
// then for 20 in a write of its own.
#include "metrics/base/err.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"
#include "metrics/run/run_table.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "tests/support/folder.h"
#include "tests/support/trace/device_trace.h"
#include "tests/support/trace/otf2_flush.h"
#include "tests/support/trace/otf2_writer.h"

#include <otf2/otf2.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ARCHIVE "io_archive"
#define ANCHOR PJ_BINARY_DIR "/" ARCHIVE ".otf2"

enum { RANKS = 2, BEGIN = 1000 };
enum { MAIN, BARRIER, FILE_WRITE, WRITE, REGIONS };

static void write_definitions(OTF2_GlobalDefWriter *out)
{
    static const char *const texts[] = {
        "", "node1", "node", "main", "MPI_Barrier", "MPI_File_write", "write"};
    static const OTF2_RegionRole roles[REGIONS] = {
        OTF2_REGION_ROLE_FUNCTION, OTF2_REGION_ROLE_BARRIER, OTF2_REGION_ROLE_FILE_IO,
        OTF2_REGION_ROLE_FILE_IO};
    static const OTF2_Paradigm paradigms[REGIONS] = {OTF2_PARADIGM_COMPILER, OTF2_PARADIGM_MPI,
                                                     OTF2_PARADIGM_MPI, OTF2_PARADIGM_NONE};
    pj_otf2_good(OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, BEGIN, 100,
                                                           OTF2_UNDEFINED_TIMESTAMP));
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteString(out, i, texts[i]));
    pj_otf2_good(
        OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, 1, 2, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < RANKS; i++) {
        pj_otf2_good(OTF2_GlobalDefWriter_WriteLocationGroup(
            out, i, 3, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
        pj_otf2_good(
            OTF2_GlobalDefWriter_WriteLocation(out, i, 3, OTF2_LOCATION_TYPE_CPU_THREAD, 10, i));
    }
    for (uint32_t i = 0; i < REGIONS; i++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteRegion(
            out, i, 3 + i, 3 + i, 0, roles[i], paradigms[i], OTF2_REGION_FLAG_NONE, 0, 0, 0));
}

/// Region and time of each enter, and of each leave as -1 - region; bytes that an operation moves
/// behind an enter, 0 = none is recorded.
typedef struct step {
    int region;
    uint64_t time;
    uint64_t bytes;
} step;

/// It is asked for more than it moves.
static void write_operation(OTF2_EvtWriter *events, const step *s)
{
    if (!s->bytes)
        return;
    pj_otf2_good(OTF2_EvtWriter_IoOperationBegin(
        events, NULL, BEGIN + s->time, (OTF2_IoHandleRef)s->region, OTF2_IO_OPERATION_MODE_WRITE,
        OTF2_IO_OPERATION_FLAG_NONE, 2 * s->bytes, 0));
    pj_otf2_good(OTF2_EvtWriter_IoOperationComplete(events, NULL, BEGIN + s->time + 1,
                                                    (OTF2_IoHandleRef)s->region, s->bytes, 0));
}

static void write_events(OTF2_EvtWriter *events, uint64_t rank)
{
    enum { MOST = 10 };
    static const step steps[RANKS][MOST] = {
        {{MAIN, 0, 0},
         {FILE_WRITE, 60, 4096},
         {WRITE, 62, 4096},
         {-1 - WRITE, 68, 0},
         {-1 - FILE_WRITE, 70, 0},
         {BARRIER, 70, 0},
         {-1 - BARRIER, 100, 0},
         {-1 - MAIN, 100, 0}},
        {{MAIN, 0, 0},
         {FILE_WRITE, 40, 0},
         {-1 - FILE_WRITE, 70, 0},
         {WRITE, 70, 100},
         {-1 - WRITE, 90, 0},
         {BARRIER, 90, 0},
         {-1 - BARRIER, 100, 0},
         {-1 - MAIN, 100, 0}},
    };
    for (unsigned i = 0; i < MOST && (i == 0 || steps[rank][i].time); i++) {
        const step *s = &steps[rank][i];
        pj_otf2_good(s->region < 0 ? OTF2_EvtWriter_Leave(events, NULL, BEGIN + s->time,
                                                          (OTF2_RegionRef)(-1 - s->region))
                                   : OTF2_EvtWriter_Enter(events, NULL, BEGIN + s->time,
                                                          (OTF2_RegionRef)s->region));
        write_operation(events, s);
    }
}

static void write_archive(void)
{
    pj_otf2_writer_remove(ANCHOR);
    OTF2_Archive *archive = OTF2_Archive_Open(PJ_BINARY_DIR, ARCHIVE, OTF2_FILEMODE_WRITE, 1 << 20,
                                              1 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    pj_otf2_good(OTF2_Archive_SetFlushCallbacks(archive, &pj_otf2_flush, NULL));
    pj_otf2_good(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    pj_otf2_good(OTF2_Archive_OpenEvtFiles(archive));
    for (uint64_t i = 0; i < RANKS; i++) {
        OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, i);
        write_events(events, i);
        pj_otf2_good(OTF2_Archive_CloseEvtWriter(archive, events));
    }
    pj_otf2_good(OTF2_Archive_CloseEvtFiles(archive));
    pj_otf2_good(OTF2_Archive_OpenDefFiles(archive));
    for (uint64_t i = 0; i < RANKS; i++)
        pj_otf2_good(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i)));
    pj_otf2_good(OTF2_Archive_CloseDefFiles(archive));
    OTF2_GlobalDefWriter *global = OTF2_Archive_GetGlobalDefWriter(archive);
    write_definitions(global);
    pj_otf2_good(OTF2_Archive_CloseGlobalDefWriter(archive, global));
    pj_otf2_good(OTF2_Archive_Close(archive));
}

/// What is written within MPI-I/O counts for that alone.
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
    pj_err err = {0};
    write_archive();
    pj_load_opts opts = {.no_replay = true, .ignore_summary = true};
    pj_auto_run run = device_trace_load_with(ANCHOR, opts, 1);
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    const pj_metric_set *set = pj_metric_set_by_key(PJ_S("bsc-2026"));
    pj_auto_metrics metrics = pj_metrics_new(set, study, (pj_metrics_opts){0}, &err);
    assert_non_null(metrics);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int at = pj_metric_row(set, pj_str_of(wanted[i].key));
        pj_metric_value got = pj_metrics_at(metrics, 0, (size_t)at);
        if (got.reason || fabs(got.value - wanted[i].value) > 1e-12)
            fail_msg("%s: %.17g %s", wanted[i].key, got.value, got.reason ? got.reason : "");
    }
    pj_otf2_writer_remove(ANCHOR);
}

/// What is written within MPI-I/O is told once; of the other rank's nothing is told.
static void calls_and_bytes_are_told(void **state)
{
    (void)state;
    write_archive();
    pj_load_opts opts = {.no_replay = true, .ignore_summary = true};
    pj_auto_run run = device_trace_load_with(ANCHOR, opts, 1);
    const pj_totals *t = run->totals;
    assert_int_equal(t[0].io_calls, 1);
    assert_int_equal(t[0].io_written_bytes, 4096);
    assert_int_equal(t[0].io_overlap_ns, 6);
    assert_int_equal(t[0].io_written_untold, 0);
    assert_int_equal(t[1].io_calls, 2);
    assert_int_equal(t[1].io_written_bytes, 100);
    assert_int_equal(t[1].io_written_untold, 1);
    pj_auto_table table = pj_run_table_stats(run);
    size_t at = (size_t)pj_table_column(table, PJ_S("io_bytes_written"));
    assert_int_equal(pj_table_cell(table, 0, at)->integer, 4096);
    assert_int_equal(pj_table_cell(table, 1, at)->kind, PJ_CELL_EMPTY);
    pj_otf2_writer_remove(ANCHOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(calls_and_bytes_are_told),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
