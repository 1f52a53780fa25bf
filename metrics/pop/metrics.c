// Evaluation of a set over a study: values or reasons, residuals, the note, the table.
#include "metrics/pop/metrics.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/measures.h"
#include "metrics/pop/metrics_causes.h"
#include "metrics/pop/metrics_remark.h"
#include "metrics/pop/metricset_define.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <math.h>
#include <stdlib.h>

static pj_metric_value no_value(const char *reason)
{
    return (pj_metric_value){.reason = reason};
}

/// Why a formula over measures that exist gave no finite number.
static const char *why_undefined(const pj_measures *run, const pj_measures *reference)
{
    if (!(run->runtime > 0))
        return "the run has no runtime";
    if (!(run->useful_sum > 0))
        return "the run has no useful time";
    if (!(reference->runtime > 0))
        return "the reference run has no runtime";
    if (!(reference->useful_sum > 0))
        return "the reference run has no useful time";
    if (run->run->untraced)
        return "the file has sums over all CPUs, and not what this is made of";
    if (pj_measures_unknown(run))
        return "what is known of the run does not tell it; its trace may (--force)";
    return "a quantity that it divides by is 0";
}

static pj_metric_value built_in_value(const pj_metric_scope *scope, const char *reference_name,
                                      pj_arena *arena)
{
    const pj_metric *row = &scope->set->rows[scope->row];
    const unsigned needs = row->needs | PJ_NEEDS_STATES;
    const char *lack = pj_measures_lack(scope->run, needs);
    if (!lack && row->needs & PJ_NEEDS_REFERENCE)
        lack = scope->alone;
    if (lack)
        return no_value(lack);
    if (row->kind == PJ_METRIC_SCALING) {
        lack = pj_measures_lack(scope->reference, needs);
        if (lack)
            return no_value(
                pj_arena_format(arena, "in the reference run %s, %s", reference_name, lack));
    }
    double value = scope->set->value(scope->row, scope->run, scope->reference);
    return isfinite(value) ? (pj_metric_value){.value = value}
                           : no_value(why_undefined(scope->run, scope->reference));
}

static bool evaluate_run(pj_metrics *metrics, size_t run, const pj_measures *measures, pj_err *err)
{
    const pj_metric_set *set = metrics->set;
    const pj_study *study = metrics->study;
    pj_metric_value *values = &metrics->values[run * set->count];
    size_t reference = study->cases[run].reference;
    const char *alone = study->alone;
    if (reference == PJ_NO_CASE) {
        reference = study->reference;
        alone = "the reference run has no part of this name";
    }
    pj_metric_scope scope = {set, 0, &measures[run], &measures[reference], values, alone};
    if (set->definition)
        return pj_metric_set_evaluate(&scope, metrics->arena, values, err);
    for (; scope.row < set->count; scope.row++)
        values[scope.row] = built_in_value(&scope, study->cases[reference].name, metrics->arena);
    return true;
}

/// What the children of a row give together: their sum of losses or their product.
typedef struct combination {
    unsigned children;
    bool plain;     // one of them is no efficiency
    double sum;     // of inefficiencies, or of 1 - efficiency
    double product; // of the children
    const char *reason;
} combination;

static combination combine(const pj_metrics *metrics, size_t run, size_t row)
{
    const pj_metric_set *set = metrics->set;
    combination all = {.product = 1};
    for (size_t child = row + 1; child < set->count; child++) {
        if (pj_metric_parent(set, child) != (int)row)
            continue;
        pj_metric_value value = pj_metrics_at(metrics, run, child);
        bool loss = set->rows[child].kind == PJ_METRIC_INEFFICIENCY;
        all.children++;
        all.plain = all.plain || set->rows[child].kind == PJ_METRIC_PLAIN;
        all.sum += loss ? value.value : 1 - value.value;
        all.product *= value.value;
        if (value.reason)
            all.reason = value.reason;
    }
    return all;
}

/// The further child that would complete the sum or product of the row's children.
static pj_metric_value residual(const pj_metrics *metrics, size_t run, size_t row, pj_combine by)
{
    const pj_metric *metric = &metrics->set->rows[row];
    pj_metric_value parent = pj_metrics_at(metrics, run, row);
    combination all = combine(metrics, run, row);
    if (by == PJ_COMBINE_NONE || all.children == 0)
        return no_value("its children are not meant to add up");
    if (parent.reason || all.reason)
        return no_value(parent.reason ? parent.reason : all.reason);
    if (by == PJ_COMBINE_PRODUCT)
        return all.product != 0 ? (pj_metric_value){.value = parent.value / all.product}
                                : no_value("one of the children is 0");
    bool loss = metric->kind == PJ_METRIC_INEFFICIENCY;
    return (pj_metric_value){.value = loss ? parent.value - all.sum : parent.value + all.sum};
}

