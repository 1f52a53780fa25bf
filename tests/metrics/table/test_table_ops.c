// Operations on tables: results, order, empty cells, errors.
#include "metrics/table/table_ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

/// rank, thread, ns, name; ns is empty in row 3.
static pj_table *sample(void)
{
    static const struct {
        int64_t rank, thread, ns;
        const char *name;
    } rows[] = {
        {0, 0, 50, "n10"}, {0, 1, 30, "n2"}, {1, 0, 50, "n1"}, {1, 1, -1, "n2"}, {2, 0, 20, "n3"}};
    pj_table *table = pj_table_new("Sample");
    pj_table_add_column(table, (pj_column){"rank", "Rank", NULL, PJ_UNIT_NONE, false});
    pj_table_add_column(table, (pj_column){"thread", "Thread", NULL, PJ_UNIT_NONE, false});
    pj_table_add_column(table, (pj_column){"ns", "Time", "A time.", PJ_UNIT_NS, false});
    pj_table_add_column(table, (pj_column){"name", "Name", NULL, PJ_UNIT_NONE, true});
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_cell_int(rows[i].rank);
        cells[1] = pj_cell_int(rows[i].thread);
        cells[2] = rows[i].ns < 0 ? pj_cell_empty("lost") : pj_cell_int(rows[i].ns);
        cells[3] = pj_cell_text(rows[i].name);
    }
    return table;
}

static void notes_keep_the_keys_of_their_remarks(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table = sample();
    pj_str keys[] = {PJ_S("rank")};
    table->note = "What this is.";
    pj_table_add_remark(table, "warning", "cut", PJ_S("the trace may be cut"));
    assert_string_equal(table->note, "What this is.\nwarning: the trace may be cut");
    pj_auto_table chosen = pj_table_select(table, keys, 1, &err);
    assert_string_equal(chosen->note, table->note);
    assert_int_equal(chosen->remark_count, 1);
    assert_string_equal(chosen->remarks[0].key, "cut");
    assert_string_equal(chosen->remarks[0].line, "warning: the trace may be cut");
}

static pj_row_value formula(const char *text)
{
    return (pj_row_value){.formula = pj_str_of(text)};
}

/// The cells of a column as text: "50 30 - 2.5".
static void expect_column(const pj_table *table, const char *key, const char *expected)
{
    char text[256] = "";
    int column = pj_table_column(table, pj_str_of(key));
    assert_true(column >= 0);
    for (size_t row = 0; row < table->row_count; row++) {
        pj_cell cell = *pj_table_cell(table, row, (size_t)column);
        char one[64];
        if (cell.kind == PJ_CELL_EMPTY)
            snprintf(one, sizeof one, "-");
        else if (cell.kind == PJ_CELL_TEXT)
            snprintf(one, sizeof one, "%s", cell.text);
        else
            snprintf(one, sizeof one, "%g", pj_cell_number(cell));
        size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, "%s%s", row ? " " : "", one);
    }
    assert_string_equal(text, expected);
}

static void test_where(void **state)
{
    (void)state;
    pj_auto_table table = sample();
    pj_auto_table few = pj_table_where(table, formula("ns >= 30"), NULL);
    expect_column(few, "ns", "50 30 50"); // the empty one is not chosen
    assert_string_equal(few->title, "Sample");
    pj_auto_table named = pj_table_where(table, formula("name == 'n2' and rank == 1"), NULL);
    expect_column(named, "rank", "1");
    assert_string_equal(pj_table_cell(named, 0, 2)->text, "lost");
    pj_auto_table largest = pj_table_where(table, formula("rank == max(rank)"), NULL);
    expect_column(largest, "name", "n3");
    expect_column(table, "ns", "50 30 50 - 20"); // left alone
}

static bool odd_rank(void *context, const pj_table *table, size_t row, pj_cell *out, pj_err *err)
{
    int *left = context;
    if ((*left)-- == 0)
        return pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
    *out = pj_cell_int(pj_table_cell(table, row, 0)->integer % 2);
    return true;
}

