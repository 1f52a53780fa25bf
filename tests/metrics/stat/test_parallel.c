// OpenMP regions: the reference tables, the modelled application, and traces with known answers.
#include "metrics/base/file.h"
#include "metrics/base/num.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/run/regions_table.h"
#include "metrics/stat/parallel.h"
#include "metrics/stat/useful.h"
#include "tests/support/trace/model_app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/"
#define TRACES PJ_SOURCE_DIR "/../shared/data/paraver/imagemagick/"

/// The regions of a trace, of a file when `text` is NULL.
static pj_run *read_regions(const char *path, const pj_buf *text, unsigned workers, pj_roi roi)
{
    pj_run *run = pj_run_new(path);
    run->roi = roi;
    pj_job job = {.workers = workers};
    pj_sink sinks[] = {pj_useful_sink(), pj_parallel_sink()};
    pj_pass pass = {.run = run, .sinks = sinks, .sink_count = 2, .job = &job};
    pj_err err = {.code = PJ_E_NONE};
    bool ok = text ? pj_read_memory(path, pj_buf_str(text), &pass, &err)
                   : pj_read_file(path, &pass, &err);
    assert_true(ok);
    sinks[0].close(sinks[0].self);
    sinks[1].close(sinks[1].self);
    free(pass.disorder);
    return run;
}

static pj_table *table_of(const pj_run *run, pj_regions_by by)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_table *table = pj_regions_table(run, by, &err);
    assert_non_null(table);
    return table;
}

static double number_at(const pj_table *table, size_t row, const char *key)
{
    int column = pj_table_column(table, pj_str_of(key));
    assert_true(column >= 0);
    return pj_cell_number(*pj_table_cell(table, row, (size_t)column));
}

static const char *text_at(const pj_table *table, size_t row, const char *key)
{
    int column = pj_table_column(table, pj_str_of(key));
    assert_true(column >= 0);
    const pj_cell *cell = pj_table_cell(table, row, (size_t)column);
    return cell->kind == PJ_CELL_TEXT ? cell->text : NULL;
}

// Reference

/// A field of a line of CSV; quoted ones lose their quotes.
static pj_str cut_field(pj_str *line)
{
    bool quoted = line->len && line->at[0] == '"';
    if (!quoted)
        return pj_str_cut(line, ',');
    *line = pj_str_from(*line, 1);
    pj_str field = pj_str_cut(line, '"');
    if (line->len)
        *line = pj_str_from(*line, 1);
    return field;
}

static double cut_number(pj_str *line)
{
    double value;
    assert_true(pj_parse_double(cut_field(line), &value));
    return value;
}

/// The reference cuts the mean of each thread to whole ns.
static void expect_close(double got, double want, double slack)
{
    if (fabs(got - want) > slack)
        fail_msg("%.17g is not %.17g", got, want);
}

static void compare_instances(unsigned threads, const pj_table *table)
{
    static const char *const whole[] = {"start_ns", "end_ns", "length_ns"};
    static const char *const cut[] = {"mean_ns", "max_ns", "delay_ns", "total_ns",
                                      "region_delay_ns"};
    char path[256];
    snprintf(path, sizeof path, REFERENCE "regions_omp%u.csv", threads);
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_file_read(path, &text, NULL));
    pj_str rest = pj_buf_str(&text);
    pj_str_cut(&rest, '\n');
    size_t row = 0;
    for (; rest.len; row++) {
        pj_str line = pj_str_cut(&rest, '\n');
        expect_close(number_at(table, row, "rank"), cut_number(&line) - 1, 0);
        expect_close(number_at(table, row, "region"), cut_number(&line), 0);
        cut_field(&line);
        double length = number_at(table, row, "length_ns");
        for (size_t i = 0; i < 3; i++)
            expect_close(number_at(table, row, whole[i]), cut_number(&line), 0);
        expect_close(number_at(table, row, "load_balance"), cut_number(&line), threads / length);
        expect_close(number_at(table, row, "parallel_efficiency"), cut_number(&line),
                     threads / length);
        for (size_t i = 0; i < 5; i++)
            expect_close(number_at(table, row, cut[i]), cut_number(&line), threads);
        assert_true(pj_str_equal(pj_str_of(text_at(table, row, "function")), cut_field(&line)));
        assert_true(pj_str_equal(pj_str_of(text_at(table, row, "location")), cut_field(&line)));
    }
    assert_int_equal(row, table->row_count);
    assert_int_equal(row, 2);
}

