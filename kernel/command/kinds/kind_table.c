// A table.
#include "kernel/command/kind.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_type.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"
#include "widgets/table/table_trace.h"

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

static bool writes(pj_str suffix)
{
    return pj_str_equal(suffix, PJ_S(PJ_TABLE_TRACE_SUFFIX));
}

/// Single events, for viewers of time lines.
static bool write(const pj_value *value, pj_str suffix, atomic_bool *stop, pj_buf *out, pj_err *err)
{
    (void)suffix;
    return pj_table_trace(value->table, stop, out, err);
}

static const char *const suffixes[] = {PJ_TABLE_TRACE_SUFFIX, NULL};

const pj_kind pj_kind_table = {
    .name = "table",
    .hold = hold,
    .release = release,
    .bytes = bytes,
    .brief = brief,
    .table = itself,
    .writes = writes,
    .write = write,
    .suffixes = suffixes,
    .lang = &pj_lang_type_table,
};
