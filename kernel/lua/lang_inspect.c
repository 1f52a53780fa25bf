// Shift-Tab: what stands at the cursor, or the call around it.
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_place.h"
#include "kernel/lua/objects/lang_widget.h"

#include "kernel/command/command.h"
#include "kernel/command/help.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/textlines.h"

/// Help on a member of the object before the link.
static bool inspect_member(lua_State *L, const pj_lang_place *p, pj_buf *out)
{
    if (!pj_lang_chain_push(L, p->chain))
        return false;
    if (pj_lang_widget_inspect(L, -1, p->word, out))
        return true;
    const pj_lang_object *object = pj_lang_object_at(L, -1);
    const pj_lang_member *m;
    for (size_t i = 0; object && (m = pj_lang_member_at(object->type, i)); i++) {
        if (!pj_str_equal(pj_str_of(m->name), p->word))
            continue;
        pj_buf_addf(out, "%s%s%s\n\n", object->type->name, m->property ? "." : "",
                    m->property ? m->name : m->usage);
        pj_textlines_wrap(out, "", pj_str_of(m->help), PJ_HELP_COLUMNS);
        return true;
    }
    return object && pj_lang_help(pj_lang_of(L), p->word, out);
}

/// Where the function on top of the stack was written, and with `whole` its lines.
static void add_source(lua_State *L, bool whole, pj_buf *out)
{
    lua_Debug ar;
    lua_pushvalue(L, -1);
    if (!lua_getinfo(L, ">S", &ar) || ar.linedefined < 1)
        return;
    pj_buf_addf(out, "%s, line %d\n", ar.short_src, ar.linedefined);
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_SOURCES);
    pj_str code = {0};
    if (lua_istable(L, -1) && lua_getfield(L, -1, ar.short_src) == LUA_TSTRING)
        code.at = lua_tolstring(L, -1, &code.len);
    for (int line = 1; code.len && line <= ar.lastlinedefined; line++) {
        pj_str text = pj_str_cut(&code, '\n');
        if (line < ar.linedefined || (!whole && line > ar.linedefined))
            continue;
        pj_buf_add(out, text);
        pj_buf_add_char(out, '\n');
    }
}

/// A variable: its type and what it looks like; the start of it unless `whole`.
static bool inspect_value(lua_State *L, const pj_lang_place *p, bool whole, pj_buf *out)
{
    enum { SHORT_BYTES = 800, MOST_BYTES = 16000 };
    pj_lang *lang = pj_lang_of(L);
    luaL_Buffer chain;
    luaL_buffinit(L, &chain);
    luaL_addlstring(&chain, p->chain.len ? p->chain.at : "", p->chain.len);
    luaL_addlstring(&chain, p->chain.len ? "." : "", p->chain.len ? 1 : 0);
    luaL_addlstring(&chain, p->word.at, p->word.len);
    luaL_pushresult(&chain);
    pj_str text;
    text.at = lua_tolstring(L, -1, &text.len);
    if (!text.len || !pj_lang_chain_push(L, text) || lua_isnil(L, -1))
        return false;
    const pj_lang_object *object = pj_lang_object_at(L, -1);
    pj_buf_addf(out, PJ_STR_FMT ": %s\n", PJ_STR_ARG(text),
                object ? object->type->name : luaL_typename(L, -1));
    if (lua_isfunction(L, -1) && !lua_iscfunction(L, -1)) {
        add_source(L, whole, out);
        return true;
    }
    pj_lang_text(L, -1);
    pj_str shown = pj_buf_str(&lang->text);
    size_t most = whole ? MOST_BYTES : SHORT_BYTES;
    pj_buf_add(out, pj_str_head(shown, pj_utf8_whole(pj_str_head(shown, most))));
    pj_buf_puts(out, shown.len > most ? "\u2026" : "");
    return true;
}

/// Whether a name is a variable of the user: the verbs are functions of C.
static bool is_own(lua_State *L, pj_str name)
{
    bool own = !pj_str_equal(name, PJ_S("widget")) && pj_lang_chain_push(L, name) &&
               !lua_isnil(L, -1) && !lua_iscfunction(L, -1);
    lua_settop(L, 1);
    return own;
}

static bool inspect_name(lua_State *L, const pj_lang_place *p, bool whole, pj_buf *out)
{
    if (pj_str_equal(p->chain, PJ_S("widget")) && pj_lang_widget_help(p->word, out))
        return true;
    if (p->chain.len)
        return inspect_member(L, p, out) || inspect_value(L, p, whole, out);
    if (is_own(L, p->word))
        return inspect_value(L, p, whole, out);
    return pj_lang_help(pj_lang_of(L), p->word, out) || inspect_value(L, p, whole, out);
}

