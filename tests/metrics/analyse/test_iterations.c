// Iterations of made runs, whose number is known, of runs without any, and of real ones
// (../shared/data/reference/causes).
#include "metrics/analyse/load.h"
#include "metrics/analyse/load_iterations.h"
#include "metrics/base/arena.h"
#include "metrics/run/parts/anchors.h"
#include "metrics/run/parts/iterations.h"
#include "metrics/run/parts/iterations_table.h"
#include "metrics/run/parts/slices.h"
#include "metrics/trace/roi.h"
#include "tests/support/csv.h"
#include "tests/support/folder.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/trace_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SHARED PJ_SOURCE_DIR "/../shared/data/"

static int remove_folder(void **state)
{
    unlink(folder_file("run.prv"));
    unlink(folder_file("run.pcf"));
    unlink(folder_file("run.row"));
    return folder_remove(state);
}

static void write_model(const pj_model_app *model)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = pj_model_write(model);
    if (!pj_trace_writer_save(writer, folder_file("run.prv"), &err))
        fail_msg("%s", err.text);
}

static pj_run *load_with(const char *path, pj_load_opts opts, unsigned workers)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = workers};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static pj_run *find(const char *path, unsigned workers)
{
    return load_with(path, (pj_load_opts){.iterations = true, .ignore_summary = true}, workers);
}

static void loops_are_found_in_any_number_of_ranks(void **state)
{
    static const uint32_t ranks[] = {2, 5, 16, 40};
    (void)state;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        const pj_model_app model = {
            .ranks = ranks[i], .threads = 1, .iterations = 30, PJ_MODEL_COSTS};
        write_model(&model);
        pj_auto_run run = find(folder_file("run.prv"), 1);
        const pj_iterations *it = run->iterations;
        assert_null(it->lack);
        assert_in_range(it->borders.count, 28, 30);
        assert_int_equal(it->voted, it->asked);
        assert_int_equal(run->slices->count, it->borders.count);
        for (uint32_t k = 0; k + 1 < run->slices->count; k++)
            assert_true(run->slices->items[k].start_ns < run->slices->items[k + 1].start_ns);
    }
}

static void any_number_of_workers_finds_the_same(void **state)
{
    const pj_model_app model = {
        .ranks = 20, .threads = 2, .iterations = 12, .openmp = true, PJ_MODEL_COSTS};
    (void)state;
    write_model(&model);
    pj_auto_run one = find(folder_file("run.prv"), 1);
    pj_auto_run many = find(folder_file("run.prv"), 4);
    assert_int_equal(one->slices->count, many->slices->count);
    assert_memory_equal(one->slices->items, many->slices->items,
                        one->slices->count * sizeof *one->slices->items);
}

static void a_region_of_interest_is_that_of_iterations(void **state)
{
    const pj_model_app model = {.ranks = 4, .threads = 1, .iterations = 30, PJ_MODEL_COSTS};
    pj_load_opts opts = {.roi = {.kind = PJ_ROI_ITERATIONS, .first = 3, .last = 8}};
    (void)state;
    write_model(&model);
    pj_auto_run all = find(folder_file("run.prv"), 1);
    pj_auto_run run = load_with(folder_file("run.prv"), opts, 1);
    assert_true(run->roi.set);
    assert_int_equal(run->roi.from_ns, all->slices->items[3].start_ns);
    assert_int_equal(run->roi.to_ns, all->slices->items[8].end_ns);
    opts.iterations = true;
    pj_auto_run part = load_with(folder_file("run.prv"), opts, 1);
    assert_int_equal(part->slices->count, 6);
    assert_int_equal(part->slices->items[0].length_ns, all->slices->items[3].length_ns);
}

static void what_does_not_repeat_has_none(void **state)
{
    static const char *const texts[] = {
        "#Paraver (01/01/2026 at 00:00):100_ns:1(1):1:1(1:1),0\n1:1:1:1:1:0:100:1\n",
        "#Paraver (01/01/2026 at 00:00):100_ns:1(1):1:1(1:1),0\n1:1:1:1:1:0:40:1\n"
        "2:1:1:1:1:40:50000002:8\n2:1:1:1:1:50:50000002:0\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pj_err err = {.code = PJ_E_NONE};
        pj_job job = {.workers = 1};
        FILE *file = fopen(folder_file("run.prv"), "w");
        assert_non_null(file);
        fputs(texts[i], file);
        assert_int_equal(fclose(file), 0);
        pj_auto_run run = find(folder_file("run.prv"), 1);
        assert_non_null(run->iterations->lack);
        pj_auto_table table = pj_iterations_table(run, &err);
        assert_non_null(table);
        assert_int_equal(table->row_count, 0);
        pj_roi_request steady = {.kind = PJ_ROI_ITERATIONS, .steady = true};
        pj_auto_run whole =
            pj_load(folder_file("run.prv"), (pj_load_opts){.roi = steady}, &job, &err);
        assert_non_null(whole);
        steady.steady = false;
        assert_null(pj_load(folder_file("run.prv"), (pj_load_opts){.roi = steady}, &job, &err));
        assert_int_equal(err.code, PJ_E_MISSING);
    }
}

