// Programs in the foreground.
#include "kernel/commands/record/record_program.h"

#include "kernel/command/child.h"
#include "metrics/base/arena.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

static void set_signals(sigset_t *set)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaddset(set, numbers[i]);
}

/// In the same process group, with this program's descriptors and the signals of before.
static bool start(const char *const *words, const char *const *settings, const sigset_t *before,
                  pid_t *pid, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    posix_spawnattr_t how;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGXFSZ);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&how, before);
    posix_spawnattr_setsigdefault(&how, &ended);
    int reason = posix_spawnp(pid, words[0], NULL, &how, (char *const *)words,
                              pj_child_environment(settings, arena));
    posix_spawnattr_destroy(&how);
    return !reason || pj_fail(err, PJ_E_MISSING, NULL, 0, "%s cannot be started: %s", words[0],
                              strerror(reason));
}

int pj_record_shell_status(int status)
{
    return WIFSIGNALED(status) ? PJ_RECORD_SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
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
        if (got == pid && (WIFEXITED(status) || WIFSIGNALED(status)))
            return pj_record_shell_status(status);
        if (got < 0 && errno != EINTR)
            return 1;
    }
}

bool pj_record_program(const pj_texts *words, const char *const *settings, int *status, pj_err *err)
{
    sigset_t signals, before;
    pid_t pid;
    set_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);
    bool ok = start(words->items, settings, &before, &pid, err);
    if (ok)
        *status = await(pid, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return ok;
}