bool pj_lang_explain(lua_State *L, pj_str topic, pj_buf *out)
{
    pj_lang_place p = pj_lang_place_at(topic, topic.len, true);
    bool name = p.chain.len || pj_str_equal(p.word, topic);
    return (name && inspect_name(L, &p, false, out)) || pj_lang_help(pj_lang_of(L), topic, out);
}

static bool inspect_line(pj_lang *lang, const pj_lang_place *p, pj_buf *out)
{
    pj_str name = pj_str_head(p->line, pj_str_find(p->line, ' '));
    const pj_command *command = pj_command_find(name, PJ_IN_BOTH);
    pj_str option = p->word;
    while (option.len && option.at[0] == '-')
        option = pj_str_from(option, 1);
    pj_param param;
    if (command && option.len < p->word.len &&
        (option.len == 1 ? pj_command_letter(command, option.at[0], &param)
                         : pj_command_param(command, option, &param))) {
        pj_help_param(&param, lang->session, out);
        return true;
    }
    return pj_lang_help(lang, p->word, out) || pj_lang_help(lang, name, out);
}

typedef struct question {
    pj_lang_place place;
    bool whole;
} question;

static int inspect(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    pj_buf *out = &lang->help;
    const question *asked = lua_touserdata(L, 1);
    const pj_lang_place *p = &asked->place;
    const pj_command *command = pj_command_find(p->callee, PJ_IN_LUA);
    bool found = false;
    pj_param param;
    if (p->line.at)
        found = inspect_line(lang, p, out);
    else if (p->chain.len)
        found = inspect_name(L, p, asked->whole, out);
    else if (p->word.len && command && p->in_table && pj_command_param(command, p->word, &param))
        found = (pj_help_param(&param, lang->session, out), true);
    else if (p->word.len)
        found =
            p->in_string ? pj_lang_help(lang, p->word, out) : inspect_name(L, p, asked->whole, out);
    if (!found && p->callee.len && !p->line.at)
        found = pj_lang_help(lang, p->callee, out);
    lua_pushboolean(L, found);
    return 1;
}

/// The text as it is, and with its first line as heading for front ends that show more.
static json_t *forms_of(pj_str text)
{
    pj_auto_buf markdown = {0}, html = {0};
    pj_str rest = text, head = pj_str_cut(&rest, '\n');
    rest = pj_str_trim(rest);
    pj_buf_addf(&markdown, "**`" PJ_STR_FMT "`**\n", PJ_STR_ARG(head));
    pj_buf_puts(&html, "<div><b><code>");
    pj_escape_html(&html, head);
    pj_buf_puts(&html, "</code></b>");
    if (rest.len) {
        pj_buf_addf(&markdown, "\n~~~~text\n" PJ_STR_FMT "\n~~~~\n", PJ_STR_ARG(rest));
        pj_buf_puts(&html, "<pre style=\"margin:6px 0 0\">");
        pj_escape_html(&html, rest);
        pj_buf_puts(&html, "</pre>");
    }
    pj_buf_puts(&html, "</div>");
    return json_pack("{s:o, s:o, s:o}", "text/plain", pj_lang_json(text), "text/markdown",
                     pj_lang_json(pj_buf_str(&markdown)), "text/html",
                     pj_lang_json(pj_buf_str(&html)));
}

json_t *pj_lang_inspect(pj_lang *lang, pj_str code, size_t cursor, int detail)
{
    question asked = {pj_lang_place_at(code, pj_lang_place_byte(code, cursor), true), detail > 0};
    const pj_lang_place *p = &asked.place;
    lang->help.len = 0;
    bool found = false;
    if (pj_lang_enter(lang, PJ_LANG_BRIEF)) {
        lua_State *L = lang->L;
        lua_settop(L, 0);
        lua_pushcfunction(L, inspect);
        lua_pushlightuserdata(L, &asked);
        found = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1) && lang->help.len;
        lua_settop(L, 0);
        pj_lang_leave(lang);
    } else {
        found = pj_lang_help(lang, p->word.len ? p->word : p->callee, &lang->help);
    }
    if (!found)
        return json_pack("{s:b, s:{}, s:{}}", "found", 0, "data", "metadata");
    return json_pack("{s:b, s:o, s:{}}", "found", 1, "data",
                     forms_of(pj_str_trim(pj_buf_str(&lang->help))), "metadata");
}
