// One series per y column, or per value of the column that splits them.
#include "widgets/plot/series.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/table/table.h"

#include <math.h>

typedef struct builder {
    const pj_table *table;
    pj_plot_opts opts;
    pj_arena *arena;
    pj_series_set *set;
    int by;          // column or -1
    pj_map place_of; // of a category, by the hash of its label and what follows it
} builder;

// ---- columns

static const char *list_columns(const pj_table *table, pj_arena *arena)
{
    pj_auto_buf names = {0};
    for (size_t i = 0; i < table->column_count; i++)
        pj_buf_addf(&names, "%s%s", i ? ", " : "", table->columns[i].key);
    return names.len ? pj_arena_text(arena, pj_buf_str(&names)) : "none";
}

static bool find_column(const builder *b, const char *key, int *out, pj_err *err)
{
    *out = pj_table_column(b->table, pj_str_of(key));
    if (*out >= 0)
        return true;
    pj_suggest suggest = {.word = pj_str_of(key)};
    pj_auto_buf near = {.at = NULL};
    for (size_t i = 0; i < b->table->column_count; i++)
        pj_suggest_try(&suggest, b->table->columns[i].key);
    pj_suggest_add(&suggest, &near);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "the table has no column \"%s\"%s its columns are %s",
                   key, near.at, list_columns(b->table, b->arena));
}

/// The first column of numbers other than x and by; one that only names something if need be.
static int first_numbers(const builder *b)
{
    int found = -1;
    for (size_t i = 0; i < b->table->column_count; i++) {
        const pj_column *column = &b->table->columns[i];
        if (i == b->set->x || (int)i == b->by || column->text)
            continue;
        if (column->unit != PJ_UNIT_IDENTIFIER)
            return (int)i;
        found = found < 0 ? (int)i : found;
    }
    return found;
}

static bool has_dimension(pj_unit unit)
{
    return pj_unit_text_of(unit).quantity != NULL;
}

/// One axis shows one quantity.
static bool share_unit(const builder *b, const size_t *columns, size_t count, pj_err *err)
{
    const pj_column *all = b->table->columns, *first = &all[columns[0]];
    for (size_t i = 1; i < count; i++) {
        const pj_column *column = &all[columns[i]];
        bool dimension = has_dimension(first->unit) || has_dimension(column->unit);
        if (column->unit != first->unit && dimension)
            return pj_fail(err, PJ_E_USAGE, NULL, 0,
                           "%s and %s have different units: draw them in plots of their own",
                           first->key, column->key);
    }
    return true;
}

static bool choose_y(const builder *b, size_t *columns, size_t *count, pj_err *err)
{
    *count = 0;
    for (; *count < PJ_PLOT_MOST_Y && b->opts.y[*count]; (*count)++) {
        int column;
        if (!find_column(b, b->opts.y[*count], &column, err))
            return false;
        if (b->table->columns[column].text)
            return pj_fail(err, PJ_E_USAGE, NULL, 0, "column \"%s\" is text; y takes numbers",
                           b->table->columns[column].key);
        columns[*count] = (size_t)column;
    }
    if (*count == 0) {
        int column = first_numbers(b);
        if (column < 0)
            return pj_fail(err, PJ_E_USAGE, NULL, 0,
                           "the table has no column of numbers for y; its columns are %s",
                           list_columns(b->table, b->arena));
        columns[(*count)++] = (size_t)column;
    }
    return share_unit(b, columns, *count, err);
}

/// A cell as a label: whole numbers ungrouped, others with four digits.
static const char *cell_label(const builder *b, size_t row, size_t column)
{
    const pj_cell cell = *pj_table_cell(b->table, row, column);
    if (cell.kind == PJ_CELL_INT)
        return pj_arena_format(b->arena, "%lld", (long long)cell.integer);
    pj_auto_buf text = {0};
    pj_column_text_cell(&text, (pj_column_text){.factor = 1, .unit = "", .decimals = -1}, cell);
    return text.len ? pj_arena_text(b->arena, pj_buf_str(&text)) : "";
}

// ---- points

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x9E3779B97F4A7C15) ^ hash >> 29;
    return hash;
}

