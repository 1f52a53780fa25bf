// Programs that the kernel starts.
// Children are spawned, not forked: the kernel has threads.
#include "kernel/command/child.h"

#include "metrics/base/arena.h"
#include "metrics/base/clock.h"
#include "metrics/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { POLL_MS = 10, PATIENCE_POLLS = 300, TAIL_LINES = 8, TEX_LINES = 6, MOST_LOG = 1 << 22 };

bool pj_child_exists(const char *program)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_str rest = pj_str_of(getenv("PATH"));
    while (rest.len) {
        pj_str folder = pj_str_cut(&rest, ':');
        const char *path = pj_arena_format(arena, PJ_STR_FMT "/%s", PJ_STR_ARG(folder), program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static bool is_setting(const char *entry, const char *const *settings)
{
    size_t name = strcspn(entry, "=") + 1;
    for (size_t i = 0; settings && settings[i]; i++)
        if (strncmp(entry, settings[i], name) == 0)
            return true;
    return false;
}

char **pj_child_environment(const char *const *settings, pj_arena *arena)
{
    size_t count = 0, own = 0, used = 0;
    while (environ[count])
        count++;
    while (settings && settings[own])
        own++;
    char **all = pj_new_n(arena, char *, count + own + 1);
    for (size_t i = 0; i < count; i++)
        if (!is_setting(environ[i], settings))
            all[used++] = environ[i];
    for (size_t i = 0; i < own; i++)
        all[used++] = (char *)pj_arena_text(arena, pj_str_of(settings[i]));
    return all;
}

/// A process group of its own, and signals as a program of a shell has them.
static void init_attributes(posix_spawnattr_t *how)
{
    sigset_t none, ended;
    sigemptyset(&none);
    sigemptyset(&ended);
    sigaddset(&ended, SIGPIPE);
    posix_spawnattr_init(how);
    posix_spawnattr_setflags(how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                      POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(how, &none);
    posix_spawnattr_setsigdefault(how, &ended);
}

static void add_output(posix_spawn_file_actions_t *files, int fd, const char *path)
{
    if (path)
        posix_spawn_file_actions_addopen(files, fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
}

/// The words by way of a shell that changes the folder: glibc 2.28 spawns in this one alone.
static const char *const *words_in(const char *folder, const char *const *words, pj_arena *arena)
{
    size_t count = 0;
    while (words[count])
        count++;
    const char **all = pj_new_n(arena, const char *, count + 5);
    size_t at = 0;
    all[at++] = "sh";
    all[at++] = "-c";
    all[at++] = "cd \"$0\" && exec \"$@\"";
    all[at++] = folder;
    memcpy(all + at, words, count * sizeof *words);
    return all;
}

static int spawn(const pj_child *child, pid_t *pid)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *const *words = child->words;
    if (child->folder && access(child->folder, X_OK) != 0)
        return errno;
    if (child->folder && !strchr(words[0], '/') && !pj_child_exists(words[0]))
        return ENOENT;
    if (child->folder)
        words = words_in(child->folder, words, arena);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    init_attributes(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    add_output(&files, 1, child->log);
    if (child->errors)
        add_output(&files, 2, child->errors);
    else if (child->log)
        posix_spawn_file_actions_adddup2(&files, 1, 2);
    int reason = posix_spawnp(pid, words[0], &files, &how, (char *const *)words,
                              pj_child_environment(child->settings, arena));
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return reason;
}

bool pj_child_start(const char *line, int own, int fd, pid_t *pid, pj_err *err)
{
    const char *const words[] = {"sh", "-c", line, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    init_attributes(&how);
    if (own >= 0)
        posix_spawn_file_actions_adddup2(&files, fd, own);
    int reason = posix_spawn(pid, "/bin/sh", &files, &how, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return !reason ||
           pj_fail(err, PJ_E_MISSING, NULL, 0, "/bin/sh cannot be started: %s", strerror(reason));
}

static void rest_a_while(void)
{
    nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000}, NULL);
}

/// Returns as soon as the child ends where the system has descriptors of processes (-1 = none).
static void rest_beside(int child_fd)
{
    struct pollfd item = {.fd = child_fd, .events = POLLIN};
    if (child_fd < 0)
        rest_a_while();
    else
        poll(&item, 1, POLL_MS);
}

/// Whether it ends in so many looks after a signal to its group.
static bool ends_by(pid_t pid, int number, unsigned polls)
{
    int status;
    kill(-pid, number);
    for (unsigned i = 0; i < polls; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return true;
        rest_a_while();
    }
    return false;
}

/// Asks the group to end, then insists.
static void end_group(pid_t pid, unsigned asked_ms)
{
    int status;
    bool ended = (asked_ms && ends_by(pid, SIGINT, asked_ms / POLL_MS)) ||
                 ends_by(pid, SIGTERM, PATIENCE_POLLS);
    kill(-pid, SIGKILL);
    while (!ended && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
}

/// What is looked at while a child runs.
typedef struct watch {
    pid_t pid;
    int fd; // of the process; -1 = none
    const atomic_bool *stop;
    const pj_child *child; // its wishes; NULL = none
    uint64_t deadline_ns;  // 0 = none
} watch;

static bool end_early(const watch *w, pj_err_code code, const char *why, pj_err *err)
{
    end_group(w->pid, w->child ? w->child->asked_ms : 0);
    return pj_fail(err, code, NULL, 0, "%s", why);
}

static bool await(const watch *w, int *status, pj_err *err)
{
    for (;;) {
        pid_t got = waitpid(w->pid, status, WNOHANG);
        if (got == w->pid)
            return true;
        if (got < 0 && errno != EINTR)
            return pj_fail(err, PJ_E_IO, NULL, 0, "a child process was lost: %s", strerror(errno));
        if (w->stop && atomic_load(w->stop))
            return end_early(w, PJ_E_STOPPED, "interrupted", err);
        if (w->deadline_ns && pj_clock_ns() > w->deadline_ns)
            return end_early(w, PJ_E_IO, "its time was over, and it was ended", err);
        if (w->child && w->child->waits)
            w->child->waits(w->child->context);
        rest_beside(w->fd);
    }
}

int pj_child_watch(pid_t pid) // glibc has a function of it from 2.36 on
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

static bool await_with(watch w, int *status, pj_err *err)
{
    w.fd = pj_child_watch(w.pid);
    bool ended = await(&w, status, err);
    if (w.fd >= 0)
        close(w.fd);
    return ended;
}

bool pj_child_await(pid_t pid, const atomic_bool *stop, int *status, pj_err *err)
{
    return await_with((watch){.pid = pid, .stop = stop}, status, err);
}

/// Without colours of terminals.
static void add_plain(pj_buf *out, pj_str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.at[i] == '\033' && i + 1 < line.len && line.at[i + 1] == '[')
            while (i + 1 < line.len &&
                   !(line.at[i] >= 'A' && line.at[i] <= 'z' && line.at[i] != '['))
                i++;
        else if ((unsigned char)line.at[i] >= ' ' || line.at[i] == '\t')
            pj_buf_add_char(out, line.at[i]);
    }
}

static bool find_tex_error(pj_str log, pj_str *from)
{
    pj_str rest = log;
    while (rest.len) {
        pj_str at = rest;
        if (pj_str_starts(pj_str_cut(&rest, '\n'), PJ_S("!"))) {
            *from = at;
            return true;
        }
    }
    return false;
}

/// The part of `log` that holds its last `count` lines with text.
static pj_str tail(pj_str log, size_t count)
{
    size_t at = log.len;
    bool text = false;
    while (at > 0 && count > 0) {
        char c = log.at[--at];
        if (c == '\n' && text && --count == 0)
            return pj_str_from(log, at + 1);
        text = c == '\n' ? false : text || c > ' ';
    }
    return log;
}

void pj_child_explain(pj_str log, pj_buf *out)
{
    pj_str from;
    bool tex = find_tex_error(log, &from);
    if (!tex)
        from = tail(log, TAIL_LINES);
    for (size_t i = 0; from.len && (!tex || i < TEX_LINES);) {
        pj_str line = pj_str_trim(pj_str_cut(&from, '\n'));
        if (!line.len)
            continue;
        i++;
        pj_buf_puts(out, "\n  ");
        add_plain(out, line);
    }
}

static void read_log(const char *path, pj_buf *out)
{
    FILE *file = fopen(path, "rbe");
    size_t n = 1;
    while (file && n > 0 && out->len < MOST_LOG) {
        enum { STEP = 65536 };
        n = fread(pj_buf_room(out, STEP), 1, STEP, file);
        out->len += n;
    }
    if (file)
        fclose(file);
}

bool pj_child_end(const pj_child *child, const atomic_bool *stop, int *status, pj_err *err)
{
    watch w = {.stop = stop, .child = child};
    int reason = spawn(child, &w.pid);
    if (reason)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "%s cannot be started: %s", child->words[0],
                       strerror(reason));
    w.deadline_ns = child->patience_ns ? pj_clock_ns() + child->patience_ns : 0;
    return await_with(w, status, err);
}

bool pj_child_run(const pj_child *child, const atomic_bool *stop, pj_err *err)
{
    int status = 0;
    if (!pj_child_end(child, stop, &status, err))
        return false;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    pj_auto_buf log = {0}, said = {0};
    if (child->log)
        read_log(child->log, &log);
    pj_child_explain(pj_buf_str(&log), &said);
    return pj_fail(err, PJ_E_IO, NULL, 0, "%s failed%s%s", child->words[0], said.len ? ":" : "",
                   said.len ? said.at : "");
}
