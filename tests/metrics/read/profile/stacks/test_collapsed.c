// Collapsed stacks: frames of every writer, threads that are named, and what gprof2dot makes of the
// same files.
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include "metrics/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/collapsed/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/stacks/"

static profile_totals named(const pj_profile *p, const char *name)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    profile_totals *totals = profile_totals_of(p, "samples", PJ_NO_ITEM, arena);
    return profile_totals_named(p, totals, pj_str_of(name));
}

static void frames_of_every_writer(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "frames.collapsed");
    assert_int_equal(p->shape, PJ_SHAPE_TREE);
    assert_true(named(p, "relax").exclusive == 42);
    assert_true(named(p, "relax").inclusive == 50);
    assert_true(named(p, "main").inclusive == 52.5);
    assert_true(named(p, "write").exclusive == 2.5);
    assert_true(named(p, "do_syscall_64_[k]").inclusive == 7);
    uint32_t relax = region_called(p, PJ_S("relax"), &PJ_S("grid.py"));
    assert_int_not_equal(relax, PJ_NO_ITEM);
    assert_int_equal(p->count[PJ_AT_LINE], 3);
    assert_int_equal(p->lines[0].region, relax);
    assert_int_equal(p->lines[1].line, 14);
    same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "samples", 1, 0), 12);
    uint32_t kernel = region_called(p, PJ_S("ext4_write_[k]"), NULL);
    assert_int_equal(p->regions[kernel].kind, PJ_REGION_system);
    assert_true(pj_str_equal(pj_profile_text(p, p->groups[p->regions[kernel].first_group]),
                             PJ_S("kernel")));
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 1);
    assert_int_equal(p->oddities.first_line[PJ_ODDITY_malformed_record], 9);
    assert_int_equal(p->location_count, 1);
}

static void first_frames_name_threads(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "threads.collapsed");
    assert_int_equal(p->location_count, 5);
    const int64_t ranks[] = {0, 0, 1, 2, 2}, threads[] = {0, 1, 0, 0, 1};
    const double sums[] = {32, 16, 1, 7, 9};
    pj_auto_arena arena = pj_arena_new(NULL);
    for (uint32_t l = 0; l < 5; l++) {
        assert_int_equal(p->locations[l].rank, ranks[l]);
        assert_int_equal(p->locations[l].thread, threads[l]);
        profile_totals *totals = profile_totals_of(p, "samples", l, arena);
        double sum = 0;
        for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
            sum += totals[r].exclusive;
        same_value(sum, sums[l]);
    }
    uint32_t thread = region_called(p, PJ_S("work-12/14"), NULL);
    assert_int_equal(p->regions[thread].kind, PJ_REGION_thread);
    assert_true(named(p, "fib").inclusive == 6);
}

/// py-spy names processes by their command lines.
static void command_lines_hold_semicolons(void **state)
{
    (void)state;
    static const char text[] = "process 12:\"python3 -c \"import a; a.run()\"\";main (a.py:5) 2\n"
                               "process 12:\"python3 -c \"import a; a.run()\"\";main (a.py:5);f 3\n"
                               "process 13:bare;main (a.py:5);f 4\n";
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes("raw.txt", pj_str_of(text), &err);
    assert_non_null(p);
    assert_int_equal(p->location_count, 2);
    assert_true(named(p, "process 12:\"python3 -c \"import a; a.run()\"\"").inclusive == 5);
    assert_true(named(p, "main").inclusive == 9 && named(p, "f").exclusive == 7);
    assert_int_equal(p->count[PJ_AT_REGION], 4);
}

