// CUBE profiles against what cubelib says of them.
#include "metrics/base/file.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/read/profile/cube/cube.h"
#include "metrics/read/read.h"
#include "tests/support/csv.h"
#include "tests/support/profile/cube_writer.h"
#include "tests/support/profile/fuzz_profile.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SHARED_PROFILES PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE_PROFILES PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static pj_str cell_at(const csv *r, size_t row, size_t column)
{
    return r->cells[(row + 1) * r->columns + column];
}

static double number_at(const csv *r, size_t row, size_t column)
{
    double value;
    return pj_parse_double(cell_at(r, row, column), &value) ? value : NAN;
}

/// A profile with the numbers of its call paths in the file, and values with and without callees.
typedef struct subject {
    pj_profile *p;
    pj_map node_of; // by number in the file
    uint32_t measure;
    bool visits;
    double *exclusive, *inclusive; // of the metric that was asked for last
    double *theirs[2];             // what it should be
    size_t cells;
    pj_str metric;
} subject;

static uint32_t find_child(const pj_profile *p, uint32_t parent, const pj_cube *cube, size_t i)
{
    pj_str name = cube->regions[cube->nodes[i].region].name;
    const pj_cube_parameter *parameter = &cube->parameters[cube->nodes[i].first_parameter];
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++)
        if (p->nodes[n].parent == parent &&
            pj_str_equal(pj_profile_name(p, p->nodes[n].region), name) &&
            (!cube->nodes[i].parameter_count ||
             pj_str_ends(pj_profile_text(p, p->nodes[n].parameters), parameter->value)))
            return n;
    fail_msg("no call path " PJ_STR_FMT, PJ_STR_ARG(name));
    return 0;
}

/// Equal call paths beside each other are one node.
static void number_nodes(subject *s, const char *path)
{
    pj_job job = {.workers = 1};
    pj_source *source = pj_source_open(path, &job, NULL);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_blob blob;
    pj_cube cube;
    assert_true(pj_blob_open(&blob, source, NULL) && pj_cube_open(&cube, &blob, arena, &job, NULL));
    uint32_t *nodes = pj_new_n(arena, uint32_t, cube.node_count);
    for (size_t i = 0; i < cube.node_count; i++) {
        int32_t parent = cube.nodes[i].parent;
        nodes[i] = find_child(s->p, parent < 0 ? PJ_NO_ITEM : nodes[parent], &cube, i);
        pj_map_put(&s->node_of, cube.nodes[i].id, nodes[i]);
    }
    pj_blob_close(&blob);
    pj_source_close(source);
}

/// Folds subtrees as the measure says: sums, least or greatest.
static void fold(subject *s, pj_measure_fold how, bool inclusive)
{
    const pj_profile *p = s->p;
    size_t count = p->count[PJ_AT_NODE], at = p->location_count;
    memcpy(inclusive ? s->exclusive : s->inclusive, inclusive ? s->inclusive : s->exclusive,
           count * at * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        size_t n = inclusive ? i : count - 1 - i;
        uint32_t parent = p->nodes[n].parent;
        for (size_t l = 0; parent != PJ_NO_ITEM && l < at; l++) {
            double child = s->inclusive[n * at + l];
            double *to =
                inclusive ? &s->exclusive[parent * at + l] : &s->inclusive[parent * at + l];
            if (how == PJ_MEASURE_SUM)
                *to += inclusive ? -child : child;
            else if (!inclusive)
                *to = how == PJ_MEASURE_MIN ? fmin(*to, child) : fmax(*to, child);
        }
    }
}

static void take_column(const subject *s, pj_value_part part, double *out)
{
    const pj_profile_column *column =
        pj_profile_find(s->p, PJ_AT_NODE, part, s->visits ? PJ_NO_ITEM : s->measure);
    assert_non_null(column);
    for (uint32_t n = 0; n < s->p->count[PJ_AT_NODE]; n++)
        for (uint32_t at = 0; at < s->p->location_count; at++)
            *out++ = pj_profile_value(s->p, column, n, at);
}

static void choose(subject *s, pj_str metric)
{
    s->metric = metric;
    s->visits = pj_str_equal(metric, PJ_S("visits"));
    s->measure = s->visits ? 0 : pj_profile_measure(s->p, metric);
    pj_measure measure = {.stored = PJ_STORED_EXCLUSIVE};
    if (!s->visits) {
        assert_int_not_equal(s->measure, PJ_NO_ITEM);
        measure = s->p->measures[s->measure];
    }
    bool inclusive = measure.stored == PJ_STORED_INCLUSIVE;
    if (measure.reason)
        return;
    if (measure.stored == PJ_STORED_BOTH) {
        take_column(s, PJ_EXCLUSIVE, s->exclusive);
        take_column(s, PJ_INCLUSIVE, s->inclusive);
        return;
    }
    take_column(s,
                s->visits   ? PJ_CALLS
                : inclusive ? PJ_INCLUSIVE
                            : PJ_EXCLUSIVE,
                inclusive ? s->inclusive : s->exclusive);
    fold(s, measure.fold, inclusive);
}