static void compare_sums(unsigned threads, const pj_table *table)
{
    static const struct {
        const char *key;
        bool ratio;
    } columns[] = {{"instances", false},          {"inefficiency", true}, {"imbalance", true},
                   {"parallel_efficiency", true}, {"load_balance", true}, {"region_ns", false},
                   {"computation_ns", false},     {"mean_ns", false},     {"max_ns", false}};
    char path[256];
    snprintf(path, sizeof path, REFERENCE "regionsummary_omp%u.csv", threads);
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_file_read(path, &text, NULL));
    pj_str rest = pj_buf_str(&text);
    pj_str_cut(&rest, '\n');
    size_t found = 0;
    while (rest.len) {
        pj_str line = pj_str_cut(&rest, '\n'), name = cut_field(&line);
        for (size_t row = 0; row < table->row_count; row++) {
            if (!pj_str_equal(pj_str_of(text_at(table, row, "function")), name))
                continue;
            found++;
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
                double want = cut_number(&line);
                expect_close(number_at(table, row, columns[c].key), want,
                             columns[c].ratio ? 1e-8 : threads);
            }
            break;
        }
    }
    assert_int_equal(found, 2);
    assert_int_equal(table->row_count, 2);
    assert_true(number_at(table, 0, "inefficiency") >= number_at(table, 1, "inefficiency"));
}

static void regions_equal_the_reference(void **state)
{
    (void)state;
    if (access(TRACES "omp1.prv.gz", R_OK) != 0) {
        print_message("../shared/data is not here\n");
        skip();
    }
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        char path[256];
        snprintf(path, sizeof path, TRACES "omp%u.prv.gz", threads);
        pj_auto_run run = read_regions(path, NULL, threads, (pj_roi){.set = false});
        pj_auto_table each = table_of(run, PJ_REGIONS_EACH);
        compare_instances(threads, each);
        pj_auto_table sums = table_of(run, PJ_REGIONS_FUNCTION);
        compare_sums(threads, sums);
        pj_auto_table lines = table_of(run, PJ_REGIONS_LOCATION);
        assert_int_equal(lines->row_count, 2);
    }
}

// Model

static const pj_model_app model = {
    .ranks = 3,
    .threads = 4,
    .iterations = 40,
    .openmp = true,
    .shifting = 0.07,
    .thread_imbalance = 0.1,
    PJ_MODEL_COSTS,
};

static void expect_same(const pj_regions *a, const pj_regions *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->instances, b->instances, a->count * sizeof *a->instances);
    assert_int_equal(a->function_count, b->function_count);
    for (uint32_t i = 0; i < a->function_count; i++) {
        assert_string_equal(a->functions[i].name, b->functions[i].name);
        assert_true(a->functions[i].region_delay_ns == b->functions[i].region_delay_ns);
        assert_true(a->functions[i].weighted_mean == b->functions[i].weighted_mean);
    }
}

