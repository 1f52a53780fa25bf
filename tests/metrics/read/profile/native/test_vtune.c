// VTune's reports as tables: whatever delimits them, each row is itself.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_names.h"
#include "tests/support/csv.h"
#include "tests/support/profile/read_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/vtune/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/vtune/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/vtune/"

static const char *const delimiters[] = {"hotspots", "semicolon", "caret", "tab", "colon"};
enum { DELIMITERS = sizeof delimiters / sizeof *delimiters };

static double own(const pj_profile *p, uint32_t region, const char *key)
{
    return profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, key, region, 0);
}

static bool is_text(const pj_profile *p, uint32_t text, const char *wanted)
{
    return pj_str_equal(pj_profile_text(p, text), pj_str_of(wanted));
}

static void check_hotspots(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, SAMPLES "%s.csv", name);
    pj_auto_profile p = read_profile_file(path);
    assert_int_equal(p->shape, PJ_SHAPE_FLAT);
    assert_int_equal(p->count[PJ_AT_REGION], 5);
    assert_true(own(p, 0, "time") == 40.5 && own(p, 4, "time") == 0.25);
    assert_true(is_text(p, p->regions[0].name, "relax") && is_text(p, p->regions[4].name, "relax"));
    assert_true(is_text(p, p->regions[0].module, "grid.so"));
    assert_true(is_text(p, p->regions[4].module, "libother.so"));
    assert_true(is_text(p, p->regions[0].file, "grid.c"));
    assert_true(own(p, 2, "time") == 3.25 && own(p, 3, "time") == 1.75); // two loops of one name
    assert_true(own(p, 1, "mpi_busy_wait_time") == 18.25 && own(p, 1, "other") == 0.15);
    assert_true(own(p, 1, "cpu_time_overhead_time_other") == 0.0625);
    assert_true(own(p, 1, "wait_time") == 2.125 && own(p, 1, "wait_count") == 4200);
    assert_true(isnan(own(p, 4, "cpi_rate")));
    uint32_t wait = pj_profile_measure(p, PJ_S("mpi_busy_wait_time"));
    uint32_t spin = p->measures[wait].above - 1;
    assert_string_equal(p->measures[spin].key, "spin_time");
    assert_string_equal(p->measures[p->measures[spin].above - 1].key, "time");
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
}

static void test_delimiters(void **state)
{
    (void)state;
    for (unsigned i = 0; i < DELIMITERS; i++)
        check_hotspots(delimiters[i]);
}

static void test_locations(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "processes.csv");
    assert_int_equal(p->location_count, 2);
    assert_int_equal(p->locations[0].rank, 2);
    assert_true(is_text(p, p->locations[1].name, "grid (rank 0)"));
    assert_int_equal(p->count[PJ_AT_REGION], 1);
    assert_true(own(p, 0, "spin_time") == 2);
    assert_true(profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, "spin_time", 0, 1) == 0.5);
    assert_true(is_text(p, p->pairs[0].value, "4002"));
    pj_auto_profile threads = read_profile_file(SAMPLES "threads.csv");
    assert_int_equal(threads->location_count, 2);
    assert_int_equal(threads->count[PJ_AT_REGION], 2);
    assert_true(profile_value(threads, PJ_AT_REGION, PJ_EXCLUSIVE, "time", 0, 1) == 1.5);
    assert_true(is_text(threads, threads->locations[1].name, "OMP Worker Thread #1"));
}

/// Trees: by the blanks before names, however many.
static void test_trees(void **state)
{
    (void)state;
    static const double self[] = {0, 0.25, 2.75, 0.25, 0.75};
    static const uint32_t parents[] = {PJ_NO_ITEM, 0, 1, 2, 1};
    static const char *const files[] = {SAMPLES "topdown.csv", SAMPLES "topdown.txt"};
    for (unsigned f = 0; f < 2; f++) {
        pj_auto_profile p = read_profile_file(files[f]);
        assert_int_equal(p->shape, PJ_SHAPE_TREE);
        assert_int_equal(p->count[PJ_AT_NODE], 5);
        for (uint32_t i = 0; i < 5; i++) {
            assert_true(profile_value(p, PJ_AT_NODE, PJ_EXCLUSIVE, "time", i, 0) == self[i]);
            assert_int_equal(p->nodes[i].parent, parents[i]);
        }
        assert_null(pj_profile_find(p, PJ_AT_NODE, PJ_INCLUSIVE, 0)); // follows from the others
    }
}