/// Cut anywhere, a trace gives iterations or says why not.
static void truncated_traces_do_no_harm(void **state)
{
    const pj_model_app model = {.ranks = 2, .threads = 1, .iterations = 6, PJ_MODEL_COSTS};
    static char text[1 << 16];
    (void)state;
    write_model(&model);
    FILE *file = fopen(folder_file("run.prv"), "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text, file);
    assert_int_equal(fclose(file), 0);
    for (size_t end = 0; end < length; end += length / 60 + 1) {
        pj_err err = {.code = PJ_E_NONE};
        pj_job job = {.workers = 1};
        file = fopen(folder_file("run.prv"), "w");
        assert_non_null(file);
        fwrite(text, 1, end, file);
        assert_int_equal(fclose(file), 0);
        pj_auto_run run =
            pj_load(folder_file("run.prv"), (pj_load_opts){.iterations = true}, &job, &err);
        if (run)
            assert_true(run->iterations->lack || run->slices->count <= 6);
        else
            assert_true(err.code != PJ_E_NONE);
    }
}

/// Calls of one rank: send, receive, and each tenth time an Allreduce.
static void one_odd_step_in_ten_is_let_pass(void **state)
{
    enum { STEPS = 50 };
    static pj_call_mark marks[3 * STEPS];
    pj_call_list list = {.items = marks, .to_ns = UINT64_C(50) * 1000 + 500};
    (void)state;
    uint64_t time = 0;
    for (uint32_t i = 0; i < STEPS; i++, time += 1000) {
        marks[list.count++] = (pj_call_mark){time + 100, time + 110, 1, false};
        marks[list.count++] = (pj_call_mark){time + 500, time + 600, 2, true};
        if (i % 10 == 9)
            marks[list.count++] = (pj_call_mark){time + 700, time + 720, 10, true};
    }
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_chain second, chain = pj_anchors_find(&list, arena, &second);
    assert_int_equal(chain.count, STEPS);
    assert_true(chain.period_ns == 1000);
    assert_int_equal(second.count, STEPS / 10);
}

static void texts_of_iterations_are_told_from_nonsense(void **state)
{
    static const char *const bad[] = {"iterations:", "iterations:x",  "iterations:5..3",
                                      "iterationss", "iterations:-1", "iterations:.."};
    pj_roi_request roi;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pj_err err = {.code = PJ_E_NONE};
        assert_false(pj_roi_parse(pj_str_of(bad[i]), &roi, &err));
        assert_int_equal(err.code, PJ_E_USAGE);
    }
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_roi_parse(PJ_S("iterations:3..8"), &roi, &err));
    assert_true(roi.first == 3 && roi.last == 8 && !roi.steady);
    assert_true(pj_roi_parse(PJ_S("iterations"), &roi, &err));
    assert_true(roi.steady);
}

static const char *path_of(pj_str trace, char *out, size_t size)
{
    static const char *const forms[] = {"paraver/epoch/%.*s.prv.gz", "otf2/%.*s/eztrace_log.otf2",
                                        "otf2/%.*s/traces.otf2"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char tail[128];
        snprintf(tail, sizeof tail, forms[i], (int)trace.len, trace.at);
        snprintf(out, size, SHARED "%s", tail);
        if (access(out, R_OK) == 0)
            return out;
    }
    return NULL;
}

/// The one that stands for all is steady, where some are.
static void check_representative(const pj_run *run)
{
    static const char before[] = "Representative: iteration ";
    pj_err err = {.code = PJ_E_NONE};
    const pj_iterations *it = run->iterations;
    pj_auto_table table = pj_iterations_table(run, &err);
    assert_non_null(table);
    const char *said = strstr(table->note, before);
    if (!said || it->unsteady)
        return;
    long number = strtol(said + sizeof before - 1, NULL, 10);
    assert_in_range(number, it->steady_first, it->steady_last);
}

