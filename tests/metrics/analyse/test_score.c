// Sizes of traces against scorep-score.
#include "metrics/analyse/score.h"
#include "metrics/base/file.h"
#include "tests/support/profile/cube_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#define PROFILES PJ_SOURCE_DIR "/../shared/data/profiles/"
#define GOLDEN PJ_SOURCE_DIR "/../shared/data/reference/profiles/score/"

static void need_profiles(void)
{
    if (pj_file_is_regular(PROFILES "cubex/time.p4/profile.cubex"))
        return;
    print_message("skipped: %s is not there\n", PROFILES);
    skip();
}

static void same_text(pj_str ours, const char *golden, pj_str part)
{
    pj_auto_buf theirs = {.at = NULL};
    assert_true(pj_file_read(golden, &theirs, NULL));
    pj_str all = pj_buf_str(&theirs);
    if (part.len) {
        const char *end = memmem(all.at, all.len, part.at, part.len);
        assert_non_null(end);
        all.len = (size_t)(end - all.at);
    }
    size_t line = 1;
    while (all.len || ours.len) {
        pj_str a = pj_str_cut(&ours, '\n'), b = pj_str_cut(&all, '\n');
        if (!pj_str_equal(a, b))
            fail_msg("%s: line %zu:\n" PJ_STR_FMT "\n" PJ_STR_FMT, golden, line, PJ_STR_ARG(a),
                     PJ_STR_ARG(b));
        line++;
    }
}

static pj_score *score_of(const char *path, pj_score_opts opts)
{
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_score *score = pj_score_new(path, opts, &job, &err);
    if (!score)
        fail_msg("%s: %s", path, err.text);
    return score;
}

static void check(const char *path, const char *golden, pj_score_opts opts)
{
    char file[512];
    snprintf(file, sizeof file, GOLDEN "%s.txt", golden);
    pj_score *score = score_of(path, opts);
    pj_auto_buf text = {.at = NULL};
    pj_score_text(score, &text);
    same_text(pj_buf_str(&text), file, PJ_S(""));
    pj_score_release(score);
}

static void texts_are_those_of_scorep_score(void **state)
{
    (void)state;
    static const struct {
        const char *path, *golden;
    } files[] = {
        {"cubex/bt-mz_sum.p2.r1/cube4.8_with_checksum_bug.cubex", "bt-mz_sum"},
        {"cubex/call_tree_test/call_tree_test.cubex", "call_tree_test"},
        {"cubex/extrap/simple_threaded/example.f1/cube-example1.cubex", "extrap_simple_threaded"},
        {"cubex/extrap/single_parameter/mm.x100y1z1.r1/profile.cubex", "extrap_single_parameter"},
        {"cubex/kripke.p8.d2.g32.r1/profile.cubex", "kripke"},
        {"cubex/time.p4/profile.cubex", "time"},
        {"scorep/heat_3x2_tuple", "scorep_heat_3x2_tuple"},
        {"scorep/heat_4x2", "scorep_heat_4x2"},
        {"scorep/heat_4x2_filtered", "scorep_heat_4x2_filtered"},
        {"scorep/heat_6x1_rusage/profile.cubex", "scorep_heat_6x1_rusage"},
        {"scorep/python", "scorep_python"},
        {"scorep/python_mpi4", "scorep_python_mpi4"},
    };
    need_profiles();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[512];
        snprintf(path, sizeof path, PROFILES "%s", files[i].path);
        check(path, files[i].golden, (pj_score_opts){.with_regions = true});
    }
}

static void orders_filters_and_counters(void **state)
{
    (void)state;
    static const char *const sorts[] = {"maxbuffer", "totaltime", "timepervisit", "visits", "name"};
    need_profiles();
    for (unsigned sort = 0; sort < sizeof sorts / sizeof *sorts; sort++) {
        char golden[64];
        snprintf(golden, sizeof golden, "time_sort_%s", sorts[sort]);
        check(PROFILES "cubex/time.p4/profile.cubex", golden,
              (pj_score_opts){.with_regions = true, .sort = (pj_score_sort)sort});
    }
    check(PROFILES "cubex/time.p4/profile.cubex", "time_c3", (pj_score_opts){.counters = 3});
    pj_auto_buf text = {.at = NULL};
    pj_score_filter filter;
    assert_true(pj_file_read(GOLDEN "time_f.filter", &text, NULL));
    assert_true(pj_score_filter_parse(&filter, "f", pj_buf_str(&text), NULL));
    check(PROFILES "cubex/time.p4/profile.cubex", "time_f",
          (pj_score_opts){.with_regions = true, .filter = &filter});
    pj_score_filter_free(&filter);
}

/// A hint on the file follows a proposal.
static void a_written_proposal_is_explained(void **state)
{
    (void)state;
    need_profiles();
    pj_score *score = score_of(PROFILES "cubex/time.p4/profile.cubex", (pj_score_opts){0});
    pj_auto_buf text = {.at = NULL};
    score->proposed = "initial_scorep.filter";
    pj_score_text(score, &text);
    same_text(pj_buf_str(&text), GOLDEN "time_g.txt", PJ_S(""));
    pj_score_release(score);
}

static void check_proposal(const char *path, const char *given, const char *golden)
{
    pj_score *score = score_of(path, (pj_score_opts){.counters = 0});
    pj_score_proposal proposal;
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_score_parse_proposal(pj_str_of(given), &proposal, NULL));
    pj_score_propose(score, proposal, &text);
    same_text(pj_buf_str(&text), golden, PJ_S(""));
    pj_score_release(score);
}

