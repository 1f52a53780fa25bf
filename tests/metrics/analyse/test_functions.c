// What ranks do in functions: a run made by hand whose every number is known, and what holds for
// all.
#include "metrics/analyse/cut.h"
#include "metrics/analyse/load.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/parts/functions_table.h"
#include "metrics/run/run_parts.h"
#include "metrics/run/sums.h"
#include "tests/support/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// main calls setup, solve and output, which only rank 0 does.
static const char trace[] = "#Paraver (01/01/2026 at 00:00):200_ns:1(2):1:2(1:1,1:1),1\n"
                            "c:1:1:2:1:2\n"
                            "1:1:1:1:1:0:80:1\n"
                            "1:2:1:2:1:0:95:1\n"
                            "2:1:1:1:1:0:60000019:1\n"
                            "2:1:1:1:1:0:60000019:2\n"
                            "2:2:1:2:1:0:60000019:1\n"
                            "2:2:1:2:1:0:60000019:2\n"
                            "2:2:1:2:1:20:60000019:0\n"
                            "2:1:1:1:1:30:60000019:0\n"
                            "2:1:1:1:1:30:60000019:3\n"
                            "2:2:1:2:1:30:60000019:3\n"
                            "1:1:1:1:1:80:100:13\n"
                            "2:1:1:1:1:80:50000002:10:50100001:8:50100002:8:50100004:1\n"
                            "1:2:1:2:1:95:100:13\n"
                            "2:2:1:2:1:95:50000002:10:50100001:8:50100002:8:50100004:1\n"
                            "1:1:1:1:1:100:190:1\n"
                            "1:2:1:2:1:100:150:1\n"
                            "2:1:1:1:1:100:50000002:0\n"
                            "2:2:1:2:1:100:50000002:0\n"
                            "1:2:1:2:1:150:198:13\n"
                            "2:1:1:1:1:150:60000019:0\n"
                            "2:2:1:2:1:150:60000019:0\n"
                            "2:1:1:1:1:150:60000019:4\n"
                            "2:2:1:2:1:150:50000002:8:50100001:8:50100002:8:50100004:1\n"
                            "1:1:1:1:1:190:198:13\n"
                            "2:1:1:1:1:190:60000019:0\n"
                            "2:1:1:1:1:190:50000002:8:50100001:8:50100002:8:50100004:1\n"
                            "1:1:1:1:1:198:200:1\n"
                            "1:2:1:2:1:198:200:1\n"
                            "2:1:1:1:1:198:50000002:0\n"
                            "2:2:1:2:1:198:50000002:0\n"
                            "2:1:1:1:1:200:60000019:0\n"
                            "2:2:1:2:1:200:60000019:0\n";

static const char names[] = "EVENT_TYPE\n0   60000019    User function\nVALUES\n0   End\n"
                            "1   main\n2   setup\n3   solve\n4   output\n";