static void regions_are_those_of_the_model(void **state)
{
    (void)state;
    enum { PHASES = 2 };
    pj_auto_trace writer = pj_model_write(&model);
    pj_auto_buf text = {.at = NULL};
    pj_trace_writer_prv(writer, &text);
    pj_auto_run run = read_regions("model.prv", &text, 1, (pj_roi){.set = false});
    pj_auto_expected expected = pj_model_expect(&model);
    const pj_regions *regions = run->openmp_regions;
    assert_non_null(regions);
    assert_int_equal(regions->count, PHASES * model.ranks * model.iterations);
    for (uint32_t rank = 0; rank < model.ranks; rank++) {
        uint64_t length = 0, computation = 0, useful = 0;
        for (size_t i = 0; i < regions->count; i++) {
            const pj_region_instance *instance = &regions->instances[i];
            if (instance->rank != rank)
                continue;
            length += instance->end_ns - instance->start_ns;
            computation += instance->total_ns;
            assert_int_equal(instance->threads, model.threads);
            assert_true(instance->max_ns <= instance->end_ns - instance->start_ns);
        }
        for (uint32_t t = 0; t < model.threads; t++)
            useful += expected.totals[rank * model.threads + t].openmp_useful;
        assert_int_equal(computation, useful);
        assert_int_equal(length, expected.totals[rank * model.threads].openmp);
    }
    pj_auto_run other = read_regions("model.prv", &text, 4, (pj_roi){.set = false});
    expect_same(regions, other->openmp_regions);
}

// Known answers

static const pj_place master = {0, 0}, worker = {0, 1};

static pj_trace_writer *two_threads(void)
{
    return pj_trace_writer_new((pj_trace_header){.ranks = 1, .threads_each = 2, .end = 1000});
}

static pj_run *read_writer(pj_trace_writer *writer, pj_roi roi)
{
    pj_auto_buf text = {.at = NULL};
    pj_trace_writer_prv(writer, &text);
    return read_regions("known.prv", &text, 1, roi);
}

enum { PARALLEL = 60000001, FUNCTION = 60000018, TASK = 60000023 };

static void expect_instance(const pj_run *run, size_t i, const uint64_t want[4])
{
    assert_non_null(run->openmp_regions);
    assert_true(i < run->openmp_regions->count);
    const pj_region_instance *got = &run->openmp_regions->instances[i];
    assert_int_equal(got->start_ns, want[0]);
    assert_int_equal(got->end_ns, want[1]);
    assert_int_equal(got->total_ns, want[2]);
    assert_int_equal(got->max_ns, want[3]);
}

/// 100..300 and 500..700; the worker runs 150..260 and across the border 650..900.
static pj_trace_writer *plain_trace(void)
{
    pj_trace_writer *writer = two_threads();
    pj_trace_writer_state(writer, master, 0, 1000, 1);
    pj_trace_writer_state(writer, worker, 0, 150, 0);
    pj_trace_writer_event(writer, master, 100, PARALLEL, 1);
    pj_trace_writer_event(writer, master, 110, FUNCTION, 7);
    pj_trace_writer_event(writer, worker, 120, TASK, 9);
    pj_trace_writer_state(writer, worker, 150, 260, 1);
    pj_trace_writer_event(writer, master, 300, PARALLEL, 0);
    pj_trace_writer_event(writer, master, 500, PARALLEL, 1);
    pj_trace_writer_state(writer, worker, 650, 900, 1);
    pj_trace_writer_event(writer, master, 700, PARALLEL, 0);
    return writer;
}

static void computation_is_clipped_to_the_region(void **state)
{
    (void)state;
    pj_auto_trace writer = plain_trace();
    pj_auto_run run = read_writer(writer, (pj_roi){.set = false});
    assert_int_equal(run->openmp_regions->count, 2);
    expect_instance(run, 0, (uint64_t[]){100, 300, 200 + 110, 200});
    expect_instance(run, 1, (uint64_t[]){500, 700, 200 + 50, 200});
    pj_auto_table table = table_of(run, PJ_REGIONS_EACH);
    assert_string_equal(text_at(table, 0, "function"), "7:9"); // labels are in no .pcf here
    assert_null(text_at(table, 1, "function"));
    assert_null(text_at(table, 0, "location"));
    expect_close(number_at(table, 0, "load_balance"), 1 - (200 - 155) / 200.0, 1e-15);
    expect_close(number_at(table, 1, "parallel_efficiency"), 125 / 200.0, 1e-15);
}

