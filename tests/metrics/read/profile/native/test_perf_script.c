// perf script: headers of every kind, unknown and inlined functions, two events; and what
// stackcollapse-perf makes of real files.
#include "metrics/base/buf.h"
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/perf_script/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static void two_events(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "two_events.perf.txt");
    assert_int_equal(p->location_count, 2);
    assert_true(pj_str_equal(pj_profile_text(p, p->locations[1].name), PJ_S("work 1 14")));
    same_value(profile_totals_at(p, "period", 0, "main").inclusive, 1000000);
    same_value(profile_totals_at(p, "period", 1, "leaf").exclusive, 500000);
    same_value(profile_totals_at(p, "samples", PJ_NO_ITEM, "leaf").exclusive, 2);
    same_value(
        profile_totals_at(p, "period_instructions:u", 0, "operator()(int, char const*)").inclusive,
        20);
    same_value(profile_totals_at(p, "samples_instructions:u", 0, "step").inclusive, 1);
    same_value(profile_totals_at(p, "period", 1, "[libm.so.6]").inclusive, 500000);
    same_value(profile_totals_at(p, "period", 1, "[unknown]").inclusive, 500000);
    uint32_t leaf = region_called(p, PJ_S("leaf"), &PJ_S("/opt/app/work"));
    assert_true(pj_str_equal(pj_profile_text(p, p->regions[leaf].module), PJ_S("work")));
    uint32_t step = region_called(p, PJ_S("step"), NULL);
    assert_int_equal(p->regions[step].group_count, 1);
    uint32_t kernel = region_called(p, PJ_S("do_syscall_64"), NULL);
    assert_int_equal(p->regions[kernel].kind, PJ_REGION_system);
    assert_int_equal(p->oddities.count[PJ_ODDITY_unknown_record], 1); // a line of sources
}

static void samples_without_stacks(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "no_stacks.perf.txt");
    same_value(profile_totals_at(p, "samples", 0, "leaf").exclusive, 2);
    uint32_t leaf = region_called(p, PJ_S("leaf"), NULL);
    assert_true(
        pj_str_equal(pj_profile_text(p, p->regions[leaf].file), PJ_S("/opt/app/a b (1).so")));
    assert_int_equal(p->measure_count, 1); // no period was printed
}

/// --show-mmap-events puts records between the samples, -F +misc a mode behind the thread.
static void records_and_modes_are_passed_over(void **state)
{
    (void)state;
    static const char text[] = "swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xff(0x1) @ "
                               "0]: x [kernel.kallsyms]_text\n"
                               "work 12 5.100: PERF_RECORD_COMM exec: work:12/12\n"
                               "work 12 U 5.200:     100 cycles: \n"
                               "\t  1a leaf+0x1 (/opt/work)\n"
                               "\t  2b main+0x1 (/opt/work)\n"
                               "\n"
                               "work 12 5.250: PERF_RECORD_EXIT(12:12):(12:12)\n";
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes("x.txt", pj_str_of(text), &err);
    assert_non_null(p);
    same_value(profile_totals_at(p, "period", 0, "main").inclusive, 100);
    same_value(profile_totals_at(p, "samples", 0, "leaf").exclusive, 1);
    assert_true(pj_str_equal(pj_profile_text(p, p->locations[0].name), PJ_S("work 12")));
    assert_int_equal(p->oddities.count[PJ_ODDITY_unknown_record], 0);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
}

/// What -F leaves out, and what no -g means: one indented line a sample.
static void other_fields(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "            work 1  1999 [001]  3625.430:    1000 cycles:      559c0ce2 leaf+0x1a "
        "(/opt/work)\n"
        "            work 1  1999 [001]  3625.432:    1000 cycles:      559c0ce3 mid+0x2 "
        "(/opt/work)\n"
        "            work 1  1999 [001]  3625.433:    1000 cycles:      559c0ce2 leaf+0x1b "
        "(/opt/work)\n",
        "            work 1  1999  3625.430:      559c0ce2 leaf\n"
        "            work 1  1999  3625.432:      559c0ce3 mid\n"
        "            work 1  1999  3625.433:      559c0ce2 leaf\n",
        "work 1  1999  3625.430: cycles: \n\t   11a3 leaf\n\t   1307 main\n\n"
        "work 1  1999  3625.432: cycles: \n\t   11a9 mid\n\t   1307 main\n\n"
        "work 1  1999  3625.433: cycles: \n\t   11a3 leaf\n\t   1307 main\n\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pj_err err = {0};
        pj_auto_profile p = read_profile_bytes("x.txt", pj_str_of(texts[i]), &err);
        assert_non_null(p);
        assert_string_equal(p->format, "perf_script");
        same_value(profile_totals_at(p, "samples", 0, "leaf").exclusive, 2);
        same_value(profile_totals_at(p, "samples", 0, "mid").exclusive, 1);
        assert_true(pj_str_equal(pj_profile_text(p, p->locations[0].name), PJ_S("work 1 1999")));
        if (i == 0)
            same_value(profile_totals_at(p, "period", 0, "leaf").exclusive, 2000);
        else
            assert_int_equal(pj_profile_measure(p, PJ_S("period")), PJ_NO_ITEM);
        for (unsigned k = 0; k < PJ_ODDITY_COUNT; k++)
            assert_int_equal(p->oddities.count[k], 0);
    }
}

