// TAU profiles, text and packed: made ones, damaged ones, and real ones against ParaProf.
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/num.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/listing/pprof_listing.h"
#include "metrics/profile/profile_table.h"
#include "metrics/profile/write/ppk_write.h"
#include "tests/support/csv.h"
#include "tests/support/folder.h"
#include "tests/support/profile/fuzz_profile.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/"
#define TAU REFERENCE_PROFILES "tau/"

/// Names of what has values: of regions, or of nodes and edges as TAU writes call paths.
static pj_str item_name(const pj_profile *p, pj_site site, uint32_t item, pj_buf *out)
{
    out->len = 0;
    if (site == PJ_AT_REGION)
        return pj_profile_name(p, item);
    if (site == PJ_AT_EDGE) {
        pj_buf_add(out, pj_profile_name(p, p->edges[item].caller));
        pj_buf_puts(out, " => ");
        pj_buf_add(out, pj_profile_name(p, p->edges[item].callee));
        return pj_buf_str(out);
    }
    uint32_t path[64], depth = 0;
    for (uint32_t n = item; n != PJ_NO_ITEM && depth < 64; n = p->nodes[n].parent)
        path[depth++] = n;
    while (depth-- > 0) {
        pj_buf_add(out, pj_profile_name(p, p->nodes[path[depth]].region));
        pj_buf_puts(out, depth ? " => " : "");
    }
    return pj_buf_str(out);
}

static bool find_item(const pj_profile *p, pj_str name, pj_site *site, uint32_t *item)
{
    bool path = pj_str_contains(name, PJ_S("=>"));
    pj_auto_buf room = {.at = NULL};
    for (*site = PJ_AT_REGION; *site <= PJ_AT_EDGE; (*site)++)
        for (*item = 0; *item < p->count[*site] && path == (*site != PJ_AT_REGION); (*item)++)
            if (pj_str_equal(item_name(p, *site, *item, &room), name))
                return true;
    return false;
}

static uint32_t find_location(const pj_profile *p, double node, double thread)
{
    for (uint32_t i = 0; i < p->location_count; i++)
        if ((double)p->locations[i].rank == node && (double)p->locations[i].thread == thread)
            return i;
    fail_msg("no thread %g of rank %g", thread, node);
    return 0;
}

static double value_of(const pj_profile *p, pj_site site, uint32_t item, uint32_t at,
                       pj_value_part part, uint32_t measure)
{
    return pj_profile_value(p, pj_profile_find(p, site, part, measure), item, at);
}

/// The measure of a column "exclusive TIME" of the reference.
static uint32_t measure_of(const pj_profile *p, pj_str column, double *scale)
{
    pj_str key = pj_str_from(column, sizeof "exclusive " - 1);
    for (uint32_t m = 0; m < p->measure_count; m++)
        if (pj_str_equal(pj_str_of(p->measures[m].title), key)) {
            *scale = p->measures[m].kind == PJ_MEASURE_TIME ? 1e6 : 1;
            return m;
        }
    fail_msg("no measure " PJ_STR_FMT, PJ_STR_ARG(key));
    return 0;
}

static void check_row(const pj_profile *p, const csv *r, size_t row)
{
    pj_site site;
    uint32_t item, at = find_location(p, number_at(r, row, 0), number_at(r, row, 2));
    pj_str name = cell_at(r, row, 3);
    if (!find_item(p, name, &site, &item))
        fail_msg("no " PJ_STR_FMT, PJ_STR_ARG(name));
    assert_true(value_of(p, site, item, at, PJ_CALLS, PJ_NO_ITEM) == number_at(r, row, 4));
    assert_true(value_of(p, site, item, at, PJ_CHILD_CALLS, PJ_NO_ITEM) == number_at(r, row, 5));
    for (size_t column = 6; column + 2 < r->columns; column += 2) {
        double scale = 1;
        uint32_t measure = measure_of(p, r->cells[column], &scale);
        double exclusive = value_of(p, site, item, at, PJ_EXCLUSIVE, measure);
        double inclusive = value_of(p, site, item, at, PJ_INCLUSIVE, measure);
        same_value(exclusive, number_at(r, row, column) / scale);
        same_value(inclusive, number_at(r, row, column + 1) / scale);
    }
}

