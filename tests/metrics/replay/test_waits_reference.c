// Waits and what they cost against values worked out apart from this program: 27 runs made by hand,
// in both formats, and a real one on 1 to 16 ranks (../shared/data/reference/causes).
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/run/aspect.h"
#include "metrics/run/waits/delays_table.h"
#include "metrics/run/waits/omp_waits.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/waits_table.h"
#include "tests/support/csv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"
#define CAUSES DATA "reference/causes/"

typedef struct answer { // of one trace
    pj_run *run;
    pj_table *account, *culprits, *causes; // causes: NULL = there are none
    pj_table *delays, *path;
    pj_table *ideal_path; // NULL = there is none
} answer;

static pj_table *table_of(const pj_run *run, pj_waits_by by)
{
    pj_err err = {.code = PJ_E_NONE};
    return pj_waits_table(run, by, &err);
}

/// False when there is no such trace.
static bool load(const char *path, answer *out)
{
    pj_job job = {.workers = 2};
    pj_err err = {.code = PJ_E_NONE};
    if (access(path, R_OK) != 0)
        return false;
    pj_load_opts opts = {.aspects = PJ_HISTORY, .raw_clock = true};
    out->run = pj_load(path, opts, &job, &err);
    if (!out->run)
        fail_msg("%s", err.text);
    out->account = table_of(out->run, PJ_WAITS_ACCOUNT);
    out->culprits = table_of(out->run, PJ_WAITS_CULPRIT);
    out->causes = table_of(out->run, PJ_WAITS_CAUSES);
    out->delays = pj_delays_table(out->run, PJ_DELAYS_COSTS, PJ_PATH_MEASURED, &err);
    out->path = pj_delays_table(out->run, PJ_DELAYS_PATH, PJ_PATH_MEASURED, &err);
    out->ideal_path = pj_delays_table(out->run, PJ_DELAYS_PATH, PJ_PATH_IDEAL, &err);
    assert_non_null(out->account);
    assert_non_null(out->delays);
    assert_non_null(out->path);
    return true;
}

static void drop(answer *a)
{
    pj_table_release(a->account);
    pj_table_release(a->culprits);
    pj_table_release(a->delays);
    pj_table_release(a->path);
    if (a->causes)
        pj_table_release(a->causes);
    if (a->ideal_path)
        pj_table_release(a->ideal_path);
    pj_run_release(a->run);
}

static bool is_text(pj_cell cell, pj_str text)
{
    return cell.kind == PJ_CELL_TEXT && pj_str_equal(pj_str_of(cell.text), text);
}

/// The number in the row with these two cells; 0 = there is no such row.
static double number_of(const pj_table *table, const char *column, pj_str first, pj_str second)
{
    int at = pj_table_column(table, pj_str_of(column));
    for (size_t row = 0; row < table->row_count; row++) {
        int culprit = pj_table_column(table, PJ_S("culprit"));
        pj_cell next = *pj_table_cell(table, row, culprit < 0 ? 1 : (size_t)culprit);
        char text[32];
        snprintf(text, sizeof text, "%.0f", pj_cell_number(next));
        bool same =
            second.len == 0 || is_text(next, second) || pj_str_equal(pj_str_of(text), second);
        if (same && is_text(*pj_table_cell(table, row, 0), first))
            return pj_cell_number(*pj_table_cell(table, row, (size_t)at));
    }
    return 0;
}

/// The number in the row of a region and a rank; that of a rank that is "" is empty.
static double number_at(const pj_table *table, const char *column, const char *rank_column,
                        pj_str region, pj_str rank)
{
    size_t at = (size_t)pj_table_column(table, pj_str_of(column));
    size_t regions = (size_t)pj_table_column(table, PJ_S("region"));
    size_t ranks = (size_t)pj_table_column(table, pj_str_of(rank_column));
    for (size_t row = 0; row < table->row_count; row++) {
        char text[32] = "";
        pj_cell cell = *pj_table_cell(table, row, ranks);
        if (cell.kind != PJ_CELL_EMPTY)
            snprintf(text, sizeof text, "%.0f", pj_cell_number(cell));
        if (is_text(*pj_table_cell(table, row, regions), region) &&
            pj_str_equal(pj_str_of(text), rank))
            return pj_cell_number(*pj_table_cell(table, row, at));
    }
    return 0;
}

