// What is written as a CUBE file is read again with the same regions, call paths, locations and
// values of all measures.
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/profile/write/profile_write.h"
#include "tests/support/profile/cube_writer.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/"

static pj_profile *write_and_read(pj_profile *profile)
{
    pj_auto_buf bytes = {.at = NULL};
    pj_err err = {0};
    const pj_profile_writer *writer = pj_profile_writer_of(PJ_S("cubex"));
    assert_non_null(writer);
    if (!writer->write(profile, &(pj_job){.stop = NULL}, &bytes, &err))
        fail_msg("%s", err.text);
    pj_profile *again = read_profile_bytes("again.cubex", pj_buf_str(&bytes), &err);
    if (!again)
        fail_msg("%s", err.text);
    return again;
}

/// Of a profile's nodes: those of the other one, by their paths.
static uint32_t *match_nodes(const pj_profile *a, const pj_profile *b)
{
    uint32_t *of = calloc(a->count[PJ_AT_NODE] + (size_t)1, sizeof *of);
    assert_int_equal(a->count[PJ_AT_NODE], b->count[PJ_AT_NODE]);
    for (uint32_t n = 0; n < a->count[PJ_AT_NODE]; n++) {
        const pj_profile_node *node = &a->nodes[n];
        uint32_t parent = node->parent == PJ_NO_ITEM ? PJ_NO_ITEM : of[node->parent], k = 0;
        for (; k < b->count[PJ_AT_NODE]; k++)
            if (b->nodes[k].parent == parent &&
                pj_str_equal(pj_profile_name(b, b->nodes[k].region),
                             pj_profile_name(a, node->region)) &&
                b->regions[b->nodes[k].region].line == a->regions[node->region].line &&
                pj_str_equal(b->texts[b->nodes[k].parameters], a->texts[node->parameters]))
                break;
        assert_true(k < b->count[PJ_AT_NODE]);
        of[n] = k;
    }
    return of;
}

/// Zero and absent are one in such a file.
static void check_cells(const pj_profile *a, const pj_profile *b, const pj_profile_column *column,
                        const uint32_t *of)
{
    const char *key = column->measure == PJ_NO_ITEM ? NULL : a->measures[column->measure].key;
    for (uint32_t n = 0; n < a->count[PJ_AT_NODE]; n++)
        for (uint32_t at = 0; at < a->location_count; at++) {
            double one = pj_profile_value(a, column, n, at);
            double other = profile_value(b, PJ_AT_NODE, column->part, key, of[n], at);
            assert_true((isnan(one) ? 0 : one) == (isnan(other) ? 0 : other));
        }
}

static void round_trip(pj_profile *first)
{
    pj_auto_profile again = write_and_read(first);
    assert_int_equal(again->location_count, first->location_count);
    assert_int_equal(pj_profile_rank_count(again), pj_profile_rank_count(first));
    uint32_t *of = match_nodes(first, again);
    unsigned columns = 0;
    for (uint32_t c = 0; c < first->column_count; c++)
        if (first->columns[c].site == PJ_AT_NODE && first->columns[c].part <= PJ_CALLS) {
            check_cells(first, again, &first->columns[c], of);
            columns++;
        }
    assert_true(columns > 0);
    free(of);
}

static void samples_come_back(void **state)
{
    (void)state;
    static const char *const files[] = {
        SAMPLES "speedscope/sampled.speedscope.json", SAMPLES "trace_event/calls.json",
        SAMPLES "collapsed/threads.collapsed", SAMPLES "perf_script/two_events.perf.txt"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        pj_auto_profile profile = read_profile_file(files[i]);
        round_trip(profile);
    }
}

/// With inclusive and exclusive rows, parameters, several ranks and threads.
static void cubes_come_back(void **state)
{
    (void)state;
    const cube_spec spec = {.nodes = 300, .regions = 20, .ranks = 3, .threads = 2, .packed = true};
    pj_auto_buf bytes = {.at = NULL};
    pj_err err = {0};
    cube_write(&spec, &bytes);
    pj_auto_profile profile = read_profile_bytes("made.cubex", pj_buf_str(&bytes), &err);
    assert_non_null(profile);
    round_trip(profile);
}

static void odd_names_come_back(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile first =
        read_profile_bytes("odd", PJ_S("a<b>&\"q\"\x01;\xc3\xa9\xff 3\na<b>&\"q\"\x01 1\n"), &err);
    pj_auto_profile again = write_and_read(first);
    assert_int_not_equal(region_called(again, PJ_S("a<b>&\"q\"?"), NULL), PJ_NO_ITEM);
    assert_int_not_equal(region_called(again, PJ_S("\xc3\xa9\xef\xbf\xbd"), NULL), PJ_NO_ITEM);
}

static void graphs_are_refused(void **state)
{
    (void)state;
    pj_auto_profile graph = read_profile_file(SAMPLES "pstats/small.prof");
    pj_auto_buf bytes = {.at = NULL};
    pj_err err = {0};
    assert_false(
        pj_profile_writer_of(PJ_S("cubex"))->write(graph, &(pj_job){.stop = NULL}, &bytes, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_come_back),
        cmocka_unit_test(cubes_come_back),
        cmocka_unit_test(odd_names_come_back),
        cmocka_unit_test(graphs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
