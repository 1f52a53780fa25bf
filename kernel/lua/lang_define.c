// define_metrics: a metric set from formulas and Lua functions.
#include "kernel/lua/lang_bind.h"

#include "kernel/command/session.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/err.h"
#include "metrics/pop/metricset.h"
#include "metrics/pop/metricset_define.h"
#include "metrics/table/table.h"

#include <stdio.h>

/// The functions of one set: a userdata whose user value lists them by row, kept in the registry
/// under its own address as long as the set lives.
typedef struct functions {
    pj_lang_stage *stage;
} functions;

/// What the call of one function needs.
typedef struct function_call {
    const functions *set;
    const pj_metric_scope *scope;
    pj_metric_value result;
} function_call;

/// Why a function gave no number: its own reason, what it missed, or what it gave instead.
static const char *why_none(lua_State *L, int result, int seen)
{
    if (lua_type(L, result + 1) == LUA_TSTRING)
        return lua_tostring(L, result + 1);
    if (lua_isnil(L, result) && lua_rawgeti(L, seen, 1) == LUA_TSTRING)
        return lua_tostring(L, -1);
    if (lua_isnil(L, result))
        return "the function gave nil; let it give a number, or nil and the reason";
    return lua_pushfstring(L, "the function gave a %s (%s), not a number", luaL_typename(L, result),
                           luaL_tolstring(L, result, NULL));
}

/// Calls formula(run, reference): tables of measures; the run's has the metrics before its own too.
/// Argument 2 is where what it misses is kept.
static int call_function(lua_State *L)
{
    enum { SEEN = 2, RESULT = 3 };
    function_call *call = lua_touserdata(L, 1);
    const pj_metric_scope *scope = call->scope;
    lua_rawgetp(L, LUA_REGISTRYINDEX, call->set);
    lua_getiuservalue(L, -1, 1);
    lua_rawgeti(L, -1, (lua_Integer)scope->row + 1);
    lua_replace(L, RESULT);
    lua_settop(L, RESULT);
    pj_lang_measures_push(L, scope->run, SEEN);
    for (size_t i = 0; i < scope->row; i++) {
        if (scope->earlier[i].reason) {
            pj_lang_measures_lack(L, scope->set->rows[i].key, scope->earlier[i].reason);
            continue;
        }
        lua_pushnumber(L, scope->earlier[i].value);
        lua_setfield(L, -2, scope->set->rows[i].key);
    }
    pj_lang_measures_push(L, scope->reference, SEEN);
    lua_call(L, 2, 2);
    bool number = lua_type(L, RESULT) == LUA_TNUMBER;
    call->result.value = number ? lua_tonumber(L, RESULT) : 0;
    call->result.reason = number ? NULL : why_none(L, RESULT, SEEN);
    return 1; // keeps the reason alive
}

/// The reason, where a function failed because it went on with what the run lacks; NULL else.
static const char *missed(lua_State *L, int seen, const char *error)
{
    if (!error || !strstr(error, "a nil value") || lua_rawgeti(L, seen, 1) != LUA_TSTRING)
        return NULL;
    return lua_tostring(L, -1);
}

/// The set copies the reason only after the stack has lost it.
static const char *keep_reason(pj_lang *lang, const char *reason)
{
    snprintf(lang->err_text, sizeof lang->err_text, "%s", reason);
    return lang->err_text;
}

static bool evaluate_on(pj_lang *lang, const functions *set, const pj_metric_scope *scope,
                        pj_metric_value *out, pj_err *err)
{
    lua_State *L = lang->running ? lang->running : lang->L;
    function_call call = {.set = set, .scope = scope};
    int top = lua_gettop(L);
    if (!lua_checkstack(L, 8))
        return pj_fail(err, PJ_E_SCRIPT, NULL, 0, "too deep");
    lua_newtable(L);
    lua_pushcfunction(L, call_function);
    lua_pushlightuserdata(L, &call);
    lua_pushvalue(L, top + 1);
    bool ok = lua_pcall(L, 2, 1, 0) == LUA_OK;
    const char *error = ok ? NULL : lua_tostring(L, -1);
    const char *lack = ok ? NULL : missed(L, top + 1, error);
    *out = call.result;
    if (lack)
        out->reason = lack;
    if (out->reason)
        out->reason = keep_reason(lang, out->reason);
    if (!ok && !lack)
        pj_fail(err, PJ_E_SCRIPT, NULL, 0, "metric %s: %s", scope->set->rows[scope->row].key,
                error ? error : "the function failed");
    lua_settop(L, top);
    return ok || lack;
}

/// Commands run beside the stage; their callbacks enter it.
static bool evaluate(void *context, const pj_metric_scope *scope, pj_metric_value *out, pj_err *err)
{
    const functions *set = context;
    bool entered;
    pj_lang *lang = pj_lang_stage_call(set->stage, &entered);
    if (!lang)
        return pj_fail(err, PJ_E_SCRIPT, NULL, 0, "functions of metrics run in cells only");
    bool ok = evaluate_on(lang, set, scope, out, err);
    pj_lang_stage_done(lang, entered);
    return ok;
}

static void release(void *context)
{
    const functions *set = context;
    bool entered;
    pj_lang *lang = pj_lang_stage_call(set->stage, &entered);
    if (!lang)
        return; // it goes with the state
    lua_State *L = set->stage->L;
    lua_checkstack(L, 1);
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, set);
    pj_lang_stage_done(lang, entered);
}