static size_t count_values(const pj_profile *p)
{
    size_t count = 0;
    for (pj_site site = PJ_AT_REGION; site <= PJ_AT_EDGE; site++)
        for (uint32_t item = 0; item < p->count[site]; item++)
            for (uint32_t at = 0; at < p->location_count; at++)
                if (site != PJ_AT_NODE || p->nodes[item].depth)
                    count += isnan(value_of(p, site, item, at, PJ_CALLS, PJ_NO_ITEM)) ? 0 : 1;
    return count;
}

static void check_events(const pj_profile *p, const char *path)
{
    csv r;
    if (!csv_read(path, &r))
        return;
    assert_int_equal(p->event_count, r.rows);
    for (size_t row = 0; row < r.rows; row++) {
        uint32_t at = find_location(p, number_at(&r, row, 0), number_at(&r, row, 2));
        uint32_t i = 0;
        while (i < p->event_count &&
               (p->events[i].location != at ||
                !pj_str_equal(pj_profile_text(p, p->events[i].name), cell_at(&r, row, 3)) ||
                p->events[i].count != number_at(&r, row, 4) ||
                p->events[i].min != number_at(&r, row, 5) ||
                p->events[i].max != number_at(&r, row, 6)))
            i++;
        assert_true(i < p->event_count);
    }
    csv_free(&r);
}

static void check_file(const char *path, const char *name, pj_shape shape)
{
    char file[512];
    csv r;
    snprintf(file, sizeof file, TAU "%s.csv", name);
    if (!csv_read(file, &r))
        return;
    pj_auto_profile p = read_profile_file(path);
    assert_non_null(p);
    print_message("%s: %s\n", name, pj_shape_name(p->shape));
    assert_int_equal(p->shape, shape);
    for (size_t row = 0; row < r.rows; row++)
        check_row(p, &r, row);
    assert_int_equal(count_values(p), r.rows);
    csv_free(&r);
    snprintf(file, sizeof file, TAU "%s_events.csv", name);
    check_events(p, file);
}

static void values_are_those_of_paraprof(void **state)
{
    (void)state;
    check_file(SHARED_PROFILES "tau/ppk/LoadImbalance_4.ppk", "LoadImbalance_4", PJ_SHAPE_FLAT);
    check_file(SHARED_PROFILES "tau/ppk/HardwareCounterBasicAnalysis_xgc-nosamples.ppk",
               "HardwareCounterBasicAnalysis_xgc-nosamples", PJ_SHAPE_FLAT);
    check_file(SHARED_PROFILES "tau/ppk/PhaseComparison_phases.ppk", "PhaseComparison_phases",
               PJ_SHAPE_GRAPH);
    check_file(SHARED_PROFILES "tau/hatchet-cpi-4", "hatchet-cpi-4", PJ_SHAPE_TREE);
    check_file(SHARED_PROFILES "tau/threads", "threads", PJ_SHAPE_FLAT);
    check_file(SHARED_PROFILES "tau/workflow-reader", "workflow-reader", PJ_SHAPE_FLAT);
    check_file(SHARED_PROFILES "tau/wrap", "wrap", PJ_SHAPE_FLAT);
}

static void check_sample(const pj_profile *p)
{
    assert_int_equal(p->shape, PJ_SHAPE_TREE);
    assert_int_equal(p->location_count, 2);
    assert_int_equal(p->measure_count, 2);
    pj_site site;
    uint32_t item, path;
    assert_true(find_item(p, PJ_S("MPI_Allreduce()"), &site, &item));
    assert_int_equal(p->regions[item].kind, PJ_REGION_mpi);
    assert_true(find_item(p, PJ_S("main => MPI_Allreduce()"), &site, &path));
    assert_true(value_of(p, PJ_AT_NODE, path, 1, PJ_CALLS, PJ_NO_ITEM) == 5);
    assert_true(value_of(p, PJ_AT_NODE, path, 1, PJ_INCLUSIVE, 1) == 8000);
    assert_true(value_of(p, PJ_AT_REGION, item, 0, PJ_EXCLUSIVE, 0) == 90 / 1e6);
    assert_true(find_item(p, PJ_S("na\u00efve [{a.c} {3}]"), &site, &item));
    assert_true(pj_str_equal(pj_profile_text(p, p->regions[item].file), PJ_S("a.c")));
    assert_int_equal(p->regions[item].line, 3);
    assert_true(isnan(value_of(p, PJ_AT_REGION, item, 0, PJ_CALLS, PJ_NO_ITEM)));
    assert_int_equal(p->event_count, 2);
    assert_true(p->events[1].min == 8 && p->events[1].max == 64 && p->events[1].count == 5);
}

