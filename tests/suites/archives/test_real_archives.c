// Archives of Score-P, eztrace and APEX against what other tools say about them: the number of
// events (otf2-print 3.0.2), the visits and times of the profile recorded with one of them, and the
// defects that each is known for.
#include "metrics/analyse/load.h"
#include "metrics/base/buf.h"
#include "metrics/pop/metrics.h"
#include "metrics/read/otf2/cut/otf2_cut.h"
#include "metrics/stat/query.h"
#include "tests/support/trace/archives.h"
#include "tests/support/trace/otf2_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define REAL PJ_SOURCE_DIR "/../shared/data/otf2/"

static bool is_absent(void)
{
    bool absent = access(REAL, R_OK) != 0;
    if (absent)
        print_message("skipped: %s is not there\n", REAL);
    return absent;
}

static pj_run *load(const char *name, pj_load_opts opts, unsigned workers)
{
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, REAL "%s", name);
    pj_err err = {0};
    pj_job job = {.workers = workers};
    pj_run *run = pj_load(path.at, opts, &job, &err);
    if (!run)
        fail_msg("%s: %s", name, err.text);
    return run;
}

static void same_totals(const pj_run *a, const pj_run *b)
{
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->end_ns, b->end_ns);
    assert_int_equal(a->layout.locations, b->layout.locations);
    assert_memory_equal(a->totals, b->totals, a->layout.locations * sizeof *a->totals);
    for (unsigned c = 0; c < 2; c++)
        assert_memory_equal(a->counters[c].useful, b->counters[c].useful,
                            a->layout.locations * sizeof *a->counters[c].useful);
}

/// Events of CPU threads, as otf2-print lists them.
static const struct {
    const char *name;
    uint64_t events;
} lengths[] = {
    {"eztrace-cg-4x1/eztrace_log.otf2", 9800},
    {"eztrace-heat-1x1/eztrace_log.otf2", 5298},
    {"eztrace-heat-2x1/eztrace_log.otf2", 10596},
    {"eztrace-heat-4x1/eztrace_log.otf2", 21192},
    {"eztrace-hybrid-2x2/eztrace_log.otf2", 7224},
    {"eztrace-hybrid-4x2/eztrace_log.otf2", 14448},
    {"eztrace-omp-0x1/eztrace_log.otf2", 986},
    {"eztrace-omp-0x2/eztrace_log.otf2", 1352},
    {"eztrace-omp-0x4/eztrace_log.otf2", 2084},
    {"eztrace-p2p-2x1/eztrace_log.otf2", 5268},
    {"fastotf2-mi300/traces.otf2", 86}, // of 72,666; the others are metrics
    {"pipit-ping-pong-otf2/traces.otf2", 120},
    {"pipit-ping-pong-otf2-papi/traces.otf2", 204},
    {"sstmacro-traces/traces.otf2", 22180},
    {"tracer-stencil4d-32/traces.otf2", 4324},
};

/// Plain records are passed over unless somebody asks for regions: both ways give the same.
static void totals_do_not_depend_on_the_way(void **state)
{
    (void)state;
    if (is_absent())
        skip();
    for (size_t i = 0; archives_real(i); i++) {
        pj_auto_run one = load(archives_real(i), (pj_load_opts){0}, 1);
        pj_auto_run three = load(archives_real(i), (pj_load_opts){0}, 3);
        pj_auto_run each = load(archives_real(i), (pj_load_opts){.regions = true}, 1);
        assert_string_equal(archives_real(i), lengths[i].name);
        assert_int_equal(one->events, lengths[i].events);
        same_totals(one, three);
        same_totals(one, each);
        assert_memory_equal(&one->import, &three->import, sizeof one->import);
        assert_memory_equal(&one->import, &each->import, sizeof one->import);
        assert_int_equal(one->ideal.available, three->ideal.available);
        assert_true(one->ideal.runtime_ns == three->ideal.runtime_ns);
    }
}

