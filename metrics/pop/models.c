// Models of metrics. A model has variants: of all sizes, without each of them, and of repetitions
// drawn again; what they foretell is combined variant by variant.
#include "metrics/pop/models.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/curve.h"
#include "metrics/pop/curve_choice.h"
#include "metrics/pop/curve_draws.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    SIZES_LEAST = 3,
    SIZES_GOOD = 5,
    SIZES_OF_INTERVALS = 4,
    FAR = 4, // times the largest size: so much further nothing is said without a warning
};

/// A row of the set.
typedef struct row_model {
    const char *lack;       // why there is none
    bool combined;          // made of its children's
    pj_curve_choice choice; // when it is not
    pj_curve *variants;     // of all sizes, then without each size, then of each draw
} row_model;

typedef struct modelling {
    const pj_metrics *metrics;
    pj_models_opts opts;
    pj_arena *arena;
    double *p;         // sizes, ascending
    size_t *first;     // run that a size begins with; one more at the end
    size_t count;      // of sizes
    size_t draws;      // 0 = too few repetitions
    bool mixed;        // runs of one size have different layouts
    row_model *models; // by row of the set
    pj_table *table;
} modelling;

static size_t variant_count(const modelling *m)
{
    return 1 + m->count + m->draws;
}

/// Runs stand in the order of their threads.
static void find_sizes(modelling *m)
{
    const pj_study *study = m->metrics->study;
    m->p = pj_new_n(m->arena, double, study->count);
    m->first = pj_new_n(m->arena, size_t, study->count + 1);
    for (size_t run = 0; run < study->count; run++) {
        double p = pj_study_key_number(study, run, PJ_BY_THREADS);
        if (m->count == 0 || p != m->p[m->count - 1]) {
            m->first[m->count] = run;
            m->p[m->count++] = p;
        } else if (strcmp(pj_study_key_text(study, run, PJ_BY_LAYOUT),
                          pj_study_key_text(study, run - 1, PJ_BY_LAYOUT)) != 0) {
            m->mixed = true;
        }
    }
    m->first[m->count] = study->count;
    m->draws = pj_curve_draw_count(m->first, m->count);
}

static double measured(const modelling *m, size_t row, size_t run)
{
    return pj_metrics_at(m->metrics, run, row).value;
}

/// Mean of the repetitions of a size.
static double mean_of(const modelling *m, size_t row, size_t size)
{
    double sum = 0;
    for (size_t run = m->first[size]; run < m->first[size + 1]; run++)
        sum += measured(m, row, run);
    return sum / (double)(m->first[size + 1] - m->first[size]);
}

static void fit_variants(modelling *m, size_t row, const pj_points *points)
{
    row_model *model = &m->models[row];
    pj_curve shape = model->choice.best.curve;
    model->variants = pj_new_n(m->arena, pj_curve, variant_count(m));
    *model->variants = shape;
    for (size_t i = 0; i < m->count; i++) {
        bool spared = i == 0 && pj_curve_is_factor(shape.form);
        model->variants[1 + i] = pj_curve_fit(shape, points, spared ? PJ_ALL_POINTS : i);
    }
    double *value = pj_new_n(m->arena, double, m->first[m->count]);
    for (size_t run = 0; run < m->first[m->count]; run++)
        value[run] = measured(m, row, run);
    pj_repeated_points runs = {m->p, m->first, value, m->count};
    pj_curve_draw(shape, &runs, model->variants + 1 + m->count, m->arena);
}

static pj_curve_choice choose(const modelling *m, size_t row, const pj_points *points)
{
    static const pj_curve_form forms[] = {
        [PJ_MODELS_AMDAHL] = PJ_CURVE_AMDAHL, [PJ_MODELS_PIPE] = PJ_CURVE_PIPE};
    pj_metric_kind kind = m->metrics->set->rows[row].kind;
    bool factor = kind == PJ_METRIC_EFFICIENCY || kind == PJ_METRIC_SCALING;
    switch (m->opts.form) {
    case PJ_MODELS_AUTO:
        if (factor)
            return pj_curve_choose_factor(points);
        break;
    case PJ_MODELS_AMDAHL:
    case PJ_MODELS_PIPE:
        return (pj_curve_choice){
            .best = pj_curve_judge((pj_curve){.form = forms[m->opts.form]}, points)};
    case PJ_MODELS_PMNF:
        break;
    }
    return pj_curve_choose_pmnf(points, m->metrics->study->scaling == PJ_SCALING_STRONG);
}