/// -F may leave out command, ids, time, or all but the event; what is left tells where a sample is.
static void fields_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *header, *thread;
        unsigned period; // 0 = not printed
    } rows[] = {
        {"work     5.678900:       1000 cycles:u: ", "work", 1000},
        {"work  cycles:u: ", "work", 0},
        {"cycles:u: ", "", 0},
        {"      1000 cycles:u: ", "", 1000},
        {"work  4711       1000 cycles:u: ", "work 4711", 1000},
        {"work  4711 cycles:u: ", "work 4711", 0},
        {"    5.678900: cycles:u: ", "", 0},
        {" 4711     5.678900: cycles:u: ", "4711", 0},
        {"Web Content [001]     5.678900: cycles:u: ", "Web Content", 0},
        {":-1    -1/-1    5.678900:  1000 cycles:u: ", ":-1 -1", 1000},
        {"work 4711     5.678900: ", "work 4711", 0},
        {"work  4711/4711     5.678900:       1000 ", "work 4711", 1000},
        {"work 12 5.6: sched:sched_switch: prev_comm=a ==> next_comm=b (c)", "work 12", 0},
        {"work 12 5.6:  1000 mem-loads:u:  7ffc12345678  5080021 |OP LOAD (x)", "work 12", 1000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const char stack[] = "\t            11a3 leaf+0x1a (/opt/work+0x1a3)\n"
                                    "\t            1307 std::main: two (/opt/work)\n\n";
        pj_auto_buf text = {.at = NULL};
        for (unsigned k = 0; k < 3; k++)
            pj_buf_addf(&text, "%s\n%s", rows[i].header, stack);
        pj_err err = {0};
        pj_auto_profile p = read_profile_bytes("x.txt", pj_buf_str(&text), &err);
        assert_non_null(p);
        assert_string_equal(p->format, "perf_script");
        same_value(profile_totals_at(p, "samples", 0, "leaf").exclusive, 3);
        same_value(profile_totals_at(p, "samples", 0, "std::main: two").inclusive, 3);
        assert_int_equal(p->count[PJ_AT_REGION], 2);
        uint32_t leaf = region_called(p, PJ_S("leaf"), &PJ_S("/opt/work"));
        assert_int_not_equal(leaf, PJ_NO_ITEM);
        assert_true(
            pj_str_equal(pj_profile_text(p, p->locations[0].name), pj_str_of(rows[i].thread)));
        if (rows[i].period)
            same_value(profile_totals_at(p, "period", 0, "leaf").exclusive, 3 * rows[i].period);
        else
            assert_int_equal(pj_profile_measure(p, PJ_S("period")), PJ_NO_ITEM);
        for (unsigned k = 0; k < PJ_ODDITY_COUNT; k++)
            assert_int_equal(p->oddities.count[k], 0);
    }
    pj_err err = {0};
    pj_auto_profile prose =
        read_profile_bytes("x.txt", PJ_S("Note:\n    add a\n    bad b\n"), &err);
    assert_null(prose);
}

/// The name as stackcollapse-perf prints it: without arguments, and no semicolon in it.
static const char *tidy(pj_arena *arena, pj_str name)
{
    char *out = pj_new_n(arena, char, name.len + 1);
    size_t length = pj_str_find(name, '('), n = 0;
    bool anonymous = pj_str_starts(name, PJ_S("(")) || length == 0;
    for (size_t i = 0; i < (anonymous ? name.len : length); i++)
        if (name.at[i] != '"' && name.at[i] != '\'')
            out[n++] = name.at[i] == ';' ? ':' : name.at[i];
    return out;
}

/// Weight of the stack that a line of stackcollapse-perf --tid tells, by its functions.
static double weight_of(const pj_profile *p, const char *key, pj_str frames, pj_arena *arena)
{
    uint32_t measure = pj_profile_measure(p, pj_str_of(key));
    const pj_profile_column *column = pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, measure);
    double sum = 0;
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++) {
        pj_str rest = frames;
        uint32_t at = n;
        while (rest.len && at != PJ_NO_ITEM) {
            size_t last = pj_str_find_last(rest, ';');
            pj_str name = last == rest.len ? rest : pj_str_from(rest, last + 1);
            rest = last == rest.len ? PJ_S("") : pj_str_head(rest, last);
            const char *own = tidy(arena, pj_profile_name(p, p->nodes[at].region));
            if (!pj_str_equal(pj_str_of(own), name))
                break;
            at = p->nodes[at].parent;
            if (rest.len == 0 && at == PJ_NO_ITEM)
                for (uint32_t l = 0; l < p->location_count; l++) {
                    double value = pj_profile_value(p, column, n, l);
                    sum += isnan(value) ? 0 : value;
                }
        }
    }
    return sum;
}

