// What all forms of the efficiency table share: which column is which run.
// Columns are runs: those of one group side by side, groups by size, runs in study order.
#include "widgets/table/metrics_grid.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/study/study.h"
#include "metrics/trace/import_stats.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/textlines.h"

#include <math.h>

static const double above_one = 1.0001;

typedef struct builder {
    pj_grid *grid;
    pj_arena *arena;
    pj_key group, label;
} builder;

// ---- columns

static const char *key_text(const builder *b, size_t run, pj_key key)
{
    return pj_study_key_text(b->grid->metrics->study, run, key);
}

static bool varies(const builder *b, pj_key key)
{
    for (size_t run = 1; run < b->grid->metrics->study->count; run++)
        if (strcmp(key_text(b, run, key), key_text(b, 0, key)) != 0)
            return true;
    return false;
}

/// The header shows ranks; what it is grouped by needs no repetition below.
static void choose_keys(builder *b)
{
    b->group = b->grid->metrics->by;
    if (b->group == PJ_BY_NONE && varies(b, PJ_BY_THREADS_PER_RANK))
        b->group = PJ_BY_THREADS_PER_RANK;
    switch (b->group) {
    case PJ_BY_RANKS:
        b->label = PJ_BY_THREADS_PER_RANK;
        break;
    case PJ_BY_THREADS:
        b->label = PJ_BY_LAYOUT;
        break;
    case PJ_BY_TAG:
        b->label = varies(b, PJ_BY_THREADS_PER_RANK) ? PJ_BY_LAYOUT : PJ_BY_RANKS;
        break;
    case PJ_BY_NONE:
    case PJ_BY_THREADS_PER_RANK:
    case PJ_BY_LAYOUT:
    case PJ_BY_COUNT:
        b->label = PJ_BY_RANKS;
        break;
    }
}

static size_t group_of(const builder *b, const char *text)
{
    size_t i = 0;
    while (i < b->grid->group_count && strcmp(b->grid->groups[i], text) != 0)
        i++;
    return i;
}

/// Distinct values of the group key in natural order.
static void fill_groups(builder *b)
{
    pj_grid *grid = b->grid;
    size_t runs = grid->metrics->study->count;
    grid->groups = pj_new_n(b->arena, const char *, runs);
    for (size_t run = 0; run < runs; run++) {
        const char *text = key_text(b, run, b->group);
        if (group_of(b, text) < grid->group_count)
            continue;
        size_t at = grid->group_count++;
        while (at > 0 &&
               pj_str_order_natural(pj_str_of(text), pj_str_of(grid->groups[at - 1])) < 0) {
            grid->groups[at] = grid->groups[at - 1];
            at--;
        }
        grid->groups[at] = text;
    }
}

static const char *about_run(const builder *b, size_t run)
{
    const pj_study *study = b->grid->metrics->study;
    const char *tag = key_text(b, run, PJ_BY_TAG);
    return pj_arena_format(
        b->arena, "%s: %s rank%s x %s thread%s%s%s%s", study->cases[run].name,
        key_text(b, run, PJ_BY_RANKS), strcmp(key_text(b, run, PJ_BY_RANKS), "1") == 0 ? "" : "s",
        key_text(b, run, PJ_BY_THREADS_PER_RANK),
        strcmp(key_text(b, run, PJ_BY_THREADS_PER_RANK), "1") == 0 ? "" : "s", *tag ? ", tag " : "",
        tag, run == study->reference ? " (reference run)" : "");
}

/// Runs that the header cannot tell apart are named.
static bool labels_repeat(const pj_grid *grid)
{
    for (size_t i = 1; i < grid->column_count; i++)
        for (size_t j = 0; j < i; j++)
            if (grid->columns[i].group == grid->columns[j].group &&
                strcmp(grid->columns[i].label, grid->columns[j].label) == 0)
                return true;
    return false;
}

static void finish_column(builder *b, pj_grid_column *column, bool named)
{
    const pj_study *study = b->grid->metrics->study;
    if (named)
        column->label = study->cases[column->run].name;
    column->cut = pj_import_cut(&study->cases[column->run].run->import);
    if (!column->cut)
        return;
    b->grid->any_cut = true;
    column->label = pj_arena_format(b->arena, "%s%s", column->label, PJ_GRID_CUT);
    column->about =
        pj_arena_format(b->arena, "%s\n%s the trace seems to be cut", column->about, PJ_GRID_CUT);
}