static void every_metric_has_a_value_or_a_reason(void **state)
{
    (void)state;
    if (is_absent())
        skip();
    for (size_t i = 0; archives_real(i); i++) {
        pj_auto_run run = load(archives_real(i), (pj_load_opts){0}, 2);
        const pj_metric_set *set;
        for (size_t s = 0; (set = pj_metric_set_at(s)); s++) {
            pj_err err = {0};
            pj_run *runs[] = {run};
            pj_auto_study study = pj_study_new(runs, 1, (pj_study_opts){0}, &err);
            pj_metrics *metrics = pj_metrics_new(set, study, (pj_metrics_opts){0}, &err);
            assert_non_null(metrics);
            pj_auto_table table = pj_metrics_table(metrics);
            assert_true(table->column_count > set->count);
            for (size_t c = table->column_count - set->count; c < table->column_count; c++) {
                const pj_cell *cell = pj_table_cell(table, 0, c);
                if (cell->kind == PJ_CELL_EMPTY)
                    assert_non_null(cell->text);
                else
                    assert_true(isfinite(pj_cell_number(*cell)));
            }
            pj_metrics_release(metrics);
        }
    }
}

/// What an archive is known for , by the row that shows it.
static void defects_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        pj_import_key key;
        uint64_t count;
    } defects[] = {
        {"eztrace-hybrid-2x2/eztrace_log.otf2", PJ_IMPORT_duplicate_definition, 203},
        {"eztrace-heat-4x1/eztrace_log.otf2", PJ_IMPORT_message_to_nobody, 1600},
        // As many as otf2-print warns of.
        {"eztrace-heat-4x1/eztrace_log.otf2", PJ_IMPORT_definition_order, 51},
        {"eztrace-omp-0x2/eztrace_log.otf2", PJ_IMPORT_definition_order, 65},
        {"eztrace-hybrid-4x2/eztrace_log.otf2", PJ_IMPORT_definition_order, 897},
        {"eztrace-hybrid-4x2/eztrace_log.otf2", PJ_IMPORT_nameless_definition, 0},
        {"sstmacro-traces/traces.otf2", PJ_IMPORT_definition_order, 0},
        {"sstmacro-traces/traces.otf2", PJ_IMPORT_nameless_definition, 13},
        {"fastotf2-mi300/traces.otf2", PJ_IMPORT_definition_order, 0},
        {"fastotf2-mi300/traces.otf2", PJ_IMPORT_nameless_definition, 28},
        {"eztrace-heat-2x1/eztrace_log.otf2", PJ_IMPORT_receive_inferred, 400},
        // All that otf2-print shows, but for those to nobody.
        {"eztrace-heat-4x1/eztrace_log.otf2", PJ_IMPORT_receive_inferred, 1600},
        {"eztrace-heat-4x1/eztrace_log.otf2", PJ_IMPORT_message_not_received, 0},
        {"eztrace-heat-2x1/eztrace_log.otf2", PJ_IMPORT_event_number, 2},
        {"eztrace-heat-2x1/eztrace_log.otf2", PJ_IMPORT_outside_clock, 2},
        {"eztrace-cg-4x1/eztrace_log.otf2", PJ_IMPORT_wrong_nesting, 3},
        {"eztrace-p2p-2x1/eztrace_log.otf2", PJ_IMPORT_collective_not_ended, 10},
        {"fastotf2-mi300/traces.otf2", PJ_IMPORT_unknown_role, 0},
        {"fastotf2-mi300/traces.otf2", PJ_IMPORT_metric_location, 29},
        {"fastotf2-mi300/traces.otf2", PJ_IMPORT_metric_apart, 60},
        {"tracer-stencil4d-32/traces.otf2", PJ_IMPORT_measurement_off, 64},
        {"tracer-stencil4d-32/traces.otf2", PJ_IMPORT_wrong_nesting, 2},
        {"tracer-stencil4d-32/traces.otf2", PJ_IMPORT_region_not_left, 2},
        {"sstmacro-traces/traces.otf2", PJ_IMPORT_wrong_nesting, 0},
        {"sstmacro-traces/traces.otf2", PJ_IMPORT_message_not_received, 0},
    };
    if (is_absent())
        skip();
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        pj_auto_run run = load(defects[i].name, (pj_load_opts){0}, 2);
        if (run->import.count[defects[i].key] != defects[i].count)
            fail_msg("%s: %s: %llu", defects[i].name, pj_import_at(defects[i].key)->key,
                     (unsigned long long)run->import.count[defects[i].key]);
    }
}

// The profile of the same run: a tar file; 0.data are visits, 1.data times in seconds, one row of
// ten ranks for each call path.

enum { PATHS = 21, RANKS = 10, BLOCK = 512, CUBE_HEAD = 10 };

