// What causes cost: shares that add up in additive sets, core time by hand.
#include "metrics/pop/losses.h"
#include "metrics/pop/measures.h"
#include "tests/support/fake_metrics.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const pj_fake_run runs[] = {{1, 1, NULL, NULL}, {4, 1, NULL, NULL}, {16, 1, NULL, NULL}};
enum { RUNS = sizeof runs / sizeof *runs };

static double value_of(const pj_metrics *m, const char *key)
{
    return pj_metrics_at(m, RUNS - 1, (size_t)pj_metric_row(m->set, pj_str_of(key))).value;
}

static const pj_loss *find(const pj_metrics *m, const pj_losses *losses, const char *key)
{
    for (size_t i = 0; i < losses->count; i++)
        if (strcmp(m->set->rows[losses->items[i].row].key, key) == 0)
            return &losses->items[i];
    return NULL;
}

static void largest_comes_first(void **state)
{
    (void)state;
    const pj_metric_set *set;
    for (size_t s = 0; (set = pj_metric_set_at(s)); s++) {
        if (made_run_lacks(set))
            continue;
        pj_auto_metrics m = pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = set->key});
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_losses losses = pj_losses_of(m, RUNS - 1, arena);
        assert_true(losses.count > 0);
        for (size_t i = 0; i < losses.count; i++) {
            assert_true(losses.items[i].share >= 0.01);
            assert_true(i == 0 || losses.items[i].share <= losses.items[i - 1].share);
        }
    }
}

/// What the leaves of an additive tree lose is what parallel efficiency lacks of 1.
static void additive_parts_add_up(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = "mpi"});
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_losses losses = pj_losses_of(m, RUNS - 1, arena);
    double sum = 0;
    for (size_t i = 0; i < losses.count; i++)
        if (m->set->rows[losses.items[i].row].kind == PJ_METRIC_EFFICIENCY)
            sum += losses.items[i].share;
    assert_true(fabs(sum - (1 - value_of(m, "parallel_efficiency"))) < 0.03); // small ones left out
    assert_null(find(m, &losses, "mpi_communication_efficiency"));            // its parts are there
    const pj_loss *transfer = find(m, &losses, "mpi_transfer_efficiency");
    assert_non_null(transfer);
    assert_true(fabs(transfer->share - 0.015) < 1e-6); // the ideal runtime is 0.985 of it
    double runtime = (double)m->study->cases[RUNS - 1].run->runtime_ns;
    assert_true(fabs(transfer->core_ns - 0.015 * runtime * 16) < 16);
    assert_string_equal(transfer->method, "replay on an ideal network");
}

/// Dearer computation costs useful time, not runtime.
static void scalings_cost_useful_time(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = "mpi"});
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_losses losses = pj_losses_of(m, RUNS - 1, arena);
    const pj_loss *instructions = find(m, &losses, "instruction_scaling");
    const pj_run *run = m->study->cases[RUNS - 1].run;
    double useful = 0;
    for (uint32_t i = 0; i < run->layout.locations; i++)
        useful += (double)run->totals[i].useful_ns;
    assert_non_null(instructions);
    double lost = (1 - value_of(m, "instruction_scaling")) * useful;
    assert_true(fabs(instructions->core_ns - lost) < 1e-6 * lost);
    assert_true(fabs(instructions->share * 16 * (double)run->runtime_ns - lost) < 1e-6 * lost);
}

/// Hybrid load balance is that of MPI times that of OpenMP: a cause is counted once.
static void second_views_are_left_out(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = "hybrid-bsc"});
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_losses losses = pj_losses_of(m, RUNS - 1, arena);
    assert_non_null(find(m, &losses, "mpi_load_balance"));
    assert_null(find(m, &losses, "hybrid_load_balance"));
    pj_auto_metrics flat = pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = "bsc"});
    losses = pj_losses_of(flat, RUNS - 1, arena);
    assert_null(find(flat, &losses, "computation_scaling")); // its factors are there
    pj_auto_metrics bare =
        pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = "bsc", .missing = true});
    losses = pj_losses_of(bare, RUNS - 1, arena);
    assert_non_null(find(bare, &losses, "computation_scaling"));
}

static void table_has_core_hours(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = "mpi"});
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_losses losses = pj_losses_of(m, RUNS - 1, arena);
    pj_auto_table table = pj_losses_table(m, RUNS - 1);
    int column = pj_table_column(table, PJ_S("core_hours"));
    assert_int_equal(table->row_count, losses.count);
    assert_true(
        fabs(pj_table_cell(table, 0, (size_t)column)->real * 3.6e12 - losses.items[0].core_ns) < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_comes_first),       cmocka_unit_test(additive_parts_add_up),
        cmocka_unit_test(scalings_cost_useful_time), cmocka_unit_test(second_views_are_left_out),
        cmocka_unit_test(table_has_core_hours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