static void put(const char *name, const char *text, size_t length)
{
    FILE *file = fopen(folder_file(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void put_trace(const char *text)
{
    put("run.prv", text, strlen(text));
    put("run.pcf", names, sizeof names - 1);
}

static int remove_folder(void **state)
{
    unlink(folder_file("run.prv"));
    unlink(folder_file("run.pcf"));
    return folder_remove(state);
}

static pj_run *try_load(pj_function_cut cut, pj_load_opts opts, pj_err *err)
{
    pj_job job = {.workers = 2};
    opts.functions = cut;
    return pj_load(folder_file("run.prv"), opts, &job, err);
}

static pj_run *load(pj_function_cut cut)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_run *run = try_load(cut, (pj_load_opts){.tag = NULL}, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static const pj_function *named(const pj_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->functions->count; i++)
        if (strcmp(run->functions->items[i].name, name) == 0)
            return &run->functions->items[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static void functions_have_what_was_done_in_them(void **state)
{
    static const struct {
        const char *name;
        uint64_t own, useful, longest, wait, mpi, instances;
        uint32_t ranks;
    } wanted[] = {{"setup", 50, 50, 30, 0, 0, 2, 2},
                  {"solve", 240, 215, 120, 15, 25, 2, 2},
                  {"output", 40, 40, 40, 0, 0, 1, 1},
                  {"main", 70, 14, 60, 40, 56, 2, 2}};
    (void)state;
    put_trace(trace);
    pj_auto_run run = load(PJ_CUT_FUNCTIONS);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const pj_function *f = named(run, wanted[i].name);
        assert_int_equal(f->own.time_ns, wanted[i].own);
        assert_true(f->own.sums.useful_sum == (double)wanted[i].useful);
        assert_int_equal(f->own.longest_ns, wanted[i].longest);
        assert_int_equal(f->own.ranks, wanted[i].ranks);
        assert_int_equal(f->instances, wanted[i].instances);
        assert_int_equal(f->wait_ns, wanted[i].wait);
        assert_int_equal(f->mpi_ns, wanted[i].mpi);
    }
    const pj_function *all = named(run, "main");
    assert_int_equal(all->whole.longest_ns, 200);
    assert_int_equal(all->whole.time_ns, 400);
    assert_true(all->whole.sums.useful_sum == 319);
}

static double cell_of(const pj_table *table, const char *part, const char *column)
{
    int at = pj_table_column(table, pj_str_of(column));
    assert_true(at >= 0);
    for (size_t row = 0; row < table->row_count; row++)
        if (strcmp(pj_table_cell(table, row, 0)->text, part) == 0)
            return pj_cell_number(*pj_table_cell(table, row, (size_t)at));
    fail_msg("there is no %s", part);
    return NAN;
}

static void expect_near(double value, double wanted)
{
    if (!(fabs(value - wanted) < 1e-8))
        fail_msg("%.17g is not %.17g", value, wanted);
}

static void efficiencies_are_those_of_the_reference(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    (void)state;
    put_trace(trace);
    pj_auto_run run = load(PJ_CUT_FUNCTIONS);
    pj_auto_table table = pj_functions_table(run, true, &err);
    assert_non_null(table);
    expect_near(cell_of(table, "setup", "share"), 0.125);
    expect_near(cell_of(table, "setup", "parallel_efficiency"), 0.833333333333);
    expect_near(cell_of(table, "solve", "useful_share"), 0.895833333333);
    expect_near(cell_of(table, "solve", "load_balance"), 0.934782608696);
    expect_near(cell_of(table, "output", "parallel_efficiency"), 1);
    expect_near(cell_of(table, "output", "parallel_efficiency_all"), 0.5);
    expect_near(cell_of(table, "main", "share"), 0.175);
    expect_near(cell_of(table, "main", "useful_share"), 0.2);
    expect_near(cell_of(table, "main", "parallel_efficiency"), 0.116666666667);
    expect_near(cell_of(table, "main", "load_balance"), 0.583333333333);
    pj_auto_table whole = pj_functions_table(run, false, &err);
    assert_non_null(whole);
    expect_near(cell_of(whole, "main", "parallel_efficiency"), 0.7975);
    expect_near(cell_of(whole, "main", "load_balance"), 0.927325581395);
    double sum = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        const char *part = pj_table_cell(table, row, 0)->text;
        sum += cell_of(table, part, "share") * cell_of(table, part, "useful_share");
    }
    expect_near(sum, 0.7975);
}

/// The reduction of solve ends at 95, so that solve takes 115 of 120 and output ends at 185; the
/// barrier is main's own.
static void ideal_runtimes_are_of_the_clocks_of_the_replay(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    (void)state;
    put_trace(trace);
    pj_auto_run run = load(PJ_CUT_FUNCTIONS);
    expect_near(run->ideal.runtime_ns, 187);
    expect_near(named(run, "main")->whole.ideal_ns, 187);
    expect_near(named(run, "main")->own.ideal_ns, 52);
    pj_auto_table table = pj_functions_table(run, false, &err);
    assert_non_null(table);
    expect_near(cell_of(table, "setup", "transfer_efficiency"), 1);
    expect_near(cell_of(table, "solve", "transfer_efficiency"), 115 / 120.0);
    expect_near(cell_of(table, "output", "transfer_efficiency"), 1);
    expect_near(cell_of(table, "main", "transfer_efficiency"), 187 / 200.0);
    const pj_run *part = pj_run_parts_named(run, "solve", &err);
    assert_non_null(part);
    assert_true(part->ideal.available);
    expect_near(part->ideal.runtime_ns, 115);
}

static void tables_outlive_their_runs(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    (void)state;
    put_trace(trace);
    pj_run *run = load(PJ_CUT_PATHS);
    pj_auto_table table = pj_functions_table(run, false, &err);
    assert_non_null(table);
    const char *name = named(run, "main/solve")->name;
    for (size_t row = 0; row < table->row_count; row++)
        assert_ptr_not_equal(pj_table_cell(table, row, 0)->text, name);
    pj_run_release(run);
    expect_near(cell_of(table, "main/solve", "runtime_ns"), 120);
}

/// Rank 0 sends in setup what rank 1 receives in solve: main has both.
static void parts_that_messages_leave_have_no_ideal_runtime(void **state)
{
    static const char crossing[] = "#Paraver (01/01/2026 at 00:00):100_ns:1(2):1:2(1:1,1:1),1\n"
                                   "c:1:1:2:1:2\n"
                                   "1:1:1:1:1:0:20:1\n"
                                   "1:2:1:2:1:0:10:1\n"
                                   "2:1:1:1:1:0:60000019:1\n"
                                   "2:1:1:1:1:0:60000019:2\n"
                                   "2:2:1:2:1:0:60000019:1\n"
                                   "2:2:1:2:1:0:60000019:3\n"
                                   "1:2:1:2:1:10:30:3\n"
                                   "2:2:1:2:1:10:50000001:2\n"
                                   "1:1:1:1:1:20:25:4\n"
                                   "2:1:1:1:1:20:50000001:1\n"
                                   "3:1:1:1:1:20:20:2:1:2:1:10:30:8:0\n"
                                   "1:1:1:1:1:25:100:1\n"
                                   "2:1:1:1:1:25:50000001:0\n"
                                   "1:2:1:2:1:30:100:1\n"
                                   "2:2:1:2:1:30:50000001:0\n"
                                   "2:1:1:1:1:40:60000019:0\n"
                                   "2:2:1:2:1:40:60000019:0\n"
                                   "2:1:1:1:1:50:60000019:4\n"
                                   "2:1:1:1:1:60:60000019:0\n"
                                   "2:1:1:1:1:100:60000019:0\n"
                                   "2:2:1:2:1:100:60000019:0\n";
    (void)state;
    put_trace(crossing);
    for (pj_function_cut cut = PJ_CUT_FUNCTIONS; cut <= PJ_CUT_PATHS; cut++) {
        bool paths = cut == PJ_CUT_PATHS;
        pj_auto_run run = load(cut);
        const pj_function *sends = named(run, paths ? "main/setup" : "setup");
        assert_non_null(strstr(sends->whole.ideal_lacks, "messages leave"));
        assert_non_null(sends->own.ideal_lacks);
        assert_non_null(named(run, paths ? "main/solve" : "solve")->whole.ideal_lacks);
        assert_null(named(run, paths ? "main/output" : "output")->whole.ideal_lacks);
        assert_null(named(run, "main")->whole.ideal_lacks);
        assert_null(named(run, "main")->own.ideal_lacks);
        expect_near(named(run, "main")->whole.ideal_ns, run->ideal.runtime_ns);
    }
}

/// Of the reduction rank 1 takes part in outside of solve.
static void collectives_leave_the_functions_of_some_guests(void **state)
{
    (void)state;
    put_trace("#Paraver (01/01/2026 at 00:00):100_ns:1(2):1:2(1:1,1:1),1\n"
              "c:1:1:2:1:2\n"
              "1:1:1:1:1:0:20:1\n"
              "1:2:1:2:1:0:20:1\n"
              "2:1:1:1:1:0:60000019:1\n"
              "2:1:1:1:1:0:60000019:3\n"
              "2:2:1:2:1:0:60000019:1\n"
              "1:1:1:1:1:20:30:13\n"
              "1:2:1:2:1:20:30:13\n"
              "2:1:1:1:1:20:50000002:10:50100001:8:50100002:8:50100004:1\n"
              "2:2:1:2:1:20:50000002:10:50100001:8:50100002:8:50100004:1\n"
              "2:1:1:1:1:30:50000002:0\n"
              "2:2:1:2:1:30:50000002:0\n"
              "1:1:1:1:1:30:100:1\n"
              "1:2:1:2:1:30:100:1\n"
              "2:1:1:1:1:40:60000019:0\n"
              "2:1:1:1:1:100:60000019:0\n"
              "2:2:1:2:1:100:60000019:0\n");
    pj_auto_run run = load(PJ_CUT_FUNCTIONS);
    assert_non_null(named(run, "solve")->whole.ideal_lacks);
    assert_non_null(named(run, "main")->own.ideal_lacks);
    assert_null(named(run, "main")->whole.ideal_lacks);
}

static void call_paths_are_apart(void **state)
{
    (void)state;
    put_trace(trace);
    pj_auto_run run = load(PJ_CUT_PATHS);
    assert_int_equal(named(run, "main/solve")->own.time_ns, 240);
    assert_int_equal(named(run, "main")->whole.time_ns, 400);
    assert_int_equal(named(run, "main")->own.time_ns, 70);
}

/// They are cases by name, as regions of TALP are.
static void functions_are_parts_of_the_run(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    (void)state;
    put_trace(trace);
    pj_auto_run run = load(PJ_CUT_FUNCTIONS);
    const pj_run *part = pj_run_parts_named(run, "solve", &err);
    assert_non_null(part);
    assert_int_equal(part->runtime_ns, 120);
    assert_null(pj_run_parts_named(run, "solv", &err));
    assert_non_null(strstr(err.text, "solve"));
}

static void recursion_counts_once(void **state)
{
    (void)state;
    put_trace("#Paraver (01/01/2026 at 00:00):100_ns:1(1):1:1(1:1),0\n"
              "1:1:1:1:1:0:100:1\n"
              "2:1:1:1:1:0:60000019:1\n"
              "2:1:1:1:1:20:60000019:2\n"
              "2:1:1:1:1:40:60000019:1\n"
              "2:1:1:1:1:60:60000019:0\n"
              "2:1:1:1:1:80:60000019:0\n"
              "2:1:1:1:1:100:60000019:0\n");
    pj_auto_run run = load(PJ_CUT_FUNCTIONS);
    assert_int_equal(named(run, "main")->whole.time_ns, 100);
    assert_int_equal(named(run, "main")->own.time_ns, 60);
    assert_int_equal(named(run, "main")->instances, 1);
    assert_int_equal(named(run, "setup")->whole.time_ns, 60);
}

static void a_region_of_interest_clips(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_load_opts opts = {.roi = {.kind = PJ_ROI_RANGE, .from = 30, .to = 150}};
    (void)state;
    put_trace(trace);
    pj_auto_run run = try_load(PJ_CUT_FUNCTIONS, opts, &err);
    assert_non_null(run);
    assert_int_equal(named(run, "solve")->own.time_ns, 240);
    assert_int_equal(named(run, "main")->whole.time_ns, 240);
    expect_near(named(run, "solve")->whole.ideal_ns, 115);
    expect_near(named(run, "main")->whole.ideal_ns, run->ideal.runtime_ns);
}

static void a_trace_without_functions_says_what_to_record(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    (void)state;
    put_trace("#Paraver (01/01/2026 at 00:00):100_ns:1(1):1:1(1:1),0\n1:1:1:1:1:0:100:1\n");
    assert_null(try_load(PJ_CUT_FUNCTIONS, (pj_load_opts){.tag = NULL}, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    assert_non_null(strstr(err.text, "record"));
}

/// Cut anywhere, the trace gives functions or an error, and never more time than there is.
static void truncated_traces_do_no_harm(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof trace - 1; length += 3) {
        pj_err err = {.code = PJ_E_NONE};
        put("run.prv", trace, length);
        put("run.pcf", names, length % 2 ? sizeof names - 1 : length % sizeof names);
        pj_auto_run run = try_load(length % 4 ? PJ_CUT_FUNCTIONS : PJ_CUT_PATHS,
                                   (pj_load_opts){.tag = NULL}, &err);
        for (uint32_t i = 0; run && i < run->functions->count; i++)
            assert_true(run->functions->items[i].own.time_ns <= 400);
    }
}

static void deep_chains_of_calls_end(void **state)
{
    enum { DEPTH = 20000 };
    pj_err err = {.code = PJ_E_NONE};
    (void)state;
    FILE *file = fopen(folder_file("run.prv"), "w");
    assert_non_null(file);
    fprintf(file, "#Paraver (01/01/2026 at 00:00):%d_ns:1(1):1:1(1:1),0\n", DEPTH + 10);
    fprintf(file, "1:1:1:1:1:0:%d:1\n", DEPTH + 10);
    for (int i = 1; i < DEPTH; i++)
        fprintf(file, "2:1:1:1:1:%d:60000019:%d\n", i, i);
    assert_int_equal(fclose(file), 0);
    pj_auto_run run = try_load(PJ_CUT_PATHS, (pj_load_opts){.tag = NULL}, &err);
    assert_non_null(run);
    assert_true(run->functions->count > 0);
}

/// Events of the program's own hold until another value of theirs, 0 ends them; short pairs in one
/// line are many events.
static void events_of_the_program_are_parameters(void **state)
{
    (void)state;
    put_trace("#Paraver (01/01/2026 at 00:00):200_ns:1(2):1:2(1:1,1:1),0\n"
              "1:1:1:1:1:0:200:1\n"
              "1:2:1:2:1:0:200:1\n"
              "2:1:1:1:1:0:1000:1\n"
              "2:2:1:2:1:0:1000:1:7:1:7:2:7:3:7:4:7:5:7:6:7:7:7:8:7:9:7:1:7:2:7:3:7:4:7:0\n"
              "2:1:1:1:1:50:1000:2:7:5\n"
              "2:2:1:2:1:60:7:4:42000050:1:1000:2\n"
              "2:1:1:1:1:150:7:0\n"
              "2:1:1:1:1:180:1000:0\n"
              "2:2:1:2:1:180:1000:0\n"
              "2:1:1:1:1:200:60000019:0\n"
              "2:2:1:2:1:200:60000019:0\n");
    const char labels[] = "EVENT_TYPE\n0   1000    Step\nVALUES\n0   End\n1   first\n\n"
                          "EVENT_TYPE\n0   7    size\n0  42000050 PAPI_TOT_INS\n";
    put("run.pcf", labels, sizeof labels - 1);
    pj_auto_run run = load(PJ_CUT_PARAMETERS);
    assert_int_equal(named(run, "Step=first")->own.time_ns, 110);
    assert_int_equal(named(run, "Step=2")->whole.longest_ns, 130);
    assert_int_equal(named(run, "size=5")->own.time_ns, 100);
    assert_int_equal(named(run, "size=4")->whole.time_ns, 140);
    assert_int_equal(named(run, "size=4")->instances, 3);
    put("run.pcf", names, sizeof names - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_what_was_done_in_them),
        cmocka_unit_test(efficiencies_are_those_of_the_reference),
        cmocka_unit_test(ideal_runtimes_are_of_the_clocks_of_the_replay),
        cmocka_unit_test(tables_outlive_their_runs),
        cmocka_unit_test(parts_that_messages_leave_have_no_ideal_runtime),
        cmocka_unit_test(collectives_leave_the_functions_of_some_guests),
        cmocka_unit_test(call_paths_are_apart),
        cmocka_unit_test(functions_are_parts_of_the_run),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(a_region_of_interest_clips),
        cmocka_unit_test(a_trace_without_functions_says_what_to_record),
        cmocka_unit_test(truncated_traces_do_no_harm),
        cmocka_unit_test(deep_chains_of_calls_end),
        cmocka_unit_test(events_of_the_program_are_parameters),
    };
    return cmocka_run_group_tests(tests, folder_make, remove_folder);
}