/// Members of a tar file: a block with name and octal size, then the bytes in whole blocks.
static bool read_member(const char *wanted, char *bytes, size_t size)
{
    char head[BLOCK];
    FILE *file = fopen(REAL "sstmacro-traces/profile.cubex", "rb");
    assert_non_null(file);
    bool found = false;
    while (!found && fread(head, 1, BLOCK, file) == BLOCK && head[0]) {
        size_t length = strtoul(head + 124, NULL, 8);
        found = strcmp(head, wanted) == 0;
        if (found)
            assert_int_equal(fread(bytes, 1, size, file), size);
        else
            assert_int_equal(fseek(file, (long)((length + BLOCK - 1) / BLOCK * BLOCK), SEEK_CUR),
                             0);
    }
    fclose(file);
    return found;
}

/// Call paths in the order of the profile; all lie at the top.
static const char *const paths[PATHS] = {
    "MPI_Initialized", "MPI_Init",       "MPI_Comm_rank", "MPI_Comm_size",  "MPI_Isend",
    "MPI_Irecv",       "MPI_Waitall",    "MPI_Gather",    "MPI_Scatter",    "MPI_Reduce",
    "MPI_Bcast",       "MPI_Allgather",  "MPI_Alltoall",  "MPI_Allreduce",  "MPI_Iallgather",
    "MPI_Ialltoall",   "MPI_Iallreduce", "MPI_Wait",      "MPI_Comm_split", "MPI_Comm_free",
    "MPI_Finalize"};

static pj_table *count_visits(void)
{
    static const pj_str keys[] = {{"type", 4}, {"rank", 4}};
    static const pj_query_fold folds[] = {{PJ_FOLD_COUNT, {0}}, {PJ_FOLD_SUM, {"duration_ns", 11}}};
    pj_err err = {0};
    pj_query *query = pj_query_new(
        (pj_query_opts){
            .type = "call", .keys = keys, .key_count = 2, .folds = folds, .fold_count = 2},
        &err);
    assert_non_null(query);
    pj_sink sink = pj_query_sink(query);
    pj_load_opts opts = {.no_replay = true,
                         .listeners = &sink,
                         .listener_count = 1,
                         .in_order = true,
                         .regions = true};
    pj_auto_run run = load("sstmacro-traces/traces.otf2", opts, 2);
    assert_int_equal(run->layout.ranks, RANKS);
    pj_table *table = pj_query_table(query);
    pj_query_free(query);
    return table;
}

static void visits_and_times_are_those_of_the_profile(void **state)
{
    (void)state;
    if (is_absent())
        skip();
    static char visit_bytes[CUBE_HEAD + 8 * PATHS * RANKS];
    static char time_bytes[CUBE_HEAD + 8 * PATHS * RANKS];
    assert_true(read_member("0.data", visit_bytes, sizeof visit_bytes));
    assert_true(read_member("1.data", time_bytes, sizeof time_bytes));
    pj_auto_table table = count_visits();
    assert_int_equal(table->row_count, PATHS * RANKS);
    for (size_t i = 0; i < table->row_count; i++) {
        const pj_cell *cells = pj_table_cell(table, i, 0);
        size_t path = 0;
        while (path < PATHS && strcmp(paths[path], cells[0].text) != 0)
            path++;
        assert_true(path < PATHS);
        size_t at = CUBE_HEAD + 8 * (path * RANKS + (size_t)cells[1].integer);
        uint64_t visits;
        double seconds;
        memcpy(&visits, visit_bytes + at, sizeof visits);
        memcpy(&seconds, time_bytes + at, sizeof seconds);
        assert_int_equal(cells[2].integer, visits);
        const double relative = 2.9e-5, tick = 1e-9;
        double ours = (double)cells[3].integer * 1e-9;
        if (fabs(ours - seconds) > relative * seconds + tick * (double)visits)
            fail_msg("%s of rank %d: %.9f s, not %.9f s", cells[0].text, (int)cells[1].integer,
                     ours, seconds);
    }
}