static double total(const pj_profile *p, pj_site site)
{
    double sum = 0;
    for (uint32_t item = 0; item < p->count[site]; item++) {
        double value = value_of(p, site, item, 0, PJ_EXCLUSIVE, 0);
        sum += isnan(value) ? 0 : value;
    }
    return sum;
}

static void made_files_are_read(void **state)
{
    (void)state;
    pj_auto_profile packed = read_profile_file(SAMPLES "ppk/two_ranks.ppk");
    check_sample(packed);
    assert_int_equal(packed->pair_count, 4);
    assert_true(pj_str_equal(pj_profile_text(packed, packed->pairs[1].key),
                             ((pj_str){"Nul \0", sizeof "Nul \0" - 1})));
    assert_true(pj_str_equal(pj_profile_text(packed, packed->pairs[1].value), PJ_S("\U0001f600")));
    pj_auto_profile old = read_profile_file(SAMPLES "ppk/old_version.ppk");
    check_sample(old);
    pj_auto_profile text = read_profile_file(SAMPLES "tau");
    assert_int_equal(text->shape, PJ_SHAPE_TREE);
    assert_int_equal(text->location_count, 2);
    same_value(total(text, PJ_AT_NODE), 900e-6);
    same_value(total(text, PJ_AT_REGION), 900e-6);
    assert_int_equal(text->event_count, 4);
    assert_int_equal(text->regions[1].line, 12);
}

static void each_truncation_is_told(void **state)
{
    (void)state;
    static const char *const paths[] = {SAMPLES "ppk/old_version.ppk", SAMPLES "ppk/two_ranks.ppk",
                                        SAMPLES "tau/profile.0.0.0"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        pj_auto_buf bytes = {.at = NULL};
        assert_true(pj_file_read(paths[i], &bytes, NULL));
        bool text = i == 2;
        for (size_t n = 0; n < bytes.len; n++) {
            char *copy = malloc(n + 1); // memory checkers see what is read behind it
            assert_non_null(copy);
            memcpy(copy, bytes.at, n);
            assert_true(!try_profile((pj_str){copy, n}) || text);
            free(copy);
        }
        assert_true(try_profile(pj_buf_str(&bytes)));
    }
}

// Writers

