// print, io and os.exit as scripts know them, going through the face: Lua's standard streams get
// a FILE whose bytes come from and go to it, so that the whole io library works unchanged.
#include "kernel/command/face.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <stdlib.h>

static ssize_t write_out(void *cookie, const char *bytes, size_t size)
{
    pj_lang *lang = cookie;
    pj_face_print(lang->face, PJ_STDOUT, (pj_str){bytes, size});
    return (ssize_t)size;
}

static ssize_t write_err(void *cookie, const char *bytes, size_t size)
{
    pj_lang *lang = cookie;
    pj_face_print(lang->face, PJ_STDERR, (pj_str){bytes, size});
    return (ssize_t)size;
}

static ssize_t read_in(void *cookie, char *bytes, size_t size)
{
    pj_lang *lang = cookie;
    if (lang->typed_at == lang->typed.len) {
        lang->typed.len = lang->typed_at = 0;
        lang->input_err = (pj_err){0};
        bool aside = pj_lang_step_aside(lang);
        bool typed = lang->face->input(lang->face->self, "", false, &lang->typed, &lang->input_err);
        pj_lang_step_back(lang, aside);
        if (!typed)
            return 0;
        pj_buf_add_char(&lang->typed, '\n');
    }
    size_t rest = lang->typed.len - lang->typed_at;
    size_t count = size < rest ? size : rest;
    memcpy(bytes, lang->typed.at + lang->typed_at, count);
    lang->typed_at += count;
    return (ssize_t)count;
}

void pj_lang_tostring(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TNUMBER || lua_isinteger(L, index)) {
        luaL_tolstring(L, index, NULL);
        return;
    }
    char text[40];
    size_t len = pj_format_double(lua_tonumber(L, index), text);
    text[len] = 0;
    bool whole = text[strspn(text, "-0123456789")] == 0;
    lua_pushfstring(L, whole ? "%s.0" : "%s", text);
}

static int to_string(lua_State *L)
{
    luaL_checkany(L, 1);
    pj_lang_tostring(L, 1);
    return 1;
}

static int print(lua_State *L)
{
    int count = lua_gettop(L);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    for (int i = 1; i <= count; i++) {
        if (i > 1)
            luaL_addchar(&text, '\t');
        pj_lang_tostring(L, i);
        luaL_addvalue(&text);
    }
    luaL_addchar(&text, '\n');
    luaL_pushresult(&text);
    pj_str line;
    line.at = lua_tolstring(L, -1, &line.len);
    const pj_lang *lang = pj_lang_of(L);
    pj_face_print(lang->face, PJ_STDOUT, line);
    return pj_lang_ending(lang) ? luaL_error(L, "interrupted") : 0;
}

static int read_end(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    pj_lang *lang = pj_lang_of(L);
    pj_err_code code = lang->input_err.code;
    lang->input_err.code = PJ_E_NONE;
    if (code == PJ_E_STOPPED || code == PJ_E_MISSING)
        return luaL_error(L, "%s", lang->input_err.text);
    return lua_gettop(L);
}

/// A read function of the io library that raises when nobody can answer.
static int read_guarded(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, read_end);
    return read_end(L, LUA_OK, 0);
}

/// The conversion of the directive that begins at `*at`, which moves behind it: "%-8s" gives 's'.
static char next_conversion(const char **at)
{
    const char *end = *at + 1 + strspn(*at + 1, "-+ #0123456789.");
    *at = end + (*end != 0);
    return *end;
}

int pj_lang_call_wrapped(lua_State *L, int count)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    if (lua_pcall(L, count, LUA_MULTRET, 0) == LUA_OK)
        return lua_gettop(L);
    if (lua_type(L, -1) == LUA_TSTRING) {
        lua_pushfstring(L, "to '%s'", lua_tostring(L, lua_upvalueindex(2)));
        luaL_gsub(L, lua_tostring(L, -2), "to '?'", lua_tostring(L, -1));
    }
    return lua_error(L);
}