static void real_runs_have_the_iterations_of_the_reference(void **state)
{
    csv wanted;
    (void)state;
    csv_of_real_tools(SHARED "reference/causes/iterations_voted.csv", &wanted);
    for (size_t row = 0; row < wanted.rows; row++) {
        char path[256];
        if (!path_of(csv_cell(&wanted, row, "trace"), path, sizeof path))
            continue;
        pj_auto_run run = find(path, 2);
        const pj_iterations *it = run->iterations;
        uint32_t number = it->lack ? 0 : it->borders.count;
        assert_int_equal(number, (uint32_t)csv_number(&wanted, row, "iterations"));
        if (number)
            assert_int_equal(it->voted, it->asked);
        if (number)
            check_representative(run);
    }
    csv_free(&wanted);
}

/// Every rank by itself: how many, from when to when, and how long in the middle.
static void ranks_of_a_real_run_have_theirs(void **state)
{
    csv wanted;
    (void)state;
    csv_of_real_tools(SHARED "reference/causes/iterations.csv", &wanted);
    for (size_t row = 0; row < wanted.rows; row++) {
        char path[256];
        pj_str trace = csv_cell(&wanted, row, "trace");
        uint32_t rank = (uint32_t)csv_number(&wanted, row, "rank");
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_err err = {.code = PJ_E_NONE};
        pj_job job = {.workers = 2};
        pj_load_opts opts = {.iterations = true};
        pj_iterations found;
        assert_non_null(path_of(trace, path, sizeof path));
        assert_true(pj_load_find_iterations(path, &opts, &job, arena, &found, &err));
        assert_null(found.lack);
        const uint64_t *at = pj_borders_of(&found.borders, rank);
        assert_int_equal(found.borders.count, (uint32_t)csv_number(&wanted, row, "iterations"));
        assert_int_equal(at[0], (uint64_t)csv_number(&wanted, row, "first_ns"));
        assert_int_equal(at[found.borders.count], (uint64_t)csv_number(&wanted, row, "last_ns"));
    }
    csv_free(&wanted);
}

/// Of 100, 100, 130 and 190 the median is 115, that of the distances from it 15.
static void medians_of_even_numbers_lie_between(void **state)
{
    (void)state;
    uint64_t at[] = {0, 100, 200, 330, 520};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_iterations it = {.borders = {.at = at, .count = 4, .ranks = 1, .stride = 5}};
    pj_iterations_judge(&it, 1, arena);
    assert_false(it.outlier[0] || it.outlier[1] || it.outlier[2]);
    assert_true(it.outlier[3]);
}

// Without MPI calls

enum { PARALLEL = 60000001, FUNCTION = 60000019, STEP_NS = 1000000 };

static void save(pj_trace_writer *writer)
{
    pj_err err = {.code = PJ_E_NONE};
    if (!pj_trace_writer_save(writer, folder_file("run.prv"), &err))
        fail_msg("%s", err.text);
}

static void visit(pj_trace_writer *writer, pj_place at, uint64_t time, int64_t function,
                  uint64_t length)
{
    pj_trace_writer_event(writer, at, time, FUNCTION, function);
    pj_trace_writer_event(writer, at, time + length, FUNCTION, 0);
}

static const char *note_of(const pj_run *run, pj_arena *arena)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table = pj_iterations_table(run, &err);
    assert_non_null(table);
    return pj_arena_text(arena, pj_str_of(table->note));
}

static void assert_says(const pj_run *run, const char *what)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *note = note_of(run, arena);
    if (!strstr(note, what))
        fail_msg("\"%s\" is not said in: %s", what, note);
}

/// A main function whose loop calls a step, which calls a kernel ten times.
static void functions_of_a_loop_are_found_and_not_those_within(void **state)
{
    enum { STEPS = 25, KERNELS = 10, MAIN = 1, STEP, KERNEL };
    const pj_place at = {0, 0};
    pj_auto_trace writer = pj_trace_writer_new((pj_trace_header){.ranks = 1});
    (void)state;
    pj_trace_writer_label_value(writer, FUNCTION, STEP, "advance");
    pj_trace_writer_state(writer, at, 0, (STEPS + 1) * STEP_NS, 1);
    pj_trace_writer_event(writer, at, 100, FUNCTION, MAIN);
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t time = STEP_NS / 2 + i * STEP_NS;
        pj_trace_writer_event(writer, at, time, FUNCTION, STEP);
        for (uint64_t k = 0; k < KERNELS; k++)
            visit(writer, at, time + 1000 + k * 90000, KERNEL, 80000);
        pj_trace_writer_event(writer, at, time + 950000, FUNCTION, 0);
    }
    pj_trace_writer_event(writer, at, (STEPS + 1) * STEP_NS - 100, FUNCTION, 0);
    save(writer);
    pj_auto_run run = find(folder_file("run.prv"), 1);
    assert_null(run->iterations->lack);
    assert_int_equal(run->iterations->borders.count, STEPS - 1);
    assert_int_equal(run->slices->items[0].start_ns, STEP_NS / 2);
    assert_int_equal(run->slices->items[0].length_ns, STEP_NS);
    assert_says(run, "each begins with function advance");
    assert_says(run, "of the run.");
}