static bool is_child(const modelling *m, size_t child, size_t row)
{
    return pj_metric_parent(m->metrics->set, child) == (int)row;
}

/// Products of products: parallel and global efficiency, where nothing is left unexplained.
static bool is_combined(const modelling *m, size_t row)
{
    const pj_metrics *metrics = m->metrics;
    bool grandchildren = false, lacking = false;
    if (m->opts.form != PJ_MODELS_AUTO || metrics->has_residual[row] ||
        metrics->combine[row] == PJ_COMBINE_NONE ||
        metrics->set->rows[row].kind == PJ_METRIC_INEFFICIENCY)
        return false;
    for (size_t child = row + 1; child < metrics->set->count; child++) {
        lacking = lacking || (is_child(m, child, row) && m->models[child].lack);
        for (size_t below = child + 1; is_child(m, child, row) && below < metrics->set->count;
             below++)
            grandchildren = grandchildren || is_child(m, below, child);
    }
    return grandchildren && !lacking;
}

/// Children come after their parents: they are modelled first.
static void model_row(modelling *m, size_t row)
{
    row_model *model = &m->models[row];
    for (size_t run = 0; run < m->metrics->study->count && !model->lack; run++)
        model->lack = pj_metrics_at(m->metrics, run, row).reason;
    if (model->lack)
        return;
    model->combined = is_combined(m, row);
    if (model->combined)
        return;
    double *value = pj_new_n(m->arena, double, m->count);
    for (size_t i = 0; i < m->count; i++)
        value[i] = mean_of(m, row, i);
    pj_points points = {m->p, value, m->count};
    model->choice = choose(m, row, &points);
    fit_variants(m, row, &points);
}

/// What a row's variants say for `p`; those of its children are known.
static void foretell(const modelling *m, size_t row, double p, double *const *by_row)
{
    const row_model *model = &m->models[row];
    bool product = m->metrics->combine[row] == PJ_COMBINE_PRODUCT;
    for (size_t v = 0; v < variant_count(m); v++) {
        double value = 1;
        if (!model->combined)
            value = pj_curve_at(&model->variants[v], p);
        for (size_t child = row + 1; model->combined && child < m->metrics->set->count; child++)
            if (is_child(m, child, row))
                value = product ? value * by_row[child][v] : value - (1 - by_row[child][v]);
        by_row[row][v] = value;
    }
}

/// The wider of: least and most without a size; 5 to 95 % of the draws.
static void interval(const modelling *m, double *variants, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 1; i <= m->count; i++) {
        *low = fmin(*low, variants[i]);
        *high = fmax(*high, variants[i]);
    }
    pj_curve_draws_widen(variants + 1 + m->count, m->draws, low, high);
}

static bool is_shown(const modelling *m, size_t row)
{
    const char *metric = m->opts.metric, *key = m->metrics->set->rows[row].key;
    return metric ? pj_str_same_word(pj_str_of(key), pj_str_of(metric)) : !m->metrics->absent[row];
}

static const char *rivals_of(pj_arena *arena, const pj_curve_choice *choice)
{
    pj_auto_buf text = {.at = NULL};
    for (size_t i = 0; i < choice->rival_count && i < PJ_CURVE_RIVALS; i++)
        pj_buf_addf(&text, "%s%s", i > 0 ? "; " : "",
                    pj_curve_formula(arena, &choice->rivals[i].curve));
    if (choice->rival_count > PJ_CURVE_RIVALS)
        pj_buf_addf(&text, "; %zu more", choice->rival_count - PJ_CURVE_RIVALS);
    return pj_arena_text(arena, pj_buf_str(&text));
}