/// A write function of the io library that writes floats as print does. An interrupt ends loops
/// that do little else than print.
static int write_exact(lua_State *L)
{
    int count = lua_gettop(L);
    for (int i = luaL_testudata(L, 1, LUA_FILEHANDLE) ? 2 : 1; i <= count; i++) {
        if (lua_type(L, i) != LUA_TNUMBER)
            luaL_checkstring(L, i);
        pj_lang_tostring(L, i);
        lua_replace(L, i);
    }
    int results = pj_lang_call_wrapped(L, count);
    return pj_lang_ending(pj_lang_of(L)) ? luaL_error(L, "interrupted") : results;
}

/// string.format whose %s writes floats as print does.
static int format_exact(lua_State *L)
{
    int count = lua_gettop(L), argument = 2;
    const char *at = luaL_checkstring(L, 1);
    while ((at = strchr(at, '%')) && argument <= count) {
        char conversion = next_conversion(&at);
        if (conversion == 's' && lua_type(L, argument) == LUA_TNUMBER) {
            pj_lang_tostring(L, argument);
            lua_replace(L, argument);
        }
        argument += conversion != '%';
    }
    return pj_lang_call_wrapped(L, count);
}

void pj_lang_wrap_field(lua_State *L, const char *name, lua_CFunction with)
{
    lua_getfield(L, -1, name);
    lua_pushstring(L, name);
    lua_pushcclosure(L, with, 2);
    lua_setfield(L, -2, name);
}

static int exit_cell(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    lang->exit_status = lua_isboolean(L, 1) ? !lua_toboolean(L, 1) : (int)luaL_optinteger(L, 1, 0);
    lang->exiting = true;
    if (lang->script)
        return luaL_error(L, "os.exit was called");
    return luaL_error(L, "os.exit ends programs, a notebook goes on: use the kernel's menu to "
                         "restart or shut down");
}

/// The stream's userdata, which stays for good.
static luaL_Stream *keep_stream(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    luaL_Stream *stream = luaL_checkudata(L, -1, LUA_FILEHANDLE);
    luaL_ref(L, LUA_REGISTRYINDEX);
    return stream;
}

static FILE *open_stream(pj_lang *lang, const char *mode, cookie_io_functions_t functions)
{
    FILE *file = fopencookie(lang, mode, functions);
    if (file && *mode == 'w')
        setvbuf(file, NULL, _IONBF, 0);
    return file;
}

void pj_lang_io_attach(pj_lang *lang)
{
    lang->streams[0] = open_stream(lang, "r", (cookie_io_functions_t){.read = read_in});
    lang->streams[1] = open_stream(lang, "w", (cookie_io_functions_t){.write = write_out});
    lang->streams[2] = open_stream(lang, "w", (cookie_io_functions_t){.write = write_err});
}

void pj_lang_io_open(pj_lang_stage *stage)
{
    static const char *const names[] = {"stdin", "stdout", "stderr"};
    lua_State *L = stage->L;
    lua_getglobal(L, LUA_IOLIBNAME);
    for (int i = 0; i < 3; i++)
        stage->streams[i] = keep_stream(L, names[i]);
    pj_lang_wrap_field(L, "read", read_guarded);
    pj_lang_wrap_field(L, "write", write_exact);
    lua_pop(L, 1);
    luaL_getmetatable(L, LUA_FILEHANDLE);
    lua_getfield(L, -1, "__index");
    pj_lang_wrap_field(L, "read", read_guarded);
    pj_lang_wrap_field(L, "write", write_exact);
    lua_pop(L, 2);
    lua_pushcfunction(L, print);
    lua_setglobal(L, "print");
    lua_pushcfunction(L, to_string);
    lua_setglobal(L, "tostring");
    lua_getglobal(L, LUA_STRLIBNAME);
    pj_lang_wrap_field(L, "format", format_exact);
    lua_pop(L, 1);
    lua_getglobal(L, LUA_OSLIBNAME);
    lua_pushcfunction(L, exit_cell);
    lua_setfield(L, -2, "exit");
    lua_pop(L, 1);
}

void pj_lang_io_detach(pj_lang *lang)
{
    for (int i = 0; i < 3; i++)
        if (lang->streams[i])
            fclose(lang->streams[i]);
    pj_buf_free(&lang->typed);
}
