// Models of the times of parts. What is foretell for all of them together is what shares are of.
#include "metrics/pop/part_models.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/curve.h"
#include "metrics/pop/curve_choice.h"
#include "metrics/pop/curve_draws.h"
#include "metrics/pop/part_series.h"
#include "metrics/table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_LEAST = 3, SIZES_GOOD = 5, SIZES_OF_INTERVALS = 4 };

static const double further = 4; // times the largest size, where nothing is asked for

typedef struct part {
    const pj_part_series *series;
    const char *lack; // why there is no model
    double *value;    // by size; mean of the repetitions
    pj_curve_choice choice;
    pj_curve *draws; // of repetitions
    double growth;   // from the largest size to the largest that is foretold; NaN = none
} part;

typedef struct modelling {
    const pj_part_study *parts;
    const double *at;
    size_t at_count;
    pj_arena *arena;
    double *p;     // sizes
    size_t *first; // run that a size begins with; one more at the end
    size_t count;
    size_t draws; // 0 = too few repetitions
    part *items;
    double *whole;  // by `at`: sum of what is foretold
    double now;     // sum of what was measured at the largest size
    double lacking; // of it, of parts without a model
    double furthest;
    pj_table *table;
} modelling;

static void find_sizes(modelling *m)
{
    m->p = pj_new_n(m->arena, double, m->parts->runs + 1);
    m->first = pj_new_n(m->arena, size_t, m->parts->runs + 1);
    for (size_t run = 0; run < m->parts->runs; run++)
        if (run == 0 || m->parts->p[run] != m->p[m->count - 1]) {
            m->first[m->count] = run;
            m->p[m->count++] = m->parts->p[run];
        }
    m->first[m->count] = m->parts->runs;
    m->draws = pj_curve_draw_count(m->first, m->count);
}

/// Below 0 there is nothing.
static double foretold(const part *item, double p)
{
    double value = item->lack ? NAN : pj_curve_at(&item->choice.best.curve, p);
    return value < 0 ? NAN : value;
}

static double some(double value)
{
    return isnan(value) ? 0 : value;
}

static void model_part(const modelling *m, part *item)
{
    item->value = pj_new_n(m->arena, double, m->count);
    item->growth = NAN;
    for (size_t i = 0; i < m->count; i++) {
        double sum = 0;
        for (size_t run = m->first[i]; run < m->first[i + 1]; run++)
            sum += item->series->value[run];
        item->value[i] = sum / (double)(m->first[i + 1] - m->first[i]);
        if (isnan(item->value[i]))
            item->lack = "not all runs have it";
    }
    if (item->lack)
        return;
    pj_points points = {m->p, item->value, m->count};
    item->choice = pj_curve_choose_pmnf(&points, m->parts->strong);
    pj_repeated_points runs = {m->p, m->first, item->series->value, m->count};
    item->draws = pj_new_n(m->arena, pj_curve, m->draws + 1);
    pj_curve_draw(item->choice.best.curve, &runs, item->draws, m->arena);
    double last = item->value[m->count - 1];
    if (last > 0)
        item->growth = foretold(item, m->furthest) / last;
}

/// Those that cannot be told last; else by name, so that the order is one.
static int by_growth(const void *a, const void *b)
{
    const part *x = a, *y = b;
    if (isnan(x->growth) != isnan(y->growth))
        return isnan(x->growth) ? 1 : -1;
    if (!isnan(x->growth) && x->growth != y->growth)
        return x->growth > y->growth ? -1 : 1;
    return strcmp(x->series->name, y->series->name);
}