/// "0.3" of rank and thread.
static const char *category_label(const builder *b, size_t row)
{
    const char *label = cell_label(b, row, b->set->x);
    for (size_t i = b->set->x + 1; i <= b->set->x_last; i++)
        label = pj_arena_format(b->arena, "%s.%s", label, cell_label(b, row, i));
    return label;
}

/// Position of a row's x among the categories, in order of first appearance.
static double category_of(builder *b, size_t row)
{
    pj_series_set *set = b->set;
    const char *label = category_label(b, row);
    uint64_t key = hash_of(label);
    uint32_t place;
    for (; pj_map_get(&b->place_of, key, &place); key++)
        if (strcmp(set->labels[place], label) == 0)
            return (double)place;
    pj_map_put(&b->place_of, key, (uint32_t)set->label_count);
    set->labels[set->label_count] = label;
    return (double)set->label_count++;
}

static size_t count_categories(builder *b)
{
    for (size_t row = 0; row < b->table->row_count; row++)
        category_of(b, row);
    size_t count = b->set->label_count;
    pj_map_free(&b->place_of);
    b->set->label_count = 0;
    return count;
}

static bool is_name(const builder *b, size_t column)
{
    return column < b->table->column_count && b->table->columns[column].unit == PJ_UNIT_IDENTIFIER;
}

/// Rows that the first column does not tell apart are named by the columns of names behind it, too.
static void tell_apart(builder *b)
{
    pj_series_set *set = b->set;
    while (count_categories(b) < b->table->row_count) {
        if (!is_name(b, set->x_last + 1)) {
            set->x_last = set->x;
            return;
        }
        set->x_last++;
    }
}

/// Where there are several rows for each x, the column of names behind it splits them, or -1.
static int column_that_splits(builder *b)
{
    pj_series_set *set = b->set;
    size_t x = set->x, rows = b->table->row_count;
    set->labels = pj_new_n(b->arena, const char *, rows + 1);
    bool splits = is_name(b, x + 1) && count_categories(b) < rows;
    set->x = set->x_last = x + 1;
    splits = splits && count_categories(b) <= PJ_SERIES_MOST;
    set->x = set->x_last = x;
    set->labels = NULL;
    return splits ? (int)x + 1 : -1;
}

static pj_series *series_named(const builder *b, const char *name, size_t y)
{
    pj_series_set *set = b->set;
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i].y == y && strcmp(set->items[i].name, name) == 0)
            return &set->items[i];
    if (set->count == PJ_SERIES_MOST)
        return NULL;
    set->items[set->count] = (pj_series){
        .name = name, .y = y, .points = pj_new_n(b->arena, pj_series_point, b->table->row_count)};
    return &set->items[set->count++];
}

/// Sums and differences of what is drawn stay finite.
static bool usable(double value, bool log)
{
    return fabs(value) < 1e300 && (!log || value > 1e-300);
}

static void skip(const builder *b, size_t row, size_t column)
{
    const pj_cell cell = *pj_table_cell(b->table, row, column);
    b->set->skipped++;
    if (!b->set->reason && cell.kind == PJ_CELL_EMPTY)
        b->set->reason = cell.text;
}

static const char *series_name(const builder *b, size_t row, size_t y, size_t y_count)
{
    const char *title = b->table->columns[y].title;
    if (b->by < 0)
        return title;
    const pj_column *by = &b->table->columns[b->by];
    const char *group = cell_label(b, row, (size_t)b->by);
    if (!by->text)
        group = pj_arena_format(b->arena, "%s %s", by->title, group);
    return y_count > 1 ? pj_arena_format(b->arena, "%s, %s", group, title) : group;
}