static void fill_columns(builder *b)
{
    pj_grid *grid = b->grid;
    const pj_study *study = grid->metrics->study;
    fill_groups(b);
    grid->columns = pj_new_n(b->arena, pj_grid_column, study->count);
    for (size_t group = 0; group < grid->group_count; group++)
        for (size_t run = 0; run < study->count; run++)
            if (group_of(b, key_text(b, run, b->group)) == group)
                grid->columns[grid->column_count++] =
                    (pj_grid_column){.label = key_text(b, run, b->label),
                                     .about = about_run(b, run),
                                     .run = run,
                                     .group = group,
                                     .reference = run == study->reference};
    grid->label_title = pj_key_title(b->label);
    grid->group_title = b->group == PJ_BY_NONE ? NULL : pj_key_title(b->group);
    bool repeat = labels_repeat(grid);
    grid->label_title = repeat ? "Run" : grid->label_title;
    for (size_t i = 0; i < grid->column_count; i++)
        finish_column(b, &grid->columns[i], repeat);
}

// ---- rows

static pj_metric_value value_at(const pj_metrics *metrics, size_t run, const pj_grid_row *row)
{
    if (row->cause)
        return row->cause->values[run];
    return row->residual ? pj_metrics_residual(metrics, run, row->metric)
                         : pj_metrics_at(metrics, run, row->metric);
}

static const char *mark_of(const pj_grid_row *row, double value)
{
    switch (row->kind) {
    case PJ_METRIC_EFFICIENCY:
    case PJ_METRIC_SCALING:
        return value > above_one ? PJ_GRID_UP : "";
    case PJ_METRIC_INEFFICIENCY:
        return value < 1 - above_one ? PJ_GRID_DOWN : "";
    case PJ_METRIC_PLAIN:
        return "";
    }
    return "";
}

static void explain_marks(pj_grid *grid)
{
    bool up = false, down = false;
    for (size_t i = 0; i < grid->row_count * grid->column_count; i++) {
        up = up || strcmp(grid->cells[i].mark, PJ_GRID_UP) == 0;
        down = down || strcmp(grid->cells[i].mark, PJ_GRID_DOWN) == 0;
    }
    if (up && down) {
        grid->beyond = "above 1, below 0";
        grid->beyond_note = PJ_GRID_UP " above 1, " PJ_GRID_DOWN " below 0";
    } else if (up || down) {
        grid->beyond = up ? "above 1" : "below 0";
        grid->beyond_note = up ? PJ_GRID_UP " above 1" : PJ_GRID_DOWN " below 0";
    }
}

static const char *text_of(const builder *b, pj_column_text form, double value)
{
    pj_auto_buf text = {0};
    pj_column_text_number(&text, form, value);
    const char *kept = pj_arena_text(b->arena, pj_buf_str(&text));
    bool zero = *kept == '-' && strspn(kept + 1, "0.") == text.len - 1;
    return zero ? kept + 1 : kept; // no "-0.000"
}

static pj_column_text form_of_row(const builder *b, const pj_grid_row *row)
{
    const pj_metrics *metrics = b->grid->metrics;
    const pj_metric *metric = &metrics->set->rows[row->metric];
    if (row->cause)
        return (pj_column_text){.factor = 100, .unit = "points", .decimals = 2};
    if (metric->kind != PJ_METRIC_PLAIN)
        return (pj_column_text){.factor = 1, .unit = "", .decimals = 3};
    double *values = pj_new_n(b->arena, double, metrics->study->count);
    for (size_t run = 0; run < metrics->study->count; run++) {
        pj_metric_value value = value_at(metrics, run, row);
        values[run] = value.reason ? NAN : value.value;
    }
    return pj_column_text_fit(metric->unit, values, metrics->study->count);
}

/// Adds a row with its cells; its title is still without the unit.
static void add_grid_row(builder *b, pj_grid_row added)
{
    pj_grid *grid = b->grid;
    pj_grid_row *row = &grid->rows[grid->row_count];
    pj_grid_cell *cells = &grid->cells[grid->row_count * grid->column_count];
    pj_column_text form = form_of_row(b, &added);
    *row = added;
    if (*form.unit)
        row->title = pj_arena_format(b->arena, "%s [%s]", row->title, form.unit);
    for (size_t i = 0; i < grid->column_count; i++) {
        pj_metric_value value = value_at(grid->metrics, grid->columns[i].run, row);
        if (value.reason) {
            cells[i] = (pj_grid_cell){.text = "n/a",
                                      .exact = value.reason,
                                      .reason = value.reason,
                                      .value = NAN,
                                      .mark = ""};
            grid->any_empty = true;
            continue;
        }
        char exact[32];
        size_t len = pj_format_double(value.value, exact);
        cells[i] = (pj_grid_cell){.text = text_of(b, form, value.value),
                                  .exact = pj_arena_text(b->arena, (pj_str){exact, len}),
                                  .value = value.value,
                                  .mark = mark_of(row, value.value)};
    }
    grid->row_count++;
}