static void model_all(modelling *m)
{
    m->items = pj_new_n(m->arena, part, m->parts->count + 1);
    m->whole = pj_new_n(m->arena, double, m->at_count);
    for (size_t i = 0; i < m->at_count; i++)
        m->furthest = fmax(m->furthest, m->at[i]);
    for (size_t i = 0; i < m->parts->count; i++) {
        part *item = &m->items[i];
        item->series = &m->parts->items[i];
        model_part(m, item);
        double now = some(item->value[m->count - 1]);
        m->now += now;
        m->lacking += item->lack ? now : 0;
        for (size_t k = 0; k < m->at_count; k++)
            m->whole[k] += some(foretold(item, m->at[k]));
    }
    qsort(m->items, m->parts->count, sizeof *m->items, by_growth);
}

enum {
    PART,
    SIZE,
    PREDICTED,
    LOW,
    HIGH,
    SHARE,
    MEASURED,
    SHARE_MEASURED,
    GROWTH,
    FORMULA,
    SMAPE,
    POINTS
};

static void add_columns(pj_table *table)
{
    static const pj_column columns[] = {
        {"part", "Part", NULL, PJ_UNIT_NONE, PJ_TEXT},
        {"p", "Threads", NULL, PJ_UNIT_IDENTIFIER, PJ_TEXT_NONE},
        {"predicted_s", "Predicted", "Of a thread on average.", PJ_UNIT_S, PJ_TEXT_NONE},
        {"low_s", "Low", "The least without one of the sizes; of three repetitions also 5 %.",
         PJ_UNIT_S, PJ_TEXT_NONE},
        {"high_s", "High", "The most without one of the sizes; of three repetitions also 95 %.",
         PJ_UNIT_S, PJ_TEXT_NONE},
        {"share", "Share", "Of what is predicted for all parts that have a model.", PJ_UNIT_RATIO,
         PJ_TEXT_NONE},
        {"measured_s", "Measured", "In the largest runs.", PJ_UNIT_S, PJ_TEXT_NONE},
        {"share_measured", "Share now", "Of all parts there.", PJ_UNIT_RATIO, PJ_TEXT_NONE},
        {"growth", "Growth", "Predicted for the most threads / measured.", PJ_UNIT_NONE,
         PJ_TEXT_NONE},
        {"formula", "Model [s]", "c0 + c1 p^a log2(p)^b", PJ_UNIT_NONE, PJ_TEXT},
        {"smape", "SMAPE [%]", "Symmetric mean error of each size foretold from the others.",
         PJ_UNIT_NONE, PJ_TEXT_NONE},
        {"points", "Sizes", NULL, PJ_UNIT_NONE, PJ_TEXT_NONE},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        pj_table_add_column(table, columns[i]);
    pj_table_set_decimals(table, SMAPE, 2);
    pj_table_set_decimals(table, GROWTH, 2);
}

/// The least and the most without one of the sizes, or 5 to 95 % of the draws where that is wider.
static void fill_interval(const modelling *m, const part *item, double p, pj_cell *cells)
{
    double low = INFINITY, high = -INFINITY;
    pj_points points = {m->p, item->value, m->count};
    if (m->count < SIZES_OF_INTERVALS)
        return;
    for (size_t i = 0; i < m->count; i++) {
        pj_curve curve = pj_curve_fit(item->choice.best.curve, &points, i);
        double value = pj_curve_at(&curve, p);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    double drawn[PJ_CURVE_DRAWS];
    for (size_t i = 0; i < m->draws; i++)
        drawn[i] = pj_curve_at(&item->draws[i], p);
    pj_curve_draws_widen(drawn, m->draws, &low, &high);
    cells[LOW] = pj_cell_real(fmax(low, 0));
    cells[HIGH] = pj_cell_real(high);
}

static void add_row(const modelling *m, const part *item, size_t at)
{
    pj_cell *cells = pj_table_add_row(m->table);
    double predicted = foretold(item, m->at[at]), measured = item->value[m->count - 1];
    const char *lack = item->lack         ? item->lack
                       : isnan(predicted) ? "the model falls below 0 there"
                                          : "an interval needs runs of 4 sizes";
    for (size_t i = 0; i <= POINTS; i++)
        cells[i] = pj_cell_empty(lack);
    cells[PART] = pj_table_copy_cell(m->table, pj_cell_text(item->series->name));
    cells[SIZE] = pj_cell_real(m->at[at]);
    if (!isnan(measured)) {
        cells[MEASURED] = pj_cell_real(measured);
        cells[SHARE_MEASURED] = pj_cell_real(m->now > 0 ? measured / m->now : 0);
    }
    if (item->lack)
        return;
    cells[FORMULA] = pj_cell_text(pj_curve_formula(m->table->arena, &item->choice.best.curve));
    cells[SMAPE] = pj_cell_real(item->choice.best.smape);
    cells[POINTS] = pj_cell_int((int64_t)m->count);
    if (isnan(predicted))
        return;
    cells[PREDICTED] = pj_cell_real(predicted);
    cells[SHARE] = pj_cell_real(m->whole[at] > 0 ? predicted / m->whole[at] : 0);
    cells[GROWTH] = isnan(item->growth) ? pj_cell_empty("the largest runs spend no time in it")
                                        : pj_cell_real(item->growth);
    fill_interval(m, item, m->at[at], cells);
}

/// The part that most of the time is foretold for.
static const part *largest_of(const modelling *m)
{
    const part *largest = NULL;
    for (size_t i = 0; i < m->parts->count; i++)
        if (!largest ||
            some(foretold(&m->items[i], m->furthest)) > some(foretold(largest, m->furthest)))
            largest = &m->items[i];
    return largest;
}

static void add_note(const modelling *m)
{
    pj_auto_buf text = {.at = NULL};
    const part *largest = largest_of(m);
    double whole = 0, last = m->p[m->count - 1];
    for (size_t k = 0; k < m->at_count; k++)
        whole = m->at[k] == m->furthest ? m->whole[k] : whole;
    if (m->count < SIZES_GOOD)
        pj_buf_addf(&text, "warning: %zu sizes are few for a model, five or more are better\n",
                    m->count);
    if (m->furthest > further * last)
        pj_buf_addf(&text, "warning: %g is outside the measured range by %.3g x\n", m->furthest,
                    m->furthest / last);
    if (largest && whole > 0 && m->now > 0)
        pj_buf_addf(
            &text, "With %g threads %s has most of the time: %.1f %%, of %g threads %.1f %%\n",
            m->furthest, largest->series->name, 100 * some(foretold(largest, m->furthest)) / whole,
            last, 100 * some(largest->value[m->count - 1]) / m->now);
    if (m->lacking > 0)
        pj_buf_addf(&text,
                    "Parts without a model have %.1f %% of the time of %g threads; shares of what "
                    "is predicted are of the others\n",
                    100 * m->lacking / m->now, last);
    pj_buf_addf(&text, "p: threads, %g to %g measured; %s scaling; ordered by growth\n", m->p[0],
                last, m->parts->strong ? "strong" : "weak");
    m->table->note = pj_arena_text(m->table->arena, pj_buf_str(&text));
}

pj_table *pj_part_models_table(const pj_part_study *parts, const double *at, size_t at_count,
                               pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    modelling m = {.parts = parts, .at = at, .at_count = at_count, .arena = arena};
    find_sizes(&m);
    if (m.count < SIZES_LEAST) {
        pj_fail(err, PJ_E_USAGE, NULL, 0,
                "a model needs runs of 3 sizes at least (better 5); there %s %zu",
                m.count == 1 ? "is" : "are", m.count);
        return NULL;
    }
    double usual = further * m.p[m.count - 1];
    if (!at_count) {
        m.at = &usual;
        m.at_count = 1;
    }
    model_all(&m);
    m.table = pj_table_new("");
    m.table->title = pj_arena_format(m.table->arena, "Scaling models: %s", parts->title);
    add_columns(m.table);
    for (size_t i = 0; i < parts->count; i++)
        for (size_t k = 0; k < m.at_count; k++)
            add_row(&m, &m.items[i], k);
    add_note(&m);
    return m.table;
}
