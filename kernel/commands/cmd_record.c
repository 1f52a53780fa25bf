// popinjay record -- COMMAND: runs a program so that the Python processes and the programs with MPI
// in it are recorded, and makes one archive of what they leave.
#include "kernel/command/child.h"
#include "kernel/command/command.h"
#include "kernel/command/datadir.h"
#include "kernel/command/face.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/commands/record/record_folder.h"
#include "kernel/commands/record/record_mpi.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/record/merge/merge_parts.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct record_args {
    const char *folder, *hook, *children, *command;
    uint64_t max_size;
    bool all, no_python, keep, quiet, path;
    pj_texts args;
} record_args;

extern char **environ;

enum {
    SIGNALLED = 128, // and its number: status of a program that a signal has ended, as in shells
    SENTENCE_MOST = 1600,
    REST_STEPS = 100, // together one second
    REST_STEP_NS = 10000000,
};
static const double BYTES_PER_MB = 1e6;

/// Where sitecustomize lies, which starts the recorder in every Python.
static const char *site(pj_arena *arena, pj_err *err)
{
    const char *path = pj_datadir_find(arena, "share/popinjay/python/site", "share/python/site");
    if (!path)
        pj_fail(err, PJ_E_MISSING, "share/popinjay/python", 0,
                "the recorder's Python files are not installed");
    return path;
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/// What the processes below this one will find.
static void set_environment(const record_args *args, const char *folder, const char *place,
                            pj_arena *arena)
{
    const char *path = getenv("PYTHONPATH");
    set("POPINJAY_RECORD", folder);
    set("POPINJAY_RECORD_HOOK", args->hook);
    set("POPINJAY_RECORD_ALL", args->all ? "1" : NULL);
    set("POPINJAY_RECORD_FUNCTIONS", args->no_python ? "0" : NULL);
    set("POPINJAY_RECORD_CHILDREN", args->children);
    set("POPINJAY_RECORD_MAX_SIZE",
        args->max_size ? pj_arena_format(arena, "%llu", (unsigned long long)args->max_size) : NULL);
    set("PYTHONPATH", path && *path ? pj_arena_format(arena, "%s:%s", place, path) : place);
}

static void set_signals(sigset_t *set)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(set, numbers[i]);
}

/// In the same process group, with this program's descriptors and the signals of before.
static bool start(const char *const *words, const sigset_t *before, pid_t *pid, pj_err *err)
{
    posix_spawnattr_t how;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGXFSZ);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&how, before);
    posix_spawnattr_setsigdefault(&how, &ended);
    int reason = posix_spawnp(pid, words[0], NULL, &how, (char *const *)words, environ);
    posix_spawnattr_destroy(&how);
    return !reason || pj_fail(err, PJ_E_MISSING, NULL, 0, "%s cannot be started: %s", words[0],
                              strerror(reason));
}

/// Waits for the program; signals that were sent to us go on to it. Those of the terminal it has
/// got itself.
static int await(pid_t pid, const sigset_t *signals)
{
    for (;;) {
        siginfo_t info;
        int status, number = sigwaitinfo(signals, &info);
        if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL)
            kill(pid, number);
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid && WIFEXITED(status))
            return WEXITSTATUS(status);
        if (got == pid && WIFSIGNALED(status))
            return SIGNALLED + WTERMSIG(status);
        if (got < 0 && errno != EINTR)
            return 1;
    }
}

