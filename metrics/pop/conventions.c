// Each house's set is evaluated over the same study; rows of conventions.def lay them side by side.
#include "metrics/pop/conventions.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/aspect.h"

#include <math.h>

typedef enum house { ADDITIVE, MULTIPLICATIVE, BSC, JSC, TALP, HOUSES } house;

static const pj_column house_columns[HOUSES] = {
    [ADDITIVE] = {"pop", "POP", "POP, additive (PyPOP).", PJ_UNIT_RATIO, false},
    [MULTIPLICATIVE] = {"pop_mult", "POP mult.", "POP, multiplicative (PyPOP).", PJ_UNIT_RATIO,
                        false},
    [BSC] = {"bsc", "BSC", "Basic Analysis 2026 of BSC.", PJ_UNIT_RATIO, false},
    [JSC] = {"jsc", "JSC", "The Cube advisor of JSC.", PJ_UNIT_RATIO, false},
    [TALP] = {"talp", "TALP", "TALP of DLB, hybrid model v2.", PJ_UNIT_RATIO, false},
};

static const struct {
    const char *title, *keys[HOUSES], *why;
} rows[] = {
#define CONVENTION(title, additive, multiplicative, bsc, jsc, talp, why)                           \
    {title, {additive, multiplicative, bsc, jsc, talp}, why},
#include "metrics/pop/conventions.def"
#undef CONVENTION
};

enum { ROWS = sizeof rows / sizeof *rows };
static const double told_apart = 0.0005;

typedef struct comparing {
    pj_metrics *of[HOUSES];
    pj_table *table;
    bool several;
    double apart[ROWS]; // the most of any run
} comparing;

/// POP's sets that fit the study; sums without a trace have those of MPI.
static const pj_metric_set *set_of(house which, const pj_study *study)
{
    static const char *const keys[HOUSES] = {[BSC] = "bsc-2026", [JSC] = "jsc", [TALP] = "talp"};
    const pj_metric_set *fits = pj_metric_set_default(study);
    bool hybrid = pj_str_equal(pj_str_of(fits->key), PJ_S("hybrid"));
    if (keys[which])
        return pj_metric_set_by_key(pj_str_of(keys[which]));
    if (which == MULTIPLICATIVE)
        return pj_metric_set_by_key(hybrid ? PJ_S("hybrid-mult") : PJ_S("mpi-mult"));
    return pj_str_equal(pj_str_of(fits->key), PJ_S("talp")) ? pj_metric_set_by_key(PJ_S("mpi"))
                                                            : fits;
}

unsigned pj_conventions_aspects(void)
{
    unsigned aspects = 0;
    for (size_t i = 0; pj_metric_set_at(i); i++)
        aspects |= pj_metric_set_aspects(pj_metric_set_at(i));
    return aspects & ~PJ_WANT(energy); // no house has rows of it
}

static pj_cell cell_of(const comparing *c, size_t run, size_t row, house which)
{
    const pj_metrics *metrics = c->of[which];
    const char *key = rows[row].keys[which];
    int at = key ? pj_metric_row(metrics->set, pj_str_of(key)) : -1;
    if (at < 0)
        return pj_cell_empty("this house has no such row");
    pj_metric_value value = pj_metrics_at(metrics, run, (size_t)at);
    return value.reason ? pj_cell_empty(value.reason) : pj_cell_real(value.value);
}

/// Whether it is about something that the run has, and any house has a value.
static bool has_value(const comparing *c, size_t run, size_t row)
{
    bool of_openmp = pj_str_starts(pj_str_of(rows[row].title), PJ_S("OpenMP"));
    if (of_openmp && !c->of[BSC]->study->cases[run].run->has_openmp)
        return false;
    for (house h = ADDITIVE; h < HOUSES; h++)
        if (cell_of(c, run, row, h).kind != PJ_CELL_EMPTY)
            return true;
    return false;
}

static void add_row(comparing *c, size_t run, size_t row)
{
    double least = INFINITY, most = -INFINITY;
    unsigned values = 0;
    pj_cell *cells = pj_table_add_row(c->table);
    if (c->several)
        *cells++ = pj_table_copy_cell(c->table, pj_cell_text(c->of[BSC]->study->cases[run].name));
    *cells++ = pj_cell_text(rows[row].title);
    for (house h = ADDITIVE; h < HOUSES; h++) {
        pj_cell cell = cell_of(c, run, row, h);
        *cells++ = pj_table_copy_cell(c->table, cell);
        if (cell.kind == PJ_CELL_EMPTY)
            continue;
        values++;
        least = fmin(least, cell.real);
        most = fmax(most, cell.real);
    }
    *cells = values > 1 ? pj_cell_real(most - least) : pj_cell_empty("one house alone has it");
    if (values > 1)
        c->apart[row] = fmax(c->apart[row], most - least);
}

static void add_columns(comparing *c)
{
    static const pj_column trace = {"trace", "Trace", NULL, PJ_UNIT_NONE, true},
                           figure = {"figure", "Figure", NULL, PJ_UNIT_NONE, true},
                           apart = {"apart", "Apart", "The largest value less the smallest.",
                                    PJ_UNIT_RATIO, false};
    if (c->several)
        pj_table_add_column(c->table, trace);
    pj_table_add_column(c->table, figure);
    for (house h = ADDITIVE; h < HOUSES; h++)
        pj_table_add_column(c->table, house_columns[h]);
    pj_table_add_column(c->table, apart);
}

static void add_note(comparing *c, const pj_study *study)
{
    pj_auto_buf note = {.at = NULL};
    for (house h = ADDITIVE; h < HOUSES; h++)
        pj_buf_addf(&note, "%s: --set %s. ", house_columns[h].title, c->of[h]->set->key);
    for (size_t row = 0; row < ROWS; row++)
        if (c->apart[row] > told_apart)
            pj_buf_addf(&note, "\n%s, %.3f apart: %s.", rows[row].title, c->apart[row],
                        rows[row].why);
    pj_study_say_roi(study, &note);
    c->table->note = pj_arena_text(c->table->arena, pj_str_trim(pj_buf_str(&note)));
}

static void fill(comparing *c, const pj_study *study)
{
    c->several = study->count > 1;
    c->table->title = c->several
                          ? "The same runs by the conventions of every house"
                          : pj_arena_format(c->table->arena, "%s by the conventions of every house",
                                            study->cases[0].name);
    add_columns(c);
    for (size_t run = 0; run < study->count; run++)
        for (size_t row = 0; row < ROWS; row++)
            if (has_value(c, run, row))
                add_row(c, run, row);
    add_note(c, study);
}

pj_table *pj_conventions_table(pj_study *study, pj_err *err)
{
    comparing c = {.several = false};
    bool ok = true;
    for (house h = ADDITIVE; ok && h < HOUSES; h++) {
        c.of[h] = pj_metrics_new(set_of(h, study), study, (pj_metrics_opts){0}, err);
        ok = c.of[h] != NULL;
    }
    if (ok) {
        c.table = pj_table_new("");
        fill(&c, study);
    }
    for (house h = ADDITIVE; h < HOUSES; h++)
        pj_metrics_release(c.of[h]);
    return c.table;
}
