// One call of a command: its argument struct filled from shell words, a `%` line or Lua values,
// by one set of rules. Ownership: pj_call_end frees; values set are borrowed until then.
#ifndef PJ_CALL_H
#define PJ_CALL_H

#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

typedef struct pj_call {
    const pj_command *command;
    pj_session *session;
    pj_arena *arena;
    void *args;
    bool *given; // by parameter
} pj_call;

void pj_call_begin(pj_call *call, pj_session *session, const pj_command *command);
void pj_call_end(pj_call *call);

/// A value by name; Lua's underscores are fine. An unknown name lists the valid ones.
PJ_CHECKED bool pj_call_option(pj_call *call, pj_str name, pj_value value, pj_err *err);
/// The next value without a name, by its place in `face`.
PJ_CHECKED bool pj_call_place(pj_call *call, unsigned face, pj_value value, pj_err *err);
/// The words after the command's name: options, "--", values.
PJ_CHECKED bool pj_call_words(pj_call *call, size_t count, const char *const *words, pj_err *err);
/// Whether the words ask for help on the command: what is behind a program's name is that
/// program's.
bool pj_call_asks_help(const pj_command *command, size_t count, const char *const *words);
/// Whether the words leave the places without a name empty.
bool pj_call_leaves_places(const pj_command *command, size_t count, const char *const *words);
/// Whether all that is required was given.
PJ_CHECKED bool pj_call_check(const pj_call *call, pj_err *err);
/// Runs the command. `out` is the caller's, also on failure.
PJ_CHECKED bool pj_call_run(pj_call *call, pj_value *out, pj_err *err);

/// Words of a `%` line: blanks separate, quotes and backslashes keep together; globs are left to
/// the command. The words are arena.
PJ_CHECKED bool pj_call_split(pj_str line, pj_arena *arena, pj_texts *out, pj_err *err);

#endif