static bool add_points(builder *b, const size_t *columns, size_t count, pj_err *err)
{
    pj_series_set *set = b->set;
    for (size_t row = 0; row < b->table->row_count; row++) {
        double x = set->labels ? category_of(b, row)
                               : pj_cell_number(*pj_table_cell(b->table, row, set->x));
        for (size_t i = 0; i < count; i++) {
            double y = pj_cell_number(*pj_table_cell(b->table, row, columns[i]));
            if (!usable(y, b->opts.log_y) || !usable(x, b->opts.log_x && !set->labels)) {
                skip(b, row, usable(y, b->opts.log_y) ? set->x : columns[i]);
                continue;
            }
            pj_series *series = series_named(b, series_name(b, row, columns[i], count), columns[i]);
            if (!series)
                return pj_fail(err, PJ_E_USAGE, NULL, 0,
                               "column \"%s\" splits the data into more than %d series",
                               b->by < 0 ? "" : b->table->columns[b->by].key, PJ_SERIES_MOST);
            series->points[series->count++] = (pj_series_point){x, y, row};
            set->points++;
        }
    }
    return set->points > 0 || pj_fail(err, PJ_E_MISSING, NULL, 0, "there is nothing to draw: %s",
                                      set->reason    ? set->reason
                                      : set->skipped ? "no value is a number that the axes can show"
                                                     : "the table has no rows");
}

// ---- units and ranges

static void find_ranges(pj_series_set *set)
{
    set->x_lo = set->y_lo = INFINITY;
    set->x_hi = set->y_hi = -INFINITY;
    for (size_t i = 0; i < set->count; i++)
        for (size_t j = 0; j < set->items[i].count; j++) {
            const pj_series_point *point = &set->items[i].points[j];
            set->x_lo = fmin(set->x_lo, point->x);
            set->x_hi = fmax(set->x_hi, point->x);
            set->y_lo = fmin(set->y_lo, point->y);
            set->y_hi = fmax(set->y_hi, point->y);
        }
}

/// Points move to the unit of their axis; several y columns share one when they can.
static void scale_points(pj_series_set *set)
{
    const pj_column *columns = set->table->columns;
    pj_unit unit = columns[set->items[0].y].unit;
    for (size_t i = 1; i < set->count; i++)
        if (columns[set->items[i].y].unit != unit)
            unit = PJ_UNIT_NONE;
    set->y_form = pj_column_text_unit(unit, fmax(fabs(set->y_lo), fabs(set->y_hi)));
    set->x_form = pj_column_text_unit(set->labels ? PJ_UNIT_NONE : columns[set->x].unit,
                                      fmax(fabs(set->x_lo), fabs(set->x_hi)));
    for (size_t i = 0; i < set->count; i++)
        for (size_t j = 0; j < set->items[i].count; j++) {
            set->items[i].points[j].x *= set->x_form.factor;
            set->items[i].points[j].y *= set->y_form.factor;
        }
    set->x_lo *= set->x_form.factor;
    set->x_hi *= set->x_form.factor;
    set->y_lo *= set->y_form.factor;
    set->y_hi *= set->y_form.factor;
}

static const char *titled(const builder *b, pj_column_text form, const char *title)
{
    pj_auto_buf text = {0};
    pj_column_text_title(&text, form, title);
    return pj_arena_text(b->arena, pj_buf_str(&text));
}

static void name_axes(const builder *b, size_t y_count)
{
    pj_series_set *set = b->set;
    const pj_column *columns = b->table->columns;
    set->x_title = titled(b, set->x_form, columns[set->x].title);
    for (size_t i = set->x + 1; i <= set->x_last; i++)
        set->x_title = pj_arena_format(b->arena, "%s.%s", set->x_title, columns[i].title);
    const pj_column *first = &columns[set->items[0].y];
    const char *quantity = y_count == 1 ? first->title : pj_unit_text_of(first->unit).quantity;
    set->y_title = quantity ? titled(b, set->y_form, quantity) : NULL;
}

