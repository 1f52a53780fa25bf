// From a kernelspec to a kernel that answers.
// ZMTP 3: who accepts a connection sends a greeting that begins with ff, eight bytes, 7f.
#include "kernel/commands/install/install_start.h"

#include "kernel/command/child.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/str.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORTS = 5, WORDS = 16, GREETING = 10, PATIENCE_MS = 15000, STEP_MS = 20 };

static const char *in_folder(const char *folder, pj_arena *arena)
{
    const char *spec = pj_arena_format(arena, "%s/kernels/popinjay", folder);
    return access(pj_arena_format(arena, "%s/kernel.json", spec), R_OK) == 0 ? spec : NULL;
}

const char *pj_install_spec(pj_arena *arena)
{
    static const char *const prefixes[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    const char *own = getenv("JUPYTER_DATA_DIR"), *home = getenv("HOME"), *spec = NULL;
    pj_str rest = pj_str_of(getenv("JUPYTER_PATH") ? getenv("JUPYTER_PATH") : "");
    while (rest.len && !spec)
        spec = in_folder(pj_arena_text(arena, pj_str_cut(&rest, ':')), arena);
    if (!spec && own)
        spec = in_folder(own, arena);
    else if (!spec && home)
        spec = in_folder(pj_arena_format(arena, "%s/.local/share/jupyter", home), arena);
    for (size_t i = 0; i < 2 && !spec; i++)
        if (getenv(prefixes[i]))
            spec =
                in_folder(pj_arena_format(arena, "%s/share/jupyter", getenv(prefixes[i])), arena);
    spec = spec ? spec : in_folder("/usr/local/share/jupyter", arena);
    return spec ? spec : in_folder("/usr/share/jupyter", arena);
}

static struct sockaddr_in local(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/// Ports that nobody has; somebody may take one before the kernel does, as with Jupyter.
static bool find_ports(uint16_t ports[PORTS], pj_err *err)
{
    int sockets[PORTS] = {-1, -1, -1, -1, -1};
    int count = 0;
    bool ok = true;
    for (; ok && count < PORTS; count++) {
        struct sockaddr_in address = local(0);
        socklen_t size = sizeof address;
        sockets[count] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ok = sockets[count] >= 0 &&
             bind(sockets[count], (struct sockaddr *)&address, sizeof address) == 0 &&
             getsockname(sockets[count], (struct sockaddr *)&address, &size) == 0;
        ports[count] = ntohs(address.sin_port);
    }
    if (!ok)
        ok = pj_fail_io(err, "127.0.0.1", "has no free port");
    while (count-- > 0)
        if (sockets[count] >= 0)
            close(sockets[count]);
    return ok;
}

static bool write_connection(const char *path, const uint16_t ports[PORTS], pj_err *err)
{
    static const char *const names[PORTS] = {"hb_port", "shell_port", "iopub_port", "stdin_port",
                                             "control_port"};
    json_t *file = json_pack("{s:s, s:s, s:s, s:s}", "transport", "tcp", "ip", "127.0.0.1", "key",
                             "0123456789abcdef", "signature_scheme", "hmac-sha256");
    for (int i = 0; i < PORTS; i++)
        json_object_set_new(file, names[i], json_integer(ports[i]));
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && json_dumpfd(file, fd, 0) == 0;
    json_decref(file);
    if (fd >= 0)
        close(fd);
    return ok || pj_fail_io(err, path, "cannot be written");
}

/// argv of the kernelspec with its folder and the connection file in their places.
static bool read_words(const char *folder, const char *connection, pj_arena *arena,
                       const char *words[WORDS], pj_err *err)
{
    static const char here[] = "{resource_dir}";
    const char *path = pj_arena_format(arena, "%s/kernel.json", folder);
    json_t *spec = json_load_file(path, 0, NULL), *argv = json_object_get(spec, "argv");
    size_t count = json_array_size(argv);
    bool ok = count > 0 && count < WORDS;
    for (size_t i = 0; ok && i < count; i++) {
        const char *word = json_string_value(json_array_get(argv, i));
        ok = word != NULL;
        if (ok && strcmp(word, "{connection_file}") == 0)
            words[i] = connection;
        else if (ok && strncmp(word, here, sizeof here - 1) == 0)
            words[i] = pj_arena_format(arena, "%s%s", folder, word + sizeof here - 1);
        else if (ok)
            words[i] = pj_arena_text(arena, pj_str_of(word));
    }
    json_decref(spec);
    return ok || pj_fail(err, PJ_E_FORMAT, path, 0, "says no program to start");
}

/// Whether something greets at the port.
static bool greets(uint16_t port)
{
    unsigned char greeting[GREETING] = {0};
    struct sockaddr_in address = local(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct pollfd one = {.fd = fd, .events = POLLIN};
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
              poll(&one, 1, 1000) == 1 && read(fd, greeting, sizeof greeting) == GREETING &&
              greeting[0] == 0xff && greeting[GREETING - 1] == 0x7f;
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool start(const char *const *words, const char *log, pj_arena *arena, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    const char *const settings[] = {
        "POPINJAY_HISTORY=off", pj_arena_format(arena, "JPY_PARENT_PID=%ld", (long)getpid()), NULL};
    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    bool ok = posix_spawn(pid, words[0], &files, NULL, (char *const *)words,
                          pj_child_environment(settings, arena)) == 0;
    posix_spawn_file_actions_destroy(&files);
    return ok;
}

/// Until it greets or ends.
static bool await(pid_t pid, uint16_t port, unsigned *ms)
{
    int status;
    for (*ms = 0; *ms < PATIENCE_MS; *ms += STEP_MS) {
        if (greets(port))
            return true;
        if (waitpid(pid, &status, WNOHANG) != 0)
            return false;
        poll(NULL, 0, STEP_MS);
    }
    return false;
}

static bool run_there(const char *spec, const char *folder, pj_arena *arena, const char **what,
                      pj_err *err)
{
    const char *connection = pj_arena_format(arena, "%s/connection.json", folder);
    const char *log = pj_arena_format(arena, "%s/log", folder), *words[WORDS] = {NULL};
    uint16_t ports[PORTS] = {0};
    unsigned ms;
    pid_t pid;
    if (!find_ports(ports, err) || !write_connection(connection, ports, err) ||
        !read_words(spec, connection, arena, words, err))
        return false;
    if (!start(words, log, arena, &pid))
        return pj_fail(err, PJ_E_IO, words[0], 0, "cannot be started: install the kernel again");
    bool ok = await(pid, ports[0], &ms);
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    *what = pj_arena_format(arena, "%s, ready after %u ms", words[0], ms + STEP_MS);
    pj_auto_buf said = {0};
    if (!ok)
        pj_ignore(pj_file_read(log, &said, NULL));
    return ok || pj_fail(err, PJ_E_IO, words[0], 0, "does not answer: %s",
                         said.len ? said.at : "it said nothing");
}

bool pj_install_start(const char *folder, pj_arena *arena, const char **what, pj_err *err)
{
    const char *temporary = getenv("TMPDIR");
    char place[PATH_MAX];
    snprintf(place, sizeof place, "%s/popinjay-check-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(place))
        return pj_fail_io(err, place, "cannot be made");
    bool ok = run_there(folder, place, arena, what, err);
    unlink(pj_arena_format(arena, "%s/connection.json", place));
    unlink(pj_arena_format(arena, "%s/log", place));
    rmdir(place);
    return ok;
}
