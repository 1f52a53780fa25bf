// Tables and their columns in Lua: operations make new tables. In every method argument 1 is the
// table, and the result's slot is pushed before C code makes something that must be owned.
#include "kernel/lua/lang_value.h"

#include "kernel/command/command.h"
#include "kernel/command/display.h"
#include "kernel/command/export.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_call.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_type.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/fold.h"
#include "metrics/table/table.h"
#include "metrics/table/table_ops.h"

/// The table of argument 1; metrics, runs and pictures are replaced there by the table that they
/// are shown as.
static const pj_table *self_table(lua_State *L)
{
    const pj_lang_object *object = pj_lang_object_at(L, 1);
    if (!object) {
        luaL_typeerror(L, 1, "table");
        return NULL;
    }
    if (object->value.kind == PJ_VALUE_TABLE)
        return object->value.table;
    pj_lang_object *made = pj_lang_object_push(L);
    pj_table *table = pj_display_table(&object->value);
    if (!table)
        luaL_error(L, "a %s has no table", object->type->name);
    made->value = pj_value_table_take(table);
    pj_lang_object_finish(L);
    lua_replace(L, 1);
    return table;
}

/// The same for an operation that makes another table as large, or raises an error where there is
/// no memory for it.
static const pj_table *operand(lua_State *L)
{
    enum { GROWING = 2 }; // arrays double
    const pj_table *table = self_table(L);
    size_t row = table->column_count * sizeof *table->cells + sizeof(size_t);
    pj_lang_memory_claim(L, GROWING * row * table->row_count + (size_t)pj_arena_size(table->arena));
    return table;
}

/// The result of an operation goes into `slot`, which is on top; or its error is raised.
static int give(lua_State *L, pj_lang_object *slot, pj_table *table, const pj_err *err)
{
    if (!table)
        return pj_lang_raise(L, err);
    slot->value = pj_value_table_take(table);
    pj_lang_object_finish(L);
    return 1;
}

/// A Lua function that is called per row.
typedef struct row_call {
    lua_State *L;
    int function; // its stack index
    int top;      // of the stack between rows
    const pj_table *table;
    size_t row;
    pj_cell result;
} row_call;

static void push_row(lua_State *L, const pj_table *table, size_t row)
{
    lua_createtable(L, 0, (int)table->column_count);
    for (size_t c = 0; c < table->column_count; c++) {
        pj_lang_cell_push(L, *pj_table_cell(table, row, c));
        lua_setfield(L, -2, table->columns[c].key);
    }
}

static pj_cell cell_at(lua_State *L, int index)
{
    switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
        return pj_cell_int(lua_toboolean(L, index));
    case LUA_TSTRING:
        return pj_cell_text(lua_tostring(L, index));
    case LUA_TNUMBER:
        return lua_isinteger(L, index) ? pj_cell_int(lua_tointeger(L, index))
                                       : pj_cell_real(lua_tonumber(L, index));
    default:
        return pj_cell_empty("the function gave no value");
    }
}

/// Returns the function's value, which keeps a text alive.
static int call_with_row(lua_State *L)
{
    row_call *call = lua_touserdata(L, 1);
    push_row(L, call->table, call->row);
    lua_call(L, 1, 1);
    call->result = cell_at(L, -1);
    return 1;
}

static bool evaluate_row(void *context, const pj_table *table, size_t row, pj_cell *out,
                         pj_err *err)
{
    row_call *call = context;
    lua_State *L = call->L;
    call->table = table;
    call->row = row;
    lua_settop(L, call->top);
    lua_pushcfunction(L, call_with_row);
    lua_pushlightuserdata(L, call);
    lua_pushvalue(L, call->function);
    if (lua_pcall(L, 2, 1, 0) != LUA_OK) {
        const char *message = lua_tostring(L, -1);
        return pj_fail(err, PJ_E_SCRIPT, NULL, 0, "%s", message ? message : "the function failed");
    }
    *out = call->result;
    return true;
}

/// The formula or function at `index`; `top` is the slot of the result.
static pj_row_value row_value(lua_State *L, int index, int top, row_call *call)
{
    if (lua_isfunction(L, index)) {
        luaL_checkstack(L, 8, "table operation");
        *call = (row_call){.L = L, .function = index, .top = top};
        return (pj_row_value){.call = evaluate_row, .context = call};
    }
    pj_row_value value = {0};
    value.formula.at = luaL_checklstring(L, index, &value.formula.len);
    return value;
}

