// Another program run to its end, out of sight: no input, output into files, its own process group,
// so that an interrupt ends all of it. Ownership: plain structs, borrowed.
#ifndef PJ_CHILD_H
#define PJ_CHILD_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct pj_child {
    const char *const *words;    // program, found in PATH, and arguments; ends with NULL
    const char *const *settings; // "NAME=value" beside the environment; ends with NULL; may be NULL
    const char *folder;          // where it runs; NULL = here
    const char *log;             // file of its output, made anew; NULL = where this process writes
    const char *errors;          // the same of its messages; NULL = the log
    unsigned asked_ms;    // so long before SIGTERM it is asked to end as by Ctrl-C; 0 = it is not
    uint64_t patience_ns; // how long it may run; 0 = for ever
    void (*waits)(void *context); // called now and then while it runs; may be NULL
    void *context;
} pj_child;

/// True when it ended with 0. Errors: PJ_E_MISSING (no such program), PJ_E_STOPPED (`stop` was set,
/// the group has been ended), PJ_E_IO with the last useful lines of the log.
PJ_CHECKED bool pj_child_run(const pj_child *child, const atomic_bool *stop, pj_err *err);
/// The same for a program of the user's: true when it ended by itself, `status` as of waitpid.
/// Besides PJ_E_IO: its time was over, and the group has been ended.
PJ_CHECKED bool pj_child_end(const pj_child *child, const atomic_bool *stop, int *status,
                             pj_err *err);
/// The environment of this process with "NAME=value" of `settings` (ends with NULL; may be NULL) in
/// place of what has these names; arena.
char **pj_child_environment(const char *const *settings, pj_arena *arena);
/// Starts a line of the system's shell in a process group of its own, with the descriptors of this
/// process; its descriptor `own` becomes `fd` (both -1 = as they are). PJ_E_MISSING: no shell.
PJ_CHECKED bool pj_child_start(const char *line, int own, int fd, pid_t *pid, pj_err *err);
/// Waits until it ends; `status` as of waitpid. PJ_E_STOPPED: `stop` was set, its group has been
/// ended.
PJ_CHECKED bool pj_child_await(pid_t pid, const atomic_bool *stop, int *status, pj_err *err);
/// A descriptor that can be read once a process has ended; -1 with errno where there is none.
int pj_child_watch(pid_t pid);
/// Whether a program of this name is in PATH.
bool pj_child_exists(const char *program);
/// What a log says of a failure: TeX's "!" with what follows, else its last lines.
void pj_child_explain(pj_str log, pj_buf *out);

#endif
