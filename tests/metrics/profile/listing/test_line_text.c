// Listings by line: byte for byte those of line_profiler and memory_profiler.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/listing/line_text.h"
#include "metrics/profile/listing/python_block.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_parts.h"
#include "tests/support/folder.h"
#include "tests/support/golden.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/lprof/"

/// Sources, and how many lines the function at their start has.
static const struct {
    const char *source;
    size_t lines;
} blocks[] = {
    {"", 0},
    {"def f(): return 1\nx = 2\n", 1},
    {"@profile\ndef f():\n    return 1\n\n\nx = 2\n", 3},
    {"@profile(1,\n  2)\n@other\nasync def f(a,\n  b):\n\n    # inside\n    return 1\n# outside\n",
     8},
    {"    def f(self):\n        a = 1\n\n        # comment\n        b = 2\n        # last\n"
     "    def g(self):\n        pass\n",
     6},
    {"def f():\n    a = \"\"\"\nat the left\n\"\"\" + 'it\\'s # no' \\\n+ x\n    return a\ny\n", 6},
    {"def f():\n    a = [\n1, ')',\n]\n  # less\n    return a", 6},
    {"def f():\n\tif a:\n\t\tb\n        c\nd\n", 4},
    {"def f(a='''\n''', b=1): return a\nx\n", 2},
    {"lambda x: x\ny\n", 1},
    {"def f():\r\n    return 1\r\n\r\nx\r\n", 2},
    {"def f():\n    a = 'not closed\n    b\nc\n", 3},
};

static void test_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (pj_python_block(pj_str_of(blocks[i].source)) != blocks[i].lines)
            fail_msg("block %zu has %zu lines, not %zu", i,
                     pj_python_block(pj_str_of(blocks[i].source)), blocks[i].lines);
}

static void same_text(const pj_profile *p, pj_line_text_opts opts, const char *golden)
{
    pj_err err = {0};
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_line_text(p, opts, &text, &err));
    assert_true(pj_golden_same(golden, pj_buf_str(&text)));
}

/// A folder for the source of the sample; the caller removes the file.
static const char *write_source(void)
{
    const char *path = folder_file("grid.py");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("import sys\n\n\n@profile\ndef relax(row, weight): # the body is below\n"
          "    for i in range(1, len(row) - 1):\n        row[i] += weight * row[i - 1]\n\n"
          "class Grid:\n    size = 4\n    @profile\n    def residual(self): return max(\n"
          "        self.old)\n\n    x = 1\n\n\n@profile\ndef unused():\n    pass\n",
          file);
    fclose(file);
    return path;
}

static void test_samples(void **state)
{
    (void)state;
    char folder[512];
    const char *source = write_source();
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(source, '/') - source), source);
    pj_auto_profile p = read_profile_file(SAMPLES "lprof/protocol4.lprof");
    same_text(p, (pj_line_text_opts){.source = folder},
              PJ_SOURCE_DIR "/tests/golden/lines_source.txt");
    same_text(p, (pj_line_text_opts){.unit = 1e-3, .skip_zero = true},
              PJ_SOURCE_DIR "/tests/golden/lines_without.txt");
    unlink(source);
    pj_auto_profile memory = read_profile_file(SAMPLES "memory_lines/grid.txt");
    same_text(memory, (pj_line_text_opts){.unit = 0},
              PJ_SOURCE_DIR "/tests/golden/lines_memory.txt");
}

