// What a trace would cost, in Lua: s.filter, s:propose{type = "usr"}, s.regions, s:where "...".
#include "kernel/command/value.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_type.h"
#include "kernel/lua/lang_value.h"
#include "metrics/analyse/score.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

static const pj_score *self(lua_State *L)
{
    return pj_lang_object_check(L, 1, &pj_lang_type_score)->value.score;
}

/// Pushes the filter file that is proposed with these limits.
static int push_proposal(lua_State *L, pj_str given)
{
    const pj_score *score = self(L);
    pj_buf *text = &pj_lang_of(L)->message;
    pj_err err = {.code = PJ_E_NONE};
    pj_score_proposal proposal;
    if (!pj_score_parse_proposal(given, &proposal, &err))
        return luaL_error(L, "%s", err.text);
    text->len = 0;
    pj_score_propose(score, proposal, text);
    lua_pushlstring(L, text->at, text->len);
    return 1;
}

static int filter(lua_State *L)
{
    return push_proposal(L, PJ_S(""));
}

/// {type = "usr", timepervisit = 1} as "type=usr,timepervisit=1,".
static void push_limits(lua_State *L, int limits)
{
    lua_pushliteral(L, "");
    lua_pushnil(L);
    while (lua_next(L, limits)) {
        luaL_argcheck(L, lua_type(L, -2) == LUA_TSTRING, limits, "limits have names");
        const char *value = luaL_tolstring(L, -1, NULL);
        lua_pushfstring(L, "%s%s=%s,", lua_tostring(L, -4), lua_tostring(L, -3), value);
        lua_replace(L, -5);
        lua_pop(L, 2);
    }
}

static int propose(lua_State *L)
{
    pj_str text;
    lua_settop(L, 2);
    if (lua_istable(L, 2))
        push_limits(L, 2);
    text.at = luaL_optlstring(L, -1, "", &text.len);
    return push_proposal(L, text);
}

static int table(lua_State *L)
{
    const pj_score *score = self(L);
    pj_lang_object *slot = pj_lang_object_push(L);
    slot->value = pj_value_table_take(pj_score_table(score));
    pj_lang_object_finish(L);
    return 1;
}

static int text(lua_State *L)
{
    const pj_score *score = self(L);
    pj_buf *out = &pj_lang_of(L)->message;
    out->len = 0;
    pj_score_text(score, out);
    lua_pushlstring(L, out->at, out->len);
    return 1;
}

static const pj_lang_member members[] = {
    {"filter", filter, true, NULL, "A filter file for Score-P, as :propose() makes it."},
    {"table", table, true, NULL, "Groups, then regions: bytes, visits, time."},
    {"text", text, true, NULL, "The text of scorep-score."},
    {"propose", propose, false, ":propose{type = \"usr\", timepervisit = 1}",
     "A filter file of the regions that cost much and tell little: bufferpercent (1), "
     "timepervisit in us (1), bufferabsolute in MB, visits, type: usr, com or both."},
    {0},
};

const pj_lang_type pj_lang_type_score = {
    .name = "score",
    .members = members,
    .more = pj_lang_table_methods,
};
