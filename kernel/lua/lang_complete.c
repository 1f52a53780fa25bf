// Tab: what may stand at the cursor, from the rows of commands, the types of objects, the files
// and the living values.
#include "kernel/command/command.h"
#include "kernel/command/help.h"
#include "kernel/command/session.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_lex.h"
#include "kernel/lua/lang_place.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_type.h"
#include "kernel/lua/lang_value.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run_table.h"
#include "metrics/table/table.h"
#include "widgets/ipy/traits.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

/// Offers a match that continues the word; front ends have icons for the kinds "function",
/// "method", "property", "instance", "keyword", "param", "value", "path", "magic".
static json_t *add_text(pj_lang *lang, pj_str word, const char *kind, pj_str match)
{
    if (!match.len || !pj_str_starts(match, word))
        return NULL;
    json_t *offer = json_pack("{s:o, s:s}", "text", pj_lang_json(match), "type", kind);
    json_array_append_new(lang->matches, offer);
    return offer;
}

static json_t *add(pj_lang *lang, pj_str word, const char *kind, const char *match)
{
    return add_text(lang, word, kind, pj_str_of(match));
}

/// The arguments of "name(a, b)" or ":name(a)", behind the name.
static void sign(json_t *offer, const char *usage)
{
    const char *arguments = usage ? strpbrk(usage, "({") : NULL;
    if (offer && arguments)
        json_object_set_new(offer, "signature", json_string(arguments));
}

static void add_command(pj_lang *lang, pj_str word, const char *kind, const pj_command *command)
{
    pj_auto_buf usage = {0};
    pj_help_signature(command, &usage);
    sign(add(lang, word, kind, command->name), usage.at);
}

static void add_member(pj_lang *lang, pj_str word, const pj_lang_member *m)
{
    sign(add(lang, word, m->property ? "property" : "method", m->name), m->usage);
}

/// Files and folders that continue the path `word`.
static void add_files(pj_lang *lang, pj_str word)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    size_t slash = pj_str_find_last(word, '/');
    pj_str folder = slash < word.len ? pj_str_head(word, slash + 1) : (pj_str){0};
    pj_str begin = pj_str_from(word, folder.len);
    DIR *dir = opendir(folder.len ? pj_arena_text(arena, folder) : ".");
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        pj_str name = pj_str_of(entry->d_name);
        bool hidden = entry->d_name[0] == '.' && !(begin.len && begin.at[0] == '.');
        if (hidden || !pj_str_starts(name, begin))
            continue;
        struct stat info;
        const char *path =
            pj_arena_format(arena, PJ_STR_FMT "%s", PJ_STR_ARG(folder), entry->d_name);
        bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
        add(lang, word, "path", is_folder ? pj_arena_format(arena, "%s/", path) : path);
    }
    closedir(dir);
}

static void add_metric_keys(pj_lang *lang, pj_str word)
{
    const char *key;
    for (size_t i = 0; (key = pj_session_metric_key(lang->session, i)); i++)
        add(lang, word, "property", key);
}

static void add_columns(pj_lang *lang, pj_str word)
{
    const pj_column *column;
    for (size_t i = 0; (column = pj_run_table_stats_column(i)); i++)
        add(lang, word, "property", column->key);
}

/// Valid values of a parameter.
static void add_values(pj_lang *lang, const pj_param *param, pj_str word)
{
    const char *valid;
    for (size_t i = 0; (valid = pj_param_choice(param, lang->session, i)); i++)
        add(lang, word, "value", valid);
    for (size_t i = 0; param->offers && (valid = param->offers(lang->session, i)); i++)
        add(lang, word, "property", valid);
    if (param->files || param->type == PJ_PARAM_PATH || param->type == PJ_PARAM_INPUTS)
        add_files(lang, word);
}

