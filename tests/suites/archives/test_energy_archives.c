// Energy of archives: one that is made here, whose parts are known, and the real one of two GPUs.
#include "metrics/analyse/load.h"
#include "metrics/analyse/summarise.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/energy.h"
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
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"
#define ARCHIVE "energy_archive"
#define ANCHOR PJ_BINARY_DIR "/" ARCHIVE ".otf2"
#define SECOND UINT64_C(1000000000)

enum { THREAD, COUNTER, POWER, PACKAGE, EARLY, ACROSS, ONCE, NEVER, LOCATIONS };
enum { READINGS = 3, UNITS = LOCATIONS - 1 }; // texts of units stand behind the names of meters

/// What each recorder reads, and when, in half seconds of the run, which lasts from 0 to 4.
static const struct {
    unsigned count;
    double value[READINGS];
    int at[READINGS];
} recorders[LOCATIONS] = {
    [COUNTER] = {3, {0, 210, 460}, {0, 2, 4}}, [POWER] = {3, {100, 300, 200}, {0, 2, 4}},
    [PACKAGE] = {3, {0, 40, 70}, {0, 2, 4}},   [EARLY] = {3, {5, 7, 9}, {-2, 0, 2}},
    [ACROSS] = {3, {0, 20, 80}, {-1, 3, 7}}, // both borders of the run lie between two readings
    [ONCE] = {1, {50, 0, 0}, {2, 0, 0}},
};

static unsigned define_locations(OTF2_GlobalDefWriter *out)
{
    pj_otf2_good(
        OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, 1, 2, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 1, 3, 4, 0));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteLocationGroup(
        out, 0, 5, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint64_t i = 0; i < LOCATIONS; i++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteLocation(
            out, i, 5, i ? OTF2_LOCATION_TYPE_METRIC : OTF2_LOCATION_TYPE_CPU_THREAD, i ? 3 : 4,
            0));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteRegion(out, 0, 5, 5, 0, OTF2_REGION_ROLE_FUNCTION,
                                                  OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE, 0,
                                                  0, 0));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteRegion(out, 1, 6, 6, 0, OTF2_REGION_ROLE_BARRIER,
                                                  OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, 0, 0,
                                                  0));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteRegion(out, 2, 13, 13, 0, OTF2_REGION_ROLE_CODE,
                                                  OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0,
                                                  0));
    return 7; // the next text
}

/// Class and instance of each meter: of the node, and of a socket below it.
static void define_metrics(OTF2_GlobalDefWriter *out, unsigned text)
{
    for (unsigned i = COUNTER; i < LOCATIONS; i++) {
        OTF2_MetricMemberRef member = i;
        pj_otf2_good(OTF2_GlobalDefWriter_WriteMetricMember(
            out, i, text + i - 1, 0, OTF2_METRIC_TYPE_OTHER,
            i == POWER ? OTF2_METRIC_ABSOLUTE_LAST : OTF2_METRIC_ACCUMULATED_START,
            OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, i == POWER ? text + UNITS + 1 : text + UNITS));
        pj_otf2_good(OTF2_GlobalDefWriter_WriteMetricClass(
            out, 2 * i, 1, &member, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT));
        pj_otf2_good(OTF2_GlobalDefWriter_WriteMetricInstance(out, 2 * i + 1, 2 * i, i,
                                                              OTF2_SCOPE_SYSTEM_TREE_NODE,
                                                              i == COUNTER || i == POWER ? 0 : 1));
    }
}

static void write_definitions(OTF2_GlobalDefWriter *out)
{
    static const char *const texts[] = {"",
                                        "node1",
                                        "node",
                                        "socket 0",
                                        "socket",
                                        "main",
                                        "MPI_Barrier",
                                        "pm_counters:::energy",
                                        "pm_counters:::power",
                                        "rapl:::PACKAGE_ENERGY:PACKAGE0",
                                        "rapl:::PACKAGE_ENERGY:PACKAGE1",
                                        "rapl:::PACKAGE_ENERGY:PACKAGE2",
                                        "rapl:::PACKAGE_ENERGY:PACKAGE3",
                                        "rapl:::PACKAGE_ENERGY:PACKAGE4",
                                        "J",
                                        "W",
                                        "solve"};
    pj_otf2_good(OTF2_GlobalDefWriter_WriteClockProperties(out, SECOND, SECOND, 2 * SECOND,
                                                           OTF2_UNDEFINED_TIMESTAMP));
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteString(out, i, texts[i]));
    define_metrics(out, define_locations(out));
}