/// Whether that is the path of a node, from the root: "main;sweep".
static bool is_path(const pj_profile *p, uint32_t node, const char *wanted)
{
    pj_str rest = pj_str_of(wanted);
    for (uint32_t at = node; at != PJ_NO_ITEM; at = p->nodes[at].parent) {
        size_t cut = pj_str_find_last(rest, ';');
        bool first = cut == rest.len;
        if (!pj_str_equal(first ? rest : pj_str_from(rest, cut + 1),
                          pj_profile_name(p, p->nodes[at].region)))
            return false;
        if (first)
            return p->nodes[at].parent == PJ_NO_ITEM;
        rest = pj_str_head(rest, cut);
    }
    return false;
}

static double of_path(const pj_profile *p, const char *path, const char *key)
{
    for (uint32_t i = 0; i < p->count[PJ_AT_NODE]; i++)
        if (is_path(p, i, path))
            return profile_value(p, PJ_AT_NODE, PJ_EXCLUSIVE, key, i, 0);
    return -1;
}

/// What a function takes is shared out among the stacks below it: what they do not name is its own
/// path, and what was rounded away goes to the last of them.
static void test_stacks(void **state)
{
    (void)state;
    static const char *const names[] = {"callstacks.csv", "callstacks.txt", "callers.csv"};
    for (unsigned f = 0; f < sizeof names / sizeof *names; f++) {
        char path[512];
        snprintf(path, sizeof path, SAMPLES "%s", names[f]);
        pj_auto_profile p = read_profile_file(path);
        assert_int_equal(p->shape, PJ_SHAPE_TREE);
        assert_int_equal(p->count[PJ_AT_NODE], 7);
        assert_true(fabs(of_path(p, "relax", "time") - 0.04) <= 1e-12);
        assert_true(fabs(of_path(p, "main;sweep;relax", "time") - 3.5) <= 1e-12);
        assert_true(fabs(of_path(p, "main;step;sweep;relax", "time") - 1.9) <= 1e-12);
        assert_true(fabs(of_path(p, "main;sweep", "time") - (f < 2 ? 2.001 : 2)) <= 1e-12);
        assert_true(of_path(p, "main;step;sweep", "time") == 0);
        if (f < 2)
            assert_true(of_path(p, "main;step;sweep;relax", "wait_time") == 0.25);
        assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
    }
    pj_err err = {0};
    pj_auto_profile parts =
        read_profile_bytes("a.csv",
                           PJ_S("Module / Function / Call Stack,CPU Time\n"
                                "grid.so,7.5\n relax,5\n sweep,2.5\na.out,1\n main,1\n"),
                           &err);
    assert_non_null(parts);
    assert_int_equal(parts->count[PJ_AT_REGION], 2);
    assert_true(own(parts, 0, "time") == 7.5 && own(parts, 1, "time") == 1);
    pj_auto_profile flat = read_profile_bytes(
        "a.csv", PJ_S("Function / Call Stack,CPU Time,Module\nf,7.5,m\ng,5,m\n"), &err);
    assert_non_null(flat);
    assert_int_equal(flat->shape, PJ_SHAPE_FLAT);
    assert_true(own(flat, 0, "time") == 7.5 && own(flat, 1, "time") == 5);
}

static void test_text(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "table.txt");
    assert_int_equal(p->count[PJ_AT_REGION], 2);
    assert_true(own(p, 0, "time") == 40.5 && own(p, 0, "wait_count") == 1234567);
    assert_true(own(p, 1, "time") == 0.2505);
    pj_err err = {0};
    pj_auto_profile odd = read_profile_bytes(
        "a.csv",
        PJ_S("a word before\n\"Function\"::\"CPU Time\"::\"Module\"\nf::nan::m\ng::1e3::m\nh\n"),
        &err);
    assert_string_equal(err.text, "");
    assert_non_null(odd);
    assert_int_equal(odd->count[PJ_AT_REGION], 3);
    assert_true(own(odd, 1, "time") == 1000 && isnan(own(odd, 2, "time")));
    assert_int_equal(odd->oddities.count[PJ_ODDITY_malformed_record], 1);
}

/// What a spreadsheet has stored again has its decimal comma; commas may still part thousands.
static void test_decimal_commas(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p =
        read_profile_bytes("a.csv",
                           PJ_S("\xef\xbb\xbf"
                                "Function;CPU Time;Wait Time\r\nf;20,119456;1,234\r\ng;0,125;\r\n"),
                           &err);
    assert_non_null(p);
    assert_true(own(p, 0, "time") == 20.119456 && own(p, 0, "wait_time") == 1.234);
    assert_true(own(p, 1, "time") == 0.125 && isnan(own(p, 1, "wait_time")));
    pj_auto_profile grouped = read_profile_bytes(
        "a.csv", PJ_S("Function;Clockticks\nf;1,234,567\ng;-1,234\nh;12\n"), &err);
    assert_non_null(grouped);
    assert_true(own(grouped, 0, "clockticks") == 1234567 && own(grouped, 1, "clockticks") == -1234);
}