enum {
    METRIC,
    NODE,
    FUNCTION,
    PATH,
    FILE_NAME,
    LINE,
    RANK,
    THREAD,
    LOCATION,
    EXCLUSIVE,
    INCLUSIVE
};

static void check_path_row(subject *s, const csv *r, size_t row)
{
    const pj_profile *p = s->p;
    uint32_t node;
    assert_true(pj_map_get(&s->node_of, (uint64_t)number_at(r, row, NODE), &node));
    size_t at = (size_t)number_at(r, row, LOCATION);
    const pj_profile_region *region = &p->regions[p->nodes[node].region];
    assert_true(pj_str_equal(p->texts[region->name], cell_at(r, row, FUNCTION)));
    assert_true(pj_str_equal(p->texts[region->file], cell_at(r, row, FILE_NAME)));
    assert_true((double)region->line == fmax(number_at(r, row, LINE), 0));
    assert_true((double)p->locations[at].rank == number_at(r, row, RANK));
    assert_true((double)p->locations[at].thread == number_at(r, row, THREAD));
    size_t cell = node * p->location_count + at;
    s->theirs[0][cell] += number_at(r, row, EXCLUSIVE);
    s->theirs[1][cell] += number_at(r, row, INCLUSIVE);
}

/// What is left of a difference has the error of its parts.
static void check_metric(const subject *s)
{
    bool unread = !s->visits && s->p->measures[s->measure].reason;
    for (size_t i = 0; !unread && i < s->cells; i++) {
        double error = 1e-9 * fmax(fabs(s->theirs[0][i]), fabs(s->theirs[1][i]));
        double ours = s->exclusive[i], with = s->inclusive[i];
        ours = isnan(ours) ? 0 : ours; // a mean of nothing
        with = isnan(with) ? 0 : with;
        uint64_t bits; // unsigned differences wrap in cubelib, those of 8 bits alone do not
        if (ours < 0 && pj_str_starts(s->metric, PJ_S("UINT")) &&
            pj_parse_u64(pj_str_from(s->metric, 4), &bits) && bits > 8)
            ours = bits < 64 ? ours + ldexp(1, (int)bits) : s->theirs[0][i];
        if (fabs(ours - s->theirs[0][i]) > error || fabs(with - s->theirs[1][i]) > error)
            fail_msg(PJ_STR_FMT " cell %zu: %g %g, not %g %g", PJ_STR_ARG(s->metric), i, ours, with,
                     s->theirs[0][i], s->theirs[1][i]);
    }
}

static double *take_cells(const subject *s)
{
    double *cells = calloc(s->cells, sizeof *cells);
    assert_non_null(cells);
    return cells;
}

static pj_profile *read_with(const char *path, unsigned workers)
{
    pj_job job = {.workers = workers};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_build build = pj_build_new(path, &job);
    pj_profile *p = pj_read_profile(path, &job, build, &err) ? pj_build_finish(build, &err) : NULL;
    if (!p)
        fail_msg("%s: %s", path, err.text);
    return p;
}

static void check_paths(const char *path, const char *name, unsigned workers)
{
    char file[512];
    csv r;
    snprintf(file, sizeof file, REFERENCE_PROFILES "cubex/%s_paths.csv", name);
    csv_of_real_tools(file, &r);
    subject s = {.p = read_with(path, workers)};
    assert_non_null(s.p);
    assert_int_equal(s.p->shape, PJ_SHAPE_TREE);
    number_nodes(&s, path);
    s.cells = (size_t)s.p->count[PJ_AT_NODE] * s.p->location_count;
    double *all[] = {take_cells(&s), take_cells(&s), take_cells(&s), take_cells(&s)};
    s.exclusive = all[0], s.inclusive = all[1], s.theirs[0] = all[2], s.theirs[1] = all[3];
    for (size_t row = 0; row <= r.rows; row++) {
        bool new = row == r.rows || !pj_str_equal(cell_at(&r, row, METRIC), s.metric);
        if (new &&s.metric.len)
            check_metric(&s);
        if (row == r.rows)
            break;
        if (new) {
            choose(&s, cell_at(&r, row, METRIC));
            memset(s.theirs[0], 0, s.cells * sizeof(double));
            memset(s.theirs[1], 0, s.cells * sizeof(double));
        }
        check_path_row(&s, &r, row);
    }
    print_message("%s: %zu values\n", name, r.rows);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    pj_map_free(&s.node_of);
    pj_profile_release(s.p);
    csv_free(&r);
}