static double neutral(const pj_metric *metric)
{
    return metric->kind == PJ_METRIC_INEFFICIENCY ? 0 : 1;
}

/// The most that any run leaves.
static double left_by(const pj_metrics *metrics, size_t row, pj_combine by)
{
    double most = 0;
    for (size_t run = 0; run < metrics->study->count; run++) {
        pj_metric_value left = residual(metrics, run, row, by);
        if (!left.reason)
            most = fmax(most, fabs(left.value - neutral(&metrics->set->rows[row])));
    }
    return most;
}

static pj_combine resolve(const pj_metrics *metrics, size_t row)
{
    const pj_metric *metric = &metrics->set->rows[row];
    if (metric->combine != PJ_COMBINE_AUTO)
        return metric->combine;
    if (metric->kind == PJ_METRIC_PLAIN || combine(metrics, 0, row).plain)
        return PJ_COMBINE_NONE;
    if (metric->kind == PJ_METRIC_INEFFICIENCY)
        return PJ_COMBINE_SUM;
    double product = left_by(metrics, row, PJ_COMBINE_PRODUCT);
    return product <= left_by(metrics, row, PJ_COMBINE_SUM) ? PJ_COMBINE_PRODUCT : PJ_COMBINE_SUM;
}

static void fill_residuals(pj_metrics *metrics)
{
    const pj_metric_set *set = metrics->set;
    for (size_t row = 0; row < set->count; row++) {
        metrics->combine[row] = resolve(metrics, row);
        for (size_t run = 0; run < metrics->study->count; run++) {
            pj_metric_value left = residual(metrics, run, row, metrics->combine[row]);
            metrics->residuals[run * set->count + row] = left;
            if (!left.reason && fabs(left.value - neutral(&set->rows[row])) > 1e-9)
                metrics->has_residual[row] = true;
        }
    }
}

static const char *make_note(const pj_metrics *metrics, pj_metrics_opts opts)
{
    const pj_study *study = metrics->study;
    const char *convention = metrics->set->convention ? metrics->set->convention : "";
    bool scales = !(opts.compared && study->one_size);
    if (study->alone)
        return convention;
    return pj_arena_format(metrics->arena, "%s%sReference run: %s (%s)%s%s.", convention,
                           *convention ? " " : "", study->cases[study->reference].name,
                           pj_study_key_text(study, study->reference, PJ_BY_LAYOUT),
                           scales ? "; " : "", scales ? study->scaling_note : "");
}

static void fill_absent(pj_metrics *metrics, const pj_measures *measures)
{
    for (size_t row = 0; row < metrics->set->count; row++) {
        unsigned activity = metrics->set->rows[row].needs & PJ_NEEDS_ACTIVITY;
        bool none = activity != 0;
        for (size_t run = 0; run < metrics->study->count; run++)
            none = none && measures[run].lacks & activity;
        metrics->absent[row] = none;
    }
}

pj_metrics *pj_metrics_new(const pj_metric_set *set, pj_study *study, pj_metrics_opts opts,
                           pj_err *err)
{
    pj_metrics *metrics = pj_take_memory(sizeof *metrics);
    *metrics = (pj_metrics){.arena = pj_arena_new(NULL),
                            .references = 1,
                            .set = pj_metric_set_hold(set),
                            .study = pj_study_hold(study),
                            .by = opts.by};
    pj_arena *arena = metrics->arena;
    metrics->title = opts.title ? pj_arena_text(arena, pj_str_of(opts.title))
                                : pj_arena_format(arena, "%s%s",
                                                  set->pop ? "POP efficiencies: " : "", set->title);
    metrics->values = pj_new_n(arena, pj_metric_value, study->count * set->count);
    metrics->residuals = pj_new_n(arena, pj_metric_value, study->count * set->count);
    metrics->combine = pj_new_n(arena, pj_combine, set->count);
    metrics->has_residual = pj_new_n(arena, bool, set->count);
    metrics->absent = pj_new_n(arena, bool, set->count);
    metrics->note = make_note(metrics, opts);

    pj_measures *measures = pj_new_n(arena, pj_measures, study->count);
    for (size_t run = 0; run < study->count; run++)
        measures[run] = pj_measures_of(&study->cases[run], study->scaling == PJ_SCALING_WEAK);
    for (size_t run = 0; run < study->count; run++)
        if (!evaluate_run(metrics, run, measures, err)) {
            pj_metrics_release(metrics);
            return NULL;
        }
    fill_absent(metrics, measures);
    fill_residuals(metrics);
    if (opts.causes)
        pj_metrics_find_causes(metrics);
    if (!opts.bare)
        pj_metrics_remark(metrics, measures, opts.repeated);
    return metrics;
}

