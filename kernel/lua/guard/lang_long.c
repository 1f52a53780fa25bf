// Functions of the table, string and utf8 libraries that may be long at work: they look at the
// interrupt meanwhile.
#include "kernel/lua/lang_state.h"
#include "metrics/base/str.h"

enum { ITEMS_BETWEEN_LOOKS = 4096, SHORT = 50000, PIECE = 1 << 20 };

static void count_item(lua_State *L, unsigned *items)
{
    if (++*items % ITEMS_BETWEEN_LOOKS == 0)
        pj_lang_guard_look(L);
}

/// Adds item `i`; floats are written as print writes them.
static void add_item(lua_State *L, luaL_Buffer *out, lua_Integer i)
{
    int type = lua_geti(L, 1, i);
    if (type == LUA_TNUMBER) {
        pj_lang_tostring(L, -1);
        lua_remove(L, -2);
    } else if (type != LUA_TSTRING) {
        luaL_error(L, "invalid value (at index %I) in table for 'concat'", (LUAI_UACINT)i);
    }
    luaL_addvalue(out);
}

/// table.concat
static int concat(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    pj_str between;
    between.at = luaL_optlstring(L, 2, "", &between.len);
    lua_Integer first = luaL_optinteger(L, 3, 1);
    lua_Integer last = lua_isnoneornil(L, 4) ? luaL_len(L, 1) : luaL_checkinteger(L, 4);
    unsigned items = 0;
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    for (lua_Integer i = first; i < last; i++) {
        add_item(L, &out, i);
        luaL_addlstring(&out, between.at, between.len);
        count_item(L, &items);
    }
    if (first <= last)
        add_item(L, &out, last);
    luaL_pushresult(&out);
    return 1;
}

static int is_less(lua_State *L)
{
    if (pj_lang_ending(pj_lang_of(L)))
        return pj_lang_guard_raise(L);
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
}

/// table.sort: upvalue 1. Of many items each comparison is a call.
static int sort(lua_State *L)
{
    if (lua_istable(L, 1) && lua_isnoneornil(L, 2) && luaL_len(L, 1) > SHORT) {
        lua_settop(L, 1);
        lua_pushcfunction(L, is_less);
    }
    return pj_lang_call_wrapped(L, lua_gettop(L));
}

/// table.move
static int move(lua_State *L)
{
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
    lua_Integer to = luaL_checkinteger(L, 4);
    int target = lua_isnoneornil(L, 5) ? 1 : 5;
    unsigned items = 0;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, target, LUA_TTABLE);
    if (last >= first) {
        luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3,
                      "too many elements to move");
        luaL_argcheck(L, to <= LUA_MAXINTEGER - (last - first), 4, "destination wrap around");
        bool forth = to > last || to <= first || (target != 1 && !lua_compare(L, 1, 5, LUA_OPEQ));
        for (lua_Integer i = 0; i <= last - first; i++) {
            lua_Integer at = forth ? i : last - first - i;
            lua_geti(L, 1, first + at);
            lua_seti(L, target, to + at);
            count_item(L, &items);
        }
    }
    lua_pushvalue(L, target);
    return 1;
}

/// string.rep
static int repeat(lua_State *L)
{
    pj_str text, between;
    text.at = luaL_checklstring(L, 1, &text.len);
    lua_Integer wanted = luaL_checkinteger(L, 2);
    between.at = luaL_optlstring(L, 3, "", &between.len);
    size_t unit = text.len + between.len;
    if (wanted <= 0 || !unit) {
        lua_pushliteral(L, "");
        return 1;
    }
    if (unit < text.len || unit > (size_t)LUA_MAXINTEGER / (size_t)wanted)
        return luaL_error(L, "resulting string too large");
    size_t size = unit * (size_t)wanted - between.len;
    luaL_Buffer out;
    char *to = luaL_buffinitsize(L, &out, size);
    memcpy(to, text.at, text.len);
    if (wanted > 1)
        memcpy(to + text.len, between.at, between.len);
    size_t most = unit > PIECE ? unit : PIECE - PIECE % unit;
    for (size_t done = unit, piece; done < size; done += piece) {
        piece = done < most ? done : most;
        piece = size - done < piece ? size - done : piece;
        memcpy(to + done, to, piece);
        pj_lang_guard_look(L);
    }
    luaL_pushresultsize(&out, size);
    return 1;
}

/// A place in a text as libraries of Lua take it: negative from the end.
static lua_Integer place(lua_Integer at, size_t len)
{
    if (at >= 0)
        return at;
    return (size_t)-at > len ? 0 : (lua_Integer)len + at + 1;
}

/// Where the character at a place begins; the place itself where no character can reach it.
static lua_Integer character(pj_str text, lua_Integer at)
{
    enum { LONGEST = 6 };
    for (lua_Integer begin = at; begin > at - LONGEST && begin > 0; begin--)
        if (((unsigned char)text.at[begin - 1] & 0xC0) != 0x80)
            return begin;
    return at;
}

/// utf8.len: upvalue 1, which counts the characters that begin in a piece.
static int length(lua_State *L)
{
    pj_str text;
    text.at = luaL_checklstring(L, 1, &text.len);
    lua_Integer first = place(luaL_optinteger(L, 2, 1), text.len);
    lua_Integer last = place(luaL_optinteger(L, 3, -1), text.len), sum = 0;
    if (first < 1 || last >= (lua_Integer)text.len + 1 || last - first < PIECE)
        return pj_lang_call_wrapped(L, lua_gettop(L));
    lua_settop(L, 4);
    while (first <= last) {
        lua_Integer end = last - first < PIECE ? last : character(text, first + PIECE) - 1;
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_pushvalue(L, 1);
        lua_pushinteger(L, first);
        lua_pushinteger(L, end);
        lua_pushvalue(L, 4); // lax
        lua_call(L, 4, 2);
        if (lua_isnil(L, -2))
            return 2;
        sum += lua_tointeger(L, -2);
        lua_pop(L, 2);
        first = end + 1;
        pj_lang_guard_look(L);
    }
    lua_pushinteger(L, sum);
    return 1;
}

void pj_lang_long_open(lua_State *L)
{
    lua_getglobal(L, LUA_UTF8LIBNAME);
    pj_lang_wrap_field(L, "len", length);
    lua_pop(L, 1);
    lua_getglobal(L, LUA_STRLIBNAME);
    lua_pushcfunction(L, repeat);
    lua_setfield(L, -2, "rep");
    lua_pop(L, 1);
    lua_getglobal(L, LUA_TABLIBNAME);
    pj_lang_wrap_field(L, "sort", sort);
    lua_pushcfunction(L, concat);
    lua_setfield(L, -2, "concat");
    lua_pushcfunction(L, move);
    lua_setfield(L, -2, "move");
    lua_pop(L, 1);
}