static void test_where_by_callback(void **state)
{
    (void)state;
    pj_auto_table table = sample();
    int left = 100;
    pj_row_value odd = {.call = odd_rank, .context = &left};
    pj_auto_table few = pj_table_where(table, odd, NULL);
    expect_column(few, "rank", "1 1");
    left = 2;
    pj_err err = {0};
    assert_null(pj_table_where(table, odd, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
}

static void test_sort(void **state)
{
    (void)state;
    pj_auto_table table = sample();
    const pj_str down[] = {PJ_S("-ns"), PJ_S("name")};
    pj_auto_table a = pj_table_sort(table, down, 1, NULL, NULL);
    expect_column(a, "ns", "50 50 30 20 -");
    expect_column(a, "name", "n10 n1 n2 n3 n2"); // stable
    pj_auto_table b = pj_table_sort(table, down, 2, NULL, NULL);
    expect_column(b, "name", "n1 n10 n2 n3 n2");
    const pj_str up[] = {PJ_S("ns")};
    pj_auto_table c = pj_table_sort(table, up, 1, NULL, NULL);
    expect_column(c, "ns", "20 30 50 50 -"); // empty ones last either way
    const pj_str natural[] = {PJ_S("name")};
    pj_auto_table d = pj_table_sort(table, natural, 1, NULL, NULL);
    expect_column(d, "name", "n1 n2 n2 n3 n10");
}

static void test_select_and_head(void **state)
{
    (void)state;
    pj_auto_table table = sample();
    const pj_str keys[] = {PJ_S("name"), PJ_S("rank")};
    pj_auto_table two = pj_table_select(table, keys, 2, NULL);
    assert_int_equal(two->column_count, 2);
    assert_string_equal(two->columns[0].key, "name");
    expect_column(two, "rank", "0 0 1 1 2");
    pj_auto_table three = pj_table_head(two, 3);
    expect_column(three, "name", "n10 n2 n1");
    pj_auto_table all = pj_table_head(two, 100);
    assert_int_equal(all->row_count, 5);
}

static void test_add(void **state)
{
    (void)state;
    pj_auto_table table = sample();
    const pj_column share = {"share", "Share", NULL, PJ_UNIT_RATIO, false};
    pj_auto_table a = pj_table_add(table, share, formula("rank / max(rank)"), NULL);
    expect_column(a, "share", "0 0 0.5 0.5 1");
    const pj_column twice = {"ns", "Twice", NULL, PJ_UNIT_NS, false};
    pj_auto_table b = pj_table_add(table, twice, formula("2 * ns"), NULL);
    assert_int_equal(b->column_count, 4);
    expect_column(b, "ns", "100 60 100 - 40");
    assert_string_equal(pj_table_cell(b, 3, 2)->text, "lost");
    assert_string_equal(b->columns[2].title, "Twice");
    const pj_column kind = {"kind", "Kind", NULL, PJ_UNIT_NONE, false};
    pj_auto_table c =
        pj_table_add(table, kind, formula("if(thread == 0, 'master', 'worker')"), NULL);
    assert_true(c->columns[4].text);
    expect_column(c, "kind", "master worker master worker master");
}

static void test_folds(void **state)
{
    (void)state;
    pj_auto_table table = sample();
    assert_int_equal(pj_table_fold(table, 0, PJ_FOLD_SUM).integer, 4);
    assert_true(pj_table_fold(table, 0, PJ_FOLD_MEAN).real == 0.8);
    assert_int_equal(pj_table_fold(table, 0, PJ_FOLD_MAX).integer, 2);
    assert_int_equal(pj_table_fold(table, 0, PJ_FOLD_MIN).integer, 0);
    assert_string_equal(pj_table_fold(table, 2, PJ_FOLD_SUM).text, "lost");
    assert_int_equal(pj_table_fold(table, 2, PJ_FOLD_COUNT).integer, 4);
    assert_int_equal(pj_table_fold(table, 3, PJ_FOLD_MAX).kind, PJ_CELL_EMPTY);
    pj_auto_table none = pj_table_head(table, 0);
    assert_int_equal(pj_table_fold(none, 0, PJ_FOLD_SUM).integer, 0);
    assert_int_equal(pj_table_fold(none, 0, PJ_FOLD_MEAN).kind, PJ_CELL_EMPTY);
    pj_fold fold;
    assert_true(pj_fold_parse(PJ_S("mean"), &fold));
    assert_int_equal(fold, PJ_FOLD_MEAN);
    assert_false(pj_fold_parse(PJ_S("median"), &fold));
}

/// A sum that leaves 64 bits goes on as a real number.
static void test_fold_overflow(void **state)
{
    (void)state;
    pj_folding folding = {.fold = PJ_FOLD_SUM};
    pj_folding_add(&folding, pj_cell_int(INT64_MAX));
    assert_int_equal(pj_folding_result(&folding).integer, INT64_MAX);
    pj_folding_add(&folding, pj_cell_int(INT64_MAX));
    pj_folding_add(&folding, pj_cell_int(2));
    pj_cell sum = pj_folding_result(&folding);
    assert_int_equal(sum.kind, PJ_CELL_REAL);
    assert_true(sum.real == 18446744073709551616.0);
}

static void test_by(void **state)
{
    (void)state;
    pj_auto_table table = sample();
    const pj_str name[] = {PJ_S("name")};
    const pj_table_folding foldings[] = {{PJ_FOLD_SUM, PJ_S("ns")},
                                         {PJ_FOLD_MAX, PJ_S("rank")},
                                         {PJ_FOLD_MIN, PJ_S("rank")},
                                         {PJ_FOLD_COUNT, PJ_S("")}};
    pj_auto_table groups =
        pj_table_by(table, (pj_table_grouping){name, 1, foldings, 4, NULL}, NULL);
    expect_column(groups, "name", "n10 n2 n1 n3"); // order of first appearance
    expect_column(groups, "ns", "50 - 50 20");
    expect_column(groups, "rank_max", "0 1 1 2");
    expect_column(groups, "rank_min", "0 0 1 2");
    expect_column(groups, "count", "1 2 1 1");
    assert_int_equal(groups->columns[1].unit, PJ_UNIT_NS);
    assert_string_equal(groups->title, "Sample by name");

    const pj_str rank[] = {PJ_S("rank")};
    const pj_table_folding all[] = {{PJ_FOLD_MEAN, PJ_S("")}};
    pj_auto_table means = pj_table_by(table, (pj_table_grouping){rank, 1, all, 1, NULL}, NULL);
    assert_int_equal(means->column_count, 3); // rank, thread, ns; no mean of text or key
    expect_column(means, "ns", "40 - 20");
    pj_auto_table whole = pj_table_by(table, (pj_table_grouping){NULL, 0, all, 1, NULL}, NULL);
    assert_int_equal(whole->row_count, 1);
    expect_column(whole, "rank", "0.8");
}

static void test_join(void **state)
{
    (void)state;
    pj_auto_table table = sample();
    pj_auto_table hosts = pj_table_new("Hosts");
    pj_table_add_column(hosts, (pj_column){"rank", "Rank", NULL, PJ_UNIT_NONE, false});
    pj_table_add_column(hosts, (pj_column){"name", "Host", NULL, PJ_UNIT_NONE, true});
    static const struct {
        double rank;
        const char *host;
    } rows[] = {{1, "h1"}, {0, "h0"}, {0, "h0b"}};
    for (size_t i = 0; i < 3; i++) {
        pj_cell *cells = pj_table_add_row(hosts);
        cells[0] = pj_cell_real(rows[i].rank);
        cells[1] = pj_cell_text(rows[i].host);
    }
    const pj_str rank[] = {PJ_S("rank")};
    pj_auto_table joined = pj_table_join(table, hosts, rank, 1, NULL, NULL);
    expect_column(joined, "rank", "0 0 0 0 1 1 2");
    expect_column(joined, "name_2", "h0 h0b h0 h0b h1 h1 -");
    assert_string_equal(pj_table_cell(joined, 6, 4)->text, "no such row in \"Hosts\"");
}

static void test_errors(void **state)
{
    (void)state;
    pj_auto_table table = sample();
    const pj_str wrong[] = {PJ_S("rnak")};
    const pj_column column = {"x", "X", NULL, PJ_UNIT_NONE, false};
    const pj_table_folding folding[] = {{PJ_FOLD_SUM, PJ_S("rnak")}};
    const char *hint = "did you mean rank";
    for (unsigned i = 0; i < 7; i++) {
        pj_err err = {0};
        pj_table *made =
            i == 0   ? pj_table_where(table, formula("rnak > 1"), &err)
            : i == 1 ? pj_table_sort(table, wrong, 1, NULL, &err)
            : i == 2 ? pj_table_select(table, wrong, 1, &err)
            : i == 3 ? pj_table_add(table, column, formula("rnak"), &err)
            : i == 4 ? pj_table_by(table, (pj_table_grouping){wrong, 1, NULL, 0, NULL}, &err)
            : i == 5 ? pj_table_by(table, (pj_table_grouping){NULL, 0, folding, 1, NULL}, &err)
                     : pj_table_join(table, table, wrong, 1, NULL, &err);
        assert_null(made);
        assert_int_equal(err.code, PJ_E_SCRIPT);
        assert_non_null(strstr(err.text, hint));
        assert_non_null(strstr(err.text, "rank, thread, ns, name"));
    }
    pj_err err = {0};
    assert_null(pj_table_where(table, formula("name"), &err));
    assert_non_null(strstr(err.text, "a condition is expected"));
}

/// Keys that stand in every row of both sides: an error before memory ends, not after.
static void test_join_has_a_limit(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: sanitizers need any amount of addresses\n");
    skip();
#endif
    enum { ROWS = 10000, ROOM = 256 << 20 };
    const pj_str key[] = {PJ_S("k")};
    pj_auto_table table = pj_table_new("Much");
    pj_table_add_column(table, (pj_column){"k", "K", NULL, PJ_UNIT_NONE, false});
    for (int i = 0; i < ROWS; i++)
        pj_table_add_row(table)[0] = pj_cell_int(1);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    FILE *sizes = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    assert_int_equal(fscanf(sizes, "%lu", &pages), 1); // NOLINT(cert-err34-c)
    fclose(sizes);
    struct rlimit small = {pages * (unsigned long)sysconf(_SC_PAGESIZE) + ROOM, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &small), 0);
    pj_err err = {0};
    pj_table *joined = pj_table_join(table, table, key, 1, NULL, &err);
    setrlimit(RLIMIT_AS, &before);
    assert_null(joined);
    assert_int_equal(err.code, PJ_E_MEMORY);
}

/// More rows than are sorted at once.
static void many_rows_are_sorted_and_stopped(void **state)
{
    (void)state;
    enum { ROWS = 100000, ODD = 7919 };
    pj_auto_table table = pj_table_new("many");
    pj_table_add_column(table, (pj_column){.key = "n", .title = "n"});
    for (uint64_t i = 0; i < ROWS; i++)
        *pj_table_add_row(table) = pj_cell_int((int64_t)(i * ODD % ROWS));
    atomic_bool stop = false;
    const pj_str key = PJ_S("n");
    pj_auto_table sorted = pj_table_sort(table, &key, 1, &stop, NULL);
    for (size_t i = 0; i < ROWS; i++)
        assert_true(pj_cell_number(*pj_table_cell(sorted, i, 0)) == (double)i);
    atomic_store(&stop, true);
    pj_err err = {0};
    assert_null(pj_table_sort(table, &key, 1, &stop, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
}

static void who_asks_to_stop_gets_no_table(void **state)
{
    (void)state;
    enum { ROWS = 100000 };
    pj_auto_table table = pj_table_new("long");
    pj_table_add_column(table, (pj_column){.key = "n", .title = "N"});
    for (int64_t i = 0; i < ROWS; i++)
        pj_table_add_row(table)[0] = pj_cell_int(i * 7919 % ROWS);
    const pj_str key[] = {PJ_S("n")};
    const pj_table_folding all[] = {{.fold = PJ_FOLD_COUNT}};
    atomic_bool stop = true;
    pj_err err = {0};
    assert_null(pj_table_by(table, (pj_table_grouping){key, 1, all, 1, &stop}, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    err = (pj_err){0};
    assert_null(pj_table_join(table, table, key, 1, &stop, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
    stop = false;
    pj_auto_table groups = pj_table_by(table, (pj_table_grouping){key, 1, all, 1, &stop}, NULL);
    assert_int_equal(groups->row_count, ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_keep_the_keys_of_their_remarks),
        cmocka_unit_test(who_asks_to_stop_gets_no_table),
        cmocka_unit_test(many_rows_are_sorted_and_stopped),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_where_by_callback),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_select_and_head),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_fold_overflow),
        cmocka_unit_test(test_by),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_join_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
