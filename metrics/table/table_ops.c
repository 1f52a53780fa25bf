// Table operations: each builds a new table from cells of the old one.
#include "metrics/table/table_ops.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/memory.h"
#include "metrics/base/sort.h"
#include "metrics/base/str.h"
#include "metrics/table/formula.h"
#include "metrics/table/table.h"

#include <math.h>
#include <stdlib.h>

// --- columns by key

static int fail_column(const pj_table *table, pj_str key, pj_err *err)
{
    pj_formula_name *names = pj_take_memory((table->column_count + 1) * sizeof *names);
    pj_auto_buf list = {0};
    for (size_t i = 0; i < table->column_count; i++) {
        names[i] = (pj_formula_name){.name = table->columns[i].key};
        pj_buf_addf(&list, "%s%s", i ? ", " : "", table->columns[i].key);
    }
    const pj_formula_names all = {names, table->column_count, 0};
    const char *nearest = pj_formula_nearest(key, &all);
    pj_fail(err, PJ_E_SCRIPT, NULL, 0,
            "there is no column \"" PJ_STR_FMT "\"%s%s (columns: %.700s)",
            PJ_STR_ARG(pj_str_head(key, 80)), nearest ? ", did you mean " : "",
            nearest ? nearest : "", list.len ? list.at : "none");
    free(names);
    return -1;
}

static int find_column(const pj_table *table, pj_str key, pj_err *err)
{
    int column = pj_table_column(table, key);
    return column >= 0 ? column : fail_column(table, key, err);
}

/// The columns of `keys` into `out`; false when one does not exist.
static bool find_columns(const pj_table *table, const pj_str *keys, size_t count, size_t *out,
                         pj_err *err)
{
    for (size_t i = 0; i < count; i++) {
        int column = find_column(table, keys[i], err);
        if (column < 0)
            return false;
        out[i] = (size_t)column;
    }
    return true;
}

static pj_table *same_columns(const pj_table *table)
{
    pj_table *made = pj_table_new(table->title);
    pj_table_copy_note(made, table);
    for (size_t i = 0; i < table->column_count; i++)
        pj_table_copy_column(made, table, i);
    return made;
}

static void add_row_of(pj_table *made, const pj_table *table, size_t row)
{
    pj_cell *cells = pj_table_add_row(made);
    for (size_t c = 0; c < table->column_count; c++)
        cells[c] = pj_table_copy_cell(made, *pj_table_cell(table, row, c));
}

// --- values by row: formulas or callbacks

typedef struct row_reader {
    const pj_table *table;
    pj_row_value value;
    pj_arena *arena;
    const pj_formula *formula; // NULL = callback
    pj_formula_rows rows;
    pj_cell *aggregates;
} row_reader;

enum { ROW_DOMAIN = 1 };

static size_t count_rows(const void *self, unsigned domain)
{
    (void)domain;
    return ((const pj_table *)self)->row_count;
}

static pj_cell named_cell(const void *self, size_t row, unsigned name)
{
    return *pj_table_cell(self, row, name);
}

static bool compile(row_reader *reader, pj_err *err)
{
    const pj_table *table = reader->table;
    pj_formula_name *names = pj_new_n(reader->arena, pj_formula_name, table->column_count);
    for (size_t i = 0; i < table->column_count; i++)
        names[i] = (pj_formula_name){table->columns[i].key, table->columns[i].text, ROW_DOMAIN};
    const pj_formula_names all = {names, table->column_count, ROW_DOMAIN};
    reader->formula = pj_formula_new(reader->arena, reader->value.formula, &all, err);
    if (!reader->formula)
        return false;
    reader->rows = (pj_formula_rows){table, count_rows, named_cell};
    reader->aggregates = pj_new_n(reader->arena, pj_cell, pj_formula_aggregates(reader->formula));
    pj_formula_aggregate(reader->formula, &reader->rows, reader->aggregates);
    return true;
}

/// The reader's arena must be freed by the caller, also after a failure.
static bool open_reader(row_reader *reader, const pj_table *table, pj_row_value value, pj_err *err)
{
    *reader = (row_reader){.table = table, .value = value, .arena = pj_arena_new(NULL)};
    return value.call || compile(reader, err);
}

static bool read_row(const row_reader *reader, size_t row, pj_cell *out, pj_err *err)
{
    if (reader->value.call) {
        bool done = reader->value.call(reader->value.context, reader->table, row, out, err);
        if (out->kind == PJ_CELL_REAL && !isfinite(out->real))
            *out = pj_cell_empty("the result is not a finite number");
        return done;
    }
    *out = pj_formula_value(reader->formula, &reader->rows, row, reader->aggregates);
    return true;
}