static void add_metric(builder *b, size_t metric, unsigned depth)
{
    const pj_metric *m = &b->grid->metrics->set->rows[metric];
    add_grid_row(b, (pj_grid_row){.title = m->title,
                                  .metric = metric,
                                  .formula = m->formula_text,
                                  .explanation = m->explanation,
                                  .kind = m->kind,
                                  .depth = depth});
}

/// What its loss comes from; the last row that was added.
static size_t add_causes(builder *b, size_t metric, unsigned depth)
{
    const pj_metrics *metrics = b->grid->metrics;
    for (size_t i = 0; i < metrics->cause_count; i++)
        if (metrics->causes[i].row == metric)
            add_grid_row(b, (pj_grid_row){.title = metrics->causes[i].title,
                                          .metric = metric,
                                          .explanation = "What it costs of the runtime.",
                                          .kind = PJ_METRIC_PLAIN,
                                          .depth = depth,
                                          .cause = &metrics->causes[i]});
    return b->grid->row_count - 1;
}

static void add_residual(builder *b, size_t metric, unsigned depth)
{
    pj_grid *grid = b->grid;
    const pj_metric *m = &grid->metrics->set->rows[metric];
    const char *explanation = pj_arena_format(
        b->arena,
        "The further part that would complete \"%s\": what its parts leave when they "
        "are %s. %s means that nothing is left.",
        m->title, grid->metrics->combine[metric] == PJ_COMBINE_PRODUCT ? "multiplied" : "added",
        m->kind == PJ_METRIC_INEFFICIENCY ? "0" : "1");
    add_grid_row(b, (pj_grid_row){.title = "Residual",
                                  .metric = metric,
                                  .explanation = explanation,
                                  .kind = m->kind,
                                  .depth = depth,
                                  .residual = true});
}

/// A metric, its parts, what they leave: in tree order whatever the order of the set.
static void add_subtree(builder *b, size_t metric, unsigned depth)
{
    const pj_metric_set *set = b->grid->metrics->set;
    add_metric(b, metric, depth);
    size_t last = add_causes(b, metric, depth + 1);
    for (size_t child = metric + 1; child < set->count; child++)
        if (pj_metric_parent(set, child) == (int)metric && !b->grid->metrics->absent[child]) {
            last = b->grid->row_count;
            add_subtree(b, child, depth + 1);
        }
    if (b->grid->metrics->has_residual[metric]) {
        last = b->grid->row_count;
        add_residual(b, metric, depth + 1);
    }
    b->grid->rows[last].last = true;
}

/// Whether a remark under the table says it already.
static bool is_remarked(const pj_metrics *metrics, const char *reason)
{
    for (size_t i = 0; i < metrics->remark_count; i++)
        if (pj_str_contains(pj_str_of(metrics->remarks[i].text), pj_str_of(reason)))
            return true;
    return false;
}

static void fill_reasons(builder *b)
{
    pj_reasons reasons = {.arena = b->arena};
    for (size_t i = 0; i < b->grid->row_count * b->grid->column_count; i++) {
        const char *reason = b->grid->cells[i].reason;
        if (reason && !is_remarked(b->grid->metrics, reason))
            pj_reasons_add(&reasons, reason);
    }
    b->grid->reasons = reasons.items;
    b->grid->reason_count = reasons.count;
}

pj_grid *pj_grid_new(const pj_metrics *metrics, pj_arena *arena)
{
    builder b = {.grid = pj_new(arena, pj_grid), .arena = arena};
    b.grid->metrics = metrics;
    choose_keys(&b);
    fill_columns(&b);
    size_t most = 2 * metrics->set->count + metrics->cause_count + 1;
    b.grid->rows = pj_new_n(arena, pj_grid_row, most);
    b.grid->cells = pj_new_n(arena, pj_grid_cell, most * b.grid->column_count + 1);
    for (size_t metric = 0; metric < metrics->set->count; metric++)
        if (pj_metric_parent(metrics->set, metric) < 0 && !metrics->absent[metric])
            add_subtree(&b, metric, 0);
    fill_reasons(&b);
    explain_marks(b.grid);
    return b.grid;
}

bool pj_grid_coloured(const pj_grid *grid, size_t row, size_t column)
{
    return !pj_grid_at(grid, row, column)->reason && grid->rows[row].kind != PJ_METRIC_PLAIN;
}

bool pj_grid_hatched(const pj_grid *grid, size_t row, size_t column)
{
    return *pj_grid_at(grid, row, column)->mark ||
           (grid->columns[column].cut && pj_grid_coloured(grid, row, column));
}

pj_colour pj_grid_fill(const pj_grid *grid, size_t row, size_t column, pj_palette palette)
{
    return pj_palette_fill(palette, pj_grid_at(grid, row, column)->value,
                           grid->rows[row].kind == PJ_METRIC_INEFFICIENCY);
}