bool pj_series_of(const pj_table *table, pj_plot_opts opts, bool categories, pj_arena *arena,
                  pj_series_set *out, pj_err *err)
{
    builder b = {.table = table, .opts = opts, .arena = arena, .set = out, .by = -1};
    int x = 0;
    *out = (pj_series_set){.table = table};
    if (table->column_count == 0)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "there is nothing to draw: the table is empty");
    if ((opts.x && !find_column(&b, opts.x, &x, err)) ||
        (opts.by && !find_column(&b, opts.by, &b.by, err)))
        return false;
    out->x = out->x_last = (size_t)x;
    if (!categories && !opts.x && b.by < 0)
        b.by = column_that_splits(&b);
    size_t columns[PJ_PLOT_MOST_Y], count;
    if (!choose_y(&b, columns, &count, err))
        return false;
    out->items = pj_new_n(arena, pj_series, PJ_SERIES_MOST);
    if (categories || table->columns[x].text)
        out->labels = pj_new_n(arena, const char *, table->row_count + 1);
    if (categories && !opts.x && b.by < 0)
        tell_apart(&b);
    bool good = add_points(&b, columns, count, err);
    pj_map_free(&b.place_of);
    if (!good)
        return false;
    find_ranges(out);
    scale_points(out);
    name_axes(&b, count);
    return true;
}

// ---- words

static void add_exact(pj_buf *out, const pj_table *table, size_t row, size_t column)
{
    const pj_cell cell = *pj_table_cell(table, row, column);
    char number[32];
    pj_buf_addf(out, "%s: ", table->columns[column].title);
    if (cell.kind == PJ_CELL_INT)
        pj_buf_add(out, (pj_str){number, pj_format_grouped(cell.integer, number)});
    else if (cell.kind == PJ_CELL_REAL)
        pj_buf_add(out, (pj_str){number, pj_format_double(cell.real, number)});
    else
        pj_buf_puts(out, cell.kind == PJ_CELL_TEXT ? cell.text : "n/a");
    pj_unit_text_add(out, table->columns[column].unit);
}

const char *pj_series_hover(const pj_series_set *set, const pj_series *series,
                            const pj_series_point *point, pj_arena *arena)
{
    pj_auto_buf text = {0};
    if (strcmp(series->name, set->table->columns[series->y].title) != 0)
        pj_buf_addf(&text, "%s\n", series->name);
    for (size_t i = set->x; i <= set->x_last; i++) {
        add_exact(&text, set->table, point->row, i);
        pj_buf_add_char(&text, '\n');
    }
    add_exact(&text, set->table, point->row, series->y);
    return pj_arena_text(arena, pj_buf_str(&text));
}

const char *pj_series_note(const pj_series_set *set, pj_arena *arena)
{
    if (!set->skipped)
        return NULL;
    return pj_arena_format(
        arena, "%zu of %zu values are not shown: %s", set->skipped, set->skipped + set->points,
        set->reason ? set->reason : "they are no numbers that the axes can show");
}

const char *pj_series_summary(const pj_series_set *set, pj_arena *arena)
{
    pj_auto_buf text = {0};
    pj_buf_addf(&text, "%zu point%s over %s.", set->points, set->points == 1 ? "" : "s",
                set->x_title);
    for (size_t i = 0; i < set->count; i++) {
        const pj_series *series = &set->items[i];
        double lo = INFINITY, hi = -INFINITY;
        for (size_t j = 0; j < series->count; j++) {
            lo = fmin(lo, series->points[j].y);
            hi = fmax(hi, series->points[j].y);
        }
        const pj_column_text form = {.factor = 1, .unit = "", .decimals = -1};
        pj_buf_addf(&text, " %s: ", series->name);
        pj_column_text_number(&text, form, lo);
        pj_buf_puts(&text, " to ");
        pj_column_text_number(&text, form, hi);
        pj_buf_addf(&text, "%s%s.", *set->y_form.unit ? " " : "", set->y_form.unit);
    }
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// Several columns together go by the table's title.
static bool has_own_title(const pj_series_set *set, pj_plot_opts opts)
{
    return !opts.title && set->items[set->count - 1].y == set->items[0].y;
}

const char *pj_series_subtitle(const pj_series_set *set, pj_plot_opts opts)
{
    const char *title = set->table->title;
    return has_own_title(set, opts) && title && *title ? title : NULL;
}

const char *pj_series_title(const pj_series_set *set, pj_plot_opts opts, pj_arena *arena)
{
    const pj_column *columns = set->table->columns;
    if (!has_own_title(set, opts))
        return opts.title ? opts.title : set->table->title;
    return pj_arena_format(arena, "%s by %s", columns[set->items[0].y].title,
                           set->labels ? set->x_title : columns[set->x].title);
}
