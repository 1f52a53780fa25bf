// JSON: {"title", "note", "columns": [{"key", "title", "unit"}], "rows": [{key: value}]}. A value
// that cannot be had is null, and the row's "reasons" object says why; its "units" object has those
// of numbers that are of another quantity than their column.
#include "widgets/table/table_json.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/table/table.h"
#include "widgets/table/render.h"

#include <math.h>

static json_t *text_of(const char *text)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean_text(&clean, pj_str_of(text));
    return json_stringn(clean.len ? clean.at : "", clean.len);
}

/// Nanoseconds are whole numbers unless a model made parts of them.
static bool is_whole_ns(pj_cell cell, pj_unit unit)
{
    const double most = 9007199254740992; // 2^53
    return unit == PJ_UNIT_NS && fabs(cell.real) <= most && cell.real == floor(cell.real);
}

static json_t *cell_value(pj_cell cell, pj_unit unit)
{
    switch (cell.kind) {
    case PJ_CELL_EMPTY:
        return json_null();
    case PJ_CELL_TEXT:
        return text_of(cell.text);
    case PJ_CELL_INT:
        return json_integer(cell.integer);
    case PJ_CELL_REAL:
        if (is_whole_ns(cell, unit))
            return json_integer((json_int_t)cell.real);
        return isfinite(cell.real) ? json_real(cell.real) : json_null();
    }
    return json_null();
}

static json_t *columns_of(const pj_table *table)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < table->column_count; i++) {
        const pj_column *column = &table->columns[i];
        json_t *item = json_object();
        json_object_set_new(item, "key", text_of(column->key));
        json_object_set_new(item, "title", text_of(column->title));
        if (column->unit != PJ_UNIT_NONE && column->unit < PJ_UNIT_CHANGE)
            json_object_set_new(item, "unit", json_string(pj_unit_text_of(column->unit).name));
        json_array_append_new(columns, item);
    }
    return columns;
}

static json_t *row_of(const pj_table *table, size_t row)
{
    json_t *item = json_object(), *reasons = NULL, *units = NULL;
    for (size_t i = 0; i < table->column_count; i++) {
        pj_cell cell = *pj_table_cell(table, row, i);
        pj_auto_buf key = {0};
        pj_utf8_clean_text(&key, pj_str_of(table->columns[i].key));
        json_object_set_new_nocheck(
            item, key.len ? key.at : "",
            cell_value(cell, cell.unit ? cell.unit : table->columns[i].unit));
        if (cell.unit && cell.unit != table->columns[i].unit && *pj_unit_text_of(cell.unit).name) {
            units = units ? units : json_object();
            json_object_set_new_nocheck(units, key.len ? key.at : "",
                                        json_string(pj_unit_text_of(cell.unit).name));
        }
        if (cell.kind != PJ_CELL_EMPTY || !cell.text)
            continue;
        reasons = reasons ? reasons : json_object();
        json_object_set_new_nocheck(reasons, key.len ? key.at : "", text_of(cell.text));
    }
    if (reasons)
        json_object_set_new(item, "reasons", reasons);
    if (units)
        json_object_set_new(item, "units", units);
    return item;
}

json_t *pj_table_json(const pj_table *table, size_t from, size_t count, const atomic_bool *stop)
{
    pj_render_opts opts = {.stop = stop};
    json_t *root = json_object(), *rows = json_array();
    size_t end = count < table->row_count - from ? from + count : table->row_count;
    json_object_set_new(root, "title", text_of(table->title));
    if (table->note)
        json_object_set_new(root, "note", text_of(table->note));
    json_object_set_new(root, "columns", columns_of(table));
    json_object_set_new(root, "rows", rows);
    for (size_t row = from; row < end && !pj_render_stopped(opts); row++)
        json_array_append_new(rows, row_of(table, row));
    return root;
}

typedef struct writing {
    pj_render_opts opts;
    pj_buf *out;
} writing;

/// -1 ends the writing.
static int append(const char *text, size_t len, void *context)
{
    const writing *w = context;
    pj_buf_add(w->out, (pj_str){text, len});
    return pj_render_stopped(w->opts) ? -1 : 0;
}

static void render(const pj_table *table, pj_render_opts opts, pj_buf *out)
{
    json_t *root = pj_table_json(table, 0, table->row_count, opts.stop);
    json_dump_callback(root, append, &(writing){opts, out},
                       JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    pj_buf_add_char(out, '\n');
    json_decref(root);
}

const pj_renderer pj_renderer_json = {
    .name = "json", .title = "JSON", .mime = "application/json", .machines = true, .table = render};
