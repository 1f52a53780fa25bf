// Questions about events against a trace whose every record is known, and against the modelled
// application in both formats.
#include "metrics/analyse/load.h"
#include "metrics/stat/query.h"
#include "metrics/table/table_ops.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define TRACE PJ_BINARY_DIR "/query.prv"
#define ANCHOR PJ_BINARY_DIR "/query.otf2"

static const pj_model_app app = {.ranks = 4,
                                 .threads = 2,
                                 .openmp = true,
                                 .iterations = 5,
                                 .work_ns = 4e6,
                                 .imbalance = 0.2,
                                 .serial_fraction = 0.1,
                                 .halo_ns = 9000,
                                 .collective_ns = 4000,
                                 .fork_ns = 500,
                                 .join_ns = 500,
                                 .halo_bytes = 40960,
                                 .ipc = 1.2,
                                 .ghz = 2};

static void write_both(void)
{
    pj_auto_trace trace = pj_model_write(&app);
    pj_err err = {0};
    assert_true(pj_trace_writer_save(trace, TRACE, &err));
    assert_true(pj_otf2_writer_save(trace, ANCHOR, (pj_otf2_style){.clock_step = 77}, &err));
}

static pj_table *try_ask(const char *path, pj_query_opts opts, unsigned workers, pj_err *err)
{
    pj_query *query = pj_query_new(opts, err);
    if (!query)
        return NULL;
    pj_sink sink = pj_query_sink(query);
    pj_job job = {.workers = workers};
    pj_load_opts load = {.no_replay = true,
                         .listeners = &sink,
                         .listener_count = 1,
                         .in_order = true,
                         .regions = true};
    pj_run *run = pj_load(path, load, &job, err);
    pj_table *table = run ? pj_query_table(query) : NULL;
    pj_run_release(run);
    pj_query_free(query);
    return table;
}

static pj_table *ask(const char *path, pj_query_opts opts)
{
    pj_err err = {0};
    pj_table *one = try_ask(path, opts, 1, &err), *three = try_ask(path, opts, 3, &err);
    if (!one || !three)
        fail_msg("%s", err.text);
    assert_int_equal(one->row_count, three->row_count);
    for (size_t i = 0; i < one->row_count * one->column_count; i++) {
        assert_int_equal(one->cells[i].kind, three->cells[i].kind);
        if (one->cells[i].kind == PJ_CELL_INT)
            assert_int_equal(one->cells[i].integer, three->cells[i].integer);
    }
    pj_table_release(three);
    return one;
}

static int64_t cell(const pj_table *table, size_t row, const char *column)
{
    int at = pj_table_column(table, pj_str_of(column));
    assert_true(at >= 0);
    const pj_cell *c = pj_table_cell(table, row, (size_t)at);
    assert_int_equal(c->kind, PJ_CELL_INT);
    return c->integer;
}

/// Each of the inner ranks sends to both neighbours in every iteration.
static void check_sends(const char *path)
{
    static const pj_str keys[] = {{"rank", 4}, {"partner", 7}};
    static const pj_query_fold folds[] = {{PJ_FOLD_COUNT, {0}}, {PJ_FOLD_SUM, {"bytes", 5}}};
    pj_auto_table table = ask(
        path,
        (pj_query_opts){
            .type = "MPI_Isend", .keys = keys, .key_count = 2, .folds = folds, .fold_count = 2});
    assert_int_equal(table->row_count, 6);
    for (size_t i = 0; i < 6; i++) {
        int64_t step = cell(table, i, "partner") - cell(table, i, "rank");
        assert_true(step == 1 || step == -1);
        assert_int_equal(cell(table, i, "count"), app.iterations);
        assert_int_equal(cell(table, i, "bytes_sum"), app.iterations * app.halo_bytes);
    }
}

static bool wants_regions(pj_query_opts opts)
{
    pj_err err = {0};
    pj_query *query = pj_query_new(opts, &err);
    assert_non_null(query);
    bool wants = pj_query_wants_regions(query);
    pj_query_free(query);
    return wants;
}