/// Clocks of eztrace: repaired, with the violations before and after in a remark.
static void clocks_are_repaired_with_account(void **state)
{
    (void)state;
    static const char *const archives[] = {
        "eztrace-cg-4x1/eztrace_log.otf2", "eztrace-heat-4x1/eztrace_log.otf2",
        "eztrace-hybrid-4x2/eztrace_log.otf2", "eztrace-p2p-2x1/eztrace_log.otf2"};
    if (is_absent())
        skip();
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        pj_auto_run run = load(archives[i], (pj_load_opts){0}, 2);
        pj_auto_run raw = load(archives[i], (pj_load_opts){.raw_clock = true}, 2);
        bool told = false, warned = false;
        for (size_t r = 0; r < run->remarks.count; r++)
            told |= strstr(run->remarks.items[r].text, "after it 0 and 0") != NULL;
        for (size_t r = 0; r < raw->remarks.count; r++)
            warned |= strstr(raw->remarks.items[r].text, "the clocks contradict") != NULL;
        assert_true(told && warned);
        for (uint32_t l = 0; l < run->layout.locations; l++) {
            uint64_t a = run->totals[l].useful_ns, b = raw->totals[l].useful_ns;
            assert_true(a == b);
        }
    }
}

#define PART PJ_BINARY_DIR "/cut_of_real"
#define EARLY_REDUCE "../reference/causes/scenarios_otf2/s06_early_reduce/traces.otf2"

/// A part of an archive, read as a whole trace.
static pj_run *load_part(const char *name, pj_load_opts opts)
{
    pj_otf2_cut *cut = pj_otf2_cut_new();
    pj_sink sink = pj_otf2_cut_sink(cut);
    opts.listeners = &sink;
    opts.listener_count = 1;
    opts.in_order = true;
    opts.no_replay = true;
    pj_auto_run run = load(name, opts, 1);
    pj_otf2_copied copied;
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_otf2_writer_remove(PART ".otf2");
    if (!pj_otf2_cut_write(cut, run, PART ".otf2", &job, &copied, &err))
        fail_msg("%s: %s", name, err.text);
    pj_otf2_cut_free(cut);
    pj_run *part = pj_load(
        PART ".otf2",
        (pj_load_opts){
            .roi = {.kind = PJ_ROI_RANGE, .to = 100, .from_percent = true, .to_percent = true}},
        &job, &err);
    if (!part)
        fail_msg("part of %s: %s", name, err.text);
    pj_otf2_writer_remove(PART ".otf2");
    return part;
}

/// Ranks that begin behind a border, clocks that were shifted there, collectives that one rank has
/// left at a border and another not.
static void parts_are_as_long_and_can_be_replayed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double from, to; // percent
    } parts[] = {{"eztrace-cg-4x1/eztrace_log.otf2", 33.3, 71.9},
                 {"eztrace-cg-4x1/eztrace_log.otf2", 47, 48.5},
                 {"eztrace-hybrid-2x2/eztrace_log.otf2", 10, 37},
                 {"eztrace-hybrid-2x2/eztrace_log.otf2", 33.3, 71.9},
                 {"eztrace-p2p-2x1/eztrace_log.otf2", 0, 50},
                 {"eztrace-p2p-2x1/eztrace_log.otf2", 10, 37},
                 {"eztrace-p2p-2x1/eztrace_log.otf2", 47, 48.5},
                 {EARLY_REDUCE, 0, 50},
                 {EARLY_REDUCE, 33.3, 71.9}};
    if (is_absent())
        skip();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        pj_load_opts opts = {.roi = {.kind = PJ_ROI_RANGE,
                                     .from = parts[i].from,
                                     .to = parts[i].to,
                                     .from_percent = true,
                                     .to_percent = true}};
        pj_auto_run whole = load(parts[i].name, opts, 1);
        pj_auto_run part = load_part(parts[i].name, opts);
        assert_int_equal(whole->runtime_ns, part->runtime_ns);
        assert_int_equal(whole->layout.locations, part->layout.locations);
        for (uint32_t l = 0; l < whole->layout.locations; l++) {
            assert_int_equal(whole->totals[l].useful_ns, part->totals[l].useful_ns);
            assert_int_equal(whole->totals[l].outside_mpi_ns, part->totals[l].outside_mpi_ns);
        }
        if (!part->ideal.available)
            fail_msg("part %zu: %s", i, part->ideal.reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_do_not_depend_on_the_way),
        cmocka_unit_test(every_metric_has_a_value_or_a_reason),
        cmocka_unit_test(defects_are_counted),
        cmocka_unit_test(visits_and_times_are_those_of_the_profile),
        cmocka_unit_test(clocks_are_repaired_with_account),
        cmocka_unit_test(parts_are_as_long_and_can_be_replayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
