// What the functions of a metric set see of a run: a table of its measures and of the metrics
// before their own. What the run lacks is nil, and why is remembered; a name that no run has is an
// error.
#include "kernel/command/value.h"
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/pop/measures.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

static const char *nearest_key(lua_State *L, int table, pj_suggest *suggest)
{
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING)
            pj_suggest_try(suggest, lua_tostring(L, -1));
    }
    return suggest->best;
}

/// __index; upvalue 1 has the reasons of what is missing by name, upvalue 2 keeps the last in [1].
static int read_missing(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
        lua_rawseti(L, lua_upvalueindex(2), 1);
        return 0;
    }
    pj_suggest suggest = {.word = pj_str_of(lua_tostring(L, 2))};
    nearest_key(L, 1, &suggest);
    const char *near = nearest_key(L, lua_upvalueindex(1), &suggest);
    return luaL_error(L, "a run has no measure \"%s\"%s%s%s", lua_tostring(L, 2),
                      near ? "; did you mean " : "; ?define_metrics says which there are",
                      near ? near : "", near ? "?" : "");
}

void pj_lang_measures_push(lua_State *L, const pj_measures *measures, int seen)
{
    const pj_measures_row *m;
    seen = lua_absindex(L, seen);
    lua_newtable(L);
    lua_newtable(L); // its metatable
    lua_newtable(L); // reasons
    for (size_t i = 0; (m = pj_measures_row_at(i)); i++) {
        pj_cell cell = pj_measures_value(m, measures);
        if (cell.kind == PJ_CELL_EMPTY)
            lua_pushstring(L, cell.text);
        else
            pj_lang_cell_push(L, cell);
        lua_setfield(L, cell.kind == PJ_CELL_EMPTY ? -2 : -4, m->name);
    }
    lua_pushvalue(L, seen);
    lua_pushcclosure(L, read_missing, 2);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    pj_lang_object *run = pj_lang_object_push(L);
    run->value = pj_value_run_take(pj_run_hold((pj_run *)measures->run));
    pj_lang_object_finish(L);
    lua_setfield(L, -2, "run");
}

void pj_lang_measures_lack(lua_State *L, const char *key, const char *reason)
{
    lua_getmetatable(L, -1);
    lua_getfield(L, -1, "__index");
    lua_getupvalue(L, -1, 1);
    lua_pushstring(L, reason);
    lua_setfield(L, -2, key);
    lua_pop(L, 3);
}