pj_table *pj_table_where(const pj_table *table, pj_row_value test, pj_err *err)
{
    row_reader reader;
    pj_table *made = same_columns(table);
    bool done = open_reader(&reader, table, test, err);
    if (done && reader.formula && pj_formula_is_text(reader.formula))
        done = pj_fail(err, PJ_E_SCRIPT, "formula", 0,
                       "a condition is expected, such as \"ranks > 4\", not a text");
    for (size_t row = 0; done && row < table->row_count; row++) {
        pj_cell cell = {0};
        done = read_row(&reader, row, &cell, err);
        double value = pj_cell_number(cell);
        if (done && value != 0 && !isnan(value))
            add_row_of(made, table, row);
    }
    pj_arena_free(reader.arena);
    if (!done) {
        pj_table_release(made);
        return NULL;
    }
    return made;
}

/// Columns of `table` with `column` at the end, or in the place of the one with its key.
static pj_table *with_column(const pj_table *table, pj_column column, size_t *at)
{
    int found = pj_table_column(table, pj_str_of(column.key));
    *at = found >= 0 ? (size_t)found : table->column_count;
    pj_table *made = pj_table_new(table->title);
    pj_table_copy_note(made, table);
    for (size_t i = 0; i < table->column_count + (found < 0); i++)
        pj_table_add_column(made, i == *at ? column : table->columns[i]);
    return made;
}

pj_table *pj_table_add(const pj_table *table, pj_column column, pj_row_value value, pj_err *err)
{
    row_reader reader;
    size_t at;
    bool texts = false, done = open_reader(&reader, table, value, err);
    pj_table *made = with_column(table, column, &at);
    for (size_t row = 0; done && row < table->row_count; row++) {
        pj_cell cell = {0};
        done = read_row(&reader, row, &cell, err);
        texts = texts || cell.kind == PJ_CELL_TEXT;
        pj_cell *cells = pj_table_add_row(made);
        for (size_t c = 0; c < made->column_count; c++)
            cells[c] = pj_table_copy_cell(made, c == at ? cell : *pj_table_cell(table, row, c));
    }
    pj_arena_free(reader.arena);
    if (!done) {
        pj_table_release(made);
        return NULL;
    }
    made->columns[at].text = texts;
    return made;
}

pj_table *pj_table_head(const pj_table *table, size_t count)
{
    pj_table *made = same_columns(table);
    for (size_t row = 0; row < table->row_count && row < count; row++)
        add_row_of(made, table, row);
    return made;
}

pj_table *pj_table_select(const pj_table *table, const pj_str *keys, size_t count, pj_err *err)
{
    pj_auto_arena kept = pj_arena_new(NULL);
    size_t *columns = pj_new_n(kept, size_t, count);
    if (!find_columns(table, keys, count, columns, err))
        return NULL;
    pj_table *made = pj_table_new(table->title);
    pj_table_copy_note(made, table);
    for (size_t i = 0; i < count; i++)
        pj_table_copy_column(made, table, columns[i]);
    for (size_t row = 0; row < table->row_count; row++) {
        pj_cell *cells = pj_table_add_row(made);
        for (size_t i = 0; i < count; i++)
            cells[i] = pj_table_copy_cell(made, *pj_table_cell(table, row, columns[i]));
    }
    return made;
}

// --- order

/// Numbers before text; texts in natural order.
static int order_cells(pj_cell a, pj_cell b)
{
    bool text_a = a.kind == PJ_CELL_TEXT, text_b = b.kind == PJ_CELL_TEXT;
    if (text_a != text_b)
        return text_a ? 1 : -1;
    if (text_a)
        return pj_str_order_natural(pj_str_of(a.text), pj_str_of(b.text));
    if (a.kind == PJ_CELL_INT && b.kind == PJ_CELL_INT)
        return (a.integer > b.integer) - (a.integer < b.integer);
    double x = pj_cell_number(a), y = pj_cell_number(b);
    return (x > y) - (x < y);
}

typedef struct sort_order {
    const pj_table *table;
    const size_t *columns;
    const bool *down; // NULL = all upwards
    size_t count;
} sort_order;