/// That `a` has every value of `b`, by name.
static void same_entries(const pj_profile *a, const pj_profile *b)
{
    pj_auto_buf name = {.at = NULL};
    assert_int_equal(a->shape, b->shape);
    assert_int_equal(a->location_count, b->location_count);
    assert_int_equal(a->measure_count, b->measure_count);
    assert_int_equal(count_values(a), count_values(b));
    for (pj_site site = PJ_AT_REGION; site <= PJ_AT_EDGE; site++)
        for (uint32_t item = 0; item < b->count[site]; item++) {
            pj_site where = site;
            uint32_t own = item;
            bool found = false;
            pj_str called = item_name(b, site, item, &name);
            if (site != PJ_AT_NODE || b->nodes[item].depth)
                found = find_item(a, called, &where, &own);
            else
                continue;
            if (!found)
                fail_msg("no " PJ_STR_FMT, PJ_STR_ARG(called));
            for (uint32_t at = 0; at < b->location_count; at++) {
                same_value(value_of(a, where, own, at, PJ_CALLS, PJ_NO_ITEM),
                           value_of(b, site, item, at, PJ_CALLS, PJ_NO_ITEM));
                same_value(value_of(a, where, own, at, PJ_CHILD_CALLS, PJ_NO_ITEM),
                           value_of(b, site, item, at, PJ_CHILD_CALLS, PJ_NO_ITEM));
                for (uint32_t m = 0; m < b->measure_count; m++) {
                    uint32_t same = pj_profile_measure(a, pj_str_of(b->measures[m].key));
                    same_value(value_of(a, where, own, at, PJ_EXCLUSIVE, same),
                               value_of(b, site, item, at, PJ_EXCLUSIVE, m));
                    same_value(value_of(a, where, own, at, PJ_INCLUSIVE, same),
                               value_of(b, site, item, at, PJ_INCLUSIVE, m));
                }
            }
        }
    assert_int_equal(a->event_count, b->event_count);
    for (uint32_t i = 0; i < a->event_count; i++) {
        assert_true(pj_str_equal(a->texts[a->events[i].name], b->texts[b->events[i].name]));
        assert_true(a->events[i].count == b->events[i].count);
        assert_true(a->events[i].mean == b->events[i].mean);
        assert_true(a->events[i].sum_of_squares == b->events[i].sum_of_squares);
    }
}

static void check_round_trip(const char *path)
{
    pj_auto_profile first = read_profile_file(path);
    pj_auto_buf packed = {.at = NULL}, again = {.at = NULL};
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_ppk_write(first, &(pj_job){.stop = NULL}, &packed, &err));
    pj_auto_profile second = read_profile_bytes("again.ppk", pj_buf_str(&packed), &err);
    if (!second)
        fail_msg("%s: %s", path, err.text);
    same_entries(second, first);
    assert_int_equal(second->pair_count, first->pair_count);
    assert_true(
        pj_ppk_write(second, &(pj_job){.stop = NULL}, &again, &err)); // and it stays what it is
    assert_int_equal(again.len, packed.len);
    assert_memory_equal(again.at, packed.at, packed.len);

    char folder[] = "/tmp/test_tau_XXXXXX", line[64];
    assert_non_null(mkdtemp(folder));
    assert_true(pj_tau_write(first, folder, &err));
    snprintf(line, sizeof line, "%s/profile.9.0.0", folder);
    assert_int_equal(mkfifo(line, 0600), 0); // is passed over
    pj_auto_profile third = read_profile_file(folder);
    same_entries(third, first);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0); // NOLINT(cert-env33-c)
}

/// 27.758 is no double: divided by a million it is not the double that is nearest to 27758 ns.
static void nanoseconds_keep_their_last_digit(void **state)
{
    (void)state;
    static const double seconds[] = {27758e-9, 0.018519182, 0.124111485, 37091e-6, 1.0 / 3};
    pj_job job = {.stop = NULL};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_build build = pj_build_new("made", &job);
    pj_build_profile(build)->shape = PJ_SHAPE_FLAT;
    uint32_t at = pj_build_location(build, (pj_profile_location){.rank = 0});
    uint32_t time = pj_build_measure(build, (pj_measure){.key = "time",
                                                         .title = "TIME",
                                                         .unit = "s",
                                                         .kind = PJ_MEASURE_TIME,
                                                         .stored = PJ_STORED_BOTH});
    uint32_t own = pj_build_column(build, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    char name[] = "f0";
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++, name[1]++)
        pj_build_add(build, own, pj_build_region(build, pj_str_of(name), PJ_S(""), 0), at,
                     seconds[i]);
    pj_auto_profile made = pj_build_finish(build, &err);
    pj_auto_buf packed = {.at = NULL};
    assert_true(made && pj_ppk_write(made, &job, &packed, &err));
    pj_auto_profile p = read_profile_bytes("made.ppk", pj_buf_str(&packed), &err);
    assert_non_null(p);
    for (name[1] = '0'; name[1] < '5'; name[1]++) {
        pj_site site;
        uint32_t item;
        assert_true(find_item(p, pj_str_of(name), &site, &item));
        assert_true(value_of(p, site, item, 0, PJ_EXCLUSIVE, 0) == seconds[name[1] - '0']);
    }
}