static void utf16_and_crlf(void **state)
{
    (void)state;
    static const char plain[] = "a;b 1\r\na;b 2\r\na 4";
    pj_auto_buf wide = {.at = NULL};
    pj_buf_add(&wide, PJ_S("\xff\xfe"));
    for (const char *c = plain; *c; c++) {
        pj_buf_add_char(&wide, *c);
        pj_buf_add_char(&wide, 0);
    }
    pj_err err = {0};
    pj_auto_profile narrow = read_profile_bytes("narrow", pj_str_of(plain), &err);
    pj_auto_profile p = read_profile_bytes("wide", pj_buf_str(&wide), &err);
    assert_true(narrow && p);
    assert_true(named(p, "b").exclusive == 3 && named(narrow, "b").exclusive == 3);
    assert_true(named(p, "a").inclusive == 7 && named(narrow, "a").inclusive == 7);
}

/// Counts stay whole numbers beyond 2^53; a fraction makes all of them doubles.
static void counts_are_exact(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile whole =
        read_profile_bytes("whole", PJ_S("a;b 9007199254740993\na;b 2\n"), &err);
    const pj_profile_column *column = &whole->columns[0];
    assert_true(column->whole);
    assert_int_equal(column->integer[1], INT64_C(9007199254740995));
    pj_auto_profile real = read_profile_bytes("real", PJ_S("a;b 3\na 0.5\n"), &err);
    assert_false(real->columns[0].whole);
    assert_true(named(real, "a").inclusive == 3.5 && named(real, "b").exclusive == 3);
}

/// The leaf and what calls it stay, the outermost functions go.
static void deep_stacks_are_cut_at_the_root(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL};
    pj_buf_puts(&text, "root;top");
    for (unsigned i = 0; i < 5000; i++)
        pj_buf_addf(&text, ";f%u", i);
    pj_buf_puts(&text, " 7\nroot;top 1\n");
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes("deep", pj_buf_str(&text), &err);
    assert_non_null(p);
    assert_int_equal(p->oddities.count[PJ_ODDITY_roots_cut], 1);
    assert_true(named(p, "f4999").exclusive == 7);
    assert_true(named(p, "f904").inclusive == 7);
    assert_true(named(p, "root").inclusive == 1);
    assert_int_equal(p->count[PJ_AT_NODE], 4096 + 2);
}

static void refuses_other_text(void **state)
{
    (void)state;
    pj_err err = {0};
    assert_null(read_profile_bytes("text", PJ_S("a b 1\nc d 2\n"), &err));
    assert_int_equal(err.code, PJ_E_FORMAT);
}

static void check_reference(const char *file, const char *reference)
{
    char path[512];
    csv table;
    snprintf(path, sizeof path, REFERENCE "%s", reference);
    if (!csv_read(path, &table)) {
        print_message("no data of real tools: %s\n", path);
        skip();
    }
    snprintf(path, sizeof path, DATA "%s", file);
    pj_auto_profile p = read_profile_file(path);
    for (size_t row = 0; row < table.rows; row++) {
        pj_auto_arena arena = pj_arena_new(NULL);
        const char *name = pj_arena_text(arena, csv_cell(&table, row, "function"));
        same_value(named(p, name).exclusive, csv_number(&table, row, "self"));
        same_value(named(p, name).inclusive, csv_number(&table, row, "total"));
    }
    csv_free(&table);
}

static void as_gprof2dot_counts(void **state)
{
    (void)state;
    check_reference("stacks/work.collapsed.txt", "work_collapsed.csv");
    check_reference("stacks/work.collapsed_all_tid.txt", "work_collapsed_all_tid.csv");
    check_reference("gprof2dot/keywords.collapse", "keywords.csv");
    check_reference("flamegraph/perf-java-stacks-02-collapsed-all.txt",
                    "perf-java-02-collapsed.csv");
    check_reference("flamegraph/perf-rust-Yamakaky-dcpu-collapsed-all.txt",
                    "perf-rust-collapsed.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_of_every_writer),
        cmocka_unit_test(first_frames_name_threads),
        cmocka_unit_test(command_lines_hold_semicolons),
        cmocka_unit_test(utf16_and_crlf),
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(deep_stacks_are_cut_at_the_root),
        cmocka_unit_test(refuses_other_text),
        cmocka_unit_test(as_gprof2dot_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
