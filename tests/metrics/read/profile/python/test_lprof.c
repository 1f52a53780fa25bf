// Line profiles: every protocol of pickle gives the same lines, and nothing else of pickle is
// understood.
#include "metrics/read/profile/python/pickle.h"
#include "tests/support/csv.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/lprof/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/lprof/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/lprof/"

typedef struct expected {
    pj_str function, file;
    uint32_t first_line, line;
    int64_t hits, ticks;
} expected;

static const expected sample[] = {
    {{"relax", 5}, {"grid.py", 7}, 4, 5, 12, 4200},
    {{"relax", 5}, {"grid.py", 7}, 4, 6, 768, 201000},
    {{"relax", 5}, {"grid.py", 7}, 4, 7, 768, 333300},
    {{"Grid.residual", 13}, {"grid.py", 7}, 11, 12, 3, 70000000},
    {{"Grid.residual", 13}, {"grid.py", 7}, 11, 15, 3, 900},
    {{"caf\xc3\xa9", 5}, {"b\xc3\xa4nder/\xe4\xb8\xad.py", 14}, 300, 301, 70000, 5000000000},
};

enum { LINES = sizeof sample / sizeof *sample };

static void check_line(const pj_profile *p, uint32_t at, const expected *e, double unit)
{
    const pj_profile_line *line = &p->lines[at];
    const pj_profile_region *region = &p->regions[line->region];
    assert_true(pj_str_equal(pj_profile_text(p, region->name), e->function));
    assert_true(pj_str_equal(pj_profile_text(p, region->file), e->file));
    assert_int_equal(region->line, e->first_line);
    assert_int_equal(line->line, e->line);
    assert_true(profile_value(p, PJ_AT_LINE, PJ_CALLS, NULL, at, 0) == (double)e->hits);
    same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "time", at, 0), (double)e->ticks * unit);
}

static void check_sample(const char *name, double unit)
{
    char path[512];
    snprintf(path, sizeof path, SAMPLES "%s.lprof", name);
    pj_auto_profile p = read_profile_file(path);
    assert_true(p->tick == unit);
    assert_int_equal(p->count[PJ_AT_REGION], 4);
    assert_int_equal(p->count[PJ_AT_LINE], LINES);
    for (uint32_t i = 0; i < LINES; i++)
        check_line(p, i, &sample[i], unit);
    same_value(profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, "time", 0, 0), 538500 * unit);
    assert_true(profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, "time", 2, 0) == 0);
}