static bool run_program(const pj_texts *words, int *status, pj_err *err)
{
    sigset_t signals, before;
    pid_t pid;
    set_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);
    bool ok = start(words->items, &before, &pid, err);
    if (ok)
        *status = await(pid, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/// The program and its arguments; NULL behind them.
static pj_texts all_words(const record_args *args, pj_arena *arena)
{
    pj_texts words = {.count = args->args.count + 1};
    words.items = pj_new_n(arena, const char *, words.count + 1);
    words.items[0] = args->command;
    for (size_t i = 0; i < args->args.count; i++)
        words.items[i + 1] = args->args.items[i];
    return words;
}

/// Bytes of the files of a folder.
static uint64_t folder_bytes(const char *path, pj_arena *arena)
{
    uint64_t bytes = 0;
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        struct stat info;
        if (stat(pj_arena_format(arena, "%s/%s", path, entry->d_name), &info) == 0 &&
            S_ISREG(info.st_mode))
            bytes += (uint64_t)info.st_size;
    }
    if (folder)
        closedir(folder);
    return bytes;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void say_what(pj_session *session, const char *folder, const pj_merged_parts *merged,
                     pj_arena *arena)
{
    uint64_t bytes = folder_bytes(pj_arena_format(arena, "%s/traces", folder), arena);
    pj_session_say(session,
                   "popinjay: %llu event%s of %llu process%s and %llu thread%s, %.3g MB: "
                   "%s/traces.otf2",
                   (unsigned long long)merged->events, plural(merged->events),
                   (unsigned long long)merged->processes, merged->processes == 1 ? "" : "es",
                   (unsigned long long)merged->locations, plural(merged->locations),
                   (double)bytes / BYTES_PER_MB, folder);
}

/// Of a part that is left out because its process still runs the line tells, too, but it is no
/// failure; of one that ended without closing only when the program failed.
static void tell(void *self, const pj_err *what)
{
    char text[SENTENCE_MOST];
    pj_session *session = self;
    if (what->code != PJ_E_NONE && what->code != PJ_E_MISSING)
        pj_session_complain(session, what);
    else if (what->code != PJ_E_NONE || session->status != 0)
        pj_session_say(session, "popinjay: %s", pj_err_message(what, text, sizeof text));
}

/// The same, but for what is no failure.
static void tell_failures(void *self, const pj_err *what)
{
    if (what->code != PJ_E_NONE && what->code != PJ_E_MISSING)
        pj_session_complain(self, what);
}

/// Of a part "host.pid.ns".
static pid_t process_of(pj_str part)
{
    uint64_t pid = 0;
    pj_str head = pj_str_head(part, pj_str_find_last(part, '.'));
    return pj_parse_u64(pj_str_from(head, pj_str_find_last(head, '.') + 1), &pid) ? (pid_t)pid : 0;
}

static bool any_runs(const char *parts)
{
    bool runs = false;
    DIR *folder = opendir(parts);
    const struct dirent *entry;
    while (folder && !runs && (entry = readdir(folder))) {
        pid_t pid = entry->d_name[0] == '.' ? 0 : process_of(pj_str_of(entry->d_name));
        runs = pid > 0 && kill(pid, 0) == 0;
    }
    if (folder)
        closedir(folder);
    return runs;
}

/// Children that the program did not wait for are often about to end.
static void wait_for_rest(const char *parts)
{
    for (int i = 0; i < REST_STEPS && any_runs(parts); i++)
        nanosleep(&(struct timespec){.tv_nsec = REST_STEP_NS}, NULL);
}

/// One archive of what the processes have left. The status stays that of the program, but where
/// nothing can be made of them.
static bool finish(pj_session *session, const record_args *args, const char *folder, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_merged_parts merged = {0};
    if (!pj_merge_parts_are(folder))
        return pj_fail(err, PJ_E_MISSING, folder, 0,
                       "nothing was recorded: no Python that reads PYTHONPATH (-I, -E and -S leave "
                       "it out) and no program with MPI was started");
    wait_for_rest(pj_arena_format(arena, "%s/parts", folder));
    pj_merge_parts_opts opts = {
        .keep = args->keep, .tell = args->quiet ? tell_failures : tell, .self = session};
    if (!pj_merge_parts(folder, opts, &merged, err))
        return false;
    if (!args->quiet)
        say_what(session, folder, &merged, arena);
    return true;
}

static bool run_record(pj_session *session, const void *given, pj_value *out, pj_err *err)
{
    (void)out;
    const record_args *args = given;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *place = site(arena, err);
    if (!place)
        return false;
    if (args->path) {
        pj_face_print(session->face, PJ_STDOUT, pj_str_of(pj_arena_format(arena, "%s\n", place)));
        return true;
    }
    if (!args->command)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "record: say what to run: popinjay record -- python3 app.py");
    if (!pj_child_exists(args->command) && access(args->command, X_OK) != 0)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "%s: there is no such program", args->command);
    pj_texts words = all_words(args, arena);
    const char *folder =
        pj_record_folder_make(args->folder, pj_record_folder_name(&words, arena), arena, err);
    if (!folder)
        return false;
    set_environment(args, folder, place, arena);
    words = pj_record_mpi_words(&words, arena);
    if (!run_program(&words, &session->status, err))
        return false;
    return finish(session, args, folder, err);
}