static void what_is_written_is_read_as_it_was(void **state)
{
    (void)state;
    check_round_trip(SAMPLES "ppk/two_ranks.ppk");
    check_round_trip(SAMPLES "tau");
    static const char *const real[] = {"ppk/2.ppk",
                                       "ppk/8.ppk",
                                       "ppk/HardwareCounterBasicAnalysis_xgc-nosamples.ppk",
                                       "ppk/HeatMapSamples_matmult.ppk",
                                       "ppk/LoadImbalance_4.ppk",
                                       "ppk/PhaseComparison_phases.ppk",
                                       "multi-metric",
                                       "hatchet-cpi-4",
                                       "workflow-xmain"};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
        char path[512];
        snprintf(path, sizeof path, SHARED_PROFILES "tau/%s", real[i]);
        if (access(path, R_OK) == 0)
            check_round_trip(path);
    }
}

static void check_pprof(const char *path, const char *golden)
{
    pj_auto_buf theirs = {.at = NULL}, ours = {.at = NULL};
    pj_err err = {.code = PJ_E_NONE};
    if (access(golden, R_OK) != 0)
        return;
    assert_true(pj_file_read(golden, &theirs, NULL));
    pj_auto_profile p = read_profile_file(path);
    assert_true(pj_pprof_listing(p, &ours, &err));
    pj_str a = pj_buf_str(&ours), b = pj_buf_str(&theirs);
    while (a.len || b.len) {
        pj_str left = pj_str_cut(&a, '\n'), right = pj_str_cut(&b, '\n');
        while (left.len && left.at[left.len - 1] == ' ')
            left.len--;
        while (right.len && right.at[right.len - 1] == ' ')
            right.len--;
        if (!pj_str_equal(left, right))
            fail_msg("%s:\n" PJ_STR_FMT "\n" PJ_STR_FMT, golden, PJ_STR_ARG(left),
                     PJ_STR_ARG(right));
    }
}

static void listings_are_those_of_pprof(void **state)
{
    (void)state;
    check_pprof(SHARED_PROFILES "tau/hatchet-cpi-4", TAU "hatchet-cpi-4.pprof.txt");
    check_pprof(SHARED_PROFILES "tau/threads", TAU "threads.pprof.txt");
    check_pprof(SHARED_PROFILES "tau/workflow-reader", TAU "workflow-reader.pprof.txt");
    check_pprof(SHARED_PROFILES "tau/wrap", TAU "wrap.pprof.txt");
    pj_auto_profile p = read_profile_file(SAMPLES "tau");
    pj_auto_buf text = {.at = NULL};
    assert_true(pj_pprof_listing(p, &text, NULL));
    assert_non_null(strstr(text.at, "\n 55.6          0.5          0.5           2           0 "
                                    "       250 say \"hello\"\n"));
    assert_non_null(strstr(text.at, "\nFUNCTION SUMMARY (mean):\n"));
}

/// Over all threads, those without the function too, as ParaProf counts by default.
static void statistics_are_those_of_paraprof(void **state)
{
    (void)state;
    csv means, spreads;
    csv_of_real_tools(TAU "LoadImbalance_4_summary/Mean_AllThreads.csv", &means);
    csv_of_real_tools(TAU "LoadImbalance_4_summary/StandardDeviation_AllThreads.csv", &spreads);
    pj_auto_profile p = read_profile_file(SHARED_PROFILES "tau/ppk/LoadImbalance_4.ppk");
    pj_err err = {.code = PJ_E_NONE};
    pj_profile_ask ask = {.by.item = PJ_BY_FUNCTION};
    pj_auto_table table = pj_profile_table(p, &ask, &err);
    assert_non_null(table);
    size_t name = (size_t)pj_table_column(table, PJ_S("function"));
    size_t mean = (size_t)pj_table_column(table, PJ_S("exclusive_mean_s"));
    size_t spread = (size_t)pj_table_column(table, PJ_S("exclusive_std_s"));
    size_t found = 0;
    for (size_t row = 0; row < table->row_count; row++)
        for (size_t i = 0; i < means.rows; i++) {
            const char *ours = pj_table_cell(table, row, name)->text;
            if (!pj_str_equal(cell_at(&means, i, 0), pj_str_of(ours)))
                continue;
            same_value(pj_cell_number(*pj_table_cell(table, row, mean)),
                       1e-6 * number_at(&means, i, 3));
            double theirs = 1e-6 * number_at(&spreads, i, 3);
            double value = pj_cell_number(*pj_table_cell(table, row, spread));
            assert_true(fabs(value - theirs) <= 1e-6 * theirs + 1e-9);
            found++;
        }
    assert_int_equal(found, table->row_count);
    csv_free(&means);
    csv_free(&spreads);
}

