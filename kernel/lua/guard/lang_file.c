// Files that cells open: pipes with names and devices may keep a reader waiting without end, so
// that every read and write looks at the interrupt first, and waits off the stage.
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 10 }; // at the interrupt

typedef struct source {
    pj_lang_stage *stage;
    int fd;
    bool waits; // it is no regular file
} source;

/// Whether the cell ends; the reason is left for who reads.
static bool is_interrupted(pj_lang *lang)
{
    if (!pj_lang_ending(lang))
        return false;
    pj_fail(&lang->input_err, PJ_E_STOPPED, NULL, 0, "interrupted");
    errno = EINTR;
    return true;
}

static bool again(ssize_t n)
{
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static ssize_t read_source(void *cookie, char *bytes, size_t size)
{
    const source *s = cookie;
    ssize_t n = -1;
    do {
        pj_lang *lang = s->stage->now;
        if (is_interrupted(lang) || (s->waits && !pj_lang_await_fd(lang, s->fd, POLLIN)))
            return -1;
        n = read(s->fd, bytes, size);
    } while (again(n));
    return n;
}

/// What was written to a file and lies in its buffer goes there also when the cell ends.
static ssize_t write_source(void *cookie, const char *bytes, size_t size)
{
    const source *s = cookie;
    size_t done = 0;
    while (done < size) {
        if (s->waits && !pj_lang_await_fd(s->stage->now, s->fd, POLLOUT))
            break;
        ssize_t n = write(s->fd, bytes + done, size - done);
        if (n < 0 && !again(n))
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)done;
}

static int seek_source(void *cookie, off64_t *offset, int whence)
{
    const source *s = cookie;
    off64_t place = lseek(s->fd, *offset, whence);
    if (place < 0)
        return -1;
    *offset = place;
    return 0;
}

static int close_source(void *cookie)
{
    source *s = cookie;
    int result = close(s->fd);
    free(s);
    return result;
}

static int close_file(lua_State *L)
{
    const luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    return luaL_fileresult(L, fclose(stream->f) == 0, NULL);
}

static int flags_of(const char *mode)
{
    bool both = mode[1] == '+';
    int access = both ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    int making = *mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT | O_APPEND : 0;
    return access | making | O_CLOEXEC | O_NONBLOCK;
}

static bool is_fifo(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISFIFO(facts.st_mode);
}

/// The descriptor; -1 with errno. A pipe that nobody reads yet is waited for, as open does.
static int open_path(pj_lang *lang, const char *path, const char *mode)
{
    enum { PERMISSIONS = 0666 };
    int fd;
    while ((fd = open(path, flags_of(mode), PERMISSIONS)) < 0 && !is_interrupted(lang) &&
           (errno == EINTR || (errno == ENXIO && is_fifo(path)))) {
        bool aside = pj_lang_step_aside(lang);
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000}, NULL);
        pj_lang_step_back(lang, aside);
    }
    if (fd >= 0 && *mode == 'a')
        lseek(fd, 0, SEEK_END);
    return fd;
}

/// Pushes the open file; false with errno, and nothing on the stack.
static bool push_file(lua_State *L, const char *path, const char *mode)
{
    cookie_io_functions_t functions = {read_source, write_source, seek_source, close_source};
    pj_lang *lang = pj_lang_of(L);
    luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    *stream = (luaL_Stream){0};
    luaL_setmetatable(L, LUA_FILEHANDLE);
    int fd = open_path(lang, path, mode);
    if (fd < 0) {
        lua_pop(L, 1);
        return false;
    }
    struct stat facts;
    source *s = pj_take_memory(sizeof *s);
    bool waits = fstat(fd, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
    *s = (source){.stage = lang->stage, .fd = fd, .waits = waits};
    stream->f = fopencookie(s, mode, functions);
    stream->closef = close_file;
    return true;
}

static bool is_mode(const char *mode)
{
    if (!*mode || !strchr("rwa", *mode))
        return false;
    mode += mode[1] == '+' ? 2 : 1;
    return mode[strspn(mode, "b")] == 0;
}

/// What could not be opened because the cell ends ends it.
static int fail_open(lua_State *L, const char *path)
{
    int why = errno;
    if (pj_lang_ending(pj_lang_of(L)))
        return pj_lang_guard_raise(L);
    errno = why;
    return luaL_fileresult(L, 0, path);
}

static int open_file(lua_State *L)
{
    const char *path = luaL_checkstring(L, 1), *mode = luaL_optstring(L, 2, "r");
    luaL_argcheck(L, is_mode(mode), 2, "invalid mode");
    return push_file(L, path, mode) ? 1 : fail_open(L, path);
}

/// Calls upvalue 1 with all arguments.
static int call_own(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/// io.input, io.output: upvalue 1 takes the file in place of its name, or says why there is none.
static int choose_file(lua_State *L)
{
    const char *path = lua_tostring(L, 1), *mode = lua_tostring(L, lua_upvalueindex(2));
    if (path && push_file(L, path, mode))
        lua_replace(L, 1);
    return call_own(L);
}

/// io.lines with the name of a file; the loop closes it.
static int lines(lua_State *L)
{
    const char *path = lua_tostring(L, 1);
    if (!path || !push_file(L, path, "r"))
        return call_own(L);
    lua_replace(L, 1);
    int count = lua_gettop(L);
    luaL_checkstack(L, count + 4, "too many arguments");
    lua_getfield(L, 1, "lines");
    for (int i = 1; i <= count; i++)
        lua_pushvalue(L, i);
    lua_call(L, count, 1);
    lua_pushnil(L);
    lua_pushnil(L);
    lua_pushvalue(L, 1);
    return 4;
}

static void wrap(lua_State *L, const char *name, lua_CFunction with, const char *mode)
{
    lua_getfield(L, -1, name);
    lua_pushstring(L, mode);
    lua_pushcclosure(L, with, 2);
    lua_setfield(L, -2, name);
}

void pj_lang_file_open(lua_State *L)
{
    lua_getglobal(L, LUA_IOLIBNAME);
    lua_pushcfunction(L, open_file);
    lua_setfield(L, -2, "open");
    wrap(L, "input", choose_file, "r");
    wrap(L, "output", choose_file, "w");
    wrap(L, "lines", lines, "r");
    lua_pop(L, 1);
}