static const char *const hooks[] = {"auto", "frame", "monitor", "profile", NULL};
static const char *const answers[] = {"yes", "no", NULL};

static const pj_param params[] = {
    {.name = "out",
     .letter = 'o',
     .type = PJ_PARAM_PATH,
     .offset = offsetof(record_args, folder),
     .shown = "DIR",
     .preset = "name, date and time of the program",
     .help = "The folder of the recording; one that is there is renamed by its date."},
    {.name = "hook",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(record_args, hook),
     .shown = "HOOK",
     .choices = hooks,
     .preset = "auto",
     .help = "How calls are seen: frame (Python 3.9 to 3.11), monitor (from 3.12 on), profile."},
    {.name = "all",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(record_args, all),
     .help = "Functions of importlib and of frozen modules, too."},
    {.name = "no-python",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(record_args, no_python),
     .help = "Only regions, and functions where the program itself switches them on."},
    {.name = "children",
     .type = PJ_PARAM_CHOICE,
     .offset = offsetof(record_args, children),
     .shown = "YES",
     .choices = answers,
     .preset = "yes",
     .help = "Whether Python processes that a recorded one starts are recorded."},
    {.name = "max-size",
     .type = PJ_PARAM_SIZE,
     .offset = offsetof(record_args, max_size),
     .shown = "SIZE",
     .help = "Of the events of one process; there its recording ends, and a note says so."},
    {.name = "keep-files",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(record_args, keep),
     .help = "Keep the parts that the archive was made of."},
    {.name = "quiet",
     .letter = 'q',
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(record_args, quiet),
     .help = "Print nothing when all goes well."},
    {.name = "pythonpath",
     .type = PJ_PARAM_FLAG,
     .offset = offsetof(record_args, path),
     .help = "Print the folder for PYTHONPATH with which `python3 -m popinjay app.py` works."},
    {.name = "command",
     .type = PJ_PARAM_PATH,
     .place = PJ_IN_SHELL,
     .offset = offsetof(record_args, command),
     .shown = "COMMAND",
     .help = "What to run: python3 app.py, mpirun -n 4 python3 app.py, mpirun -n 4 ./heat."},
    {.name = "args",
     .type = PJ_PARAM_REST,
     .place = PJ_IN_SHELL,
     .offset = offsetof(record_args, args),
     .shown = "ARG",
     .help = "Everything behind the command is its own."},
    {0},
};

const pj_command pj_command_record = {
    .name = "record",
    .summary = "Run a program and record its Python functions and MPI calls as an OTF2 archive",
    .detail =
        "Every Python (CPython 3.8 to 3.13) that the command starts writes each call of a "
        "function, with all its threads and child processes; MPI calls, messages and collectives "
        "of mpi4py and of programs in C are there too (Open MPI and MPICH). DIR/traces.otf2 is the "
        "archive. "
        "Output and exit status are the command's, signals go on to it, and a process that is "
        "killed loses nothing.\n"
        "A program can name regions itself: import popinjay, with popinjay.region(\"name\"): ...; "
        "scripts for Score-P's Python bindings (import scorep.user) and PyOP2's timers run "
        "unchanged. Processes that go on behind the command's end are added by popinjay merge DIR.",
    .example = "popinjay record -- python3 app.py",
    .faces = PJ_IN_SHELL,
    .groups = (const pj_param_group[]){{.rows = params}, {0}},
    .args_size = sizeof(record_args),
    .run = run_record,
};