/// Two ranks: sums, and the least and the most beside them.
static void test_ranks(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a", &job);
    pj_build_profile(b)->tick = 1e-6;
    uint32_t time = pj_build_measure(
        b, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    uint32_t hits = pj_build_column(b, PJ_AT_LINE, PJ_CALLS, PJ_NO_ITEM, true);
    uint32_t value = pj_build_column(b, PJ_AT_LINE, PJ_EXCLUSIVE, time, false);
    uint32_t region = pj_build_region(b, PJ_S("f"), PJ_S("none.py"), 3);
    uint32_t second = pj_build_line(b, region, 5, 0), first = pj_build_line(b, region, 4, 0);
    for (int rank = 0; rank < 2; rank++) {
        uint32_t at = pj_build_location(b, (pj_profile_location){.rank = rank});
        pj_build_count(b, hits, first, at, 10 + rank);
        pj_build_add(b, value, first, at, 3e-6 * (1 + rank));
        if (rank)
            pj_build_count(b, hits, second, at, 1);
        if (rank)
            pj_build_add(b, value, second, at, 1e-3);
    }
    pj_err err = {0};
    pj_auto_profile p = pj_build_finish(b, &err);
    same_text(p, (pj_line_text_opts){.unit = 0}, PJ_SOURCE_DIR "/tests/golden/lines_ranks.txt");
    atomic_bool stop = true;
    pj_auto_table lines = pj_profile_lines(p, NULL, &err);
    assert_int_equal(lines->row_count, 3);
    assert_null(pj_profile_lines(p, &stop, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    err = (pj_err){0};
    pj_auto_build none = pj_build_new("a", &job);
    pj_auto_profile empty = pj_build_finish(none, &err);
    pj_auto_buf text = {.at = NULL};
    assert_false(pj_line_text(empty, (pj_line_text_opts){.unit = 0}, &text, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

/// A line far behind its function is shown, what lies between is not.
static void test_far_line(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes("a.lprof",
                                           PJ_S("\x80\x02"
                                                "cline_profiler.line_profiler\nLineStats\n)\x81}("
                                                "U\x07timings}U\x01"
                                                "fK\x01U\x01g\x87](K\x02K\x03K\x04\x87I4294967295\n"
                                                "K\x05K\x06\x87"
                                                "esU\x04unitF1e-9\nub."),
                                           &err);
    assert_string_equal(err.text, "");
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_line_text(p, (pj_line_text_opts){.unit = 0}, &text, &err));
    assert_true(text.len < 1000);
    assert_non_null(strstr(text.at, "4294967295         5"));
}

/// Compares without golden files of our own: those of the real tools.
static void same_file(const pj_profile *p, pj_line_text_opts opts, const char *path)
{
    pj_err err = {0};
    pj_auto_buf text = {.at = NULL}, theirs = {.at = NULL};
    assert_true(pj_file_read(path, &theirs, &err));
    assert_true(pj_line_text(p, opts, &text, &err));
    assert_string_equal(text.at, theirs.at);
}

static void test_reference(void **state)
{
    (void)state;
    if (access(REFERENCE, R_OK) != 0) {
        print_message("skipped: %s is not there\n", REFERENCE);
        skip();
    }
    pj_auto_profile p = read_profile_file(DATA "lprof/lp.py.lprof");
    pj_line_text_opts opts = {.source = DATA "lprof"};
    same_file(p, opts, REFERENCE "lp_listing.txt");
    opts.unit = 1e-9;
    same_file(p, opts, REFERENCE "lp_listing_u1e-9.txt");
    opts = (pj_line_text_opts){.source = opts.source, .unit = 1e-3, .skip_zero = true};
    same_file(p, opts, REFERENCE "lp_listing_u1e-3_z.txt");
    same_file(p, (pj_line_text_opts){.unit = 0}, REFERENCE "lp_listing_without_source.txt");
    pj_auto_profile listing = read_profile_file(REFERENCE "lp_listing_u1e-9.txt");
    opts = (pj_line_text_opts){.source = DATA "lprof", .unit = 1e-9};
    same_file(listing, opts, REFERENCE "lp_listing_u1e-9.txt");
    pj_auto_profile memory = read_profile_file(DATA "mprofile/mem_lines.txt");
    same_file(memory, (pj_line_text_opts){.unit = 0}, DATA "mprofile/mem_lines.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),    cmocka_unit_test(test_samples),
        cmocka_unit_test(test_ranks),     cmocka_unit_test(test_far_line),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