enum { METRIC, TITLE, FORM, C0, C1, A, B, SMAPE, ADJUSTED_R2, POINTS, FORMULA, RIVALS };

static void add_model_columns(pj_table *table)
{
    static const pj_column columns[] = {
        {"metric", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"form", "Form",
         "amdahl c0 / (c1 + (1 - c1) p), pipe c0 p / ((1 - c1) + c1 (2 p - 1)), "
         "pmnf c0 + c1 p^a log2(p)^b, constant c0; combined: of its children's.",
         PJ_UNIT_NONE, PJ_TEXT},
        {"c0", "c0", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"c1", "c1", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"a", "a", "Exponent of p.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"b", "b", "Exponent of log2 p.", PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"smape", "SMAPE [%]", "Symmetric mean error of each size foretold from the others.",
         PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"adjusted_r2", "Adjusted R2", "Of the same differences, against the mean.", PJ_UNIT_NONE,
         PJ_TEXT_NONE},
        {"points", "Sizes", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"formula", "Model", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"rivals", "As good", "Within one point of SMAPE.", PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    pj_table_set_decimals(table, SMAPE, 2);
}

static void add_names(const modelling *m, size_t row, pj_cell *cells)
{
    const pj_metric *metric = &m->metrics->set->rows[row];
    cells[METRIC] = pj_table_copy_cell(m->table, pj_cell_text(metric->key));
    cells[TITLE] = pj_cell_text(pj_arena_format(m->table->arena, "%s%s", metric->title,
                                                metric->unit == PJ_UNIT_S ? " [s]" : ""));
}

static void add_model(const modelling *m, size_t row)
{
    const row_model *model = &m->models[row];
    pj_cell *cells = pj_table_add_row(m->table);
    const char *reason = model->combined ? "it is made of its children's models" : model->lack;
    add_names(m, row, cells);
    for (size_t i = FORM; i <= RIVALS; i++)
        cells[i] = pj_table_copy_cell(m->table, pj_cell_empty(reason));
    if (model->combined)
        cells[FORM] = pj_cell_text("combined");
    if (reason)
        return;
    const pj_judged_curve *best = &model->choice.best;
    cells[FORM] = pj_cell_text(pj_curve_form_name(best->curve.form));
    cells[C0] = pj_cell_real(best->curve.c0);
    cells[C1] = best->curve.form == PJ_CURVE_CONSTANT ? pj_cell_empty("it is constant")
                                                      : pj_cell_real(best->curve.c1);
    bool term = best->curve.form == PJ_CURVE_PMNF;
    cells[A] = term ? pj_cell_real(best->curve.a) : pj_cell_empty("pmnf alone has it");
    cells[B] = term ? pj_cell_int(best->curve.b) : pj_cell_empty("pmnf alone has it");
    cells[SMAPE] = pj_cell_real(best->smape);
    cells[ADJUSTED_R2] = pj_cell_real(best->adjusted_r2);
    cells[POINTS] = pj_cell_int((int64_t)m->count);
    cells[FORMULA] = pj_cell_text(pj_curve_formula(m->table->arena, &best->curve));
    cells[RIVALS] = pj_cell_text(rivals_of(m->table->arena, &model->choice));
}

enum { SIZE = 2, PREDICTED, LOW, HIGH };

static void add_prediction_columns(pj_table *table)
{
    static const pj_column columns[] = {
        {"metric", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_MACHINES},
        {"title", "Metric", NULL, PJ_UNIT_NONE, PJ_TEXT_OF_PEOPLE},
        {"p", "Threads", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"predicted", "Predicted", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"low", "Low", "The least without one of the sizes, or 5 % of the repetitions drawn again.",
         PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"high", "High", "The most without one of the sizes, or 95 %.", PJ_UNIT_NONE, PJ_TEXT_NONE},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
}

static void add_prediction(const modelling *m, size_t row, double p, double *variants)
{
    pj_cell *cells = pj_table_add_row(m->table);
    const char *lack = m->models[row].lack;
    double low, high;
    if (!lack && variants[0] < 0)
        lack = "the model falls below 0 there";
    add_names(m, row, cells);
    cells[SIZE] = pj_cell_real(p);
    for (size_t i = PREDICTED; i <= HIGH; i++)
        cells[i] = pj_table_copy_cell(
            m->table, pj_cell_empty(lack ? lack : "an interval needs runs of 4 sizes"));
    if (lack)
        return;
    cells[PREDICTED] = pj_cell_real(variants[0]);
    if (m->count < SIZES_OF_INTERVALS)
        return;
    interval(m, variants, &low, &high);
    cells[LOW] = pj_cell_real(low);
    cells[HIGH] = pj_cell_real(high);
}

/// By row and variant, at one size.
static double **foretell_all(const modelling *m, double p)
{
    double **values = pj_new_n(m->arena, double *, m->metrics->set->count);
    for (size_t row = m->metrics->set->count; row-- > 0;) {
        values[row] = pj_new_n(m->arena, double, variant_count(m));
        if (!m->models[row].lack)
            foretell(m, row, p, values);
    }
    return values;
}

static void add_predictions(const modelling *m)
{
    size_t rows = m->metrics->set->count;
    double ***values = pj_new_n(m->arena, double **, m->opts.at_count); // by size, row, variant
    for (size_t i = 0; i < m->opts.at_count; i++)
        values[i] = foretell_all(m, m->opts.at[i]);
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; is_shown(m, row) && i < m->opts.at_count; i++)
            add_prediction(m, row, m->opts.at[i], values[i][row]);
}

/// Three rows tell a speedup, each of its own curves.
enum { OF_SPEEDUP, OF_RUNTIME, OF_FACTORS, SPEEDUPS };

static const struct {
    const char *key, *title;
} tells_speedup[SPEEDUPS] = {
    [OF_SPEEDUP] = {"speedup", "its own model"},
    [OF_RUNTIME] = {"runtime_s", "that of the runtime"},
    [OF_FACTORS] = {"global_efficiency", "those of the factors of global efficiency"},
};

/// Without the factor that is the same for every size.
static double unscaled_speedup(const modelling *m, unsigned from, double value, double p)
{
    if (from == OF_RUNTIME)
        return (m->metrics->study->scaling == PJ_SCALING_STRONG ? 1 : p) / value;
    return from == OF_FACTORS ? value * p : value;
}

/// What a row says at `p`, all sizes known or (`variant` - 1) left out.
static double foretold_speedup(const modelling *m, unsigned from, double p, size_t variant)
{
    size_t row = (size_t)pj_metric_row(m->metrics->set, pj_str_of(tells_speedup[from].key));
    size_t speedup = (size_t)pj_metric_row(m->metrics->set, PJ_S("speedup"));
    size_t reference = m->metrics->study->reference;
    double p0 = pj_study_key_number(m->metrics->study, reference, PJ_BY_THREADS);
    double said = foretell_all(m, p)[row][variant];
    return unscaled_speedup(m, from, said, p) * measured(m, speedup, reference) /
           unscaled_speedup(m, from, measured(m, row, reference), p0);
}

/// Symmetric mean error [%] of each size foretold from the others.
static double speedup_error(const modelling *m, unsigned from)
{
    size_t row = (size_t)pj_metric_row(m->metrics->set, PJ_S("speedup"));
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        double said = foretold_speedup(m, from, m->p[i], 1 + i), was = mean_of(m, row, i);
        sum += 200 * fabs(said - was) / (fabs(said) + fabs(was));
    }
    return sum / (double)m->count;
}

static bool tells_three_speedups(const modelling *m)
{
    for (unsigned from = 0; from < SPEEDUPS; from++) {
        int row = pj_metric_row(m->metrics->set, pj_str_of(tells_speedup[from].key));
        if (row < 0 || m->models[row].lack)
            return false;
    }
    return m->opts.at_count && !m->opts.metric;
}

/// Curves that are fitted apart need not agree beyond the sizes that were measured.
static void say_speedups(const modelling *m, pj_buf *text)
{
    static const double alike = 1.05;
    double p = 0, best = 0, best_error = INFINITY, least = INFINITY, most = 0;
    pj_auto_buf list = {.at = NULL};
    for (size_t i = 0; i < m->opts.at_count; i++)
        p = fmax(p, m->opts.at[i]);
    for (unsigned from = 0; from < SPEEDUPS; from++) {
        double said = foretold_speedup(m, from, p, 0), error = speedup_error(m, from);
        if (!(said > 0) || !isfinite(said))
            continue;
        pj_buf_addf(&list, "%s %.3g by %s (%.1f %%)", list.len ? "," : "", said,
                    tells_speedup[from].title, error);
        best = error < best_error ? said : best;
        best_error = fmin(best_error, error);
        least = fmin(least, said);
        most = fmax(most, said);
    }
    if (most <= alike * least)
        return;
    pj_buf_addf(text,
                "warning: at %g threads the speedup is%s: each curve is fitted by itself; in "
                "parentheses the mean error of sizes foretold from the others",
                p, list.at);
    if (m->count < SIZES_GOOD)
        pj_buf_addf(text, ", which are too few to tell whom to believe\n");
    else
        pj_buf_addf(text, ": believe the smallest, %.3g\n", best);
}

static void add_note(const modelling *m)
{
    pj_auto_buf text = {.at = NULL};
    double largest = m->p[m->count - 1];
    if (m->count < SIZES_GOOD)
        pj_buf_addf(&text, "warning: %zu sizes are few for a model, five or more are better\n",
                    m->count);
    if (m->mixed)
        pj_buf_addf(&text, "warning: runs of as many threads count as repetitions, and some differ "
                           "in their ranks\n");
    for (size_t i = 0; i < m->opts.at_count; i++)
        if (m->opts.at[i] > FAR * largest)
            pj_buf_addf(&text, "warning: %g is outside the measured range by %.3g x\n",
                        m->opts.at[i], m->opts.at[i] / largest);
    if (tells_three_speedups(m))
        say_speedups(m, &text);
    pj_buf_addf(&text, "p: threads, %g to %g measured; %s scaling\n", m->p[0], largest,
                m->metrics->study->scaling == PJ_SCALING_STRONG ? "strong" : "weak");
    pj_study_say_roi(m->metrics->study, &text);
    m->table->note = pj_arena_text(m->table->arena, pj_buf_str(&text));
}

static bool check(const modelling *m, pj_err *err)
{
    const pj_metric_set *set = m->metrics->set;
    if (m->opts.metric && pj_metric_row(set, pj_str_of(m->opts.metric)) < 0)
        return pj_metric_unknown(set, m->opts.metric, err);
    return m->count >= SIZES_LEAST ||
           pj_fail(err, PJ_E_USAGE, NULL, 0,
                   "a model needs runs of 3 sizes at least (better 5); there %s %zu",
                   m->count == 1 ? "is" : "are", m->count);
}

pj_table *pj_models_table(const pj_metrics *metrics, pj_models_opts opts, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    modelling m = {.metrics = metrics, .opts = opts, .arena = arena};
    find_sizes(&m);
    if (!check(&m, err))
        return NULL;
    m.models = pj_new_n(arena, row_model, metrics->set->count);
    for (size_t row = metrics->set->count; row-- > 0;)
        model_row(&m, row);
    m.table = pj_table_new(opts.at ? "Scaling models: predictions" : "Scaling models");
    if (opts.at) {
        add_prediction_columns(m.table);
        add_predictions(&m);
    } else {
        add_model_columns(m.table);
        for (size_t row = 0; row < metrics->set->count; row++)
            if (is_shown(&m, row))
                add_model(&m, row);
    }
    add_note(&m);
    return m.table;
}