static void add_options(pj_lang *lang, const pj_command *command, const char *before,
                        const char *after, pj_str word)
{
    pj_param p;
    pj_auto_buf text = {0};
    bool lua = *before == 0;
    for (size_t index = 0; pj_command_param_at(command, index, &p); index++) {
        if (!lua && (p.place & PJ_IN_SHELL))
            continue;
        text.len = 0;
        pj_buf_addf(&text, "%s%s%s", before, lua && p.lua ? p.lua : p.name, after);
        for (size_t i = 0; lua && i < text.len; i++)
            text.at[i] = text.at[i] == '-' ? '_' : text.at[i];
        add_text(lang, word, "param", pj_buf_str(&text));
    }
}

/// Whether the last word of a command is the value of an option, and of which.
static bool option_before(const pj_command *command, pj_str line, pj_str word, pj_param *option)
{
    pj_str rest = pj_str_head(line, line.len - word.len);
    if (pj_str_ends(rest, PJ_S("=")))
        rest = pj_str_head(rest, rest.len - 1);
    rest = pj_str_trim(rest);
    size_t at = rest.len;
    while (at > 0 && rest.at[at - 1] != ' ' && rest.at[at - 1] != '\t')
        at--;
    pj_str last = pj_str_from(rest, at);
    bool known = false;
    if (pj_str_starts(last, PJ_S("--")))
        known = pj_command_param(command, pj_str_from(last, 2), option);
    else if (last.len == 2 && last.at[0] == '-')
        known = pj_command_letter(command, last.at[1], option);
    return known && option->type != PJ_PARAM_FLAG;
}

static void complete_line(pj_lang *lang, const pj_lang_place *p)
{
    pj_param q;
    pj_str line = p->line, name = pj_str_head(line, pj_str_find(line, ' '));
    const pj_command *command;
    if (name.len == line.len) {
        for (size_t i = 0; (command = pj_command_at(i)); i++)
            if (command->faces & PJ_IN_LUA)
                add_command(lang, p->word, "magic", command);
        return;
    }
    command = pj_command_find(name, PJ_IN_LUA);
    if (!command)
        return;
    if (option_before(command, line, p->word, &q)) {
        add_values(lang, &q, p->word);
    } else if (pj_str_starts(p->word, PJ_S("-"))) {
        add_options(lang, command, "--", "", p->word);
    } else {
        for (size_t index = 0; pj_command_param_at(command, index, &q); index++)
            if (q.place & PJ_IN_SHELL)
                add_values(lang, &q, p->word);
    }
}

/// "(a, b, ...)" of a function of Lua; nothing of those in C, which do not know.
static void sign_function(lua_State *L, json_t *offer)
{
    lua_Debug ar;
    if (!offer || lua_iscfunction(L, -1))
        return;
    lua_pushvalue(L, -1);
    if (!lua_getinfo(L, ">u", &ar))
        return;
    pj_auto_buf list = {0};
    pj_buf_puts(&list, "(");
    for (int i = 1; i <= ar.nparams; i++)
        pj_buf_addf(&list, "%s%s", i > 1 ? ", " : "", lua_getlocal(L, NULL, i));
    pj_buf_addf(&list, "%s)", !ar.isvararg ? "" : ar.nparams ? ", ..." : "...");
    json_object_set_new(offer, "signature", json_string(list.at));
}

/// The key below the value on top of the stack; verbs know their arguments.
static void add_key(lua_State *L, pj_str word)
{
    const char *key = lua_tostring(L, -2);
    pj_lang *lang = pj_lang_of(L);
    json_t *offer = add(lang, word, lua_isfunction(L, -1) ? "function" : "instance", key);
    if (!offer || !lua_isfunction(L, -1))
        return;
    const pj_command *command = pj_command_find(pj_str_of(key), PJ_IN_LUA);
    pj_auto_buf usage = {0};
    if (command)
        pj_help_signature(command, &usage);
    sign(offer, usage.at);
    for (const pj_lang_member *v = pj_lang_verbs; v->name; v++)
        if (lua_tocfunction(L, -1) == v->call)
            sign(offer, v->usage);
    sign_function(L, offer);
}

static void add_keys(lua_State *L, int table, pj_str word)
{
    lua_pushnil(L);
    while (lua_next(L, table)) {
        if (lua_type(L, -2) == LUA_TSTRING)
            add_key(L, word);
        lua_pop(L, 1);
    }
}

