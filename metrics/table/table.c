// Tables: columns first, then rows; cells lie row by row.
#include "metrics/table/table.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <math.h>
#include <stdlib.h>

pj_table *pj_table_new(const char *title)
{
    pj_table *table = pj_take_memory(sizeof *table);
    *table = (pj_table){.arena = pj_arena_new(NULL), .references = 1};
    table->title = pj_arena_text(table->arena, pj_str_of(title));
    return table;
}

pj_table *pj_table_hold(pj_table *table)
{
    table->references++;
    return table;
}

void pj_table_release(pj_table *table)
{
    if (!table || --table->references > 0)
        return;
    pj_arena_free(table->arena);
    free(table->remarks);
    free(table->columns);
    free(table->decimals);
    free(table->cells);
    free(table);
}

static void keep_remark(pj_table *table, const char *key, const char *line)
{
    pj_grow(table->remarks, &table->remark_cap, table->remark_count + 1);
    table->remarks[table->remark_count++] =
        (pj_table_remark){pj_arena_text(table->arena, pj_str_of(key)), line};
}

void pj_table_add_remark(pj_table *table, const char *severity, const char *key, pj_str text)
{
    const char *line = pj_arena_format(table->arena, "%s: " PJ_STR_FMT, severity, PJ_STR_ARG(text));
    keep_remark(table, key, line);
    table->note = table->note && *table->note
                      ? pj_arena_format(table->arena, "%s\n%s", table->note, line)
                      : line;
}

void pj_table_copy_note(pj_table *table, const pj_table *from)
{
    table->note = from->note ? pj_arena_text(table->arena, pj_str_of(from->note)) : NULL;
    for (size_t i = 0; i < from->remark_count; i++)
        keep_remark(table, from->remarks[i].key,
                    pj_arena_text(table->arena, pj_str_of(from->remarks[i].line)));
}

void pj_table_add_column(pj_table *table, pj_column column)
{
    column.key = pj_arena_text(table->arena, pj_str_of(column.key));
    column.title = pj_arena_text(table->arena, pj_str_of(column.title));
    if (column.help)
        column.help = pj_arena_text(table->arena, pj_str_of(column.help));
    pj_grow(table->columns, &table->column_cap, table->column_count + 1);
    pj_grow(table->decimals, &table->decimals_cap, table->column_count + 1);
    table->decimals[table->column_count] = 0;
    table->columns[table->column_count++] = column;
}

void pj_table_copy_column(pj_table *table, const pj_table *from, size_t column)
{
    pj_table_add_column(table, from->columns[column]);
    table->decimals[table->column_count - 1] = from->decimals[column];
}

pj_cell *pj_table_add_row(pj_table *table)
{
    size_t n = table->column_count, first = table->row_count * n;
    pj_grow(table->cells, &table->cell_cap, first + n);
    table->row_count++;
    for (size_t i = 0; i < n; i++)
        table->cells[first + i] = pj_cell_empty(NULL);
    return table->cells + first;
}

int pj_table_column(const pj_table *table, pj_str key)
{
    int same = -1;
    for (size_t i = 0; i < table->column_count; i++) {
        if (pj_str_equal(pj_str_of(table->columns[i].key), key))
            return (int)i;
        if (same < 0 && pj_str_same_word(pj_str_of(table->columns[i].key), key))
            same = (int)i;
    }
    return same;
}

double pj_cell_number(pj_cell cell)
{
    if (cell.kind == PJ_CELL_INT)
        return (double)cell.integer;
    return cell.kind == PJ_CELL_REAL ? cell.real : NAN;
}

pj_table *pj_table_without(const pj_table *table, pj_text others)
{
    size_t left_out = 0;
    for (size_t c = 0; c < table->column_count; c++)
        left_out += table->columns[c].text == others;
    if (!left_out)
        return NULL;
    pj_table *shown = pj_table_new(table->title);
    pj_table_copy_note(shown, table);
    for (size_t c = 0; c < table->column_count; c++)
        if (table->columns[c].text != others)
            pj_table_copy_column(shown, table, c);
    for (size_t row = 0; row < table->row_count; row++) {
        pj_cell *cells = pj_table_add_row(shown);
        for (size_t c = 0; c < table->column_count; c++)
            if (table->columns[c].text != others)
                *cells++ = pj_table_copy_cell(shown, *pj_table_cell(table, row, c));
    }
    return shown;
}

pj_cell pj_table_copy_cell(pj_table *table, pj_cell cell)
{
    bool texts = cell.kind == PJ_CELL_TEXT || cell.kind == PJ_CELL_EMPTY;
    if (texts && cell.text)
        cell.text = pj_arena_text(table->arena, pj_str_of(cell.text));
    return cell;
}

void pj_table_keep_texts(pj_table *table)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        table->cells[i] = pj_table_copy_cell(table, table->cells[i]);
}
