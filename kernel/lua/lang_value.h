// Values as Lua objects: one userdata that holds a value, and per kind of value a table of members
// that serves access, errors, completion and help alike. Ownership: the userdata owns its value.
#ifndef PJ_LANG_VALUE_H
#define PJ_LANG_VALUE_H

#include "kernel/command/value.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_type.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"

typedef struct pj_lang_object {
    pj_value value;
    const pj_lang_type *type; // NULL until it is finished
    size_t part;              // column of a table, run of metrics
} pj_lang_object;

/// A property is called with the object alone, a method with its arguments behind the object.
typedef struct pj_lang_member {
    const char *name;
    lua_CFunction call;
    bool property;
    const char *usage; // ":where(TEST)"; NULL for properties. KEY, METRIC and TEST are completed
    const char *help;  // one sentence
} pj_lang_member;

struct pj_lang_type {
    const char *name;
    const pj_lang_member *members; // ends with a row without a name
    const pj_lang_member *more;    // further ones; may be NULL
    bool part;                     // of a value: shown as its member `table`
    /// Takes argument 3 as the field `key`; false when that cannot be changed. May be NULL.
    bool (*assign)(lua_State *L, const pj_lang_object *object, pj_str key);
    /// Pushes item `index`, 1 to length.
    void (*item)(lua_State *L, const pj_lang_object *object, size_t index);
    size_t (*length)(const pj_lang_object *object);
    /// Pushes the field `key` that is no member; false when there is none.
    bool (*field)(lua_State *L, const pj_lang_object *object, pj_str key);
    /// Names of such fields; NULL past the end.
    const char *(*field_at)(const pj_lang_object *object, size_t index);
};

/// Parts of values.
extern const pj_lang_type pj_lang_type_column, pj_lang_type_row;

/// where, sort, ...: of tables and of everything that is shown as one.
extern const pj_lang_member pj_lang_table_methods[];

/// All types of values and their parts; NULL past the end.
const pj_lang_type *pj_lang_type_at(size_t index);
/// Members in order, `more` after `members`; NULL past the end.
const pj_lang_member *pj_lang_member_at(const pj_lang_type *type, size_t index);

void pj_lang_value_open(lua_State *L);
/// Pushes an object with an empty value, to be filled and finished.
pj_lang_object *pj_lang_object_push(lua_State *L);
/// Gives the object on top its type; numbers, texts, booleans and nil become Lua's own.
void pj_lang_object_finish(lua_State *L);
/// Pushes a part of `value`, which is held.
void pj_lang_part_push(lua_State *L, pj_value value, const pj_lang_type *type, size_t part);
/// NULL when the value is no object.
pj_lang_object *pj_lang_object_at(lua_State *L, int index);
/// Raises when the argument is of another type.
pj_lang_object *pj_lang_object_check(lua_State *L, int index, const pj_lang_type *type);
/// Pushes a cell: number, text or nil.
void pj_lang_cell_push(lua_State *L, pj_cell cell);
/// Raises `err`; nothing may be held.
int pj_lang_raise(lua_State *L, const pj_err *err);
/// A pj_err that outlives a longjmp: one per state.
pj_err *pj_lang_err(lua_State *L);

/// A list of texts from argument `first`: texts, lists of texts, "a, b c". The items are borrowed
/// from the stack, the array is the state's and good until the next call.
const pj_str *pj_lang_texts(lua_State *L, int first, size_t *count);

#endif