static void add_members(lua_State *L, const pj_lang_object *object, const pj_lang_place *p)
{
    const pj_lang_member *m;
    const char *name;
    pj_lang *lang = pj_lang_of(L);
    for (size_t i = 0; (m = pj_lang_member_at(object->type, i)); i++)
        if (m->property == (p->link == '.'))
            add_member(lang, p->word, m);
    for (size_t i = 0;
         p->link == '.' && object->type->field_at && (name = object->type->field_at(object, i));
         i++)
        add(lang, p->word, "property", name);
}

/// Pushes the value of "a.b[1]": names, indices, nothing that calls.
bool pj_lang_chain_push(lua_State *L, pj_str chain)
{
    pj_lexer lexer = pj_lexer_of(chain);
    for (pj_token t = pj_lexer_next(&lexer); t.kind != PJ_TOKEN_END; t = pj_lexer_next(&lexer)) {
        bool harmless = t.kind == PJ_TOKEN_NAME || t.kind == PJ_TOKEN_NUMBER ||
                        t.kind == PJ_TOKEN_STRING || pj_token_is(t, ".") || pj_token_is(t, "[") ||
                        pj_token_is(t, "]");
        if (!harmless)
            return false;
    }
    luaL_Buffer code;
    luaL_buffinit(L, &code);
    luaL_addstring(&code, "return ");
    luaL_addlstring(&code, chain.at, chain.len);
    luaL_pushresult(&code);
    size_t len;
    const char *text = lua_tolstring(L, -1, &len);
    if (luaL_loadbufferx(L, text, len, "=chain", "t") != LUA_OK)
        return false;
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    lua_setupvalue(L, -2, 1);
    return lua_pcall(L, 0, 1, 0) == LUA_OK;
}

/// Columns or metrics of the object that a method is called on; of any when it is not known.
static void add_fields(lua_State *L, const pj_lang_place *p)
{
    pj_lang *lang = pj_lang_of(L);
    bool known = p->owner.len && pj_lang_chain_push(L, p->owner);
    const pj_lang_object *object = known ? pj_lang_object_at(L, -1) : NULL;
    if (!object || !object->type->field_at) {
        add_columns(lang, p->word);
        add_metric_keys(lang, p->word);
        return;
    }
    const char *name;
    for (size_t i = 0; (name = object->type->field_at(object, i)); i++)
        add(lang, p->word, "property", name);
}

/// Whether a method takes names of columns or metrics, as its usage says.
static bool names_fields(const char *usage)
{
    return strstr(usage, "KEY") || strstr(usage, "METRIC") || strstr(usage, "TEST");
}

/// Whether one of this name does, of any type.
static bool takes_fields(pj_str method)
{
    const pj_lang_type *type;
    const pj_lang_member *m;
    for (size_t t = 0; (type = pj_lang_type_at(t)); t++)
        for (size_t i = 0; (m = pj_lang_member_at(type, i)); i++)
            if (m->usage && pj_str_equal(pj_str_of(m->name), method) && names_fields(m->usage))
                return true;
    return false;
}

static void complete_string(lua_State *L, const pj_lang_place *p)
{
    pj_lang *lang = pj_lang_of(L);
    const pj_command *command = p->method ? NULL : pj_command_find(p->callee, PJ_IN_LUA);
    pj_param q;
    if (command && p->option.len && pj_command_param(command, p->option, &q)) {
        add_values(lang, &q, p->word);
        return;
    }
    for (size_t index = 0; command && pj_command_param_at(command, index, &q); index++)
        if (q.place & PJ_IN_LUA)
            add_values(lang, &q, p->word);
    if (command)
        return;
    if (p->method && takes_fields(p->callee))
        add_fields(L, p);
    else
        add_files(lang, p->word);
}

/// Behind a call: what it gives is not known before it runs, but most methods give tables.
static void add_likely_methods(pj_lang *lang, const pj_lang_place *p)
{
    for (const pj_lang_member *m = pj_lang_table_methods; p->link == ':' && m->name; m++)
        add_member(lang, p->word, m);
}