/// Collectives in numbers and at times of their own every step, in more ranks than are asked: only
/// the function is even.
static void functions_tell_what_calls_do_not(void **state)
{
    enum { RANKS = 20, STEPS = 40, STEP = 7 };
    static const uint8_t calls[] = {2, 5, 3, 9, 2, 7, 4, 11, 2, 3, 8};
    pj_auto_trace writer = pj_trace_writer_new((pj_trace_header){.ranks = RANKS});
    (void)state;
    for (uint32_t r = 0; r < RANKS; r++) {
        const pj_place at = {r, 0};
        pj_trace_writer_state(writer, at, 0, (STEPS + 1) * (uint64_t)STEP_NS, 1);
        for (uint64_t i = 0; i < STEPS; i++) {
            uint64_t time = 1000 + i * STEP_NS, odd = i * i % sizeof calls;
            visit(writer, at, time + r, STEP, 900000);
            for (uint64_t k = 0; k < calls[odd]; k++) {
                uint64_t begin = time + 20000 + odd * 17000 + k * (60000 - 1000 * odd);
                pj_trace_writer_call(writer, at,
                                     (pj_trace_call){.name = "MPI_Barrier",
                                                     .begin = begin,
                                                     .end = begin + 500 + 700 * (k % 3),
                                                     .communicator = 1});
            }
        }
    }
    save(writer);
    pj_auto_run run = find(folder_file("run.prv"), 1);
    assert_null(run->iterations->lack);
    assert_says(run, "each begins with function 7");
    assert_int_equal(run->iterations->borders.count, STEPS - 1);
    assert_int_equal(run->slices->items[3].start_ns, 1000 + 3 * STEP_NS);
    assert_int_equal(run->slices->items[3].length_ns, STEP_NS);
}

static void parallel_regions_stand_for_calls(void **state)
{
    const pj_model_app model = {
        .ranks = 1, .threads = 4, .iterations = 30, .openmp = true, .no_mpi = true, PJ_MODEL_COSTS};
    (void)state;
    write_model(&model);
    pj_auto_run run = find(folder_file("run.prv"), 1);
    assert_null(run->iterations->lack);
    assert_int_equal(run->iterations->borders.count, 29);
    assert_says(run, "even in regions");
    pj_load_opts opts = {.roi = {.kind = PJ_ROI_ITERATIONS, .first = 3, .last = 8}};
    pj_auto_run part = load_with(folder_file("run.prv"), opts, 1);
    assert_int_equal(part->roi.from_ns, run->slices->items[3].start_ns);
    assert_int_equal(part->roi.to_ns, run->slices->items[8].end_ns);
}

/// One region in each step, which nothing tells from others: even in time is all there is.
static void a_region_each_is_a_loop_where_there_is_no_other(void **state)
{
    enum { STEPS = 20 };
    const pj_place at = {0, 0};
    pj_auto_trace writer = pj_trace_writer_new((pj_trace_header){.ranks = 1});
    (void)state;
    pj_trace_writer_state(writer, at, 0, (STEPS + 1) * STEP_NS, 1);
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t begin = 1000 + i * STEP_NS;
        pj_trace_writer_event(writer, at, begin, PARALLEL, 1);
        pj_trace_writer_event(writer, at, begin + 700000, PARALLEL, 0);
    }
    save(writer);
    pj_auto_run run = find(folder_file("run.prv"), 1);
    assert_null(run->iterations->lack);
    assert_int_equal(run->iterations->borders.count, STEPS - 1);
    assert_says(run, "even in time");
}