static void a_region_of_interest_clips_regions(void **state)
{
    (void)state;
    pj_auto_trace writer = plain_trace();
    pj_auto_run run = read_writer(writer, (pj_roi){.set = true, .from_ns = 200, .to_ns = 600});
    assert_int_equal(run->openmp_regions->count, 2);
    expect_instance(run, 0, (uint64_t[]){200, 300, 100 + 60, 100});
    expect_instance(run, 1, (uint64_t[]){500, 600, 100, 100});
}

static void nested_and_unfinished_regions_are_counted(void **state)
{
    (void)state;
    pj_auto_trace writer = two_threads();
    pj_trace_writer_state(writer, master, 0, 1000, 1);
    pj_trace_writer_event(writer, master, 50, PARALLEL, 0);
    pj_trace_writer_event(writer, master, 100, PARALLEL, 1);
    pj_trace_writer_event(writer, worker, 150, PARALLEL, 1);
    pj_trace_writer_event(writer, master, 200, PARALLEL, 1);
    pj_trace_writer_event(writer, master, 300, PARALLEL, 0);
    pj_trace_writer_event(writer, master, 400, PARALLEL, 0);
    pj_trace_writer_event(writer, master, 900, PARALLEL, 2);
    pj_auto_run run = read_writer(writer, (pj_roi){.set = false});
    assert_int_equal(run->openmp_regions->count, 2);
    expect_instance(run, 0, (uint64_t[]){100, 400, 300, 300});
    expect_instance(run, 1, (uint64_t[]){900, 1000, 100, 100});
    assert_int_equal(run->import.count[PJ_IMPORT_region_not_opened], 1);
    assert_int_equal(run->import.count[PJ_IMPORT_region_nested], 2);
    assert_int_equal(run->import.count[PJ_IMPORT_region_not_closed], 1);
    assert_int_equal(run->import.count[PJ_IMPORT_region_late], 0);
}

/// States that overlap follow Paraver: the latest begin wins, the end of any makes the thread idle.
static void overlapping_states_count_as_in_the_statistics(void **state)
{
    (void)state;
    pj_auto_trace writer = two_threads();
    pj_trace_writer_event(writer, master, 0, PARALLEL, 1);
    pj_trace_writer_state(writer, master, 0, 100, 1);
    pj_trace_writer_state(writer, master, 50, 80, 15);
    pj_trace_writer_state(writer, worker, 200, 300, 1);
    pj_trace_writer_state(writer, worker, 200, 260, 1);
    pj_trace_writer_event(writer, master, 1000, PARALLEL, 0);
    pj_auto_run run = read_writer(writer, (pj_roi){.set = false});
    expect_instance(run, 0,
                    (uint64_t[]){0, 1000, run->totals[0].useful_ns + run->totals[1].useful_ns,
                                 run->totals[1].useful_ns});
    assert_int_equal(run->totals[0].useful_ns, 50);
}

static void runs_without_regions_say_why(void **state)
{
    (void)state;
    pj_auto_trace writer = two_threads();
    pj_trace_writer_state(writer, master, 0, 1000, 1);
    pj_auto_run run = read_writer(writer, (pj_roi){.set = false});
    pj_err err = {.code = PJ_E_NONE};
    assert_null(pj_regions_table(run, PJ_REGIONS_EACH, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    assert_non_null(strstr(err.text, "no OpenMP events"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_equal_the_reference),
        cmocka_unit_test(regions_are_those_of_the_model),
        cmocka_unit_test(computation_is_clipped_to_the_region),
        cmocka_unit_test(a_region_of_interest_clips_regions),
        cmocka_unit_test(nested_and_unfinished_regions_are_counted),
        cmocka_unit_test(overlapping_states_count_as_in_the_statistics),
        cmocka_unit_test(runs_without_regions_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