/// Fields and methods of the widget on top of the stack; false when it is none.
static bool add_widget_members(lua_State *L, const pj_lang_place *p)
{
    const pj_model *model = pj_lang_widget_model(L, -1);
    pj_lang *lang = pj_lang_of(L);
    const char *name;
    for (size_t i = 0; model && p->link == '.' && (name = pj_lang_widget_field(model, i)); i++)
        add(lang, p->word, "property", name);
    for (const pj_lang_member *m = pj_lang_widget_methods; p->link == ':' && model && m->name; m++)
        add_member(lang, p->word, m);
    return model;
}

/// widget.Button{des|
static void add_widget_fields(pj_lang *lang, const pj_lang_place *p)
{
    const pj_model *model = pj_lang_widget_model_named(p->callee);
    const char *name;
    pj_auto_buf text = {0};
    for (size_t i = 0; model && (name = pj_lang_widget_field(model, i)); i++) {
        text.len = 0;
        pj_buf_addf(&text, "%s = ", name);
        add_text(lang, p->word, "param", pj_buf_str(&text));
    }
}

static void complete_member(lua_State *L, const pj_lang_place *p)
{
    if (!p->chain.len)
        add_likely_methods(pj_lang_of(L), p);
    if (!p->chain.len || !pj_lang_chain_push(L, p->chain))
        return;
    const pj_lang_object *object = pj_lang_object_at(L, -1);
    if (object) {
        add_members(L, object, p);
        return;
    }
    if (add_widget_members(L, p))
        return;
    if (lua_istable(L, -1))
        add_keys(L, lua_gettop(L), p->word);
    if (luaL_getmetafield(L, -1, "__index") == LUA_TTABLE)
        add_keys(L, lua_gettop(L), p->word);
}

/// Names that the cell declares: after `local`, `function`, `for`, as far as commas go.
static void add_locals(pj_lang *lang, const pj_lang_place *p)
{
    pj_lexer lexer = pj_lexer_of(p->before);
    bool declares = false;
    for (pj_token t = pj_lexer_next_code(&lexer); t.kind != PJ_TOKEN_END;
         t = pj_lexer_next_code(&lexer)) {
        bool starts =
            pj_token_is(t, "local") || pj_token_is(t, "for") || pj_token_is(t, "function");
        bool goes_on = pj_token_is(t, ",") || pj_token_is(t, "(") || t.kind == PJ_TOKEN_NAME;
        declares = starts || (declares && goes_on);
        bool itself = t.at + t.text.len == p->before.len;
        if (declares && t.kind == PJ_TOKEN_NAME && !itself)
            add_text(lang, p->word, "instance", t.text);
    }
}

static void complete_name(lua_State *L, const pj_lang_place *p)
{
    pj_lang *lang = pj_lang_of(L);
    const pj_command *command = pj_command_find(p->callee, PJ_IN_LUA);
    if (command && p->in_table && !p->option.len)
        add_options(lang, command, "", " = ", p->word);
    if (p->in_table && !p->option.len && pj_str_equal(p->owner, PJ_S("widget")))
        add_widget_fields(lang, p);
    for (size_t i = 0; pj_lang_keyword(i); i++)
        add(lang, p->word, "keyword", pj_lang_keyword(i));
    add_locals(lang, p);
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    add_keys(L, lua_gettop(L), p->word);
}

static int collect(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    const pj_lang_place *p = lua_touserdata(L, 1);
    if (p->in_comment)
        return 0;
    if (p->line.at)
        complete_line(lang, p);
    else if (p->in_string)
        complete_string(L, p);
    else if (p->link)
        complete_member(L, p);
    else
        complete_name(L, p);
    return 0;
}

static const char *text_of(const json_t *offer)
{
    return json_string_value(json_object_get(offer, "text"));
}

static int by_text(const void *a, const void *b)
{
    const json_t *const *x = a, *const *y = b;
    return strcmp(text_of(*x), text_of(*y));
}

