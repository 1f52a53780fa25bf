// Subshells (JEP 91): each has a thread, an inbox, a counter and a history of its own, and all
// share the globals of the language. The main shell is the first of them; two more belong to the
// kernel itself, so that completion and widgets answer while cells run.
// Ownership: new/free; the set owns its subshells.
#ifndef PJ_SUBSHELL_H
#define PJ_SUBSHELL_H

#include "kernel/command/face.h"
#include "kernel/jupyter/history.h"
#include "kernel/jupyter/inbox.h"
#include "kernel/jupyter/prompt.h"
#include "kernel/jupyter/request.h"
#include "kernel/lua/lang.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

struct pj_kernel;

enum { PJ_SUBSHELL_MOST = 64 }; // that front ends may have at a time

/// Whose inbox a request goes to.
typedef enum pj_subshell_role {
    PJ_SUBSHELL_MAIN,    // cells, in the caller's thread
    PJ_SUBSHELL_ANSWERS, // completion and inspection
    PJ_SUBSHELL_COMMS,   // messages to widgets
    PJ_SUBSHELL_CHILD,   // made by a front end
} pj_subshell_role;

typedef struct pj_subshell {
    struct pj_subshell *next;
    struct pj_kernel *kernel;
    pj_subshell_role role;
    char id[64]; // of a child
    pj_inbox *inbox;
    pj_history *history;
    pj_prompt *prompt;
    atomic_bool *stop; // raised by interrupts
    atomic_bool own_stop;
    atomic_bool busy;
    pthread_t thread;
    bool closing, ended; // under the lock of the set
    // Of its thread alone:
    pj_face face;
    pj_lang *lang;
    pj_request *current; // borrowed: the request whose output is being made
    pj_request *maker;   // of the widget whose handlers run; NULL = the current one
    json_t *payload;     // of the running cell; NULL outside
    bool allow_stdin;
    int count; // of stored cells
} pj_subshell;

typedef struct pj_subshells pj_subshells;

/// `stop` is the flag of the main shell, borrowed.
pj_subshells *pj_subshells_new(struct pj_kernel *kernel, atomic_bool *stop);
/// After all have come home.
void pj_subshells_free(pj_subshells *shells);

/// Runs the main shell in this thread until the end, and starts the others as they are needed.
void pj_subshells_run(pj_subshells *shells);
/// Everything stops: nothing runs, nothing that waits is served.
void pj_subshells_close(pj_subshells *shells);
/// Whether all threads ended, the main shell's too, within that time. If not, the process has to
/// end without them.
bool pj_subshells_wait(pj_subshells *shells, unsigned ms);

/// Leaves the request to the shell of that role, or to the child that its header names. False when
/// nobody is there for it: it stays the caller's.
bool pj_subshells_give(pj_subshells *shells, pj_subshell_role role, pj_request *take);
/// Leaves an errand to the handlers of widgets, for the request and owner given. Takes all of it.
void pj_subshells_give_errand_take(pj_subshells *shells, pj_inbox_item item);
/// Bytes that the waiting requests of all shells hold, roughly.
size_t pj_subshells_waiting(pj_subshells *shells);
/// The history of the shell that the request names; NULL when there is none. The answer is new.
json_t *pj_subshells_history(pj_subshells *shells, const pj_request *request);
/// An input_reply: for the one that asked.
void pj_subshells_answer(pj_subshells *shells, const pj_request *reply);
/// Interrupts the child `id`; empty: the main shell and the handlers of widgets, or, when these
/// are idle, every child. False for an unknown child.
bool pj_subshells_interrupt(pj_subshells *shells, pj_str id);

/// Whether the main shell was interrupted and still runs.
bool pj_subshells_stopping(pj_subshells *shells);

/// A new child; false with PJ_E_USAGE when there are too many.
PJ_CHECKED bool pj_subshells_create(pj_subshells *shells, char *id, size_t size, pj_err *err);
/// Ends a child: what runs is interrupted, what waits is aborted. False for an unknown one.
bool pj_subshells_delete(pj_subshells *shells, pj_str id);
/// ["id", ...] of the children in order of their making; new.
json_t *pj_subshells_list(pj_subshells *shells);
bool pj_subshells_know(pj_subshells *shells, pj_str id);

#endif