static void test_protocols(void **state)
{
    (void)state;
    static const char *const names[] = {"protocol0", "protocol1", "protocol2", "protocol4",
                                        "protocol5"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_sample(names[i], 1e-9);
    check_sample("version5", 1e-7);
}

#define HEAD "\x80\x02" // protocol 2
#define STATS "cline_profiler._line_profiler\nLineStats\n"

/// Pickles that are refused, and what the message says.
static const struct {
    pj_str bytes;
    const char *says;
} bad[] = {
    {PJ_S("cos\nsystem\n(S'true'\ntR."), "names os.system"},
    {PJ_S("\x80\x04\x8c\x08"
          "builtins\x8c\x04"
          "eval\x93\x8c\x03 1 \x85R."),
     "at byte 18 it names builtins.eval"},
    {PJ_S("ccopy_reg\n_reconstructor\n(" STATS "c__builtin__\nobject\n(ttR."), "opcode REDUCE"},
    {PJ_S("Pabc\n."), "opcode PERSID"},
    {PJ_S(HEAD "\x82\x01."), "opcode EXT1"},
    {PJ_S(HEAD "\x07."), "opcode unknown (0x07)"},
    {PJ_S("\x80\x05\x95\xff\xff\xff\xff\xff\xff\xff\x7fN."), "a frame is longer than the file"},
    {PJ_S(HEAD "X\xff\xff\xff\x7f"), "a value is longer than the file"},
    {PJ_S(HEAD "Nr\xff\xff\xff\x7f."), "beyond those of the file"},
    {PJ_S(HEAD "h\x01."), "never kept"},
    {PJ_S(HEAD "Nq\x09h\x01."), "beyond those of the file"},
    {PJ_S(HEAD "NN0Nq\x03h\x01."), "never kept"},
    {PJ_S(HEAD "00."), "too few values"},
    {PJ_S(HEAD "(0."), "too few values"},
    {PJ_S(HEAD "K\x01(\x86."), "too few values"},
    {PJ_S(HEAD "t."), "there is no mark"},
    {PJ_S(HEAD "K\x01K\x02"
               "a."),
     "added to something that holds none"},
    {PJ_S(HEAD "}(K\x01u."), "a key has no value"},
    {PJ_S(HEAD "(K\x01"
               "d."),
     "a key has no value"},
    {PJ_S(HEAD "\x8a\x09         ."), "longer than 8 bytes"},
    {PJ_S(HEAD "I9223372036854775808\n."), "no whole number of 64 bits"},
    {PJ_S(HEAD "Fzero\n."), "no number"},
    {PJ_S(HEAD "S'a\n."), "no quotes"},
    {PJ_S(HEAD "Vabc"), "a line has no end"},
    {PJ_S(HEAD "}"), "cut off"},
    {PJ_S(HEAD "NN."), "other than one value"},
    {PJ_S(HEAD "N.N"), "bytes follow"},
    {PJ_S(HEAD "N."), "holds no LineStats"},
    {PJ_S(HEAD STATS ")\x81."), "holds no LineStats"},
    {PJ_S(HEAD STATS "K\x01\x81."), "no LineStats"},
    {PJ_S(HEAD STATS ")\x81}}bb."), "no LineStats"},
    {PJ_S(HEAD STATS ")\x81}b."), "no timings or no unit"},
    {PJ_S(HEAD STATS ")\x81}(U\x07timings}U\x04unitK\x00ub."), "no positive number"},
    {PJ_S(HEAD STATS ")\x81}(U\x07timings}U\x04unitFnan\nub."), "no positive number"},
    {PJ_S(HEAD STATS ")\x81}(U\x07timings}K\x01]sU\x04unitK\x01ub."), "not file, line and name"},
    {PJ_S(HEAD STATS ")\x81}(U\x07timings}U\x01"
                     "fK\x01U\x01g\x87K\x01sU\x04unitK\x01ub."),
     "are no list"},
    {PJ_S(HEAD STATS ")\x81}(U\x07timings}U\x01"
                     "fK\x01U\x01g\x87]K\x01"
                     "asU\x04unitK\x01ub."),
     "not number, hits and ticks"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pj_err err = {0};
        pj_auto_profile p = read_profile_bytes("bad.lprof", bad[i].bytes, &err);
        if (p || !pj_str_contains(pj_str_of(err.text), pj_str_of(bad[i].says)))
            fail_msg("case %zu says \"%s\", not \"%s\"", i, err.text, bad[i].says);
    }
}

/// A list that holds itself, and one that many functions share: neither takes long or much.
static void test_shared_lists(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile loop = read_profile_bytes("loop.lprof",
                                              PJ_S(HEAD "]q\x01h\x01"
                                                        "a."),
                                              &err);
    assert_null(loop);
    pj_auto_buf many = {.at = NULL};
    pj_buf_add(&many, PJ_S(HEAD STATS ")\x81}(U\x07timings}(U\x01"
                                      "fK\x00U\x01g\x87](K\x01K\x01K\x01\x87q\x01"));
    for (unsigned i = 0; i < 500; i++)
        pj_buf_add(&many, PJ_S("h\x01"));
    pj_buf_add(&many, PJ_S("eq\x02"));
    for (unsigned i = 0; i < 250; i++) {
        pj_buf_add(&many, PJ_S("U\x01"
                               "fK"));
        pj_buf_add_char(&many, (char)i);
        pj_buf_add(&many, PJ_S("U\x01h\x87h\x02"));
    }
    pj_buf_add(&many, PJ_S("uU\x04unitK\x01ub."));
    err = (pj_err){0};
    pj_auto_profile shared = read_profile_bytes("shared.lprof", pj_buf_str(&many), &err);
    assert_null(shared);
    assert_non_null(strstr(err.text, "more lines than bytes"));
}

/// Text of protocol 0: escapes of two languages.
static void test_old_texts(void **state)
{
    (void)state;
    static const pj_str bytes = PJ_S("(VA\\u00e4\xfc\\U0001f600\\ud800\nS'a\\x41\\n\\'\\q'\n"
                                     "I01\nI00\nI-5\nL7L\nF1.5\nt.");
    pj_err err = {0};
    pj_job job = {0};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_pickle_value value;
    pj_source *source = pj_source_memory("memory", bytes, &job, &err);
    assert_true(pj_pickle_read(source, bytes, arena, &value, &err));
    pj_source_close(source);
    assert_int_equal(value.count, 7);
    assert_true(pj_str_equal(pj_pickle_text(value.items[0]),
                             PJ_S("A\xc3\xa4\xc3\xbc\xf0\x9f\x98\x80\xed\xa0\x80")));
    assert_true(pj_str_equal(pj_pickle_text(value.items[1]), PJ_S("aA\n'\\q")));
    assert_true(value.items[2].kind == PJ_PICKLE_BOOL && value.items[2].integer == 1);
    assert_true(value.items[3].kind == PJ_PICKLE_BOOL && value.items[3].integer == 0);
    assert_int_equal(value.items[4].integer, -5);
    assert_int_equal(value.items[5].integer, 7);
    assert_true(value.items[6].real == 1.5);
}

/// That lines [from, to) of a reference are those of a file.
static void same_lines(const pj_profile *p, const csv *table, size_t from, size_t to)
{
    uint32_t at = 0;
    assert_int_equal(p->count[PJ_AT_LINE], to - from);
    for (size_t row = from; row < to; row++, at++) {
        expected e = {csv_cell(table, row, "function"),
                      csv_cell(table, row, "file"),
                      (uint32_t)csv_number(table, row, "function_line"),
                      (uint32_t)csv_number(table, row, "line"),
                      (int64_t)csv_number(table, row, "hits"),
                      (int64_t)llround(csv_number(table, row, "time_s") * 1e9)};
        check_line(p, at, &e, 1e-9);
    }
}

static void test_reference(void **state)
{
    (void)state;
    csv table;
    if (!csv_read(REFERENCE "lp_lines.csv", &table)) {
        print_message("skipped: %s is not there\n", REFERENCE);
        skip();
    }
    static const char *const names[] = {"lp.py", "lp_protocol0", "lp_protocol1", "lp_protocol2",
                                        "lp_protocol4"};
    char path[512];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, DATA "%s.lprof", names[i]);
        pj_auto_profile p = read_profile_file(path);
        same_lines(p, &table, 0, table.rows);
    }
    csv_free(&table);
    assert_true(csv_read(REFERENCE "ranks_lp_lines.csv", &table));
    for (unsigned rank = 0; rank < 4; rank++) {
        snprintf(path, sizeof path, DATA "ranks_lp.lprof%u", rank);
        pj_auto_profile p = read_profile_file(path);
        same_lines(p, &table, rank * table.rows / 4, (rank + 1) * table.rows / 4);
    }
    csv_free(&table);
}

static void test_hostile(void **state)
{
    (void)state;
    static const struct {
        const char *name, *says;
    } files[] = {{"builtins_eval", "builtins.eval"},
                 {"dict_bomb", "byte"},
                 {"ext", "EXT1"},
                 {"frame_too_long", "frame"},
                 {"long1_big", "8 bytes"},
                 {"memo_bomb", "byte 2"},
                 {"no_stop", "a frame is longer"},
                 {"other_class", "collections.OrderedDict"},
                 {"persid", "PERSID"},
                 {"reduce", "byte"},
                 {"stack_underflow", "too few"},
                 {"system", "system"},
                 {"truncated", "damaged"},
                 {"wrong_state", "no LineStats"}};
    if (access(DATA "hostile", R_OK) != 0) {
        print_message("skipped: %s is not there\n", DATA);
        skip();
    }
    char path[512];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, DATA "hostile/%s.lprof", files[i].name);
        refuse_profile_file(path, files[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_protocols),    cmocka_unit_test(test_refused),
        cmocka_unit_test(test_shared_lists), cmocka_unit_test(test_old_texts),
        cmocka_unit_test(test_reference),    cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