/// Sorted, each text once. Takes `offers`.
static json_t *sorted_take(json_t *offers)
{
    size_t count = json_array_size(offers);
    json_t **items = pj_take_memory((count + 1) * sizeof(json_t *));
    for (size_t i = 0; i < count; i++)
        items[i] = json_array_get(offers, i);
    qsort(items, count, sizeof *items, by_text);
    json_t *result = json_array();
    for (size_t i = 0; i < count; i++)
        if (i == 0 || by_text(&items[i], &items[i - 1]) != 0)
            json_array_append(result, items[i]);
    free(items);
    json_decref(offers);
    return result;
}

/// The reply of sorted offers for the code points start..end. Takes `offers`.
static json_t *reply_take(json_t *offers, size_t start, size_t end)
{
    size_t i;
    json_t *offer, *matches = json_array();
    json_array_foreach(offers, i, offer)
    {
        json_array_append(matches, json_object_get(offer, "text"));
        json_object_set_new(offer, "start", json_integer((json_int_t)start));
        json_object_set_new(offer, "end", json_integer((json_int_t)end));
    }
    return json_pack("{s:o, s:I, s:I, s:{s:o}}", "matches", matches, "cursor_start",
                     (json_int_t)start, "cursor_end", (json_int_t)end, "metadata",
                     "_jupyter_types_experimental", offers);
}

void pj_lang_note_names(pj_lang *lang)
{
    enum { MOST = 2000 };
    lua_State *L = lang->L;
    json_t *names = json_array();
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (lua_type(L, -2) == LUA_TSTRING && json_array_size(names) < MOST)
            json_array_append_new(names, json_string(lua_tostring(L, -2)));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    pthread_mutex_lock(&lang->stage->lock);
    json_t *before = lang->stage->names;
    lang->stage->names = names;
    pthread_mutex_unlock(&lang->stage->lock);
    json_decref(before);
}

static void add_noted_names(pj_lang *lang, pj_str word)
{
    pthread_mutex_lock(&lang->stage->lock);
    json_t *names = json_incref(lang->stage->names);
    pthread_mutex_unlock(&lang->stage->lock);
    for (size_t i = 0; i < json_array_size(names); i++)
        add(lang, word, "instance", json_string_value(json_array_get(names, i)));
    json_decref(names);
}

/// While a call of C keeps the stage: what is known without Lua.
static void add_known(pj_lang *lang, const pj_lang_place *p)
{
    const pj_command *command;
    if (p->in_comment || p->in_string || p->link)
        return;
    if (p->line.at) {
        complete_line(lang, p);
        return;
    }
    for (size_t i = 0; pj_lang_keyword(i); i++)
        add(lang, p->word, "keyword", pj_lang_keyword(i));
    for (size_t i = 0; (command = pj_command_at(i)); i++)
        if (command->faces & PJ_IN_LUA)
            add_command(lang, p->word, "function", command);
    for (const pj_lang_member *v = pj_lang_verbs; v->name; v++)
        sign(add(lang, p->word, "function", v->name), v->usage);
    add_locals(lang, p);
    add_noted_names(lang, p->word);
}

json_t *pj_lang_complete(pj_lang *lang, pj_str code, size_t cursor)
{
    size_t at = pj_lang_place_byte(code, cursor);
    pj_lang_place p = pj_lang_place_at(code, at, false);
    lang->matches = json_array();
    if (pj_lang_enter(lang, PJ_LANG_BRIEF)) {
        lua_settop(lang->L, 0);
        lua_pushcfunction(lang->L, collect);
        lua_pushlightuserdata(lang->L, &p);
        lua_pcall(lang->L, 1, 0, 0);
        lua_settop(lang->L, 0);
        pj_lang_leave(lang);
    } else {
        add_known(lang, &p);
    }
    size_t end = pj_lang_place_points(pj_str_head(code, at));
    json_t *offers = sorted_take(lang->matches);
    lang->matches = NULL;
    return reply_take(offers, end - pj_lang_place_points(p.word), end);
}
