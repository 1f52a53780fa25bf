// Shift-Tab: what stands at the cursor, or the call around it.
#include "kernel/lang_bind.h"
#include "kernel/lang_place.h"
#include "kernel/lang_widget.h"

#include "kernel/help.h"
#include "widgets/textlines.h"

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

/// A variable: its type and what it looks like.
static bool inspect_value(lua_State *L, const pj_lang_place *p, pj_buf *out)
{
    enum { MOST_BYTES = 4000 };
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
    pj_lang_text(L, -1);
    pj_buf_add(out, pj_str_head(pj_buf_str(&lang->text), MOST_BYTES));
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

static bool inspect_name(lua_State *L, const pj_lang_place *p, pj_buf *out)
{
    if (pj_str_equal(p->chain, PJ_S("widget")) && pj_lang_widget_help(p->word, out))
        return true;
    if (p->chain.len)
        return inspect_member(L, p, out) || inspect_value(L, p, out);
    if (is_own(L, p->word))
        return inspect_value(L, p, out);
    return pj_lang_help(pj_lang_of(L), p->word, out) || inspect_value(L, p, out);
}

bool pj_lang_explain(lua_State *L, pj_str topic, pj_buf *out)
{
    pj_lang_place p = pj_lang_place_at(topic, topic.len, true);
    bool name = p.chain.len || pj_str_equal(p.word, topic);
    return (name && inspect_name(L, &p, out)) || pj_lang_help(pj_lang_of(L), topic, out);
}

static bool inspect_line(pj_lang *lang, const pj_lang_place *p, pj_buf *out)
{
    pj_str name = pj_str_head(p->line, pj_str_find(p->line, ' '));
    const pj_command *command = pj_command_find(name, PJ_IN_BOTH);
    pj_str option = p->word;
    while (option.len && option.at[0] == '-')
        option = pj_str_from(option, 1);
    const pj_param *param = NULL;
    if (command && option.len < p->word.len)
        param = option.len == 1 ? pj_command_letter(command, option.at[0])
                                : pj_command_param(command, option);
    if (param) {
        pj_help_param(param, lang->session, out);
        return true;
    }
    return pj_lang_help(lang, p->word, out) || pj_lang_help(lang, name, out);
}

static int inspect(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    pj_buf *out = &lang->message;
    const pj_lang_place *p = lua_touserdata(L, 1);
    const pj_command *command = pj_command_find(p->callee, PJ_IN_LUA);
    bool found = false;
    if (p->line.at)
        found = inspect_line(lang, p, out);
    else if (p->chain.len)
        found = inspect_name(L, p, out);
    else if (p->word.len && command && p->in_table && pj_command_param(command, p->word))
        found = (pj_help_param(pj_command_param(command, p->word), lang->session, out), true);
    else if (p->word.len)
        found = p->in_string ? pj_lang_help(lang, p->word, out) : inspect_name(L, p, out);
    if (!found && p->callee.len && !p->line.at)
        found = pj_lang_help(lang, p->callee, out);
    lua_pushboolean(L, found);
    return 1;
}

json_t *pj_lang_inspect(pj_lang *lang, pj_str code, size_t cursor, int detail)
{
    (void)detail; // everything known is shown at once
    pj_lang_place p = pj_lang_place_at(code, pj_lang_place_byte(code, cursor), true);
    lang->message.len = 0;
    bool found = false;
    if (pj_lang_enter(lang, PJ_LANG_BRIEF)) {
        lua_State *L = lang->L;
        lua_settop(L, 0);
        lua_pushcfunction(L, inspect);
        lua_pushlightuserdata(L, &p);
        found = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1) && lang->message.len;
        lua_settop(L, 0);
        pj_lang_leave(lang);
    } else {
        found = pj_lang_help(lang, p.word.len ? p.word : p.callee, &lang->message);
    }
    if (!found)
        return json_pack("{s:b, s:{}, s:{}}", "found", 0, "data", "metadata");
    pj_str text = pj_str_trim(pj_buf_str(&lang->message));
    return json_pack("{s:b, s:{s:o}, s:{}}", "found", 1, "data", "text/plain", pj_lang_json(text),
                     "metadata");
}