/// By the columns alone; 0 for rows with the same values.
static int order_keys(const sort_order *by, size_t a, size_t b)
{
    for (size_t i = 0; i < by->count; i++) {
        pj_cell x = *pj_table_cell(by->table, a, by->columns[i]);
        pj_cell y = *pj_table_cell(by->table, b, by->columns[i]);
        bool no_x = x.kind == PJ_CELL_EMPTY, no_y = y.kind == PJ_CELL_EMPTY;
        if (no_x != no_y)
            return no_x ? 1 : -1;
        int order = no_x ? 0 : order_cells(x, y);
        if (order)
            return by->down && by->down[i] ? -order : order;
    }
    return 0;
}

/// The row number decides last, which makes the order stable.
static int order_rows(const void *left, const void *right, void *context)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = order_keys(context, a, b);
    return order ? order : (a > b) - (a < b);
}

/// Row numbers, in order unless stopped.
static size_t *sorted_rows(pj_arena *arena, sort_order by, const atomic_bool *stop)
{
    size_t *rows = pj_new_n(arena, size_t, by.table->row_count);
    for (size_t row = 0; row < by.table->row_count; row++)
        rows[row] = row;
    pj_ignore(pj_sort(rows, by.table->row_count, order_rows, &by, stop));
    return rows;
}