static bool is_number(pj_cell cell, pj_str text)
{
    char number[32];
    snprintf(number, sizeof number, "%.0f", pj_cell_number(cell));
    return pj_str_equal(pj_str_of(number), text);
}

/// What a rank waits for another one; 0 = nothing.
static double wait_of_pair(const pj_table *pairs, pj_str pattern, pj_str rank, pj_str culprit)
{
    size_t ranks = (size_t)pj_table_column(pairs, PJ_S("rank"));
    size_t culprits = (size_t)pj_table_column(pairs, PJ_S("culprit"));
    size_t waits = (size_t)pj_table_column(pairs, PJ_S("wait_ns"));
    for (size_t row = 0; row < pairs->row_count; row++)
        if (is_text(*pj_table_cell(pairs, row, 0), pattern) &&
            is_number(*pj_table_cell(pairs, row, ranks), rank) &&
            is_number(*pj_table_cell(pairs, row, culprits), culprit))
            return pj_cell_number(*pj_table_cell(pairs, row, waits));
    return 0;
}

static double sum_of(const pj_table *table, size_t column)
{
    double sum = 0;
    for (size_t row = 0; row < table->row_count; row++)
        sum += pj_cell_number(*pj_table_cell(table, row, column));
    return sum;
}

/// On the ideal network the path is the runtime there, with nothing of MPI in it; what regions cost
/// is as long for each rank.
static void add_up_ideal(const char *path, const answer *a)
{
    if (!a->ideal_path)
        return;
    double along = sum_of(a->ideal_path, 2);
    if (along != a->run->ideal.runtime_ns)
        fail_msg("%s: the ideal path lasts %.0f of %.0f", path, along, a->run->ideal.runtime_ns);
    for (size_t row = 0; row < a->ideal_path->row_count; row++)
        if (pj_str_starts(pj_str_of(pj_table_cell(a->ideal_path, row, 0)->text), PJ_S("MPI_")))
            fail_msg("%s: MPI is on the ideal path", path);
    for (unsigned clock = 0; clock < PJ_PATHS; clock++) {
        const pj_delays *d = a->run->waits->delays;
        double whole = (double)d->paths[clock].length_ns * a->run->layout.ranks, costs = 0;
        for (uint32_t r = 0; r < d->region_count; r++)
            costs += (double)d->regions[r].impact[clock].on_path_ns +
                     d->regions[r].impact[clock].imbalance_ns +
                     (double)d->regions[r].impact[clock].off_path_ns;
        if (a->run->waits->contradictions == 0 && fabs(costs - whole) > 1e-9 * whole)
            fail_msg("%s: regions cost %.3f of %.0f", path, costs, whole);
    }
}

/// Costs of delays and what is not attributed are all waits; the path lasts as long as the run.
static void add_up(const char *path, const answer *a)
{
    double waits = 0, costs = 0, along = 0;
    for (uint32_t i = 0; i < a->run->layout.ranks; i++)
        waits += (double)a->run->waits->ranks[i].wait_ns;
    for (size_t row = 0; row < a->delays->row_count; row++)
        costs += pj_cell_number(*pj_table_cell(a->delays, row, 4));
    for (size_t row = 0; row < a->path->row_count; row++)
        along += pj_cell_number(*pj_table_cell(a->path, row, 2));
    uint32_t last =
        a->run->layout.first_location[a->run->waits->delays->paths[PJ_PATH_MEASURED].last_rank];
    double end = (double)a->run->totals[last].last_event_ns;
    if (fabs(waits - costs) > 1e-6 * waits)
        fail_msg("%s: delays cost %.3f of waits of %.3f", path, costs, waits);
    if (a->run->waits->contradictions == 0 && along != end)
        fail_msg("%s: the path lasts %.0f of %.0f", path, along, end);
    add_up_ideal(path, a);
}