pj_metrics *pj_metrics_hold(pj_metrics *metrics)
{
    metrics->references++;
    return metrics;
}

void pj_metrics_release(pj_metrics *metrics)
{
    if (!metrics || --metrics->references > 0)
        return;
    pj_study_release(metrics->study);
    pj_metric_set_release(metrics->set);
    pj_arena_free(metrics->arena);
    free(metrics);
}

enum { RUN_COLUMNS = 6 };

static void add_columns(pj_table *table, const pj_metric_set *set)
{
    static const pj_column run_columns[RUN_COLUMNS] = {
        {"trace", "Trace", NULL, PJ_UNIT_NONE, true},
        {"ranks", "Ranks", NULL, PJ_UNIT_NONE, false},
        {"threads_per_rank", "Threads per rank", NULL, PJ_UNIT_NONE, false},
        {"threads", "Threads", NULL, PJ_UNIT_NONE, false},
        {"layout", "Layout", "Ranks x threads per rank.", PJ_UNIT_NONE, true},
        {"tag", "Tag", NULL, PJ_UNIT_NONE, true},
    };
    for (size_t i = 0; i < RUN_COLUMNS; i++)
        pj_table_add_column(table, run_columns[i]);
    for (size_t row = 0; row < set->count; row++) {
        const pj_metric *m = &set->rows[row];
        pj_table_add_column(table, (pj_column){m->key, m->title, m->explanation, m->unit, false});
    }
}

static void add_cause_columns(pj_table *table, const pj_metrics *metrics)
{
    for (size_t i = 0; i < metrics->cause_count; i++) {
        const pj_metric_cause *cause = &metrics->causes[i];
        const char *key =
            pj_arena_format(table->arena, "%s.%s", metrics->set->rows[cause->row].key, cause->key);
        pj_table_add_column(table, (pj_column){.key = key,
                                               .title = cause->title,
                                               .help = "What it costs of the runtime.",
                                               .unit = PJ_UNIT_RATIO});
    }
}

static pj_cell cell_of(pj_table *table, pj_metric_value value)
{
    return value.reason ? pj_table_copy_cell(table, pj_cell_empty(value.reason))
                        : pj_cell_real(value.value);
}

static void add_run(pj_table *table, const pj_metrics *metrics, size_t run)
{
    const pj_study *study = metrics->study;
    const pj_layout *layout = study->cases[run].layout;
    uint32_t per_rank = pj_layout_threads_per_rank(layout);
    const pj_cell run_cells[RUN_COLUMNS] = {
        pj_cell_text(study->cases[run].name),
        pj_cell_int(layout->ranks),
        per_rank ? pj_cell_int(per_rank) : pj_cell_empty("the number of threads per rank varies"),
        pj_cell_int(layout->locations),
        pj_cell_text(pj_study_key_text(study, run, PJ_BY_LAYOUT)),
        pj_cell_text(pj_study_key_text(study, run, PJ_BY_TAG)),
    };
    pj_cell *cells = pj_table_add_row(table);
    for (size_t i = 0; i < RUN_COLUMNS; i++)
        cells[i] = pj_table_copy_cell(table, run_cells[i]);
    for (size_t row = 0; row < metrics->set->count; row++)
        cells[RUN_COLUMNS + row] = cell_of(table, pj_metrics_at(metrics, run, row));
    for (size_t i = 0; i < metrics->cause_count; i++)
        cells[RUN_COLUMNS + metrics->set->count + i] =
            cell_of(table, metrics->causes[i].values[run]);
}

void pj_metrics_add_note(const pj_metrics *metrics, pj_buf *out)
{
    pj_buf_puts(out, metrics->note);
    for (size_t i = 0; i < metrics->remark_count; i++)
        if (metrics->remarks[i].severity != PJ_NOTE)
            pj_buf_addf(out, "\n%s: %s", pj_severity_name(metrics->remarks[i].severity),
                        metrics->remarks[i].text);
}

pj_table *pj_metrics_table(const pj_metrics *metrics)
{
    pj_table *table = pj_table_new(metrics->title);
    pj_auto_buf note = {.at = NULL};
    pj_metrics_add_note(metrics, &note);
    table->note = pj_arena_text(table->arena, pj_buf_str(&note));
    add_columns(table, metrics->set);
    add_cause_columns(table, metrics);
    for (size_t run = 0; run < metrics->study->count; run++)
        add_run(table, metrics, run);
    return table;
}