static double total(const pj_profile *p, const char *key)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    profile_totals *totals = profile_totals_of(p, key, PJ_NO_ITEM, arena);
    double sum = 0;
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
        sum += totals[r].exclusive;
    return sum;
}

/// Adds up the lines of equal stacks, whose first frame is a thread.
static void check_collapsed(const char *name, const char *key)
{
    char path[512];
    snprintf(path, sizeof path, DATA "flamegraph/%s.txt", name);
    pj_auto_profile p = read_profile_file(path);
    snprintf(path, sizeof path, DATA "flamegraph/%s-collapsed-tid.txt", name);
    pj_auto_profile stacks = read_profile_file(path);
    pj_auto_arena arena = pj_arena_new(NULL);
    same_value(total(p, key), total(stacks, "samples"));
    for (uint32_t n = 0; n < stacks->count[PJ_AT_NODE]; n++) {
        if (stacks->nodes[n].depth == 0)
            continue;
        const char *frames = "";
        for (uint32_t at = n; stacks->nodes[at].depth > 0; at = stacks->nodes[at].parent)
            frames = pj_arena_format(arena, PJ_STR_FMT "%s%s",
                                     PJ_STR_ARG(pj_profile_name(stacks, stacks->nodes[at].region)),
                                     *frames ? ";" : "", frames);
        double want = 0; // of this stack in all threads
        for (uint32_t other = 0; other < stacks->count[PJ_AT_NODE]; other++) {
            uint32_t a = other, b = n;
            while (stacks->nodes[a].depth > 0 && stacks->nodes[b].depth > 0 &&
                   stacks->nodes[a].region == stacks->nodes[b].region) {
                a = stacks->nodes[a].parent;
                b = stacks->nodes[b].parent;
            }
            bool same = stacks->nodes[a].depth == 0 && stacks->nodes[b].depth == 0;
            for (uint32_t l = 0; same && l < stacks->location_count; l++) {
                double value = profile_value(stacks, PJ_AT_NODE, PJ_EXCLUSIVE, "samples", other, l);
                want += isnan(value) ? 0 : value;
            }
        }
        same_value(weight_of(p, key, pj_str_of(frames), arena), want);
    }
}

static void as_stackcollapse_counts(void **state)
{
    (void)state;
    FILE *there = fopen(DATA "flamegraph/perf-funcab-pid-01.txt", "r");
    if (!there) {
        print_message("no data of real tools: %s\n", DATA "flamegraph");
        skip();
    }
    fclose(there);
    check_collapsed("perf-funcab-pid-01", "samples");
    check_collapsed("perf-java-stacks-02", "samples");
    // Its last sample has no empty line behind it: stackcollapse-perf loses that one.
    pj_auto_profile p = read_profile_file(DATA "flamegraph/perf-mirageos-stacks-01.txt");
    same_value(total(p, "samples"), 53);
    check_collapsed("perf-rust-Yamakaky-dcpu", "period");
    check_collapsed("perf-cycles-instructions-01", "samples");
}

static void as_gprof2dot_counts(void **state)
{
    (void)state;
    FILE *there = fopen(DATA "native/work.perf.txt", "r");
    if (!there) {
        print_message("no data of real tools: %s\n", DATA "native");
        skip();
    }
    fclose(there);
    pj_auto_profile p = read_profile_file(DATA "native/work.perf.txt");
    same_value(profile_totals_at(p, "period", PJ_NO_ITEM, "leaf").exclusive, 62124248);
    same_value(profile_totals_at(p, "period", PJ_NO_ITEM, "fib").inclusive, 20040080);
    same_value(profile_totals_at(p, "samples", PJ_NO_ITEM, "fib").inclusive, 10);
    pj_auto_profile issue = read_profile_file(DATA "gprof2dot/issue28.perf");
    same_value(profile_totals_at(issue, "samples", PJ_NO_ITEM, "move_page_tables").exclusive, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_and_modes_are_passed_over),
        cmocka_unit_test(two_events),
        cmocka_unit_test(samples_without_stacks),
        cmocka_unit_test(other_fields),
        cmocka_unit_test(fields_left_out),
        cmocka_unit_test(as_stackcollapse_counts),
        cmocka_unit_test(as_gprof2dot_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
