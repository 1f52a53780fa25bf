// os.execute and io.popen of notebooks: they do as in Lua, but leave the stage while they wait, and
// an interrupt ends what they started.
#include "kernel/command/child.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "metrics/base/err.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

enum { LOOK_MS = 10 }; // at the interrupt

/// What io.popen returns: a file of Lua whose bytes come from or go to a program.
typedef struct program {
    luaL_Stream base;
    pj_lang_stage *stage;
    pid_t pid;
    int fd; // this end of the pipe
} program;

static bool await_off_stage(pj_lang *lang, pid_t pid, int *status, pj_err *err)
{
    bool aside = pj_lang_step_aside(lang);
    bool ended = pj_child_await(pid, lang->stop, status, err);
    pj_lang_step_back(lang, aside);
    return ended;
}

static int give_status(lua_State *L, bool ended, int status, const pj_err *err)
{
    if (!ended)
        return luaL_error(L, "%s", err->text);
    errno = 0; // what is asked for first
    return luaL_execresult(L, status);
}

static int execute(lua_State *L)
{
    const char *line = luaL_optstring(L, 1, NULL);
    pj_err err = {0};
    pid_t pid;
    int status = 0;
    if (!line) {
        lua_pushboolean(L, 1); // there is a shell
        return 1;
    }
    bool ended = pj_child_start(line, -1, -1, &pid, &err) &&
                 await_off_stage(pj_lang_of(L), pid, &status, &err);
    return give_status(L, ended, status, &err);
}

bool pj_lang_await_fd(pj_lang *lang, int fd, short events)
{
    struct pollfd item = {.fd = fd, .events = events};
    bool aside = pj_lang_step_aside(lang), ready = false;
    while (!ready && !(lang->stop && atomic_load(lang->stop)))
        ready = poll(&item, 1, LOOK_MS) > 0;
    pj_lang_step_back(lang, aside);
    if (ready)
        return true;
    pj_fail(&lang->input_err, PJ_E_STOPPED, NULL, 0, "interrupted");
    errno = EINTR;
    return false;
}

/// Waits for the pipe; false when the cell was interrupted. The program is ended then, or the
/// collector of garbage, which closes the pipe, would wait for it.
static bool await_pipe(const program *p, short events)
{
    if (pj_lang_await_fd(p->stage->now, p->fd, events))
        return true;
    kill(-p->pid, SIGTERM);
    errno = EINTR;
    return false;
}

static ssize_t read_program(void *cookie, char *bytes, size_t size)
{
    const program *p = cookie;
    return await_pipe(p, POLLIN) ? read(p->fd, bytes, size) : -1;
}

static ssize_t write_program(void *cookie, const char *bytes, size_t size)
{
    const program *p = cookie;
    size_t done = 0;
    while (done < size && await_pipe(p, POLLOUT)) {
        ssize_t n = write(p->fd, bytes + done, size - done);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)done;
}

static int close_program(lua_State *L)
{
    program *p = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    pj_err err = {0};
    int status = 0;
    fclose(p->base.f);
    close(p->fd);
    bool ended = await_off_stage(p->stage->now, p->pid, &status, &err);
    return give_status(L, ended, status, &err);
}

/// The program with one end of a pipe; false with errno.
static bool start(program *p, const char *line, bool writes)
{
    int ends[2];
    pj_err err = {0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    int theirs = ends[!writes];
    p->fd = ends[writes];
    bool ok = pj_child_start(line, writes ? STDIN_FILENO : STDOUT_FILENO, theirs, &p->pid, &err);
    close(theirs);
    if (!ok) {
        close(p->fd);
        errno = EAGAIN; // the shell is there: the system starts no more
        return false;
    }
    fcntl(p->fd, F_SETFL, O_NONBLOCK);
    cookie_io_functions_t functions = {.read = read_program, .write = write_program};
    p->base.f = fopencookie(p, writes ? "w" : "r", functions);
    p->base.closef = close_program;
    return true;
}

static int open_program(lua_State *L)
{
    const char *line = luaL_checkstring(L, 1), *mode = luaL_optstring(L, 2, "r");
    luaL_argcheck(L, strcmp(mode, "r") == 0 || strcmp(mode, "w") == 0, 2, "invalid mode");
    program *p = lua_newuserdatauv(L, sizeof *p, 0);
    *p = (program){.stage = pj_lang_of(L)->stage};
    luaL_setmetatable(L, LUA_FILEHANDLE);
    return start(p, line, *mode == 'w') ? 1 : luaL_fileresult(L, 0, line);
}

void pj_lang_process_open(lua_State *L)
{
    lua_getglobal(L, LUA_OSLIBNAME);
    lua_pushcfunction(L, execute);
    lua_setfield(L, -2, "execute");
    lua_getglobal(L, LUA_IOLIBNAME);
    lua_pushcfunction(L, open_program);
    lua_setfield(L, -2, "popen");
    lua_pop(L, 2);
}
