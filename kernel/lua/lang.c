// A Lua state for cells: life, globals, running one cell.
#include "kernel/command/session.h"
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_cell.h"
#include "kernel/lua/lang_lex.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stdlib.h>

/// The globals of cells: a copy of Lua's, so that modules keep the stock ones.
static void open_environment(lua_State *L)
{
    lua_newtable(L);
    int env = lua_gettop(L);
    lua_pushglobaltable(L);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_settable(L, env);
    }
    lua_pushvalue(L, env);
    lua_setfield(L, env, LUA_GNAME);
    // Behind them: the globals that modules define later.
    lua_newtable(L);
    lua_pushvalue(L, env + 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, env);
    lua_settop(L, env);
    pj_lang_bind_open(L);
    lua_setfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, PJ_LANG_SOURCES);
}

static pj_lang *new_lang(pj_lang_stage *stage, const pj_face *face, atomic_bool *stop)
{
    pj_lang *lang = pj_take_memory(sizeof *lang);
    *lang = (pj_lang){.stage = stage, .face = face, .stop = stop};
    pj_lang_io_attach(lang);
    pj_lang_stage_add(stage, lang);
    return lang;
}

/// Nothing catches errors yet: an interrupt that comes meanwhile waits for the first cell.
pj_lang *pj_lang_new(const pj_face *face, atomic_bool *stop)
{
    pj_lang_stage *stage = pj_lang_stage_new();
    pj_lang *lang = new_lang(stage, face, NULL);
    lang->L = stage->L;
    lang->session = pj_session_new(face, stop);
    lang->session->lang = lang;
    lang->session->render.colour = face->colour && !face->rich;
    luaL_openlibs(lang->L);
    pj_lang_file_open(lang->L);
    pj_lang_io_open(stage);
    pj_lang_match_open(lang->L);
    pj_lang_long_open(lang->L);
    if (face->rich)
        pj_lang_process_open(lang->L);
    pj_lang_enter(lang, PJ_LANG_PATIENT);
    pj_lang_guard_open(lang->L);
    pj_lang_value_open(lang->L);
    open_environment(lang->L);
    pj_lang_leave(lang);
    lang->stop = stop;
    return lang;
}

pj_lang *pj_lang_beside(pj_lang *first, const pj_face *face, atomic_bool *stop)
{
    pj_lang *lang = new_lang(first->stage, face, stop);
    lang->session = pj_session_beside(first->session, face, stop);
    lang->session->lang = lang;
    return lang;
}

void pj_lang_close(pj_lang *lang)
{
    atomic_store(&lang->closed, true);
    if (lang->stop)
        atomic_store(lang->stop, true);
}

void pj_lang_free(pj_lang *lang)
{
    if (!lang)
        return;
    pj_lang_enter(lang, PJ_LANG_URGENT);
    bool last = lang->L == lang->stage->L;
    if (!last)
        luaL_unref(lang->L, LUA_REGISTRYINDEX, lang->anchor);
    pj_session_end_sets(lang->session); // their functions are in the language
    pj_lang_leave(lang);
    pj_lang_stage_remove(lang->stage, lang);
    if (last)
        pj_lang_stage_free(lang->stage); // finalisers may still call verbs
    pj_session_free(lang->session);
    pj_lang_io_detach(lang);
    pj_lang_bundle_clear(lang);
    free(lang->texts);
    pj_buf_free(&lang->message);
    pj_buf_free(&lang->help);
    pj_buf_free(&lang->text);
    pj_buf_free(&lang->program);
    free(lang);
}

pj_session *pj_lang_session(pj_lang *lang)
{
    return lang->session;
}

