// The command language: Lua with the product's verbs. A pj_lang is used by one thread; several of
// them may share one state: their cells run side by side, one at a time in Lua.
// Ownership: new/free; JSON results are new references.
#ifndef PJ_LANG_H
#define PJ_LANG_H

#include "kernel/command/face.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "widgets/ipy/channel.h"

#include <stdatomic.h>

typedef struct pj_lang pj_lang;

typedef struct pj_outcome {
    bool ok;
    bool stopped;     // ended by an interrupt (ename "KeyboardInterrupt")
    bool exited;      // ended by os.exit (ename "SystemExit")
    int exit_status;  // what a script asked for
    json_t *data;     // MIME bundle of the last expression's value; NULL = none
    json_t *metadata; // of the bundle
    json_t *error;    // {"ename", "evalue", "traceback": [...]} when not ok
} pj_outcome;

/// `stop` is the flag that an interrupt raises and pj_lang_ready lowers.
pj_lang *pj_lang_new(const pj_face *face, atomic_bool *stop);
/// Another one with the globals of `first`, for the thread that calls. Freed before the first.
pj_lang *pj_lang_beside(pj_lang *first, const pj_face *face, atomic_bool *stop);
/// An interrupt that came so far concerned what ran before. Called before anybody hears that
/// something begins: who interrupts that then is never too early.
void pj_lang_ready(pj_lang *lang);
/// What runs and what would run is stopped for good; any thread may call.
void pj_lang_close(pj_lang *lang);
void pj_lang_free(pj_lang *lang);

/// Turns the state into that of a script: `arg` is set, os.exit ends it with a status. Copied.
void pj_lang_set_script(pj_lang *lang, const char *name, const char *const *args, size_t count);
struct pj_session *pj_lang_session(pj_lang *lang);

typedef struct pj_cell_opts {
    const char *name; // chunk name in tracebacks: "cell 7"
    bool silent;      // no value wanted
    int execution_count;
    const char *owner; // of its widgets: those that an owner of this name made before are closed
} pj_cell_opts;

/// Runs one cell: statements in order, the last expression's value in `data`. The outcome's JSON
/// belongs to the caller (pj_outcome_clear).
pj_outcome pj_lang_run(pj_lang *lang, pj_str code, pj_cell_opts opts);
/// One of user_expressions: {"status": "ok", "data", "metadata"} or {"status": "error", ...}.
json_t *pj_lang_expression(pj_lang *lang, pj_str code);
void pj_outcome_clear(pj_outcome *outcome);

/// Around work and waits that need no Lua: others run cells meanwhile. Called by the language's own
/// thread, also when it has stepped aside already; the result is for pj_lang_step_back.
bool pj_lang_step_aside(pj_lang *lang);
void pj_lang_step_back(pj_lang *lang, bool stepped);

/// {"matches", "cursor_start", "cursor_end", "metadata"}; cursor in code points.
json_t *pj_lang_complete(pj_lang *lang, pj_str code, size_t cursor);
/// {"found", "data", "metadata"}.
json_t *pj_lang_inspect(pj_lang *lang, pj_str code, size_t cursor, int detail);
/// The user's variables: [{"name", "type", "value", "variablesReference": 0}] by name.
json_t *pj_lang_variables(pj_lang *lang);
/// {"data", "metadata"} of one; NULL when there is none.
json_t *pj_lang_variable(pj_lang *lang, pj_str name);
/// {"status": "complete" | "incomplete" | "invalid", "indent"}.
json_t *pj_lang_is_complete(pj_lang *lang, pj_str code);

/// Functions beside the commands, members of objects, measures and widgets: appended as text.
void pj_lang_reference(pj_buf *out);

/// Messages of a front end to widgets: comm_open (false = the comm has to be closed), comm_msg,
/// comm_close. Handlers run before they return.
bool pj_lang_comm_open(pj_lang *lang, const pj_comm_message *message);
void pj_lang_comm_message(pj_lang *lang, const pj_comm_message *message);
void pj_lang_comm_close(pj_lang *lang, const pj_comm_message *message);

/// Runs an errand on behalf of the owner's cell.
void pj_lang_errand(pj_lang *lang, const char *owner, const pj_errand *errand);
/// Closes the widgets of an owner that is no more.
void pj_lang_widgets_forget(pj_lang *lang, const char *owner);

#endif