/// What this program says in place of a row of the reference; NaN when it is about something else.
static double value_of(const answer *a, pj_str table, pj_str row, pj_str who)
{
    static const struct {
        const char *table, *metric;
    } losses[] = {{"load_balance", "load_balance"},
                  {"serialisation", "serialisation_efficiency"},
                  {"transfer", "transfer_efficiency"}};
    if (pj_str_equal(table, PJ_S("account")))
        return number_of(a->account, "time_ns", row, PJ_S(""));
    if (pj_str_equal(table, PJ_S("culprit")))
        return number_of(a->culprits, "wait_ns", row, who);
    if (pj_str_equal(table, PJ_S("delay_short")))
        return number_at(a->delays, "short_ns", "culprit", row, who);
    if (pj_str_equal(table, PJ_S("delay_long")))
        return number_at(a->delays, "long_ns", "culprit", row, who);
    if (pj_str_equal(table, PJ_S("delay_unattributed")))
        return number_at(a->delays, "cost_ns", "culprit", PJ_S("unattributed"), PJ_S(""));
    if (a->ideal_path && pj_str_equal(table, PJ_S("ideal")) && pj_str_equal(row, PJ_S("runtime")))
        return sum_of(a->ideal_path, 2);
    if (pj_str_equal(table, PJ_S("critical_path")))
        return number_at(a->path, "path_ns", "rank", row, who);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (a->causes && pj_str_equal(table, pj_str_of(losses[i].table)) &&
            !pj_str_equal(row, PJ_S("sum")))
            return number_of(a->causes, "loss_ns", pj_str_of(losses[i].metric), row);
    return NAN;
}

static void expect(const char *path, double want, double got, pj_str table, pj_str row)
{
    if (fabs(want - got) > 1e-3 + 1e-10 * fabs(want)) // references of delays have nine digits
        fail_msg("%s: %.*s %.*s is %.6f, not %.6f", path, (int)table.len, table.at, (int)row.len,
                 row.at, got, want);
}

static unsigned compare_scenario(const csv *want, const char *path, pj_str name)
{
    answer a;
    unsigned compared = 0;
    if (!load(path, &a))
        return 0;
    add_up(path, &a);
    for (size_t i = 0; i < want->rows; i++) {
        if (!pj_str_equal(csv_cell(want, i, "scenario"), name))
            continue;
        pj_str table = csv_cell(want, i, "table"), row = csv_cell(want, i, "row");
        double got = value_of(&a, table, row, csv_cell(want, i, "who"));
        if (isnan(got))
            continue;
        expect(path, csv_number(want, i, "value"), got, table, row);
        compared++;
    }
    drop(&a);
    return compared;
}

static void runs_made_by_hand(void **state)
{
    (void)state;
    csv want;
    csv_of_real_tools(CAUSES "scenarios.csv", &want);
    unsigned compared = 0;
    for (size_t i = 0; i < want.rows; i++) {
        pj_str name = csv_cell(&want, i, "scenario");
        if (i && pj_str_equal(name, csv_cell(&want, i - 1, "scenario")))
            continue;
        char path[1024];
        snprintf(path, sizeof path, CAUSES "scenarios/%.*s.prv", (int)name.len, name.at);
        compared += compare_scenario(&want, path, name);
        snprintf(path, sizeof path, CAUSES "scenarios_otf2/%.*s/traces.otf2", (int)name.len,
                 name.at);
        compared += compare_scenario(&want, path, name);
    }
    csv_free(&want);
    assert_true(compared > 500);
}