/// A profile of other tools: what TAU wants follows from call paths.
static void call_paths_of_others_are_written(void **state)
{
    (void)state;
    pj_auto_profile cube = read_profile_file(SAMPLES "cubex/grid.cubex");
    pj_auto_buf packed = {.at = NULL};
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_ppk_write(cube, &(pj_job){.stop = NULL}, &packed, &err));
    pj_auto_profile p = read_profile_bytes("grid.ppk", pj_buf_str(&packed), &err);
    assert_non_null(p);
    assert_int_equal(p->shape, PJ_SHAPE_TREE);
    assert_int_equal(p->location_count, cube->location_count);
    double stored = 0;
    for (uint32_t n = 0; n < cube->count[PJ_AT_NODE]; n++)
        if (!cube->nodes[n].depth)
            stored += value_of(cube, PJ_AT_NODE, n, 0, PJ_INCLUSIVE,
                               pj_profile_measure(cube, PJ_S("time")));
    assert_true(fabs(total(p, PJ_AT_NODE) - stored) < 1e-9);
}

static void write_text(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/// A function that the first metric has not: its calls are those of the metric that has it.
static void metrics_may_have_other_functions(void **state)
{
    (void)state;
    static const char *const names[] = {"MULTI__A", "MULTI__B"};
    static const char *const rows[] = {"\"f\" 2 1 900 900 0 GROUP=\"X\" \n",
                                       "\"g\" 5 3 7 8 0 GROUP=\"X\" \n"};
    for (size_t i = 0; i < 2; i++) {
        char file[64];
        pj_auto_buf text = {.at = NULL};
        pj_buf_addf(&text,
                    "1 templated_functions_MULTI_%s\n# Name Calls Subrs Excl Incl "
                    "ProfileCalls\n%s0 aggregates\n0 userevents\n",
                    names[i] + 7, rows[i]);
        assert_int_equal(mkdir(folder_file(names[i]), 0700), 0);
        snprintf(file, sizeof file, "%s/profile.3.0.0", names[i]);
        write_text(folder_file(file), text.at);
    }
    pj_auto_profile p = read_profile_file(folder_file("."));
    assert_int_equal(p->locations[0].rank, 3);
    uint32_t g = region_called(p, PJ_S("g"), NULL);
    assert_true(profile_value(p, PJ_AT_REGION, PJ_CALLS, NULL, g, 0) == 5);
    assert_true(profile_value(p, PJ_AT_REGION, PJ_CHILD_CALLS, NULL, g, 0) == 3);
    assert_true(isnan(profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, "A", g, 0)));
    assert_true(profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, "B", g, 0) == 8);
    for (size_t i = 0; i < 2; i++) {
        char file[64];
        snprintf(file, sizeof file, "%s/profile.3.0.0", names[i]);
        assert_int_equal(unlink(folder_file(file)) | rmdir(folder_file(names[i])), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nanoseconds_keep_their_last_digit),
                                       cmocka_unit_test(what_is_written_is_read_as_it_was),
                                       cmocka_unit_test(call_paths_of_others_are_written),
                                       cmocka_unit_test(listings_are_those_of_pprof),
                                       cmocka_unit_test(statistics_are_those_of_paraprof),
                                       cmocka_unit_test(values_are_those_of_paraprof),
                                       cmocka_unit_test(made_files_are_read),
                                       cmocka_unit_test(metrics_may_have_other_functions),
                                       cmocka_unit_test(each_truncation_is_told)};
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