#define CUBEX SHARED_PROFILES "cubex/"
#define SCOREP SHARED_PROFILES "scorep/"

static void values_are_those_of_cubelib(void **state)
{
    (void)state;
    static const struct {
        const char *path, *name;
    } files[] = {
        {CUBEX "call_tree_test/call_tree_test.cubex", "call_tree_test"},
        {CUBEX "extrap/simple_threaded/example.f1/cube-example1.cubex", "extrap_simple_threaded"},
        {CUBEX "extrap/single_parameter/mm.x100y1z1.r1/profile.cubex", "extrap_single_parameter"},
        {CUBEX "kripke.p8.d2.g32.r1/profile.cubex", "kripke"},
        {CUBEX "packed/packed.cubex", "packed"},
        {CUBEX "time.p4/profile.cubex", "time"},
        {CUBEX "values/cube-values_example.cubex", "values"},
        {SCOREP "heat_3x2_tuple/profile.cubex", "scorep_heat_3x2_tuple"},
        {SCOREP "heat_4x2/profile.cubex", "scorep_heat_4x2"},
        {SCOREP "heat_4x2_filtered/profile.cubex", "scorep_heat_4x2_filtered"},
        {SCOREP "heat_6x1_rusage/profile.cubex", "scorep_heat_6x1_rusage"},
    };
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        check_paths(files[i].path, files[i].name, 1 + i % 3);
}

// Made files

static pj_profile *read_bytes(pj_str bytes, unsigned workers, pj_err *err)
{
    pj_job job = {.workers = workers};
    pj_auto_build build = pj_build_new("made.cubex", &job);
    return pj_read_profile_memory("made.cubex", bytes, &job, build, err)
               ? pj_build_finish(build, err)
               : NULL;
}

static void check_made(const cube_spec *spec, const pj_profile *p)
{
    uint32_t time = pj_profile_measure(p, PJ_S("time"));
    uint32_t bytes = pj_profile_measure(p, PJ_S("bytes_sent"));
    const pj_profile_column *visits = pj_profile_find(p, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM),
                            *times = pj_profile_find(p, PJ_AT_NODE, PJ_INCLUSIVE, time),
                            *sent = pj_profile_find(p, PJ_AT_NODE, PJ_EXCLUSIVE, bytes);
    assert_int_equal(p->count[PJ_AT_NODE], spec->nodes);
    assert_int_equal(p->location_count, spec->ranks * spec->threads);
    assert_int_equal(p->measures[pj_profile_measure(p, PJ_S("rate"))].reason != NULL, true);
    for (uint32_t at = 0; at < p->location_count; at++) {
        double *own = calloc(spec->nodes, sizeof *own);
        for (uint32_t n = 0; n < spec->nodes; n++) {
            assert_true(visits->integer[n * p->location_count + at] ==
                        (int64_t)cube_visits(spec, n, at));
            assert_true(sent->integer[n * p->location_count + at] ==
                        (int64_t)cube_bytes(spec, n, at));
            own[n] += pj_profile_value(p, times, n, at);
            if (p->nodes[n].parent != PJ_NO_ITEM)
                own[p->nodes[n].parent] -= pj_profile_value(p, times, n, at);
        }
        for (uint32_t n = 0; n < spec->nodes; n++)
            assert_true(fabs(own[n] - cube_time(spec, n, at)) < 1e-9);
        free(own);
    }
    for (unsigned i = 0; i < PJ_ODDITY_COUNT; i++)
        assert_int_equal(p->oddities.count[i], 0);
}

static void every_layout_is_read(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 32; bits++) {
        cube_spec spec = {.nodes = 60,
                          .regions = 20,
                          .ranks = 3,
                          .threads = 2,
                          .packed = bits & 1,
                          .dense = bits & 2,
                          .swapped = bits & 4,
                          .packed_text = bits & 8,
                          .wrong_sums = bits & 16};
        pj_auto_buf bytes = {.at = NULL};
        cube_write(&spec, &bytes);
        pj_err err = {.code = PJ_E_NONE};
        pj_auto_profile p = read_bytes(pj_buf_str(&bytes), 1 + bits % 4, &err);
        if (!p)
            fail_msg("%u: %s", bits, err.text);
        check_made(&spec, p);
    }
}

static void a_sample_is_read(void **state)
{
    (void)state;
    cube_spec spec = {.nodes = 9, .regions = 6, .ranks = 2, .threads = 2};
    pj_auto_profile p = read_with(PJ_SOURCE_DIR "/tests/samples/cubex/grid.cubex", 1);
    assert_non_null(p);
    check_made(&spec, p);
    pj_auto_profile folder = read_with(PJ_SOURCE_DIR "/tests/samples/scorep/grid", 2);
    assert_non_null(folder);
    check_made(&spec, folder);
}