static void only_what_depends_on_regions_reads_them(void **state)
{
    (void)state;
    static const pj_str rank[] = {{"rank", 4}}, region[] = {{"region", 6}};
    static const char *const without[] = {"message", "call", "MPI_Send"};
    static const char *const with[] = {NULL, "state", "openmp", "region", "MPI_*", "solve"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        pj_query_opts opts = {.type = without[i], .keys = rank, .key_count = 1};
        assert_false(wants_regions(opts));
        opts.keys = region;
        assert_true(wants_regions(opts));
        opts.keys = rank;
        opts.where = pj_str_of("region == 'solve'");
        assert_true(wants_regions(opts));
        opts.where = pj_str_of("bytes > 8");
        assert_false(wants_regions(opts));
        opts.region = "solve";
        assert_true(wants_regions(opts));
        assert_true(wants_regions((pj_query_opts){.type = without[i]})); // rows have all fields
    }
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        assert_true(wants_regions((pj_query_opts){.type = with[i], .keys = rank, .key_count = 1}));
}

static void sends_are_joined_with_their_calls(void **state)
{
    (void)state;
    write_both();
    check_sends(TRACE);
    check_sends(ANCHOR);
}

/// The sums over states are those of the statistics.
static void check_useful(const char *path)
{
    static const pj_str keys[] = {{"rank", 4}, {"thread", 6}};
    static const pj_query_fold folds[] = {{PJ_FOLD_SUM, {"duration_ns", 11}}};
    pj_auto_table table =
        ask(path,
            (pj_query_opts){
                .type = "Running", .keys = keys, .key_count = 2, .folds = folds, .fold_count = 1});
    pj_auto_expected expected = pj_model_expect(&app);
    assert_int_equal(table->row_count, app.ranks * app.threads);
    for (size_t i = 0; i < table->row_count; i++)
        assert_int_equal(cell(table, i, "duration_ns_sum"), expected.totals[i].useful);
}

static void states_add_up(void **state)
{
    (void)state;
    write_both();
    check_useful(TRACE);
    check_useful(ANCHOR);
}

static void filters_agree(void **state)
{
    (void)state;
    static const pj_query_fold count[] = {{PJ_FOLD_COUNT, {0}}};
    write_both();
    const pj_query_opts all = {.type = "MPI_*", .folds = count, .fold_count = 1};
    pj_query_opts some[4] = {all, all, all, all};
    some[0].has_rank = true;
    some[1].to_ns = 7000000;
    some[2].from_ns = 7000000;
    some[3].where = PJ_S("duration_ns > 1e9");
    const char *paths[] = {TRACE, ANCHOR};
    for (size_t p = 0; p < 2; p++) {
        pj_auto_table whole = ask(paths[p], all);
        int64_t counts[4];
        for (size_t i = 0; i < 4; i++) {
            pj_auto_table part = ask(paths[p], some[i]);
            counts[i] = part->row_count ? cell(part, 0, "count") : 0;
        }
        assert_true(counts[0] > 0 && counts[0] < cell(whole, 0, "count"));
        assert_true(counts[1] > 0 && counts[2] > 0);
        assert_int_equal(counts[1] + counts[2], cell(whole, 0, "count"));
        assert_int_equal(counts[3], 0);
    }
}

static void bins_are_powers_of_two(void **state)
{
    (void)state;
    write_both();
    pj_auto_table table =
        ask(ANCHOR, (pj_query_opts){.type = "message", .histogram = PJ_S("bytes")});
    assert_int_equal(table->row_count, 1);
    assert_int_equal(cell(table, 0, "from"), 32768);
    assert_int_equal(cell(table, 0, "to"), 65536);
    assert_int_equal(cell(table, 0, "count"), 6 * app.iterations);
}

