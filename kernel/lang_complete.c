// Tab: what may stand at the cursor, from the scanner's tokens and the living values.
#include "kernel/lang_lex.h"
#include "kernel/lang_state.h"
#include "metrics/base/arena.h"

#include <stdlib.h>

size_t pj_lang_byte_at(pj_str code, size_t point)
{
    size_t byte = 0;
    for (; byte < code.len; byte++)
        if (((unsigned char)code.at[byte] & 0xc0) != 0x80 && point-- == 0)
            return byte;
    return byte;
}

size_t pj_lang_point_at(pj_str code, size_t byte)
{
    size_t points = 0;
    for (size_t i = 0; i < byte && i < code.len; i++)
        points += ((unsigned char)code.at[i] & 0xc0) != 0x80;
    return points;
}

/// What the code before the cursor asks for.
typedef struct place {
    pj_str code;    // up to the cursor
    pj_str prefix;  // of the word at the cursor
    pj_str chain;   // "a.b" of "a.b.pre|"; empty = a name of its own
    bool in_string; // or in a comment
} place;

static place find_place(pj_str code)
{
    place p = {.code = code, .prefix = {code.at + code.len, 0}};
    pj_lexer lexer = pj_lexer_of(code);
    size_t chain_at = 0, chain_end = 0;
    bool open = false; // the last token continues a chain
    for (;;) {
        pj_token token = pj_lexer_next(&lexer);
        bool touches = token.at + token.text.len == code.len;
        if (token.kind == PJ_TOKEN_END)
            break;
        if (token.kind == PJ_TOKEN_COMMENT || token.kind == PJ_TOKEN_STRING)
            p.in_string = token.unfinished || (token.kind == PJ_TOKEN_COMMENT && touches);
        bool name = token.kind == PJ_TOKEN_NAME || (token.kind == PJ_TOKEN_KEYWORD && touches);
        bool link = pj_token_is(token, ".") || pj_token_is(token, ":");
        if (name && touches) {
            p.prefix = token.text;
        } else if (name) {
            chain_at = open ? chain_at : token.at;
            chain_end = token.at + token.text.len;
        }
        bool continues = link && chain_end == token.at && chain_end > chain_at;
        if (!name && !continues)
            chain_at = chain_end = token.at + token.text.len;
        open = continues;
        if (touches && !name && !open)
            chain_end = chain_at;
    }
    bool linked = chain_end > chain_at && chain_end < code.len - p.prefix.len;
    if (linked)
        p.chain = (pj_str){code.at + chain_at, chain_end - chain_at};
    return p;
}

static void add_match(pj_lang *lang, pj_str prefix, pj_str match)
{
    if (pj_str_starts(match, prefix) && match.len)
        json_array_append_new(lang->matches, json_stringn(match.at, match.len));
}

static void add_keys(lua_State *L, int table, pj_str prefix)
{
    lua_pushnil(L);
    while (lua_next(L, table)) {
        if (lua_type(L, -2) == LUA_TSTRING) {
            pj_str key;
            key.at = lua_tolstring(L, -2, &key.len);
            add_match(pj_lang_of(L), prefix, key);
        }
        lua_pop(L, 1);
    }
}

/// Pushes the value of "a.b.c" without calling anything; nil when it has none.
static void push_chain(lua_State *L, pj_str chain)
{
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    pj_lexer lexer = pj_lexer_of(chain);
    for (;;) {
        pj_token token = pj_lexer_next(&lexer);
        if (token.kind == PJ_TOKEN_END)
            return;
        if (token.kind != PJ_TOKEN_NAME)
            continue;
        lua_pushlstring(L, token.text.at, token.text.len);
        if (lua_istable(L, -2))
            lua_rawget(L, -2);
        else
            lua_pushnil(L);
        lua_replace(L, -2);
        lua_settop(L, 2);
    }
}

static void add_members(lua_State *L, const place *p)
{
    push_chain(L, p->chain);
    if (lua_type(L, -1) == LUA_TSTRING)
        lua_getglobal(L, LUA_STRLIBNAME);
    if (lua_istable(L, -1))
        add_keys(L, lua_gettop(L), p->prefix);
}

static void add_names(lua_State *L, const place *p)
{
    for (size_t i = 0; pj_lang_keyword(i); i++)
        add_match(pj_lang_of(L), p->prefix, pj_str_of(pj_lang_keyword(i)));
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    add_keys(L, lua_gettop(L), p->prefix);
}

static int collect(lua_State *L)
{
    const place *p = lua_touserdata(L, 1);
    if (p->in_string)
        return 0;
    if (p->chain.len)
        add_members(L, p);
    else
        add_names(L, p);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    const json_t *const *x = a, *const *y = b;
    return strcmp(json_string_value(*x), json_string_value(*y));
}

/// Sorted, each once.
static json_t *sorted(json_t *matches)
{
    size_t count = json_array_size(matches);
    json_t **items = pj_take_memory((count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = json_array_get(matches, i);
    qsort(items, count, sizeof *items, by_text);
    json_t *result = json_array();
    for (size_t i = 0; i < count; i++)
        if (i == 0 || by_text(&items[i], &items[i - 1]) != 0)
            json_array_append(result, items[i]);
    free(items);
    json_decref(matches);
    return result;
}

json_t *pj_lang_complete(pj_lang *lang, pj_str code, size_t cursor)
{
    size_t at = pj_lang_byte_at(code, cursor);
    place p = find_place(pj_str_head(code, at));
    lang->matches = json_array();
    lua_settop(lang->L, 0);
    lua_pushcfunction(lang->L, collect);
    lua_pushlightuserdata(lang->L, &p);
    lua_pcall(lang->L, 1, 0, 0);
    lua_settop(lang->L, 0);
    size_t end = pj_lang_point_at(code, at);
    return json_pack("{s:o, s:I, s:I, s:{}}", "matches", sorted(lang->matches), "cursor_start",
                     (json_int_t)(end - pj_lang_point_at(p.prefix, p.prefix.len)), "cursor_end",
                     (json_int_t)end, "metadata");
}