/// Idle for `idle` ns, computes until 1.5 s, waits for 0.5 s; the run begins at 1 s of its clock.
static void write_events(OTF2_EvtWriter *events, uint64_t location, uint64_t idle)
{
    if (location == THREAD) {
        pj_otf2_good(OTF2_EvtWriter_Enter(events, NULL, SECOND, 0));
        if (idle) {
            pj_otf2_good(
                OTF2_EvtWriter_MeasurementOnOff(events, NULL, SECOND, OTF2_MEASUREMENT_OFF));
            pj_otf2_good(
                OTF2_EvtWriter_MeasurementOnOff(events, NULL, SECOND + idle, OTF2_MEASUREMENT_ON));
        }
        pj_otf2_good(OTF2_EvtWriter_Enter(events, NULL, 2 * SECOND, 2));
        pj_otf2_good(OTF2_EvtWriter_Leave(events, NULL, 9 * SECOND / 4, 2));
        pj_otf2_good(OTF2_EvtWriter_Enter(events, NULL, 5 * SECOND / 2, 1));
        pj_otf2_good(OTF2_EvtWriter_Leave(events, NULL, 3 * SECOND, 1));
        pj_otf2_good(OTF2_EvtWriter_Leave(events, NULL, 3 * SECOND, 0));
        return;
    }
    OTF2_Type type = OTF2_TYPE_DOUBLE;
    for (unsigned i = 0; i < recorders[location].count; i++) {
        OTF2_MetricValue value = {.floating_point = recorders[location].value[i]};
        uint64_t time = (uint64_t)(recorders[location].at[i] + 2) * SECOND / 2;
        pj_otf2_good(OTF2_EvtWriter_Metric(events, NULL, time, (OTF2_MetricRef)(2 * location + 1),
                                           1, &type, &value));
    }
}

static void write_archive_of(uint64_t idle)
{
    pj_otf2_writer_remove(ANCHOR);
    OTF2_Archive *archive = OTF2_Archive_Open(PJ_BINARY_DIR, ARCHIVE, OTF2_FILEMODE_WRITE, 1 << 20,
                                              1 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    pj_otf2_good(OTF2_Archive_SetFlushCallbacks(archive, &pj_otf2_flush, NULL));
    pj_otf2_good(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    pj_otf2_good(OTF2_Archive_OpenEvtFiles(archive));
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, i);
        write_events(events, i, idle);
        pj_otf2_good(OTF2_Archive_CloseEvtWriter(archive, events));
    }
    pj_otf2_good(OTF2_Archive_CloseEvtFiles(archive));
    pj_otf2_good(OTF2_Archive_OpenDefFiles(archive));
    for (uint64_t i = 0; i < LOCATIONS; i++)
        pj_otf2_good(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i)));
    pj_otf2_good(OTF2_Archive_CloseDefFiles(archive));
    OTF2_GlobalDefWriter *global = OTF2_Archive_GetGlobalDefWriter(archive);
    write_definitions(global);
    pj_otf2_good(OTF2_Archive_CloseGlobalDefWriter(archive, global));
    pj_otf2_good(OTF2_Archive_Close(archive));
}

static void write_archive(void)
{
    write_archive_of(0);
}

