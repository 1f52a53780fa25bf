// Errors as an analyst wants them: what, in which line of which cell, and what was probably meant.
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_lex.h"
#include "kernel/lua/lang_state.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"

#include <stdio.h>
#include <stdlib.h>

#define RED "\033[0;31m"
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

/// What people write who know another language: tokens side by side in the line of the error.
static const struct {
    const char *first, *second; // second NULL = alone
    const char *hint;
} slips[] = {
    {"!", "=", "Lua writes ~= for 'not equal'"},
    {"+", "=", "Lua has no +=; write x = x + 1"},
    {"-", "=", "Lua has no -=; write x = x - 1"},
    {"*", "=", "Lua has no *=; write x = x * 2"},
    {"/", "=", "Lua has no /=; write x = x / 2"},
    {"..", "=", "Lua has no ..=; write s = s .. \"text\""},
    {"+", "+", "Lua has no ++; write x = x + 1"},
    {"&", "&", "Lua writes 'and'"},
    {"|", "|", "Lua writes 'or'"},
    {"!", NULL, "Lua writes 'not'"},
    {"elif", NULL, "Lua writes 'elseif'"},
    {"def", NULL, "Lua writes 'function name(...) ... end'"},
    {"import", NULL, "Lua writes: local name = require \"name\""},
    {"lambda", NULL, "Lua writes 'function(x) return ... end'"},
    {"switch", NULL, "Lua has no switch; use if ... elseif ... end or a table"},
};

static bool is_slip(size_t row, pj_token token, pj_token next)
{
    if (!pj_token_is(token, slips[row].first))
        return false;
    bool touching = next.at == token.at + token.text.len;
    return !slips[row].second || (touching && pj_token_is(next, slips[row].second));
}

/// The hint for the line of a compile error or the one before; NULL when there is none.
static const char *slip_hint(pj_str code, unsigned line)
{
    pj_lexer lexer = pj_lexer_of(code);
    pj_token token = pj_lexer_next_code(&lexer);
    for (unsigned before = 0; token.kind != PJ_TOKEN_END && token.line <= line;) {
        pj_token next = pj_lexer_next_code(&lexer);
        bool near = token.line + 1 >= line;
        for (size_t i = 0; near && i < sizeof slips / sizeof *slips; i++)
            if (is_slip(i, token, next))
                return slips[i].hint;
        if (token.line == line && line > before && pj_token_is(token, "%"))
            return "% lines stand between statements, not inside them; there write metrics(runs)";
        before = token.line;
        token = next;
    }
    return NULL;
}

/// The name in "... (global 'metrcs')".
static pj_str missing_global(pj_str message)
{
    static const char mark[] = "a nil value (global '";
    const char *at = message.len ? strstr(message.at, mark) : NULL;
    if (!at)
        return (pj_str){0};
    pj_str rest = pj_str_of(at + sizeof mark - 1);
    return pj_str_head(rest, pj_str_find(rest, '\''));
}

/// Tries the keys of the table on top of the stack.
static void try_keys(lua_State *L, pj_suggest *suggest)
{
    int table = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, table)) {
        if (lua_type(L, -2) == LUA_TSTRING)
            pj_suggest_try(suggest, lua_tostring(L, -2));
        lua_pop(L, 1);
    }
}

const char *pj_lang_error_nearest(lua_State *L, pj_str name)
{
    pj_suggest suggest = {.word = name};
    if (!lua_checkstack(L, 8))
        return NULL;
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    if (lua_istable(L, -1))
        try_keys(L, &suggest);
    lua_pop(L, 1);
    return suggest.best;
}

static void add_global_hint(lua_State *L, pj_buf *message)
{
    pj_str name = missing_global(pj_buf_str(message));
    const char *near = name.len ? pj_lang_error_nearest(L, name) : NULL;
    if (near)
        pj_buf_addf(message, "; did you mean %s?", near);
}

/// Takes "cell 7:3: " off the message: the frames say it.
static pj_str without_place(pj_str message, const char *source)
{
    pj_str name = pj_str_of(source);
    if (!name.len || !pj_str_starts(message, name))
        return message;
    pj_str rest = pj_str_from(message, name.len);
    size_t digits = 1;
    while (digits < rest.len && rest.at[digits] >= '0' && rest.at[digits] <= '9')
        digits++;
    bool place = rest.len > digits + 1 && rest.at[0] == ':' && rest.at[digits] == ':';
    return place ? pj_str_from(rest, digits + 2) : message;
}

static void add_frame(pj_lang *lang, const char *source, int line, const char *name)
{
    if (lang->frame_count == PJ_LANG_FRAMES)
        return;
    pj_lang_frame *frame = &lang->frames[lang->frame_count++];
    snprintf(frame->source, sizeof frame->source, "%s", source);
    snprintf(frame->name, sizeof frame->name, "%s", name ? name : "");
    frame->line = line;
}

/// Levels of the stack; asking for a level takes time in proportion to it.
static int stack_levels(lua_State *L)
{
    lua_Debug ar;
    int inside = 0, outside = 1;
    while (lua_getstack(L, outside, &ar)) {
        inside = outside;
        outside *= 2;
    }
    while (inside + 1 < outside) {
        int middle = inside + (outside - inside) / 2;
        if (lua_getstack(L, middle, &ar))
            inside = middle;
        else
            outside = middle;
    }
    return outside;
}