static int where(lua_State *L)
{
    row_call call;
    lua_settop(L, 2);
    const pj_table *table = operand(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_row_value test = row_value(L, 2, 3, &call);
    pj_err *err = pj_lang_err(L);
    pj_table *result = pj_table_where(table, test, err);
    lua_settop(L, 3);
    return give(L, slot, result, err);
}

static int add(lua_State *L)
{
    row_call call;
    lua_settop(L, 4);
    const pj_table *table = operand(L);
    pj_column column = {.key = luaL_checkstring(L, 2)};
    column.title = column.key;
    if (lua_istable(L, 4)) {
        lua_getfield(L, 4, "title");
        column.title = luaL_optstring(L, -1, column.key);
        lua_replace(L, 4);
    }
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_row_value value = row_value(L, 3, 5, &call);
    pj_err *err = pj_lang_err(L);
    pj_table *result = pj_table_add(table, column, value, err);
    lua_settop(L, 5);
    return give(L, slot, result, err);
}

static int sort(lua_State *L)
{
    size_t count;
    const pj_table *table = operand(L);
    const pj_str *keys = pj_lang_texts(L, 2, &count);
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_err *err = pj_lang_err(L);
    return give(L, slot, pj_table_sort(table, keys, count, pj_lang_of(L)->stop, err), err);
}

static int select_columns(lua_State *L)
{
    size_t count;
    const pj_table *table = operand(L);
    const pj_str *keys = pj_lang_texts(L, 2, &count);
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_err *err = pj_lang_err(L);
    return give(L, slot, pj_table_select(table, keys, count, err), err);
}

static int head(lua_State *L)
{
    const pj_table *table = operand(L);
    lua_Integer count = luaL_optinteger(L, 2, 10);
    pj_lang_object *slot = pj_lang_object_push(L);
    return give(L, slot, pj_table_head(table, count > 0 ? (size_t)count : 0), NULL);
}

static int join(lua_State *L)
{
    size_t count;
    luaL_checkany(L, 3);
    const pj_table *left = operand(L);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_replace(L, 1); // the other table, made from what it is
    const pj_table *right = operand(L);
    lua_insert(L, 2); // both tables stay on the stack
    const pj_str *keys = pj_lang_texts(L, 4, &count);
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_err *err = pj_lang_err(L);
    return give(L, slot, pj_table_join(left, right, keys, count, pj_lang_of(L)->stop, err), err);
}

static pj_fold fold_at(lua_State *L, int index)
{
    pj_fold fold = PJ_FOLD_SUM;
    pj_str name;
    name.at = luaL_optlstring(L, index, "sum", &name.len);
    if (!pj_fold_parse(name, &fold)) {
        luaL_Buffer list;
        luaL_buffinit(L, &list);
        for (pj_fold f = 0; f < PJ_FOLD_LAST; f++) {
            luaL_addstring(&list, f ? ", " : "");
            luaL_addstring(&list, pj_fold_name(f));
        }
        luaL_pushresult(&list);
        luaL_error(L, "unknown way to fold \"%s\"; valid: %s", name.at, lua_tostring(L, -1));
    }
    return fold;
}

enum { MOST_FOLDINGS = 64 };

/// {useful_ns = "max"} in the order of the table's columns.
static size_t foldings_at(lua_State *L, int index, const pj_table *table, pj_table_folding *out)
{
    if (!lua_istable(L, index)) {
        out[0] = (pj_table_folding){.fold = fold_at(L, index)};
        return 1;
    }
    size_t count = 0;
    for (size_t c = 0; c < table->column_count && count < MOST_FOLDINGS; c++) {
        if (lua_getfield(L, index, table->columns[c].key) != LUA_TNIL)
            out[count++] =
                (pj_table_folding){fold_at(L, lua_gettop(L)), pj_str_of(table->columns[c].key)};
        lua_pop(L, 1);
    }
    lua_pushnil(L);
    while (lua_next(L, index)) {
        if (lua_type(L, -2) != LUA_TSTRING ||
            pj_table_column(table, pj_str_of(lua_tostring(L, -2))) < 0)
            luaL_error(L, "by: the table has no column \"%s\"", luaL_tolstring(L, -2, NULL));
        lua_pop(L, 1);
    }
    return count;
}

static int by(lua_State *L)
{
    size_t count;
    pj_table_folding foldings[MOST_FOLDINGS];
    lua_settop(L, 3);
    const pj_table *table = operand(L);
    size_t folding_count = foldings_at(L, 3, table, foldings);
    lua_settop(L, 2);
    const pj_str *keys = pj_lang_texts(L, 2, &count);
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_err *err = pj_lang_err(L);
    pj_table_grouping by = {keys, count, foldings, folding_count, pj_lang_of(L)->stop};
    return give(L, slot, pj_table_by(table, by, err), err);
}

static int rows(lua_State *L)
{
    const pj_table *table = self_table(L);
    lua_createtable(L, (int)table->row_count, 0);
    for (size_t row = 0; row < table->row_count; row++) {
        push_row(L, table, row);
        lua_rawseti(L, -2, (lua_Integer)row + 1);
    }
    return 1;
}

static int columns(lua_State *L)
{
    const pj_table *table = self_table(L);
    lua_createtable(L, (int)table->column_count, 0);
    for (size_t c = 0; c < table->column_count; c++) {
        lua_pushstring(L, table->columns[c].key);
        lua_rawseti(L, -2, (lua_Integer)c + 1);
    }
    return 1;
}

static int title(lua_State *L)
{
    lua_pushstring(L, self_table(L)->title);
    return 1;
}

static int note(lua_State *L)
{
    lua_pushstring(L, self_table(L)->note);
    return 1;
}

static bool push_column(lua_State *L, const pj_lang_object *object, pj_str key)
{
    int column = pj_table_column(object->value.table, key);
    if (column >= 0)
        pj_lang_part_push(L, object->value, &pj_lang_type_column, (size_t)column);
    return column >= 0;
}

static int column_of(lua_State *L)
{
    self_table(L);
    const pj_lang_object *object = pj_lang_object_at(L, 1);
    pj_str key;
    key.at = luaL_checklstring(L, 2, &key.len);
    if (!push_column(L, object, key))
        return luaL_error(L, "the table has no column \"%s\"", key.at);
    return 1;
}

static int plot(lua_State *L)
{
    return pj_lang_call(L, pj_command_find(PJ_S("plot"), PJ_IN_LUA));
}

static int export(lua_State *L)
{
    const pj_lang_object *object = pj_lang_object_at(L, 1);
    if (!object || !object->type)
        return luaL_typeerror(L, 1, "table");
    const char *path = luaL_checkstring(L, 2);
    pj_err *err = pj_lang_err(L);
    if (!pj_export(pj_lang_of(L)->session, &object->value, path, err))
        return pj_lang_raise(L, err);
    return 0;
}

const pj_lang_member pj_lang_table_methods[] = {
    {"where", where, false, ":where(TEST)",
     "The rows in which TEST holds: a formula (\"useful_ns < 1e9\") or a function of a row."},
    {"sort", sort, false, ":sort(KEY, ...)", "The rows in order of the keys, \"-key\" downwards."},
    {"select", select_columns, false, ":select(KEY, ...)", "These columns in this order."},
    {"add", add, false, ":add(KEY, FORMULA, [{title = ...}])",
     "One more column: a formula (\"instructions / cycles\") or a function of a row."},
    {"by", by, false, ":by(KEY, [FOLD])",
     "One row per value of the key; the other columns folded by sum, mean, max, min or count, or "
     "each its own way: {useful_ns = \"max\"}."},
    {"join", join, false, ":join(OTHER, KEY)",
     "The columns of another table beside these, where the key is the same."},
    {"head", head, false, ":head([N])", "The first N rows (10)."},
    {"rows", rows, false, ":rows()", "The rows as Lua tables."},
    {"plot", plot, false, ":plot{KIND, x = KEY, y = KEY}",
     "A bar, line or scatter plot of columns."},
    {"export", export, false, ":export(FILE)", "Writes a file, the format by suffix."},
    {0},
};

static const pj_lang_member table_members[] = {
    {"column", column_of, false, ":column(KEY)", "One column."},
    {"columns", columns, true, NULL, "The keys of the columns."},
    {"title", title, true, NULL, "The heading."},
    {"note", note, true, NULL, "The lines under the table."},
    {0},
};

static void table_item(lua_State *L, const pj_lang_object *object, size_t index)
{
    push_row(L, object->value.table, index - 1);
}

static size_t table_length(const pj_lang_object *object)
{
    return object->value.table->row_count;
}

static const char *table_field_at(const pj_lang_object *object, size_t index)
{
    const pj_table *table = object->value.table;
    return index < table->column_count ? table->columns[index].key : NULL;
}

const pj_lang_type pj_lang_type_table = {
    .name = "table",
    .members = table_members,
    .more = pj_lang_table_methods,
    .item = table_item,
    .length = table_length,
    .field = push_column,
    .field_at = table_field_at,
};

static int fold_column(lua_State *L, pj_fold fold)
{
    const pj_lang_object *self = pj_lang_object_check(L, 1, &pj_lang_type_column);
    pj_lang_cell_push(L, pj_table_fold(self->value.table, self->part, fold));
    return 1;
}

static int column_sum(lua_State *L)
{
    return fold_column(L, PJ_FOLD_SUM);
}

static int column_mean(lua_State *L)
{
    return fold_column(L, PJ_FOLD_MEAN);
}

static int column_max(lua_State *L)
{
    return fold_column(L, PJ_FOLD_MAX);
}

static int column_min(lua_State *L)
{
    return fold_column(L, PJ_FOLD_MIN);
}

static int column_count(lua_State *L)
{
    return fold_column(L, PJ_FOLD_COUNT);
}

static int column_by(lua_State *L)
{
    size_t count;
    lua_settop(L, 3);
    const pj_lang_object *self = pj_lang_object_check(L, 1, &pj_lang_type_column);
    const pj_table *table = self->value.table;
    pj_table_folding folding = {fold_at(L, 3), pj_str_of(table->columns[self->part].key)};
    lua_settop(L, 2);
    const pj_str *keys = pj_lang_texts(L, 2, &count);
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_err *err = pj_lang_err(L);
    pj_table_grouping by = {keys, count, &folding, 1, pj_lang_of(L)->stop};
    return give(L, slot, pj_table_by(table, by, err), err);
}

static int column_list(lua_State *L)
{
    const pj_lang_object *self = pj_lang_object_check(L, 1, &pj_lang_type_column);
    const pj_table *table = self->value.table;
    lua_createtable(L, (int)table->row_count, 0);
    for (size_t row = 0; row < table->row_count; row++) {
        pj_lang_cell_push(L, *pj_table_cell(table, row, self->part));
        lua_rawseti(L, -2, (lua_Integer)row + 1);
    }
    return 1;
}

static int column_key(lua_State *L)
{
    const pj_lang_object *self = pj_lang_object_check(L, 1, &pj_lang_type_column);
    lua_pushstring(L, self->value.table->columns[self->part].key);
    return 1;
}

/// The column alone as a table: what it is shown as.
static int column_table(lua_State *L)
{
    const pj_lang_object *self = pj_lang_object_check(L, 1, &pj_lang_type_column);
    const pj_table *table = self->value.table;
    pj_str key = pj_str_of(table->columns[self->part].key);
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_err *err = pj_lang_err(L);
    return give(L, slot, pj_table_select(table, &key, 1, err), err);
}

static const pj_lang_member column_members[] = {
    {"sum", column_sum, false, ":sum()", "The sum; nil when a cell is empty."},
    {"mean", column_mean, false, ":mean()", "The mean; nil when a cell is empty."},
    {"max", column_max, false, ":max()", "The largest value."},
    {"min", column_min, false, ":min()", "The smallest value."},
    {"count", column_count, false, ":count()", "How many cells are not empty."},
    {"by", column_by, false, ":by(KEY, [FOLD])",
     "A table with one row per value of another column: the sum, or mean, max, min, count."},
    {"list", column_list, false, ":list()", "The values as a Lua table; empty ones are nil."},
    {"key", column_key, true, NULL, "The key of the column."},
    {"table", column_table, true, NULL, "The column alone as a table."},
    {0},
};

static void column_item(lua_State *L, const pj_lang_object *object, size_t index)
{
    pj_lang_cell_push(L, *pj_table_cell(object->value.table, index - 1, object->part));
}

const pj_lang_type pj_lang_type_column = {
    .name = "column",
    .part = true,
    .members = column_members,
    .item = column_item,
    .length = table_length,
};

static int picture_title(lua_State *L)
{
    const pj_lang_object *self = pj_lang_object_check(L, 1, &pj_lang_type_drawing);
    lua_pushstring(L, self->value.drawing->figure->title);
    return 1;
}

static int picture_data(lua_State *L)
{
    pj_lang_object_check(L, 1, &pj_lang_type_drawing);
    self_table(L);
    lua_settop(L, 1);
    return 1;
}

static const pj_lang_member picture_members[] = {
    {"title", picture_title, true, NULL, "The heading."},
    {"data", picture_data, true, NULL, "The table that was drawn."},
    {"export", export, false, ":export(FILE)", "Writes a file, the format by suffix."},
    {0},
};

const pj_lang_type pj_lang_type_drawing = {.name = "picture", .members = picture_members};