static void a_real_run(void **state)
{
    (void)state;
    static const unsigned ranks[] = {1, 2, 4, 16};
    for (size_t n = 0; n < sizeof ranks / sizeof *ranks; n++) {
        char file[1024], path[1024];
        csv want;
        snprintf(file, sizeof file, CAUSES "waits_epoch_%uproc.csv", ranks[n]);
        snprintf(path, sizeof path, DATA "paraver/epoch/epoch_%uproc.prv.gz", ranks[n]);
        csv_of_real_tools(file, &want);
        answer a;
        assert_true(load(path, &a));
        add_up(path, &a);
        for (size_t i = 0; i < want.rows; i++) {
            pj_str table = csv_cell(&want, i, "table"), row = csv_cell(&want, i, "row");
            double got = value_of(&a, table, row, PJ_S(""));
            if (!isnan(got))
                expect(path, csv_number(&want, i, "value_ns"), got, table, row);
        }
        drop(&a);
        csv_free(&want);
    }
}

static size_t rows_that_wait(const pj_table *pairs)
{
    size_t waited = 0, column = (size_t)pj_table_column(pairs, PJ_S("wait_ns"));
    for (size_t row = 0; row < pairs->row_count; row++)
        waited += pj_cell_number(*pj_table_cell(pairs, row, column)) > 0;
    return waited;
}

/// Every wait has its culprit: pattern, rank and culprit to the nanosecond, none more and none
/// less.
static void culprits_of_a_real_run(void **state)
{
    (void)state;
    static const unsigned ranks[] = {1, 2, 4, 16};
    for (size_t n = 0; n < sizeof ranks / sizeof *ranks; n++) {
        char file[1024], path[1024];
        csv want;
        snprintf(file, sizeof file, CAUSES "culprits_epoch_%uproc.csv", ranks[n]);
        snprintf(path, sizeof path, DATA "paraver/epoch/epoch_%uproc.prv.gz", ranks[n]);
        csv_of_real_tools(file, &want);
        answer a;
        assert_true(load(path, &a));
        pj_table *pairs = table_of(a.run, PJ_WAITS_PAIR);
        assert_non_null(pairs);
        for (size_t i = 0; i < want.rows; i++) {
            pj_str pattern = csv_cell(&want, i, "pattern"), rank = csv_cell(&want, i, "rank");
            double got = wait_of_pair(pairs, pattern, rank, csv_cell(&want, i, "culprit"));
            expect(path, csv_number(&want, i, "wait_ns"), got, pattern, rank);
        }
        assert_int_equal(rows_that_wait(pairs), want.rows);
        pj_table_release(pairs);
        drop(&a);
        csv_free(&want);
    }
}

/// ns of a pattern in a run by hand; 0 = none.
static uint64_t of_threads(const char *path, pj_omp_pattern pattern)
{
    pj_job job = {.workers = 2};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = pj_load(path, (pj_load_opts){.aspects = PJ_WANT(omp_waits)}, &job, &err);
    uint64_t ns = 0;
    assert_non_null(run);
    for (size_t i = 0; i < run->omp_waits->count; i++)
        ns += run->omp_waits->items[i].pattern == pattern ? run->omp_waits->items[i].ns : 0;
    return ns;
}

/// Values of the text that comes with these runs.
static void threads_of_openmp(void **state)
{
    (void)state;
    static const char team[] = CAUSES "scenarios/s26_openmp.prv";
    static const char lock[] = CAUSES "scenarios/s27_lock.prv";
    if (access(team, R_OK) != 0) {
        print_message("no data of real tools: %s\n", team);
        skip();
    }
    assert_int_equal(of_threads(team, PJ_OMP_WAIT_omp_barrier_wait), 60);
    assert_int_equal(of_threads(team, PJ_OMP_WAIT_omp_idle_threads), 180);
    assert_int_equal(of_threads(team, PJ_OMP_WAIT_omp_management), 16);
    assert_int_equal(of_threads(team, PJ_OMP_WAIT_omp_barrier_completion), 8);
    assert_int_equal(of_threads(lock, PJ_OMP_WAIT_omp_lock_contention), 30);
    assert_int_equal(of_threads(lock, PJ_OMP_WAIT_omp_management), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_made_by_hand), cmocka_unit_test(a_real_run),
        cmocka_unit_test(culprits_of_a_real_run), cmocka_unit_test(threads_of_openmp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