/// Regions and functions in random order and of random lengths, without another rank to disagree.
static void random_regions_and_functions_have_none(void **state)
{
    enum { TRIES = 40, MOST = 100, KINDS = 4 };
    static pj_call_mark marks[MOST];
    uint32_t hits[2] = {0, 0};
    uint64_t seed = 5;
    (void)state;
    for (uint32_t t = 0; t < TRIES; t++)
        for (uint32_t functions = 0; functions < 2; functions++) {
            uint32_t count = 10 + t * 2;
            uint64_t time = 0;
            pj_entry entries[KINDS][MOST];
            pj_entries of[KINDS];
            for (uint32_t k = 0; k < KINDS; k++)
                of[k] = (pj_entries){.key = k + 1, .items = entries[k]};
            for (uint32_t i = 0; i < count; i++) {
                seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                uint64_t kind = (seed >> 60) % KINDS, length = (seed >> 33) % 2000000 + 1000;
                marks[i] = (pj_call_mark){time, time + length, kind + 1, true};
                entries[kind][of[kind].count++] = (pj_entry){time, 0, 1};
                time += length + (seed >> 20) % 500000;
            }
            pj_call_list list = {.few = true, .to_ns = time};
            if (functions) {
                list.functions = of;
                list.function_count = KINDS;
            } else {
                list.openmp = true;
                list.items = marks;
                list.count = count;
            }
            pj_auto_arena arena = pj_arena_new(NULL);
            pj_chain second, chain = pj_anchors_find(&list, arena, &second);
            hits[functions] += chain.count && chain.score >= PJ_SCORE_LEAST;
        }
    assert_in_range(hits[0], 0, 1); // of 40: a few may be even by chance
    assert_in_range(hits[1], 0, 1);
}

/// Two threads that work and idle by turns; `odd`: for times that repeat nowhere.
static void write_states(bool odd)
{
    enum { STEPS = 50 };
    uint64_t time = 300000, seed = 11;
    pj_auto_trace writer = pj_trace_writer_new((pj_trace_header){.ranks = 1, .threads_each = 2});
    for (uint32_t i = 0; i < STEPS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        uint64_t work = odd ? (seed >> 33) % 1500000 : 600000, rest = odd ? seed % 1000000 : 400000;
        for (uint32_t t = 0; t < 2; t++)
            pj_trace_writer_state(writer, (pj_place){0, t}, time, time + work, 1);
        for (uint32_t t = 0; t < 2; t++)
            pj_trace_writer_state(writer, (pj_place){0, t}, time + work, time + work + rest, 7);
        time += work + rest;
    }
    save(writer);
}

static void states_alone_are_looked_at_as_a_signal(void **state)
{
    (void)state;
    write_states(false);
    pj_auto_run run = find(folder_file("run.prv"), 1);
    assert_null(run->iterations->lack);
    assert_in_range(run->iterations->borders.count, 47, 50);
    assert_in_range(run->iterations->period_ns, 990000, 1010000);
    assert_says(run, "autocorrelation");
    uint64_t bin = run->end_ns / 4096, begun = run->slices->items[0].start_ns / 1000000;
    for (uint32_t i = 0; i < run->slices->count; i++) // and not parts of bins later and later
        assert_in_range(run->slices->items[i].start_ns, 300000 + (begun + i) * 1000000 - 4 * bin,
                        300000 + (begun + i) * 1000000 + 4 * bin);
    pj_load_opts opts = {.roi = {.kind = PJ_ROI_ITERATIONS, .steady = true}};
    pj_auto_run steady = load_with(folder_file("run.prv"), opts, 1);
    assert_true(steady->roi.set);
    write_states(true);
    pj_auto_run noise = find(folder_file("run.prv"), 1);
    assert_non_null(noise->iterations->lack);
    assert_says(noise, "No iterations found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_found_in_any_number_of_ranks),
        cmocka_unit_test(any_number_of_workers_finds_the_same),
        cmocka_unit_test(a_region_of_interest_is_that_of_iterations),
        cmocka_unit_test(what_does_not_repeat_has_none),
        cmocka_unit_test(truncated_traces_do_no_harm),
        cmocka_unit_test(one_odd_step_in_ten_is_let_pass),
        cmocka_unit_test(texts_of_iterations_are_told_from_nonsense),
        cmocka_unit_test(real_runs_have_the_iterations_of_the_reference),
        cmocka_unit_test(ranks_of_a_real_run_have_theirs),
        cmocka_unit_test(medians_of_even_numbers_lie_between),
        cmocka_unit_test(functions_of_a_loop_are_found_and_not_those_within),
        cmocka_unit_test(functions_tell_what_calls_do_not),
        cmocka_unit_test(parallel_regions_stand_for_calls),
        cmocka_unit_test(a_region_each_is_a_loop_where_there_is_no_other),
        cmocka_unit_test(random_regions_and_functions_have_none),
        cmocka_unit_test(states_alone_are_looked_at_as_a_signal),
    };
    return cmocka_run_group_tests(tests, folder_make, remove_folder);
}