/// The innermost and the outermost places.
static void walk_stack(lua_State *L, pj_lang *lang)
{
    enum { INNER = 12, OUTER = 6 };
    lua_Debug ar;
    int levels = stack_levels(L);
    lang->frame_count = 0;
    for (int level = 0; level < levels; level++) {
        if (level == INNER && levels > INNER + OUTER)
            level = levels - OUTER;
        if (!lua_getstack(L, level, &ar))
            return;
        lua_getinfo(L, "Sln", &ar);
        if (*ar.what != 'C' && ar.currentline > 0)
            add_frame(lang, ar.short_src, ar.currentline, ar.name);
    }
}

static int text_of_error(lua_State *L)
{
    luaL_tolstring(L, 1, NULL);
    return 1;
}

int pj_lang_error_handler(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    lua_settop(L, 1);
    pj_str text;
    lua_pushcfunction(L, text_of_error);
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK)
        lua_pushliteral(L, "an error whose text cannot be made: its __tostring fails");
    text.at = lua_tolstring(L, -1, &text.len);
    if (pj_lang_ending(lang) && !lang->exiting && !pj_str_contains(text, PJ_S("interrupted")))
        text = PJ_S("interrupted"); // a library calls it a failure to read, or want of memory
    walk_stack(L, lang);
    lang->message.len = 0;
    pj_buf_add(&lang->message,
               without_place(text, lang->frame_count ? lang->frames[0].source : ""));
    add_global_hint(L, &lang->message);
    return 1;
}

/// The place at the start of a message that Lua's compiler or luaL_where made.
static bool read_place(pj_str message, char *source, size_t size, int *line)
{
    size_t at = 0;
    for (; at < message.len; at++) {
        size_t digits = at + 1;
        while (digits < message.len && message.at[digits] >= '0' && message.at[digits] <= '9')
            digits++;
        if (message.at[at] == ':' && digits > at + 1 && digits < message.len &&
            message.at[digits] == ':')
            break;
    }
    if (at == message.len)
        return false;
    snprintf(source, size, PJ_STR_FMT, (int)at, message.at);
    *line = (int)strtol(message.at + at + 1, NULL, 10);
    return true;
}

void pj_lang_error_syntax(pj_lang *lang, pj_str code)
{
    char source[64] = "";
    int line = 0;
    pj_str text = pj_str_of(lua_tostring(lang->L, -1));
    lang->message.len = 0;
    lang->frame_count = 0;
    if (read_place(text, source, sizeof source, &line))
        add_frame(lang, source, line, NULL);
    pj_buf_add(&lang->message, without_place(text, source));
    const char *hint = slip_hint(code, (unsigned)line);
    if (hint)
        pj_buf_addf(&lang->message, " (%s)", hint);
    lua_pop(lang->L, 1);
}

void pj_lang_error_undefined(pj_lang *lang, const char *source, pj_str before, pj_str name)
{
    int line = 1;
    for (size_t i = 0; i < before.len; i++)
        line += before.at[i] == '\n';
    lang->message.len = 0;
    lang->frame_count = 0;
    add_frame(lang, source, line, NULL);
    const char *near = pj_lang_error_nearest(lang->L, name);
    pj_buf_addf(&lang->message, "\"" PJ_STR_FMT "\" has no value%s%s%s", PJ_STR_ARG(name),
                near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static pj_str line_of(pj_str code, int line)
{
    pj_str text = {0};
    for (int i = 0; i < line; i++)
        text = pj_str_cut(&code, '\n');
    return pj_str_trim(text);
}

static pj_str source_of(lua_State *L, const char *name)
{
    pj_str code = {0};
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_SOURCES);
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, name);
        code.at = lua_tolstring(L, -1, &code.len);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return code;
}

static void append_line(json_t *traceback, pj_buf *line)
{
    json_array_append_new(traceback, pj_lang_json(pj_buf_str(line)));
    line->len = 0;
}

static json_t *traceback_of(pj_lang *lang, const char *ename)
{
    const char *red = lang->face->colour ? RED : "", *bold = lang->face->colour ? BOLD : "";
    const char *dim = lang->face->colour ? DIM : "", *plain = lang->face->colour ? PLAIN : "";
    json_t *traceback = json_array();
    pj_auto_buf line = {0};
    pj_buf_addf(&line, "%s%s%s: " PJ_STR_FMT, red, ename, plain,
                PJ_STR_ARG(pj_buf_str(&lang->message)));
    append_line(traceback, &line);
    for (unsigned i = 0; i < lang->frame_count; i++) {
        const pj_lang_frame *frame = &lang->frames[i];
        pj_buf_addf(&line, "  %s%s, line %d%s", bold, frame->source, frame->line, plain);
        if (frame->name[0])
            pj_buf_addf(&line, " in %s", frame->name);
        pj_str text = line_of(source_of(lang->L, frame->source), frame->line);
        if (text.len)
            pj_buf_addf(&line, ":  %s" PJ_STR_FMT "%s", dim, PJ_STR_ARG(text), plain);
        append_line(traceback, &line);
    }
    return traceback;
}

json_t *pj_lang_error_json(pj_lang *lang, const char *ename)
{
    pj_auto_buf value = {0};
    if (lang->frame_count)
        pj_buf_addf(&value, "%s:%d: ", lang->frames[0].source, lang->frames[0].line);
    pj_buf_add(&value, pj_buf_str(&lang->message));
    return json_pack("{s:s, s:o, s:o}", "ename", ename, "evalue", pj_lang_json(pj_buf_str(&value)),
                     "traceback", traceback_of(lang, ename));
}