void pj_lang_set_script(pj_lang *lang, const char *name, const char *const *args, size_t count)
{
    pj_lang_enter(lang, PJ_LANG_PATIENT);
    lua_State *L = lang->L;
    lang->script = true;
    lua_settop(L, 0);
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    lua_createtable(L, (int)count, 1);
    lua_pushstring(L, name);
    lua_rawseti(L, -2, 0);
    for (size_t i = 0; i < count; i++) {
        lua_pushstring(L, args[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "arg");
    lua_settop(L, 0);
    pj_lang_leave(lang);
}

/// What a protected call gets as its only argument.
typedef struct request {
    pj_str code;
    pj_cell_opts opts;
    bool aside; // an expression on the side: `ans` stays
    bool compiled;
    bool lined;
    pj_str name;    // when the last statement is a name that stands nowhere else in the cell
    size_t name_at; // its offset in the code
    bool undefined; // nothing has that name
} request;

static const char *chunk_name(const request *r)
{
    return r->opts.name ? r->opts.name : "cell";
}

/// Keeps the code for tracebacks, as far as the last cells go.
static void keep_source(lua_State *L, const char *name, pj_str code)
{
    enum { KEPT = 1000 };
    lua_Integer place = (lua_Integer)(pj_lang_of(L)->stage->source_count++ % KEPT) + 1;
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_SOURCES);
    if (lua_rawgeti(L, -1, place) == LUA_TSTRING) {
        lua_pushnil(L);
        lua_rawset(L, -3);
    } else {
        lua_pop(L, 1);
    }
    lua_pushstring(L, name);
    lua_rawseti(L, -2, place);
    lua_pushlstring(L, code.len ? code.at : "", code.len);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

/// How often a name stands in the code.
static unsigned count_name(pj_str code, pj_str name)
{
    unsigned count = 0;
    pj_lexer lexer = pj_lexer_of(code);
    for (pj_token t = pj_lexer_next(&lexer); t.kind != PJ_TOKEN_END; t = pj_lexer_next(&lexer))
        count += t.kind == PJ_TOKEN_NAME && pj_str_equal(t.text, name);
    return count;
}

/// A cell may ask for the value of a name; one that it says nothing else of should have one.
static void find_name(request *r, const pj_lang_cell *cell)
{
    if (!cell->count || cell->items[cell->count - 1].kind != PJ_STATEMENT_EXPRESSION)
        return;
    const pj_statement *last = &cell->items[cell->count - 1];
    pj_lexer lexer = pj_lexer_of(last->text);
    pj_token token = pj_lexer_next(&lexer);
    if (token.kind != PJ_TOKEN_NAME || token.text.len != last->text.len ||
        count_name(r->code, token.text) > 1 || pj_token_is(token, "ans"))
        return;
    r->name = token.text;
    r->name_at = last->at;
}

static void make_program(pj_lang *lang, request *r)
{
    pj_lang_cell cell;
    lang->program.len = 0;
    pj_lang_cell_cut(lang->L, r->code, &cell);
    r->lined = cell.lined;
    pj_lang_cell_program(&cell, r->code, !r->opts.silent, &lang->program);
    find_name(r, &cell);
    pj_lang_cell_free(&cell);
}

/// Whether a value says nothing to people: what io.write returns.
static bool is_stream(lua_State *L, int index)
{
    const luaL_Stream *stream = luaL_testudata(L, index, LUA_FILEHANDLE);
    const pj_lang *lang = pj_lang_of(L);
    return stream && (stream->f == lang->streams[1] || stream->f == lang->streams[2]);
}

/// What `...` is: the arguments of a script, as in Lua's own program.
static void push_arguments(lua_State *L)
{
    if (!pj_lang_of(L)->script)
        return;
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    lua_getfield(L, -1, "arg");
    lua_replace(L, -2);
    int table = lua_gettop(L), count = (int)lua_rawlen(L, table);
    luaL_checkstack(L, count, "too many arguments");
    for (int i = 1; i <= count; i++)
        lua_rawgeti(L, table, i);
    lua_remove(L, table);
}

static int run_cell(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    request *r = lua_touserdata(L, 1);
    lua_settop(L, 0);
    keep_source(L, chunk_name(r), r->code);
    const char *chunk = lua_pushfstring(L, "=%s", chunk_name(r));
    make_program(lang, r);
    pj_str program = pj_buf_str(&lang->program);
    if (luaL_loadbufferx(L, program.len ? program.at : "", program.len, chunk, "t") != LUA_OK) {
        pj_lang_error_syntax(lang, r->code);
        return 0;
    }
    r->compiled = true;
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    lua_setupvalue(L, -2, 1);
    lua_remove(L, 1);
    if (r->lined) {
        lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_LINES);
        lua_call(L, 1, 1);
    }
    push_arguments(L);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    if (pj_lang_ending(lang))
        return pj_lang_guard_raise(L); // it came where no error goes through: a finaliser
    int count = lua_gettop(L);
    r->undefined = r->name.len && count == 1 && lua_isnil(L, 1);
    if (r->undefined)
        pj_lang_error_undefined(lang, chunk_name(r), pj_str_head(r->code, r->name_at), r->name);
    if (count == 0 || (count == 1 && (lua_isnil(L, 1) || is_stream(L, 1))))
        return 0;
    if (!r->aside) {
        lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
        lua_pushliteral(L, "ans");
        lua_pushvalue(L, 1);
        lua_rawset(L, -3);
        lua_pop(L, 1);
    }
    pj_lang_show(L, 1);
    return 0;
}

static pj_outcome failed(pj_lang *lang, const char *ename)
{
    bool stopped = lang->stop && atomic_load(lang->stop);
    if (stopped)
        ename = "KeyboardInterrupt";
    else if (lang->exiting)
        ename = "SystemExit";
    return (pj_outcome){.stopped = stopped,
                        .exited = !stopped && lang->exiting,
                        .exit_status = lang->exit_status,
                        .error = pj_lang_error_json(lang, ename)};
}

void pj_lang_ready(pj_lang *lang)
{
    if (!lang->stop)
        return;
    atomic_store(lang->stop, false);
    if (atomic_load(&lang->closed))
        atomic_store(lang->stop, true);
}

/// The library reports what it could not allocate as an ordinary error.
static bool ran_short(const pj_lang *lang, int status)
{
    return status == LUA_ERRRUN &&
           pj_str_equal(pj_buf_str(&lang->message), PJ_S("not enough memory"));
}

static pj_outcome run_request(pj_lang *lang, request *r)
{
    pj_lang_enter(lang, PJ_LANG_PATIENT);
    lua_State *L = lang->L;
    lang->exiting = false;
    lang->running = NULL;
    lang->input_err = (pj_err){0};
    snprintf(lang->owner, sizeof lang->owner, "%s", r->opts.owner ? r->opts.owner : "");
    if (lang->owner[0])
        pj_lang_widgets_close_owner(lang, lang->owner);
    pj_lang_bundle_clear(lang);
    lua_settop(L, 0);
    lua_pushcfunction(L, pj_lang_error_handler);
    lua_pushcfunction(L, run_cell);
    lua_pushlightuserdata(L, r);
    int status = lua_pcall(L, 1, 0, 1);
    lua_settop(L, 0);
    bool short_of_memory = status == LUA_ERRMEM || ran_short(lang, status);
    if (short_of_memory)
        pj_lang_memory_explain(lang, status == LUA_ERRMEM);
    pj_outcome outcome = {.ok = true, .data = lang->data, .metadata = lang->metadata};
    if (!r->compiled)
        outcome = failed(lang, "SyntaxError");
    else if (status != LUA_OK)
        outcome = failed(lang, short_of_memory ? "MemoryError" : "Error");
    else if (r->undefined)
        outcome = failed(lang, "NameError");
    else
        lang->data = lang->metadata = NULL;
    lang->owner[0] = 0;
    pj_lang_note_names(lang);
    if (!r->aside)
        pj_lang_memory_trim(lang->stage);
    pj_lang_leave(lang);
    return outcome;
}

/// Editors put a byte order mark before UTF-8, which is no text.
static pj_str without_mark(pj_str code)
{
    const pj_str mark = PJ_S("\xef\xbb\xbf");
    return pj_str_starts(code, mark) ? pj_str_from(code, mark.len) : code;
}

pj_outcome pj_lang_run(pj_lang *lang, pj_str code, pj_cell_opts opts)
{
    request r = {.code = without_mark(code), .opts = opts};
    return run_request(lang, &r);
}

json_t *pj_lang_expression(pj_lang *lang, pj_str code)
{
    request r = {.code = code, .opts = {.name = "expression"}, .aside = true};
    pj_outcome outcome = run_request(lang, &r);
    json_t *reply = NULL;
    if (outcome.ok) {
        reply = json_pack("{s:s, s:o, s:o}", "status", "ok", "data",
                          outcome.data ? json_incref(outcome.data) : json_object(), "metadata",
                          outcome.metadata ? json_incref(outcome.metadata) : json_object());
    } else {
        reply = json_incref(outcome.error);
        json_object_set_new(reply, "status", json_string("error"));
    }
    pj_outcome_clear(&outcome);
    return reply;
}

json_t *pj_lang_is_complete(pj_lang *lang, pj_str code)
{
    enum { INDENT = 4, DEEPEST = 20 };
    pj_lang_cell cell;
    if (!pj_lang_enter(lang, PJ_LANG_BRIEF))
        return json_pack("{s:s}", "status", "unknown");
    pj_lang_cell_cut(lang->L, without_mark(code), &cell);
    pj_lang_leave(lang);
    bool broken = cell.count && cell.items[cell.count - 1].kind == PJ_STATEMENT_BROKEN;
    const char *status = cell.incomplete ? "incomplete" : broken ? "invalid" : "complete";
    json_t *reply = json_pack("{s:s}", "status", status);
    if (cell.incomplete) {
        int depth = cell.depth < 0 ? 0 : cell.depth > DEEPEST ? DEEPEST : cell.depth;
        char indent[INDENT * DEEPEST + 1];
        snprintf(indent, sizeof indent, "%*s", INDENT * depth, "");
        json_object_set_new(reply, "indent", json_string(indent));
    }
    pj_lang_cell_free(&cell);
    return reply;
}

void pj_outcome_clear(pj_outcome *outcome)
{
    json_decref(outcome->data);
    json_decref(outcome->metadata);
    json_decref(outcome->error);
    *outcome = (pj_outcome){0};
}
