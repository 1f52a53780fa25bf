// A table.
#include "kernel/command/kind.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_type.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/table/table.h"

static void hold(pj_value *value)
{
    pj_table_hold(value->table);
}

static void release(pj_value *value)
{
    pj_table_release(value->table);
}

static uint64_t bytes(const pj_value *value)
{
    const pj_table *table = value->table;
    return pj_arena_size(table->arena) + table->cell_cap * sizeof *table->cells;
}

static void brief(const pj_value *value, pj_buf *out)
{
    const pj_table *table = value->table;
    pj_buf_addf(out, "%s: %zu rows, %zu columns", table->title, table->row_count,
                table->column_count);
}

static pj_table *itself(const pj_value *value)
{
    return pj_table_hold(value->table);
}

const pj_kind pj_kind_table = {
    .name = "table",
    .hold = hold,
    .release = release,
    .bytes = bytes,
    .brief = brief,
    .table = itself,
    .lang = &pj_lang_type_table,
};
