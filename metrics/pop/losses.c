// What each cause costs of the runtime.
// An additive part loses 1 less its value of the runtime R; of a factor f the run would keep f R; a
// scaling s costs 1 - s of the useful time U (METRICS and CAUSES call the product with the number
// of threads N core time).
#include "metrics/pop/losses.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/pop/measures.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

#include <stdlib.h>

static const double LEAST = 0.01; // of the runtime

/// Whether other rows of the run explain this one.
static bool has_parts(const pj_metrics *metrics, size_t run, size_t row)
{
    for (size_t i = 0; i < metrics->set->count; i++)
        if (pj_metric_parent(metrics->set, i) == (int)row && !pj_metrics_at(metrics, run, i).reason)
            return true;
    return false;
}

/// Whether the row is a second view of what its sibling rows have parts for ("hybrid load balance"
/// beside MPI and OpenMP): counted there already.
static bool is_second_view(const pj_metrics *metrics, size_t run, size_t row)
{
    const pj_metric_set *set = metrics->set;
    int parent = pj_metric_parent(set, row);
    if (parent < 0 || metrics->combine[parent] != PJ_COMBINE_NONE)
        return false;
    for (size_t i = 0; i < set->count; i++)
        if (pj_metric_parent(set, i) == parent && has_parts(metrics, run, i))
            return true;
    return false;
}

/// In a set without a tree of scalings the others multiply to computation scaling.
static bool is_explained(const pj_metrics *metrics, size_t run, size_t row)
{
    const pj_metric_set *set = metrics->set;
    for (size_t i = 0; i < set->count; i++)
        if (i != row && set->rows[i].kind == PJ_METRIC_SCALING &&
            !pj_metrics_at(metrics, run, i).reason)
            return pj_str_equal(pj_str_of(set->rows[row].key), PJ_S("computation_scaling"));
    return false;
}

/// A cause is an efficiency or scaling that no other rows explain.
static bool is_cause(const pj_metrics *metrics, size_t run, size_t row)
{
    const pj_metric *metric = &metrics->set->rows[row];
    if (metric->kind == PJ_METRIC_PLAIN || pj_metrics_at(metrics, run, row).reason)
        return false;
    if (metric->kind == PJ_METRIC_SCALING && !metric->parent)
        return !is_explained(metrics, run, row);
    return metric->parent && !has_parts(metrics, run, row) && !is_second_view(metrics, run, row);
}

static bool is_additive(const pj_metrics *metrics, size_t row)
{
    int parent = pj_metric_parent(metrics->set, row);
    return metrics->set->rows[row].kind == PJ_METRIC_INEFFICIENCY ||
           (parent >= 0 && metrics->combine[parent] == PJ_COMBINE_SUM);
}

static pj_loss loss_of(const pj_metrics *metrics, const pj_measures *run, size_t row, double value)
{
    const pj_metric *metric = &metrics->set->rows[row];
    bool inefficiency = metric->kind == PJ_METRIC_INEFFICIENCY;
    double lost = inefficiency ? value : 1 - value;
    double all = run->threads * run->runtime;
    pj_loss loss = {.row = row, .value = value, .share = lost};
    if (metric->kind == PJ_METRIC_SCALING) {
        loss.share = all > 0 ? lost * run->useful_sum / all : 0;
        loss.method = "useful time, if nothing else changed";
    } else if (metric->needs & PJ_NEEDS_IDEAL &&
               pj_str_contains(pj_str_of(metric->key), PJ_S("transfer"))) {
        loss.method = "replay on an ideal network";
    } else {
        loss.method = is_additive(metrics, row) ? "additive part of the runtime"
                                                : "factor, if nothing else changed";
    }
    loss.core_ns = loss.share * all;
    return loss;
}

static int by_share(const void *a, const void *b)
{
    const pj_loss *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

pj_losses pj_losses_of(const pj_metrics *metrics, size_t run, pj_arena *arena)
{
    const pj_study *study = metrics->study;
    pj_measures measures = pj_measures_of(&study->cases[run], study->scaling == PJ_SCALING_WEAK);
    pj_losses found = {.items = pj_new_n(arena, pj_loss, metrics->set->count)};
    for (size_t row = 0; row < metrics->set->count; row++) {
        if (!is_cause(metrics, run, row))
            continue;
        pj_loss loss = loss_of(metrics, &measures, row, pj_metrics_at(metrics, run, row).value);
        if (loss.share >= LEAST)
            found.items[found.count++] = loss;
    }
    qsort(found.items, found.count, sizeof *found.items, by_share);
    return found;
}

pj_table *pj_losses_table(const pj_metrics *metrics, size_t run)
{
    static const pj_column columns[] = {
        {.key = "cause", .title = "Cause", .text = true},
        {.key = "value", .title = "Value", .unit = PJ_UNIT_RATIO},
        {.key = "share_of_runtime",
         .title = "Of the runtime",
         .help = "What the run would be shorter at most, if this alone were mended.",
         .unit = PJ_UNIT_RATIO},
        {.key = "core_hours",
         .title = "Core time",
         .help = "The same of all threads of one such run.",
         .unit = PJ_UNIT_CORE_HOURS},
        {.key = "method", .title = "How it is known", .text = true},
    };
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_losses losses = pj_losses_of(metrics, run, arena);
    pj_table *table = pj_table_new(pj_arena_format(
        arena, "Causes at %s", pj_study_key_text(metrics->study, run, PJ_BY_LAYOUT)));
    table->note = pj_arena_text(
        table->arena,
        PJ_S("Causes of less than 1 % of the runtime are left out. Additive parts add up; "
             "factors and scalings overlap, so that sums of them are no forecast."));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    for (size_t i = 0; i < losses.count; i++) {
        const pj_loss *loss = &losses.items[i];
        pj_cell *cells = pj_table_add_row(table);
        cells[0] = pj_table_copy_cell(table, pj_cell_text(metrics->set->rows[loss->row].title));
        cells[1] = pj_cell_real(loss->value);
        cells[2] = pj_cell_real(loss->share);
        cells[3] = pj_cell_real(loss->core_ns / 3.6e12);
        cells[4] = pj_cell_text(loss->method);
    }
    return table;
}