static void proposals_are_those_of_scorep_score(void **state)
{
    (void)state;
    need_profiles();
    check_proposal(PROFILES "cubex/time.p4/profile.cubex", "", GOLDEN "time_g.filter");
    check_proposal(PROFILES "cubex/call_tree_test/call_tree_test.cubex",
                   "bufferpercent=0,timepervisit=1000000,type=both",
                   GOLDEN "call_tree_test_g_both.filter");
}

// Made ones, without the data beside the checkout

static bool is_left_out(const char *text, const char *name, const char *mangled, const char *file)
{
    pj_score_filter filter;
    pj_err err = {.code = PJ_E_NONE};
    if (!pj_score_filter_parse(&filter, "made.filter", pj_str_of(text), &err))
        fail_msg("%s", err.text);
    bool left_out = pj_score_filter_excludes(&filter, name, mangled, file);
    pj_score_filter_free(&filter);
    return left_out;
}

static void filters_decide_as_score_p(void **state)
{
    (void)state;
    static const char names[] = "SCOREP_REGION_NAMES_BEGIN # names\n EXCLUDE *\n  INCLUDE main\n"
                                "EXCLUDE MANGLED _Z3mai*\nSCOREP_REGION_NAMES_END\n";
    assert_true(is_left_out(names, "step", "step", "a.c"));
    assert_false(is_left_out(names, "main", "main", "a.c"));
    assert_true(is_left_out(names, "main", "_Z3main", "a.c"));
    static const char files[] = "SCOREP_FILE_NAMES_BEGIN EXCLUDE */lib/* INCLUDE */lib/keep.c\n"
                                "SCOREP_FILE_NAMES_END\nSCOREP_REGION_NAMES_BEGIN INCLUDE *\n"
                                "SCOREP_REGION_NAMES_END";
    assert_true(is_left_out(files, "f", "f", "/src/lib/a.c"));
    assert_false(is_left_out(files, "f", "f", "/src/lib/keep.c"));
    assert_false(is_left_out(files, "f", "f", "/src/main.c"));
    static const char escaped[] = "SCOREP_REGION_NAMES_BEGIN EXCLUDE operator\\ \\[\\]\\(int\\)\n"
                                  "SCOREP_REGION_NAMES_END";
    assert_true(is_left_out(escaped, "operator [](int)", "", ""));
}

static void odd_filters_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "EXCLUDE a", "SCOREP_REGION_NAMES_BEGIN a SCOREP_REGION_NAMES_END",
        "SCOREP_REGION_NAMES_BEGIN EXCLUDE a", "SCOREP_FILE_NAMES_END",
        "SCOREP_REGION_NAMES_BEGIN SCOREP_FILE_NAMES_BEGIN"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pj_score_filter filter;
        pj_err err = {.code = PJ_E_NONE};
        assert_false(pj_score_filter_parse(&filter, "f", pj_str_of(texts[i]), &err));
        assert_int_equal(err.code, PJ_E_FORMAT);
        pj_score_filter_free(&filter);
    }
    pj_score_proposal proposal;
    pj_err err = {.code = PJ_E_NONE};
    assert_false(pj_score_parse_proposal(PJ_S("type=mpi"), &proposal, &err));
    assert_false(pj_score_parse_proposal(PJ_S("visits=many"), &proposal, &err));
    assert_false(pj_score_parse_proposal(PJ_S("size=1"), &proposal, &err));
}

/// The made profile: bytes of a visit are those of the documented events.
static void a_made_profile_is_scored(void **state)
{
    (void)state;
    cube_spec spec = {.nodes = 9, .regions = 6, .ranks = 2, .threads = 2};
    pj_score *score =
        score_of(PJ_SOURCE_DIR "/tests/samples/scorep/grid", (pj_score_opts){.with_regions = true});
    uint64_t visits = 0;
    double time = 0;
    for (uint32_t n = 0; n < spec.nodes; n++)
        for (uint32_t at = 0; at < spec.ranks * spec.threads; at++) {
            visits += cube_visits(&spec, n, at);
            time += cube_time(&spec, n, at);
        }
    assert_true(score->all.groups[PJ_SCORE_ALL].visits == visits);
    assert_true(fabs(score->all.groups[PJ_SCORE_ALL].time - time) < 1e-9);
    assert_int_equal(score->process_count, 2);
    assert_int_equal(score->most_locations, 2);
    assert_int_equal(score->regions[0].group, PJ_SCORE_SCOREP);
    assert_int_equal(score->regions[1].group, PJ_SCORE_MPI);
    assert_int_equal(score->regions[2].group, PJ_SCORE_OMP);
    pj_score_proposal proposal;
    assert_true(pj_score_parse_proposal(PJ_S("timepervisit=1e9,type=both"), &proposal, NULL));
    pj_auto_buf text = {.at = NULL};
    pj_score_propose(score, proposal, &text);
    assert_non_null(strstr(text.at, "MANGLED exchange_halo"));
    pj_score_filter filter; // a proposal is a filter
    assert_true(pj_score_filter_parse(&filter, "own", pj_buf_str(&text), NULL));
    assert_true(pj_score_filter_excludes(&filter, "exchange_halo", "exchange_halo", ""));
    pj_score_filter_free(&filter);
    pj_auto_table table = pj_score_table(score);
    assert_true(table->row_count > 6);
    pj_score_release(score);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_those_of_scorep_score),
                                       cmocka_unit_test(orders_filters_and_counters),
                                       cmocka_unit_test(a_written_proposal_is_explained),
                                       cmocka_unit_test(proposals_are_those_of_scorep_score),
                                       cmocka_unit_test(filters_decide_as_score_p),
                                       cmocka_unit_test(odd_filters_are_refused),
                                       cmocka_unit_test(a_made_profile_is_scored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