static bool is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/// What was made until somebody asked to stop, or NULL then.
static pj_table *unless_stopped(pj_table *made, const atomic_bool *stop, pj_err *err)
{
    if (!is_stopped(stop))
        return made;
    pj_table_release(made);
    pj_ignore(pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted"));
    return NULL;
}

pj_table *pj_table_sort(const pj_table *table, const pj_str *keys, size_t count,
                        const atomic_bool *stop, pj_err *err)
{
    pj_auto_arena kept = pj_arena_new(NULL);
    size_t *columns = pj_new_n(kept, size_t, count);
    bool *down = pj_new_n(kept, bool, count);
    for (size_t i = 0; i < count; i++) {
        down[i] = pj_str_starts(keys[i], PJ_S("-"));
        int column = find_column(table, pj_str_from(keys[i], down[i]), err);
        if (column < 0)
            return NULL;
        columns[i] = (size_t)column;
    }
    const size_t *rows = sorted_rows(kept, (sort_order){table, columns, down, count}, stop);
    pj_table *made = same_columns(table);
    for (size_t row = 0; !is_stopped(stop) && row < table->row_count; row++)
        add_row_of(made, table, rows[row]);
    return unless_stopped(made, stop, err);
}

pj_cell pj_table_fold(const pj_table *table, size_t column, pj_fold fold)
{
    pj_folding folding = {.fold = fold};
    for (size_t row = 0; row < table->row_count; row++)
        pj_folding_add(&folding, *pj_table_cell(table, row, column));
    return pj_folding_result(&folding);
}

// --- groups

/// Numbers the groups of rows with equal keys in order of first appearance; `group` by row. Any
/// numbers when stopped.
static size_t find_groups(pj_arena *arena, sort_order by, size_t *group, const atomic_bool *stop)
{
    const size_t *rows = sorted_rows(arena, by, stop);
    size_t *leader = pj_new_n(arena, size_t, by.table->row_count);
    size_t count = 0;
    for (size_t i = 0; !is_stopped(stop) && i < by.table->row_count; i++) {
        bool same = i > 0 && order_keys(&by, rows[i - 1], rows[i]) == 0;
        leader[rows[i]] = same ? leader[rows[i - 1]] : rows[i];
    }
    for (size_t row = 0; !is_stopped(stop) && row < by.table->row_count; row++)
        group[row] = leader[row] == row ? count++ : group[leader[row]];
    return count;
}

/// A column of the grouped table.
typedef struct output {
    pj_fold fold;
    size_t column; // of the table that is grouped
    bool key;      // its value is that of the group's first row
} output;

typedef struct outputs {
    output *items;
    size_t count, cap;
} outputs;

static void add_output(outputs *all, output one)
{
    pj_grow(all->items, &all->cap, all->count + 1);
    all->items[all->count++] = one;
}

static bool is_output(const outputs *all, size_t column, bool key)
{
    size_t uses = 0;
    for (size_t i = 0; i < all->count; i++)
        uses += all->items[i].column == column && all->items[i].key == key &&
                (key || all->items[i].fold != PJ_FOLD_COUNT);
    return key ? uses > 0 : uses > 1;
}

static bool add_folding(outputs *all, const pj_table *table, pj_table_folding folding, pj_err *err)
{
    if (folding.fold == PJ_FOLD_COUNT) {
        add_output(all, (output){.fold = PJ_FOLD_COUNT});
        return true;
    }
    if (folding.column.len) {
        int column = find_column(table, folding.column, err);
        if (column >= 0)
            add_output(all, (output){.fold = folding.fold, .column = (size_t)column});
        return column >= 0;
    }
    for (size_t c = 0; c < table->column_count; c++) {
        const pj_column *column = &table->columns[c];
        if (!column->text && column->unit != PJ_UNIT_IDENTIFIER && !is_output(all, c, true))
            add_output(all, (output){.fold = folding.fold, .column = c});
    }
    return true;
}

static void add_output_column(pj_table *made, const pj_table *table, const outputs *all, output out)
{
    const char *fold = pj_fold_name(out.fold);
    pj_column column = table->columns[out.column];
    if (!out.key && out.fold == PJ_FOLD_COUNT)
        column = (pj_column){.key = "count", .title = "Count", .help = "Rows of the group."};
    else if (!out.key && (is_output(all, out.column, false) || is_output(all, out.column, true))) {
        column.key = pj_arena_format(made->arena, "%s_%s", column.key, fold);
        column.title = pj_arena_format(made->arena, "%s, %s", column.title, fold);
    }
    if (!out.key)
        column.text = false;
    pj_table_add_column(made, column);
}

/// "Statistics of run by rank, thread".
static const char *grouped_title(pj_arena *arena, const pj_table *table, const outputs *all)
{
    const char *title = table->title;
    for (size_t i = 0; i < all->count && all->items[i].key; i++)
        title = pj_arena_format(arena, "%s%s %s", title, i ? "," : " by",
                                table->columns[all->items[i].column].key);
    return title;
}

/// The groups' rows, or some of them when stopped.
typedef struct grouped {
    const size_t *of; // by row
    size_t count;
} grouped;

static void fold_rows(const pj_table *table, const outputs *all, grouped g, pj_folding *foldings,
                      const atomic_bool *stop)
{
    for (size_t row = 0; !is_stopped(stop) && row < table->row_count; row++)
        for (size_t i = 0; i < all->count; i++) {
            const output *out = &all->items[i];
            pj_folding *folding = &foldings[g.of[row] * all->count + i];
            folding->fold = out->fold;
            bool rows = out->fold == PJ_FOLD_COUNT;
            pj_folding_add(folding,
                           rows ? pj_cell_int(1) : *pj_table_cell(table, row, out->column));
        }
}

static pj_table *fold_groups(const pj_table *table, const outputs *all, grouped all_groups,
                             const atomic_bool *stop)
{
    size_t groups = all_groups.count;
    pj_auto_arena kept = pj_arena_new(NULL);
    pj_folding *foldings = pj_new_n(kept, pj_folding, groups * all->count);
    size_t *first = pj_new_n(kept, size_t, groups);
    for (size_t row = table->row_count; row-- > 0;)
        first[all_groups.of[row]] = row;
    fold_rows(table, all, all_groups, foldings, stop);
    pj_table *made = pj_table_new(table->title);
    made->title = grouped_title(made->arena, table, all);
    for (size_t i = 0; i < all->count; i++)
        add_output_column(made, table, all, all->items[i]);
    for (size_t g = 0; !is_stopped(stop) && g < groups; g++) {
        pj_cell *cells = pj_table_add_row(made);
        for (size_t i = 0; i < all->count; i++) {
            const output *out = &all->items[i];
            pj_cell cell = out->key ? *pj_table_cell(table, first[g], out->column)
                                    : pj_folding_result(&foldings[g * all->count + i]);
            cells[i] = pj_table_copy_cell(made, cell);
        }
    }
    return made;
}

pj_table *pj_table_by(const pj_table *table, pj_table_grouping by, pj_err *err)
{
    pj_auto_arena kept = pj_arena_new(NULL);
    size_t *columns = pj_new_n(kept, size_t, by.key_count);
    if (!find_columns(table, by.keys, by.key_count, columns, err))
        return NULL;
    outputs all = {0};
    for (size_t i = 0; i < by.key_count; i++)
        add_output(&all, (output){.column = columns[i], .key = true});
    pj_table *made = NULL;
    bool done = true;
    for (size_t i = 0; i < by.folding_count && done; i++)
        done = add_folding(&all, table, by.foldings[i], err);
    if (done) {
        size_t *group = pj_new_n(kept, size_t, table->row_count);
        sort_order order = {table, columns, NULL, by.key_count};
        size_t count = find_groups(kept, order, group, by.stop);
        if (!is_stopped(by.stop))
            made = fold_groups(table, &all, (grouped){group, count}, by.stop);
        made = unless_stopped(made, by.stop, err);
    }
    free(all.items);
    return made;
}

// --- join

typedef struct joiner {
    const pj_table *left, *right;
    const size_t *left_keys, *right_keys;
    size_t key_count;
    const size_t *rows; // of right, in order of its keys
    const char *missing;
    const atomic_bool *stop;
} joiner;

/// Order of a left row and a right one by the keys; an empty key is larger than any.
static int order_sides(const joiner *j, size_t left, size_t right)
{
    for (size_t i = 0; i < j->key_count; i++) {
        pj_cell x = *pj_table_cell(j->left, left, j->left_keys[i]);
        pj_cell y = *pj_table_cell(j->right, right, j->right_keys[i]);
        if (x.kind == PJ_CELL_EMPTY || y.kind == PJ_CELL_EMPTY)
            return x.kind == PJ_CELL_EMPTY ? 1 : -1;
        int order = order_cells(x, y);
        if (order)
            return order;
    }
    return 0;
}

static bool is_key(const joiner *j, size_t right_column)
{
    for (size_t i = 0; i < j->key_count; i++)
        if (j->right_keys[i] == right_column)
            return true;
    return false;
}

static void add_joined(pj_table *made, const joiner *j, size_t left, const size_t *right)
{
    pj_cell *cells = pj_table_add_row(made);
    for (size_t c = 0; c < j->left->column_count; c++)
        *cells++ = pj_table_copy_cell(made, *pj_table_cell(j->left, left, c));
    for (size_t c = 0; c < j->right->column_count; c++)
        if (!is_key(j, c))
            *cells++ = right ? pj_table_copy_cell(made, *pj_table_cell(j->right, *right, c))
                             : pj_cell_empty(j->missing);
}

/// The left row with each of its partners, found by bisection.
static void join_row(pj_table *made, const joiner *j, size_t left)
{
    size_t from = 0, to = j->right->row_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (order_sides(j, left, j->rows[middle]) > 0)
            from = middle + 1;
        else
            to = middle;
    }
    size_t at = from;
    for (;
         at < j->right->row_count && !is_stopped(j->stop) && order_sides(j, left, j->rows[at]) == 0;
         at++)
        add_joined(made, j, left, &j->rows[at]);
    if (at == from)
        add_joined(made, j, left, NULL);
}