/// The texts that kind, combine and unit may be, in the order of their enums.
static const char *const kinds[] = {"efficiency", "inefficiency", "scaling", "plain", NULL};
static const char *const combines[] = {"none", "sum", "product", "auto", NULL};
static const char *const units[] = {"none", "ns", "s", "ratio", "bytes", "ghz", NULL};

static void refuse_choice(lua_State *L, const char *field, const char *given,
                          const char *const *valid)
{
    luaL_Buffer list;
    luaL_buffinit(L, &list);
    for (size_t i = 0; valid[i]; i++) {
        luaL_addstring(&list, i ? ", " : "");
        luaL_addstring(&list, valid[i]);
    }
    luaL_pushresult(&list);
    luaL_error(L, "define_metrics: unknown %s \"%s\"; valid: %s", field, given,
               lua_tostring(L, -1));
}

static int choice(lua_State *L, int index, const char *field, const char *const *valid,
                  int otherwise)
{
    if (lua_getfield(L, index, field) == LUA_TNIL) {
        lua_pop(L, 1);
        return otherwise;
    }
    const char *given = luaL_checkstring(L, -1);
    for (int i = 0; valid[i]; i++)
        if (strcmp(valid[i], given) == 0) {
            lua_pop(L, 1);
            return i;
        }
    refuse_choice(L, field, given, valid);
    return otherwise;
}

/// A text field of the table at `index`, which keeps it alive; NULL when it has none.
static const char *text_field(lua_State *L, int index, const char *field)
{
    int type = lua_getfield(L, index, field);
    if (type != LUA_TNIL && type != LUA_TSTRING)
        luaL_error(L, "define_metrics: %s must be a text, not a %s", field, lua_typename(L, type));
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text;
}

static void check_fields(lua_State *L, int index, const char *const *valid)
{
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING)
            continue;
        bool known = false;
        for (size_t i = 0; valid[i]; i++)
            known |= strcmp(valid[i], lua_tostring(L, -1)) == 0;
        if (!known)
            refuse_choice(L, "field", lua_tostring(L, -1), valid);
    }
}

/// The row on top of the stack; its function goes into the list of functions at `list`.
static pj_metric_spec read_row(lua_State *L, size_t index, int list, void *context)
{
    static const char *const fields[] = {"key",  "parent",  "title", "formula", "explanation",
                                         "kind", "combine", "unit",  NULL};
    int row = lua_gettop(L);
    luaL_checktype(L, row, LUA_TTABLE);
    check_fields(L, row, fields);
    pj_metric_spec spec = {
        .key = text_field(L, row, "key"),
        .parent = text_field(L, row, "parent"),
        .title = text_field(L, row, "title"),
        .explanation = text_field(L, row, "explanation"),
        .kind = (pj_metric_kind)choice(L, row, "kind", kinds, PJ_METRIC_EFFICIENCY),
        .combine = (pj_combine)choice(L, row, "combine", combines, PJ_COMBINE_AUTO),
        .unit = (pj_unit)choice(L, row, "unit", units, PJ_UNIT_RATIO),
    };
    if (!spec.key)
        luaL_error(L, "define_metrics: a metric has no key");
    if (lua_getfield(L, row, "formula") == LUA_TFUNCTION) {
        lua_rawseti(L, list, (lua_Integer)index + 1);
        spec.call = evaluate;
        spec.context = context;
        return spec;
    }
    lua_pop(L, 1);
    spec.formula = text_field(L, row, "formula");
    return spec;
}

static bool define(pj_session *session, const pj_metric_set_spec *spec, pj_err *err)
{
    const pj_metric_set *set = pj_metric_set_define(spec, err);
    if (set)
        pj_session_add_set_take(session, set);
    return set != NULL;
}

int pj_lang_define_metrics(lua_State *L)
{
    static const char *const fields[] = {"name", "title", "convention", "metrics", NULL};
    enum { MOST_ROWS = 200 };
    pj_lang *lang = pj_lang_of(L);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    check_fields(L, 1, fields);
    if (lua_getfield(L, 1, "metrics") != LUA_TTABLE)
        return luaL_error(L, "define_metrics: metrics = {{key = ..., formula = ...}, ...} is "
                             "missing");
    size_t count = lua_rawlen(L, 2);
    if (count == 0 || count > MOST_ROWS)
        return luaL_error(L, "define_metrics: a set has 1 to %d metrics", MOST_ROWS);
    pj_metric_spec *rows = lua_newuserdatauv(L, count * sizeof *rows, 0);
    functions *kept = lua_newuserdatauv(L, sizeof *kept, 1);
    kept->stage = lang->stage;
    lua_newtable(L);
    int list = lua_gettop(L);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        rows[i] = read_row(L, i, list, kept);
        lua_settop(L, list);
    }
    lua_setiuservalue(L, -2, 1);
    pj_metric_set_spec spec = {.key = text_field(L, 1, "name"),
                               .title = text_field(L, 1, "title"),
                               .convention = text_field(L, 1, "convention"),
                               .rows = rows,
                               .count = count,
                               .released = release,
                               .context = kept};
    if (!spec.key)
        return luaL_error(L, "define_metrics: name is missing");
    lua_rawsetp(L, LUA_REGISTRYINDEX, kept);
    pj_err *err = pj_lang_err(L);
    if (define(lang->session, &spec, err))
        return 0;
    release(kept);
    return pj_lang_raise(L, err);
}