/// OTF2 names its regions; the calls inside know them.
static void regions_are_known_by_name(void **state)
{
    (void)state;
    static const pj_str keys[] = {{"region", 6}};
    write_both();
    pj_auto_table bodies =
        ask(ANCHOR, (pj_query_opts){.type = "!$omp parallel*", .keys = keys, .key_count = 1});
    assert_int_equal(bodies->row_count, 1);
    assert_int_equal(cell(bodies, 0, "count"), app.ranks * app.threads * app.iterations * 2);
    pj_auto_table inside =
        ask(ANCHOR,
            (pj_query_opts){.type = "Running", .region = "!$omp*", .keys = keys, .key_count = 1});
    assert_int_equal(inside->row_count, 1);
    assert_string_equal(pj_table_cell(inside, 0, 0)->text, "!$omp parallel @flux.c:41");
}

static void too_many_rows_are_refused(void **state)
{
    (void)state;
    static const pj_str keys[] = {{"start_ns", 8}};
    pj_err err = {0};
    write_both();
    assert_null(try_ask(TRACE, (pj_query_opts){.limit = 20}, 1, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    assert_non_null(strstr(err.text, "raise limit"));
    err = (pj_err){0};
    assert_null(
        try_ask(ANCHOR, (pj_query_opts){.keys = keys, .key_count = 1, .limit = 20}, 2, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    pj_auto_table rows = ask(TRACE, (pj_query_opts){.type = "MPI_Allreduce", .limit = 20});
    assert_int_equal(rows->row_count, app.ranks * app.iterations);
}

static void mistakes_name_the_fields(void **state)
{
    (void)state;
    pj_err err = {0};
    assert_null(pj_query_new((pj_query_opts){.where = PJ_S("byts > 3")}, &err));
    assert_non_null(strstr(err.text, "did you mean bytes"));
    err = (pj_err){0};
    assert_null(pj_query_new((pj_query_opts){.where = PJ_S("bytes > mean(bytes)")}, &err));
    assert_int_equal(err.code, PJ_E_SCRIPT);
    const pj_query_fold text[] = {{PJ_FOLD_SUM, {"region", 6}}};
    err = (pj_err){0};
    assert_null(pj_query_new((pj_query_opts){.folds = text, .fold_count = 1}, &err));
    assert_non_null(strstr(err.text, "text"));
    write_both();
    err = (pj_err){0};
    assert_null(try_ask(TRACE, (pj_query_opts){.has_rank = true, .rank = 9}, 1, &err));
    assert_non_null(strstr(err.text, "no rank 9"));
}

/// What a trace lacks there are none of; what no trace can have is a mistake.
static void misspelt_types_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {TRACE, ANCHOR}, *const wrong[] = {"MPI_Snd", "MPI_Snd*"};
    write_both();
    for (size_t p = 0; p < 2; p++) {
        for (size_t i = 0; i < 2; i++) {
            pj_err err = {0};
            assert_null(try_ask(paths[p], (pj_query_opts){.type = wrong[i]}, 1, &err));
            assert_int_equal(err.code, PJ_E_USAGE);
            assert_non_null(strstr(err.text, wrong[i]));
            assert_non_null(strstr(err.text, "MPI_Isend"));
        }
        pj_auto_table lacking = ask(paths[p], (pj_query_opts){.type = "MPI_Alltoall"});
        assert_int_equal(lacking->row_count, 0);
        assert_non_null(strstr(lacking->note, "MPI_Isend"));
    }
    pj_otf2_writer_remove(ANCHOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_are_joined_with_their_calls),
        cmocka_unit_test(states_add_up),
        cmocka_unit_test(filters_agree),
        cmocka_unit_test(bins_are_powers_of_two),
        cmocka_unit_test(regions_are_known_by_name),
        cmocka_unit_test(only_what_depends_on_regions_reads_them),
        cmocka_unit_test(too_many_rows_are_refused),
        cmocka_unit_test(mistakes_name_the_fields),
        cmocka_unit_test(misspelt_types_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
