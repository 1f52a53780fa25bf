// Whether repetitions of a run are as good as those of one before, metric by metric.
#include "metrics/pop/repeated_gate.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/pop/repetitions.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

#include <math.h>
#include <string.h>

static const double CHANCE = 0.05, NOISE = 0.05;

enum {
    METRIC,
    TITLE,
    OLD,
    OLD_LOW,
    OLD_HIGH,
    NEW,
    NEW_LOW,
    NEW_HIGH,
    SHIFT,
    LIKELY,
    VERDICT,
    COLUMNS
};

static const pj_column columns[COLUMNS] = {
    {"metric", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
    {"title", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    {"baseline", "Baseline", "Median of the first group.", PJ_UNIT_NONE, false},
    {"baseline_low", "from", "Interval around the median, by order statistics.", PJ_UNIT_NONE,
     false},
    {"baseline_high", "to", NULL, PJ_UNIT_NONE, false},
    {"new", "New", "Median of the second group.", PJ_UNIT_NONE, false},
    {"new_low", "from", "Interval around the median, by order statistics.", PJ_UNIT_NONE, false},
    {"new_high", "to", NULL, PJ_UNIT_NONE, false},
    {"shift", "Shift", "Median of all differences of a new and an old value.", PJ_UNIT_CHANGE,
     false},
    {"chance", "By chance", "How likely values are so often worse by chance alone.", PJ_UNIT_RATIO,
     false},
    {"verdict", "Verdict", NULL, PJ_UNIT_NONE, PJ_TEXT},
};

typedef struct judging {
    const pj_metrics *metrics;
    pj_repeated_gate_opts opts;
    pj_repeated_verdict *out;
    double *values[2]; // of the groups, of one metric
    size_t counts[2];  // that have a value
    const char *lack;  // why one has none
    bool too_few;      // no values could tell
} judging;

static void take_values(judging *j, size_t row)
{
    j->counts[0] = j->counts[1] = 0;
    j->lack = NULL;
    for (size_t i = 0; i < j->metrics->study->count; i++) {
        pj_metric_value value = pj_metrics_at(j->metrics, i, row);
        bool side = j->opts.is_new[i];
        if (value.reason)
            j->lack = value.reason;
        else
            j->values[side][j->counts[side]++] = value.value;
    }
}

static bool grows_worse(const pj_metric *metric)
{
    return metric->kind == PJ_METRIC_INEFFICIENCY ||
           (metric->kind == PJ_METRIC_PLAIN && metric->unit == PJ_UNIT_S);
}

static bool is_judged(const judging *j, const pj_metric *metric)
{
    if (j->opts.metric)
        return pj_str_same_word(pj_str_of(metric->key), pj_str_of(j->opts.metric));
    return metric->kind == PJ_METRIC_EFFICIENCY || metric->kind == PJ_METRIC_INEFFICIENCY ||
           strcmp(metric->key, "runtime_s") == 0;
}

static const char *verdict(judging *j, const pj_metric *metric, double median, double shift,
                           double chance)
{
    double loss = grows_worse(metric) ? shift : -shift;
    if (metric->kind == PJ_METRIC_PLAIN && median != 0)
        loss /= fabs(median);
    size_t runs = j->counts[0] + j->counts[1];
    double least = 1; // the chance when all are worse
    for (size_t i = 1; i <= j->counts[1]; i++)
        least *= (double)i / (double)(runs - j->counts[1] + i);
    bool decides = least < CHANCE;
    j->too_few = j->too_few || !decides;
    if (!(loss > j->opts.max_drop + 1e-9))
        return "kept";
    if (decides && !(chance < CHANCE))
        return "worse, but that may be chance";
    j->out->regressed++;
    return "regressed";
}

static void fill(judging *j, const pj_metric *metric, pj_cell *cells)
{
    pj_repeated old = pj_repetitions_of(j->values[0], j->counts[0]);
    pj_repeated new = pj_repetitions_of(j->values[1], j->counts[1]);
    bool up = grows_worse(metric);
    double shift = pj_repetitions_shift(j->values[0], j->counts[0], j->values[1], j->counts[1]);
    double chance =
        pj_repetitions_chance(j->values[!up], j->counts[!up], j->values[up], j->counts[up]);
    const double numbers[] = {old.median, old.low, old.high, new.median, new.low, new.high, shift};
    for (int i = OLD; i <= SHIFT; i++)
        cells[i] = pj_cell_real(numbers[i - OLD]);
    cells[LIKELY] = pj_cell_real(chance);
    cells[VERDICT] = is_judged(j, metric)
                         ? pj_cell_text(verdict(j, metric, old.median, shift, chance))
                         : pj_cell_empty("it is not judged");
}

static void add_row(judging *j, size_t row)
{
    const pj_metric *metric = &j->metrics->set->rows[row];
    pj_table *table = j->out->table;
    take_values(j, row);
    if (j->metrics->absent[row])
        return;
    pj_cell *cells = pj_table_add_row(table);
    cells[METRIC] = pj_table_copy_cell(table, pj_cell_text(metric->key));
    cells[TITLE] = pj_cell_text(pj_arena_format(table->arena, "%s%s", metric->title,
                                                metric->unit == PJ_UNIT_S ? " [s]" : ""));
    if (j->counts[0] && j->counts[1]) {
        fill(j, metric, cells);
        return;
    }
    for (int i = OLD; i < COLUMNS; i++)
        cells[i] = pj_table_copy_cell(table, pj_cell_empty(j->lack));
    if (is_judged(j, metric) && j->opts.metric)
        j->out->lack = pj_arena_format(table->arena, "%s: %s", metric->key, j->lack);
}

/// How far the runtimes of a group lie apart, where that is much.
static void warn_of_noise(judging *j, pj_buf *text)
{
    static const char *const names[] = {"baseline", "new runs"};
    int row = pj_metric_row(j->metrics->set, PJ_S("runtime_s"));
    if (row < 0)
        return;
    take_values(j, (size_t)row);
    for (int side = 0; side < 2; side++) {
        if (j->counts[side] < 2)
            continue;
        pj_repeated r = pj_repetitions_of(j->values[side], j->counts[side]);
        if (r.spread > NOISE)
            pj_buf_addf(text,
                        "noise: the runtimes of the %s lie %.1f %% of their median apart, %zu of "
                        "%zu are outliers\n",
                        names[side], 100 * r.spread, r.outliers, j->counts[side]);
    }
}

static void add_note(judging *j, const size_t counts[2])
{
    pj_auto_buf text = {.at = NULL};
    pj_buf_addf(&text, "%s by more than %g; %zu and %zu runs\n",
                j->out->regressed ? "regressed: worse" : "kept: nothing is worse", j->opts.max_drop,
                counts[0], counts[1]);
    if (j->too_few)
        pj_buf_puts(&text, "too few runs to tell a change from chance (4 and 4, or 3 and 4, would "
                           "do): the threshold alone decides\n");
    warn_of_noise(j, &text);
    pj_metrics_add_note(j->metrics, &text);
    pj_study_say_roi(j->metrics->study, &text);
    j->out->table->note = pj_arena_text(j->out->table->arena, pj_buf_str(&text));
}

bool pj_repeated_gate(const pj_metrics *metrics, pj_repeated_gate_opts opts,
                      pj_repeated_verdict *out, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    size_t counts[2] = {0, 0};
    judging j = {.metrics = metrics, .opts = opts, .out = out};
    if (opts.metric && pj_metric_row(metrics->set, pj_str_of(opts.metric)) < 0)
        return pj_metric_unknown(metrics->set, opts.metric, err);
    for (size_t i = 0; i < metrics->study->count; i++)
        counts[opts.is_new[i]]++;
    if (!counts[0] || !counts[1])
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "runs are wanted on both sides, there are %zu and "
                       "%zu",
                       counts[0], counts[1]);
    for (int side = 0; side < 2; side++)
        j.values[side] = pj_new_n(arena, double, counts[side]);
    *out = (pj_repeated_verdict){.table = pj_table_new("")};
    out->table->title =
        pj_arena_format(out->table->arena, "Repetitions before and after: %s", metrics->set->title);
    for (size_t c = 0; c < COLUMNS; c++)
        pj_table_add_column(out->table, columns[c]);
    for (size_t row = 0; row < metrics->set->count; row++)
        add_row(&j, row);
    add_note(&j, counts);
    return true;
}