/// Skips the test when there is no such file.
static csv reference(const char *name)
{
    csv table;
    char path[512];
    snprintf(path, sizeof path, REFERENCE "%s", name);
    if (!csv_read(path, &table)) {
        print_message("skipped: %s is not there\n", path);
        skip();
    }
    return table;
}

static void test_reference(void **state)
{
    (void)state;
    static const char *const files[] = {"made_hotspots.csv", "made_hotspots_caret.csv",
                                        "made_hotspots_semicolon.csv", "made_hotspots_tab.csv"};
    static const char *const keys[][2] = {{"cpu_s", "time"},
                                          {"effective_s", "effective_time"},
                                          {"spin_s", "spin_time"},
                                          {"mpi_wait_s", "mpi_busy_wait_time"},
                                          {"overhead_s", "overhead_time"},
                                          {"wait_s", "wait_time"},
                                          {"wait_count", "wait_count"}};
    csv table = reference("made_hotspots.csv");
    for (unsigned f = 0; f < sizeof files / sizeof *files; f++) {
        char path[512];
        snprintf(path, sizeof path, DATA "%s", files[f]);
        pj_auto_profile p = read_profile_file(path);
        assert_int_equal(p->count[PJ_AT_REGION], table.rows);
        for (uint32_t row = 0; row < table.rows; row++) {
            assert_true(pj_str_equal(pj_profile_name(p, row), csv_cell(&table, row, "function")));
            assert_true(pj_str_equal(pj_profile_text(p, p->regions[row].module),
                                     csv_cell(&table, row, "module")));
            for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
                assert_true(own(p, row, keys[i][1]) == csv_number(&table, row, keys[i][0]));
        }
    }
    csv_free(&table);
}

static void test_tree_reference(void **state)
{
    (void)state;
    csv table = reference("made_topdown.csv");
    static const char *const files[] = {DATA "made_topdown.csv", DATA "made_topdown.txt"};
    for (unsigned f = 0; f < 2; f++) {
        pj_auto_profile p = read_profile_file(files[f]);
        assert_int_equal(p->count[PJ_AT_NODE], table.rows);
        for (uint32_t row = 0; row < table.rows; row++) {
            assert_int_equal(p->nodes[row].depth, csv_number(&table, row, "depth"));
            assert_true(pj_str_equal(pj_profile_name(p, p->nodes[row].region),
                                     csv_cell(&table, row, "function")));
            assert_true(profile_value(p, PJ_AT_NODE, PJ_EXCLUSIVE, "time", row, 0) ==
                        csv_number(&table, row, "self_s"));
        }
    }
    csv_free(&table);
}

static void test_real(void **state)
{
    (void)state;
    csv table = reference("made_hotspots.csv");
    csv_free(&table);
    pj_auto_profile text = read_profile_file(DATA "made_hotspots.txt");
    assert_int_equal(text->count[PJ_AT_REGION], 7);
    assert_true(own(text, 4, "time") == 6);
    pj_auto_profile p = read_profile_file(DATA "made_by_process.csv");
    assert_int_equal(p->location_count, 4);
    assert_int_equal(p->locations[3].rank, 3);
    assert_true(profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, "mpi_busy_wait_time", 0, 2) == 16.875);
}

/// What VTune does not know is shown by its function alone.
static void test_unknown_files(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "hotspots.csv");
    pj_auto_buf label = {0};
    pj_auto_arena arena = pj_arena_new(NULL);
    assert_true(is_text(p, p->regions[1].file, "[Unknown]"));
    pj_profile_short_label(p, 1, &label);
    assert_string_equal(label.at, "PMPI_Allreduce [libmpi.so.40]");
    assert_string_equal(pj_function_label(p, 1, arena), "PMPI_Allreduce");
    assert_string_equal(pj_function_place(p, 1, arena), "");
    assert_string_equal(pj_function_place(p, 0, arena), "grid.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delimiters), cmocka_unit_test(test_locations),
        cmocka_unit_test(test_trees),      cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_text),       cmocka_unit_test(test_decimal_commas),
        cmocka_unit_test(test_reference),  cmocka_unit_test(test_tree_reference),
        cmocka_unit_test(test_real),       cmocka_unit_test(test_unknown_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