static pj_run *load(const char *path, bool energy, unsigned workers)
{
    pj_load_opts opts = {
        .no_replay = true, .ignore_summary = true, .aspects = energy ? PJ_WANT(energy) : 0};
    return device_trace_load_with(path, opts, workers);
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

static void meters_of_an_archive(void **state)
{
    (void)state;
    write_archive();
    for (unsigned workers = 1; workers <= 4; workers += 3) {
        pj_auto_run run = load(ANCHOR, true, workers);
        const pj_energy *energy = run->energy;
        assert_int_equal(run->end_ns, 2 * SECOND);
        assert_int_equal(energy->count, LOCATIONS - 1);
        assert_true(near(energy->joules, 460));
        assert_true(near(pj_energy_joules(&energy->rows[0]), 460));
        assert_true(near(pj_energy_joules(&energy->rows[1]), 500));
        assert_true(near(pj_energy_joules(&energy->rows[2]), 70));
        assert_true(
            near(pj_energy_joules(&energy->rows[3]), 2)); // what lies before the run is not its
        assert_true(near(pj_energy_joules(&energy->rows[4]), 15 + 15)); // a part of 2 s each
        assert_int_equal(energy->rows[4].reading.covered_ns, 2 * SECOND);
        for (unsigned i = 5; i < 7; i++) {
            assert_true(isnan(pj_energy_joules(&energy->rows[i])));
            assert_string_equal(energy->rows[i].apart, "it has no two readings");
        }
        assert_string_equal(energy->rows[1].apart, "its counter counts");
        assert_string_equal(energy->rows[2].apart, "the node holds it");
        assert_string_equal(energy->rows[2].meter.scope, "node1");
        assert_true(near(energy->states[PJ_ENERGY_USEFUL], 210 + 125));
        assert_true(near(energy->states[PJ_ENERGY_MPI], 125));
        assert_true(near(energy->states[PJ_ENERGY_IDLE], 0));
    }
    pj_otf2_writer_remove(ANCHOR);
}

static void expect_row(const pj_metrics *metrics, const char *key, double value)
{
    int at = pj_metric_row(metrics->set, pj_str_of(key));
    pj_metric_value got = pj_metrics_at(metrics, 0, (size_t)at);
    if (got.reason || !near(got.value, value))
        fail_msg("%s: %g, %s", key, got.value, got.reason ? got.reason : "");
}

static bool remarks(const pj_metrics *metrics, const char *words)
{
    for (size_t i = 0; i < metrics->remark_count; i++)
        if (strstr(metrics->remarks[i].text, words))
            return true;
    return false;
}

static pj_metrics *energy_rows(pj_run *run)
{
    pj_err err = {0};
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    pj_metrics *metrics =
        pj_metrics_new(pj_metric_set_by_key(PJ_S("energy")), study, (pj_metrics_opts){0}, &err);
    assert_non_null(metrics);
    return metrics;
}

/// By hand: 0, 210, 460 J at 0, 1, 2 s, of which idle 0 to 0.5, useful to 1.5, waiting to 2 s.
static void rows_by_hand(void **state)
{
    (void)state;
    write_archive_of(SECOND / 2);
    pj_auto_run run = load(ANCHOR, true, 1);
    pj_auto_metrics metrics = energy_rows(run);
    expect_row(metrics, "energy_j", 460);
    expect_row(metrics, "mean_power_w", 230);
    expect_row(metrics, "energy_useful_j", 230);
    expect_row(metrics, "energy_transfer_j", 0);
    expect_row(metrics, "energy_wait_j", 125);
    expect_row(metrics, "energy_idle_j", 105);
    expect_row(metrics, "energy_useful_share", 0.5);
    expect_row(metrics, "edp_js", 460 * 1.5); // nothing runs before
    int steps = pj_metric_row(metrics->set, PJ_S("energy_per_step_j"));
    assert_string_equal(pj_metrics_at(metrics, 0, (size_t)steps).reason,
                        "no iterations are known of the whole run");
    assert_true(remarks(metrics, "energy is shared by time; sampled every 1000.0 ms: "));
    pj_otf2_writer_remove(ANCHOR);
}

/// "solve" lasts from 1 to 1.25 s, a quarter of an interval of 250 J; all else is in "main".
static void regions_by_hand(void **state)
{
    (void)state;
    write_archive_of(SECOND / 2);
    pj_load_opts opts = {.no_replay = true,
                         .ignore_summary = true,
                         .aspects = PJ_WANT(energy) | PJ_WANT(energy_regions)};
    pj_auto_run run = device_trace_load_with(ANCHOR, opts, 1);
    pj_auto_table table = pj_energy_regions_table(run, 0);
    double sum = 0;
    for (size_t i = 0; i < table->row_count; i++)
        sum += pj_table_cell(table, i, 1)->real;
    assert_int_equal(table->row_count, 2);
    for (size_t i = 0; i < table->row_count; i++) {
        bool main = strcmp(pj_table_cell(table, i, 0)->text, "main") == 0;
        assert_true(near(pj_table_cell(table, i, 1)->real, main ? 397.5 : 62.5));
    }
    assert_true(near(sum, 460));
    pj_otf2_writer_remove(ANCHOR);
}

static void a_run_without_meters_says_why(void **state)
{
    (void)state;
    pj_auto_run run = load(PJ_SOURCE_DIR "/tests/samples/otf2/devices.otf2", true, 1);
    pj_auto_metrics metrics = energy_rows(run);
    assert_string_equal(pj_metrics_at(metrics, 0, 0).reason,
                        "no metrics of energy or power are known of this run");
}

/// Counters of sockets that each thread reads for itself.
static void counters_of_threads_are_said(void **state)
{
    (void)state;
    device_trace_put("run.pcf", "EVENT_TYPE\n7 42000050 PAPI_TOT_INS\n7 42001000 "
                                "rapl:::PACKAGE_ENERGY:PACKAGE0 [energy]\n7 50 energy of mine\n");
    device_trace_put("run.prv", "#Paraver (01/01/2026 at 00:00):100_ns:1(1):1:1(1:1)\n"
                                "1:1:1:1:1:0:100:1\n2:1:1:1:1:50:42001000:5\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    assert_int_equal(run->meters.count, 0);
    assert_int_equal(run->meters.left_out, 1);
    assert_string_equal(pj_energy_lack(run),
                        "threads record its metrics of energy or power, which are not read");
    device_trace_remove();
}

/// Nobody else sees anything of the meters.
static void the_run_is_the_same_without(void **state)
{
    (void)state;
    write_archive();
    pj_auto_run plain = load(ANCHOR, false, 1);
    pj_auto_run metered = load(ANCHOR, true, 1);
    assert_null(plain->energy);
    assert_int_equal(plain->events, metered->events);
    assert_int_equal(plain->end_ns, metered->end_ns);
    assert_memory_equal(plain->totals, metered->totals, sizeof *plain->totals);
    assert_memory_equal(&plain->import, &metered->import, sizeof plain->import);
    pj_otf2_writer_remove(ANCHOR);
}

static void a_trace_without_meters_has_no_rows(void **state)
{
    (void)state;
    pj_auto_run run = load(PJ_SOURCE_DIR "/tests/samples/otf2/devices.otf2", true, 1);
    assert_null(run->energy);
    pj_auto_table table = pj_energy_table(run, 0);
    assert_int_equal(table->row_count, 0);
    assert_string_equal(table->note, "The trace has no metrics of energy or power.");
}

static void tables_outlive_their_run(void **state)
{
    (void)state;
    write_archive();
    pj_run *run = load(ANCHOR, true, 1);
    pj_auto_table table = pj_energy_table(run, 0);
    pj_run_release(run);
    size_t texts = 0;
    for (size_t i = 0; i < table->row_count; i++)
        for (size_t c = 0; c < table->column_count; c++) {
            const pj_cell *cell = pj_table_cell(table, i, c);
            bool text = cell->kind == PJ_CELL_TEXT || cell->kind == PJ_CELL_EMPTY;
            texts += text && cell->text && strlen(cell->text) > 0;
        }
    assert_true(texts > 0);
    assert_string_equal(pj_table_cell(table, 0, 2)->text, "pm_counters:::energy");
    pj_otf2_writer_remove(ANCHOR);
}

static void a_summary_says_that_it_has_none(void **state)
{
    (void)state;
    write_archive();
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_auto_run run = NULL;
    if (!pj_summarise(ANCHOR, folder_file("run.json"), (pj_load_opts){0}, &job, &run, &err))
        fail_msg("%s", err.text);
    pj_load_opts opts = {.no_replay = true, .aspects = PJ_WANT(energy)};
    pj_auto_run summary = pj_load(folder_file("run.json"), opts, &job, &err);
    assert_null(summary);
    assert_int_equal(err.code, PJ_E_MISSING);
    assert_non_null(strstr(err.text, "does not say how much energy was used; give its trace"));
    device_trace_remove();
    pj_otf2_writer_remove(ANCHOR);
}

/// Four devices under two sources: the counters to the digit, and nothing twice.
static void a_real_archive(void **state)
{
    (void)state;
    const char *path = DATA "otf2/fastotf2-mi300/traces.otf2";
    if (access(path, F_OK) != 0) {
        print_message("data/otf2/fastotf2-mi300 is not there\n");
        skip();
    }
    static const struct {
        const char *name;
        double joules, deviation;
    } rows[] = {
        {"A2rocm_smi:::energy_count:device=0", 2237.380365, NAN},
        {"A2rocm_smi:::energy_count:device=1", 1874.190017, NAN},
        {"A2rocm_smi:::energy_count:device=2", 881.594227, NAN},
        {"A2rocm_smi:::energy_count:device=3", 904.416717, NAN},
        {"A2rocm_smi:::current_socket_power:device=0", 2232.10, -0.0024},
        {"A2rocm_smi:::current_socket_power:device=1", 1816.89, -0.0306},
        {"A2rocm_smi:::current_socket_power:device=2", 879.11, -0.0028},
        {"A2rocm_smi:::current_socket_power:device=3", 902.18, -0.0025},
        {"A2coretemp:::hwmon2:power1_input", 2233.50, 0.0006},
        {"A2coretemp:::hwmon3:power1_input", 1821.16, 0.0024},
        {"A2coretemp:::hwmon4:power1_input", 880.19, 0.0012},
        {"A2coretemp:::hwmon5:power1_input", 903.30, 0.0013},
    };
    pj_auto_run run = load(path, true, 2);
    pj_auto_table table = pj_energy_table(run, 0);
    size_t source = (size_t)pj_table_column(table, PJ_S("source")),
           joules = (size_t)pj_table_column(table, PJ_S("energy_j")),
           deviation = (size_t)pj_table_column(table, PJ_S("deviation")), found = 0;
    assert_int_equal(table->row_count, sizeof rows / sizeof *rows);
    assert_string_equal(run->energy->rows[0].meter.scope, "faraday.ftpn.ornl.gov");
    for (size_t i = 0; i < table->row_count; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            if (strcmp(pj_table_cell(table, i, source)->text, rows[k].name) != 0)
                continue;
            bool counter = isnan(rows[k].deviation);
            double value = pj_table_cell(table, i, joules)->real, apart = value - rows[k].joules;
            found++;
            assert_true(fabs(apart) < (counter ? 1e-12 : 0.005));
            assert_int_equal(run->energy->rows[i].counted, counter);
            if (!counter)
                assert_true(fabs(pj_table_cell(table, i, deviation)->real - rows[k].deviation) <
                            0.00005);
            const pj_energy_row *row = &run->energy->rows[i];
            double sum = 0;
            for (unsigned s = 0; s < PJ_ENERGY_STATES; s++)
                sum += row->reading.states[s];
            assert_true(fabs(sum - row->reading.sum) <= 1e-12 * sum);
        }
    assert_int_equal(found, table->row_count);
    assert_true(near(run->energy->joules, 5897.581326));
    pj_auto_metrics metrics = energy_rows(run);
    double parts = 0;
    for (size_t row = 2; row < 6; row++) // by state
        parts += pj_metrics_at(metrics, 0, row).value;
    expect_row(metrics, "energy_j", 5897.581326);
    assert_true(near(parts, 5897.581326));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meters_of_an_archive),
        cmocka_unit_test(rows_by_hand),
        cmocka_unit_test(regions_by_hand),
        cmocka_unit_test(a_run_without_meters_says_why),
        cmocka_unit_test(counters_of_threads_are_said),
        cmocka_unit_test(the_run_is_the_same_without),
        cmocka_unit_test(a_trace_without_meters_has_no_rows),
        cmocka_unit_test(tables_outlive_their_run),
        cmocka_unit_test(a_summary_says_that_it_has_none),
        cmocka_unit_test(a_real_archive),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
