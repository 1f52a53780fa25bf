// Two runs compared, metric by metric.
// One row per metric of the set.
#include "metrics/pop/comparison.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

#include <math.h>

enum { METRIC, TITLE, BASELINE, NEW, CHANGE, RELATIVE, TREND, VERDICT };

/// One comparison at work.
typedef struct comparing {
    const pj_metrics *metrics;
    size_t baseline, other;
    pj_comparison_opts opts;
    pj_comparison *out;
} comparing;

static void add_columns(const comparing *c)
{
    pj_table *table = c->out->table;
    const pj_case *cases = c->metrics->study->cases;
    const pj_column columns[] = {
        {"metric", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"baseline", cases[c->baseline].name, "The value of the first run.", PJ_UNIT_NONE, false},
        {"new", cases[c->other].name, "The value of the second run.", PJ_UNIT_NONE, false},
        {"change", "Change", "The second less the first.", PJ_UNIT_CHANGE, false},
        {"relative_change", "Relative", "The change over the first.", PJ_UNIT_CHANGE, false},
        {"trend", c->opts.judge ? "Verdict" : "Trend", "Up or down, and whether that is better.",
         PJ_UNIT_TREND, PJ_TEXT_OF_PEOPLE},
        {"verdict", "Verdict", "Worse by more than is allowed: regressed.", PJ_UNIT_NONE,
         PJ_TEXT_OF_MACHINES},
    };
    for (size_t i = 0; i < (c->opts.judge ? VERDICT + 1 : VERDICT); i++)
        pj_table_add_column(table, columns[i]);
}

/// How much worse the second value is; plain numbers in parts of the first.
static double loss_of(const pj_metric *row, double first, double second)
{
    switch (row->kind) {
    case PJ_METRIC_EFFICIENCY:
    case PJ_METRIC_SCALING:
        return first - second;
    case PJ_METRIC_INEFFICIENCY:
        return second - first;
    case PJ_METRIC_PLAIN:
        break;
    }
    return (row->unit == PJ_UNIT_S ? second - first : first - second) / fabs(first);
}

static bool is_judged(const comparing *c, const pj_metric *row)
{
    const pj_comparison_opts *opts = &c->opts;
    if (!opts->judge)
        return false;
    return opts->metric ? pj_str_same_word(pj_str_of(row->key), pj_str_of(opts->metric))
                        : row->kind != PJ_METRIC_PLAIN;
}

static const char *verdict(comparing *c, const pj_metric *row, double first, double second)
{
    const double noise = 1e-9; // of differences of decimal numbers
    double loss = loss_of(row, first, second);
    if (!(loss > c->opts.max_drop + noise))
        return -loss > c->opts.max_drop + noise ? "better" : "kept";
    c->out->regressed++;
    return "regressed";
}

/// What three decimals do not show is no trend.
static const char *arrow_of(double change)
{
    return !(fabs(change) >= 0.0005) ? "=" : change > 0 ? "\u25b2" : "\u25bc";
}

/// "down, worse"; where a verdict is given, that verdict.
static const char *trend_of(const comparing *c, const pj_metric *row, double first, double second,
                            const char *verdict)
{
    const char *arrow = arrow_of(second - first);
    double loss = loss_of(row, first, second);
    const char *word = verdict         ? verdict
                       : c->opts.judge ? ""
                       : *arrow == '=' ? "same"
                       : loss < 0      ? "better"
                                       : "worse";
    return pj_arena_format(c->out->table->arena, "%s%s%s", arrow, *word ? " " : "", word);
}

static pj_cell value_cell(pj_table *table, pj_metric_value value)
{
    return pj_table_copy_cell(table, value.reason ? pj_cell_empty(value.reason)
                                                  : pj_cell_real(value.value));
}

static void add_row(comparing *c, size_t row)
{
    pj_table *table = c->out->table;
    const pj_metric *metric = &c->metrics->set->rows[row];
    pj_metric_value first = pj_metrics_at(c->metrics, c->baseline, row);
    pj_metric_value second = pj_metrics_at(c->metrics, c->other, row);
    const char *lack = first.reason ? first.reason : second.reason;
    bool judged = is_judged(c, metric);
    pj_cell *cells = pj_table_add_row(table);
    cells[METRIC] = pj_table_copy_cell(table, pj_cell_text(metric->key));
    cells[TITLE] = pj_cell_text(pj_arena_format(table->arena, "%s%s", metric->title,
                                                metric->unit == PJ_UNIT_S ? " [s]" : ""));
    cells[BASELINE] = value_cell(table, first);
    cells[NEW] = value_cell(table, second);
    if (c->opts.judge)
        cells[VERDICT] = pj_cell_empty(judged ? "there is no value to judge" : "it is not judged");
    if (lack) {
        cells[CHANGE] = cells[RELATIVE] = cells[TREND] =
            pj_table_copy_cell(table, pj_cell_empty(lack));
        if (judged && (c->opts.metric || !first.reason != !second.reason))
            c->out->lack = pj_arena_format(table->arena, "%s: %s", metric->key, lack);
        return;
    }
    double change = second.value - first.value;
    cells[CHANGE] = pj_cell_real(change);
    cells[RELATIVE] = first.value != 0 ? pj_cell_real(change / first.value)
                                       : pj_cell_empty("the first value is 0");
    const char *judgement = judged ? verdict(c, metric, first.value, second.value) : NULL;
    if (judged)
        cells[VERDICT] = pj_cell_text(judgement);
    cells[TREND] = pj_cell_text(trend_of(c, metric, first.value, second.value, judgement));
}

static void add_note(const comparing *c)
{
    pj_auto_buf text = {0};
    if (c->opts.judge && c->out->regressed)
        pj_buf_addf(&text, "regressed: worse by more than %g in %zu of the rows\n",
                    c->opts.max_drop, c->out->regressed);
    else if (c->opts.judge && !c->out->lack)
        pj_buf_addf(&text, "kept: nothing is worse by more than %g\n", c->opts.max_drop);
    pj_metrics_add_note(c->metrics, &text);
    pj_study_say_roi(c->metrics->study, &text);
    c->out->table->note = pj_arena_text(c->out->table->arena, pj_buf_str(&text));
}

static bool check_metric(const pj_metric_set *set, const char *metric, pj_err *err)
{
    if (!metric || pj_metric_row(set, pj_str_of(metric)) >= 0)
        return true;
    return pj_metric_unknown(set, metric, err);
}

bool pj_comparison_make(const pj_metrics *metrics, size_t baseline, size_t other,
                        pj_comparison_opts opts, pj_comparison *out, pj_err *err)
{
    if (!check_metric(metrics->set, opts.metric, err))
        return false;
    const pj_case *cases = metrics->study->cases;
    *out = (pj_comparison){.table = pj_table_new("")};
    out->table->title =
        pj_arena_format(out->table->arena, "From %s to %s: %s", cases[baseline].name,
                        cases[other].name, metrics->set->title);
    comparing c = {metrics, baseline, other, opts, out};
    add_columns(&c);
    for (size_t row = 0; row < metrics->set->count; row++)
        if (!metrics->absent[row])
            add_row(&c, row);
    add_note(&c);
    return true;
}