/// Only the end of the archive, which has nothing in it, may be missing.
static void each_truncation_is_told(void **state)
{
    (void)state;
    for (unsigned packed = 0; packed < 2; packed++) {
        cube_spec spec = {.nodes = 4, .regions = 4, .ranks = 1, .threads = 1, .packed = packed};
        pj_auto_buf bytes = {.at = NULL};
        cube_write(&spec, &bytes);
        size_t whole = bytes.len;
        while (!bytes.at[whole - 1])
            whole--;
        for (size_t n = 0; n < whole; n++) {
            char *copy = malloc(n + 1);
            assert_non_null(copy);
            memcpy(copy, bytes.at, n);
            assert_false(try_profile((pj_str){copy, n}));
            free(copy);
        }
        assert_true(try_profile(pj_buf_str(&bytes)));
    }
}

/// Every byte of index and rows' headers, and every 7th of the rest, is changed.
static void changed_bytes_are_no_danger(void **state)
{
    (void)state;
    cube_spec spec = {.nodes = 6, .regions = 4, .ranks = 2, .threads = 1, .packed = true};
    pj_auto_buf bytes = {.at = NULL};
    cube_write(&spec, &bytes);
    for (size_t i = 0; i < bytes.len; i += i < 4096 ? 1 : 7) {
        char had = bytes.at[i];
        bytes.at[i] = (char)(had ^ (1 << i % 8));
        try_profile(pj_buf_str(&bytes));
        bytes.at[i] = had;
    }
}

/// A metric without any file is zero everywhere; one that lost one of its two files is damaged.
static void half_a_metric_is_told(void **state)
{
    (void)state;
    static const char *const members[] = {"0.index", "0.data"};
    cube_spec spec = {.nodes = 6, .regions = 4, .ranks = 2, .threads = 1};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        pj_auto_buf bytes = {.at = NULL};
        cube_write(&spec, &bytes);
        char *member = memmem(bytes.at, bytes.len, members[i], strlen(members[i]));
        assert_non_null(member);
        *member = 'x';
        assert_false(try_profile(pj_buf_str(&bytes)));
    }
}

static void refused(const char *anchor, const char *why)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_cube cube = {.arena = arena};
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    assert_false(pj_cube_parse_anchor(&cube, "made.cubex", pj_str_of(anchor), &job, &err));
    assert_non_null(strstr(err.text, why));
}

/// Anchors of a GB are read in steps.
static void long_anchors_are_left_at_a_stop(void **state)
{
    (void)state;
    enum { ATTRIBUTES = 20000 };
    pj_auto_buf xml = {.at = NULL};
    pj_buf_puts(&xml, "<cube>");
    for (unsigned i = 0; i < ATTRIBUTES; i++)
        pj_buf_puts(&xml, "<attr key=\"note\" value=\"of the file\"/>");
    pj_buf_puts(&xml, "</cube>");
    atomic_bool stop = true;
    pj_job job = {.workers = 1, .stop = &stop};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_cube cube = {.arena = arena};
    pj_err err = {.code = PJ_E_NONE};
    assert_false(pj_cube_parse_anchor(&cube, "made.cubex", pj_buf_str(&xml), &job, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    assert_int_equal(cube.attribute_count, 0);
}

static void odd_anchors_are_refused(void **state)
{
    (void)state;
    refused("<!DOCTYPE cube [<!ENTITY a \"aaaa\">]><cube>&a;</cube>", "document type");
    refused("<cube><region id=\"1\"></region><region id=\"1\"></region></cube>", "two regions");
    refused("<cube><cnode id=\"1\" calleeId=\"7\"></cnode></cube>", "not there");
    refused("<cube><location Id=\"1\"></location></cube>", "without a process");
    refused("<cube><metric type=\"EXCLUSIVE\"></metric></cube>", "without a number");
    refused("<cube><metric", "cannot be read");
    refused("", "cannot be read");
    pj_auto_buf deep = {.at = NULL};
    pj_buf_puts(&deep, "<cube><region id=\"0\"/>");
    for (unsigned i = 0; i < 5000; i++)
        pj_buf_puts(&deep, "<cnode id=\"0\" calleeId=\"0\">");
    refused(deep.at, "4096 levels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_cubelib),
                                       cmocka_unit_test(every_layout_is_read),
                                       cmocka_unit_test(a_sample_is_read),
                                       cmocka_unit_test(each_truncation_is_told),
                                       cmocka_unit_test(changed_bytes_are_no_danger),
                                       cmocka_unit_test(half_a_metric_is_told),
                                       cmocka_unit_test(odd_anchors_are_refused),
                                       cmocka_unit_test(long_anchors_are_left_at_a_stop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