static void add_joined_columns(pj_table *made, const joiner *j)
{
    for (size_t c = 0; c < j->left->column_count; c++)
        pj_table_copy_column(made, j->left, c);
    for (size_t c = 0; c < j->right->column_count; c++) {
        pj_column column = j->right->columns[c];
        if (is_key(j, c))
            continue;
        if (pj_table_column(j->left, pj_str_of(column.key)) >= 0)
            column.key = pj_arena_format(made->arena, "%s_2", column.key);
        pj_table_add_column(made, column);
    }
}

enum { UNASKED = 64 << 20 }; // bytes that a table may have in any case

/// Keys that stand in many rows of both sides make tables that no memory holds.
static bool has_room(const pj_table *made, size_t *granted, pj_err *err)
{
    size_t bytes = made->row_count * made->column_count * sizeof *made->cells;
    if (bytes < *granted)
        return true;
    *granted = 2 * bytes; // arrays double
    return pj_memory_want(*granted, made->title, "joining by keys that stand in many rows", err);
}

pj_table *pj_table_join(const pj_table *left, const pj_table *right, const pj_str *keys,
                        size_t count, const atomic_bool *stop, pj_err *err)
{
    pj_auto_arena kept = pj_arena_new(NULL);
    size_t *left_keys = pj_new_n(kept, size_t, count), *right_keys = pj_new_n(kept, size_t, count);
    if (!find_columns(left, keys, count, left_keys, err) ||
        !find_columns(right, keys, count, right_keys, err))
        return NULL;
    pj_table *made = pj_table_new(left->title);
    const joiner j = {
        .left = left,
        .right = right,
        .left_keys = left_keys,
        .right_keys = right_keys,
        .key_count = count,
        .rows = sorted_rows(kept, (sort_order){right, right_keys, NULL, count}, stop),
        .stop = stop,
        .missing = pj_arena_format(made->arena, "no such row in \"%s\"", right->title),
    };
    add_joined_columns(made, &j);
    size_t granted = UNASKED;
    for (size_t row = 0; !is_stopped(stop) && row < left->row_count; row++) {
        if (!has_room(made, &granted, err)) {
            pj_table_release(made);
            return NULL;
        }
        join_row(made, &j, row);
    }
    return unless_stopped(made, stop, err);
}
