// Inside of the command language: what lang*.c share. Nothing else sees lua.h.
// Ownership: everything belongs to the pj_lang. A function that calls the raising Lua API owns
// nothing: Lua raises by longjmp, and what it would free is then never freed.
#ifndef PJ_LANG_STATE_H
#define PJ_LANG_STATE_H

#include "kernel/command/face.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_cell.h"
#include "kernel/lua/lang_stage.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

enum { PJ_LANG_FRAMES = 18 };

/// A place in a traceback.
typedef struct pj_lang_frame {
    char source[64]; // "cell 7", "script.lua"
    char name[64];   // of the function; "" = top level
    int line;
} pj_lang_frame;

struct pj_lang {
    lua_State *L; // its own thread of Lua; set on stage
    pj_lang_stage *stage;
    pj_lang *next;      // of those that share the stage
    pthread_t thread;   // that entered the stage last
    bool on_stage;      // known to that thread alone
    atomic_bool closed; // pj_lang_close
    int anchor;         // of L in the registry
    const pj_face *face;
    atomic_bool *stop;
    FILE *streams[3]; // what io.stdin, io.stdout, io.stderr write to: the face
    pj_buf typed;     // what was typed and not yet read
    size_t typed_at;  // how much of it was read
    pj_err input_err; // why nothing could be typed
    bool exiting;     // os.exit was called
    int exit_status;  //
    pj_buf message;   // of the error being reported
    pj_buf help;      // on the name being asked about
    pj_buf text;      // of the value being shown
    pj_buf program;   // of the cell being compiled
    json_t *matches;  // offers of the completion being made
    json_t *data;     // bundle of the value being shown
    json_t *metadata;
    struct pj_session *session;
    pj_err err; // of the call at work: it outlives a longjmp
    char err_text[1600];
    pj_str *texts; // arguments of the method at work
    size_t text_cap;
    lua_State *running; // the thread of Lua that runs, and callbacks with it; NULL = L
    char owner[80];     // of the widgets that are made; "" = nobody
    unsigned visits;    // of a command that entered (live.h)
    bool visit_stepped; // it was not on stage before
    bool script;        // os.exit ends a script, not a cell
    pj_lang_frame frames[PJ_LANG_FRAMES];
    unsigned frame_count;
};

/// Whose code runs: the one on stage.
static inline pj_lang *pj_lang_of(lua_State *L)
{
    return (*(pj_lang_stage **)lua_getextraspace(L))->now;
}

/// Whether everything must end: interrupt or os.exit.
static inline bool pj_lang_ending(const pj_lang *lang)
{
    return lang->exiting || (lang->stop && atomic_load_explicit(lang->stop, memory_order_relaxed));
}

/// Keys of the registry.
#define PJ_LANG_ENV "popinjay.env"         // the globals of cells
#define PJ_LANG_LINES "popinjay.lines"     // what `%` and `?` lines call
#define PJ_LANG_SOURCES "popinjay.sources" // chunk name -> code

/// lang_io.c: print, io and os.exit go through the face of the one on stage.
void pj_lang_io_open(pj_lang_stage *stage);
/// The streams of one user of the stage.
void pj_lang_io_attach(pj_lang *lang);
void pj_lang_io_detach(pj_lang *lang);
/// Replaces field `name` of the table on top by `with`, which has its old value as upvalue 1.
void pj_lang_wrap_field(lua_State *L, const char *name, lua_CFunction with);
/// Calls upvalue 1 with `count` arguments. It has no name for its messages: upvalue 2 is put there.
int pj_lang_call_wrapped(lua_State *L, int count);
/// Pushes the text of any value, as Lua's tostring; a float reads back as the same number.
void pj_lang_tostring(lua_State *L, int index);
/// lang_widget.c: closes what the owner made.
void pj_lang_widgets_close_owner(pj_lang *lang, const char *owner);
/// lang_complete.c: keeps the names of globals for when a call of C keeps the stage.
void pj_lang_note_names(pj_lang *lang);
/// lang_process.c: os.execute and io.popen that an interrupt ends.
void pj_lang_process_open(lua_State *L);
/// lang_memory.c: Lua gets no more memory than this process may use.
void pj_lang_memory_open(pj_lang_stage *stage);
/// Tells the collector of memory in C that an object of Lua holds; it may collect.
void pj_lang_memory_note(lua_State *L, uint64_t bytes);
/// Raises when memory in C, of which `bytes` are about to be taken, comes to an end.
void pj_lang_memory_claim(lua_State *L, size_t bytes);
/// Gives back to the system what is free, when that may be much.
void pj_lang_memory_trim(pj_lang_stage *stage);
/// What is said of a cell that got none; with `anywhere` its place is not known.
void pj_lang_memory_explain(pj_lang *lang, bool anywhere);
/// lang_guard.c: interrupts that nothing in Lua can hold up.
void pj_lang_guard_open(lua_State *L);
/// Called at intervals by long functions in C: lets others onto the stage, raises an interrupt.
void pj_lang_guard_look(lua_State *L);
int pj_lang_guard_raise(lua_State *L);
/// While an interrupt stands: the next instruction or call raises it. Callable in a signal handler.
void pj_lang_guard_alert(pj_lang *lang);
/// lang_coroutine.c: lua_resume of a thread that interrupts find.
int pj_lang_resume(lua_State *L, lua_State *co, int count, int *results);
void pj_lang_coroutine_open(lua_State *L);
/// lang_watch.c: a thread that sees to it that an interrupt is heard soon.
void pj_lang_watch_begin(pj_lang_stage *stage);
void pj_lang_watch_end(pj_lang_stage *stage);
void pj_lang_watch_enter(pj_lang *lang);
void pj_lang_watch_leave(void);
/// lang_match.c: find, match, gmatch and gsub that an interrupt ends.
void pj_lang_match_open(lua_State *L);
/// lang_long.c: functions of the table library that an interrupt ends.
void pj_lang_long_open(lua_State *L);
/// lang_file.c: files that an interrupt ends the wait for.
void pj_lang_file_open(lua_State *L);
/// lang_process.c: waits off the stage until a descriptor is ready; false with errno when the cell
/// was interrupted.
bool pj_lang_await_fd(pj_lang *lang, int fd, short events);
/// lang_show.c: a JSON text; bytes that are no UTF-8 become U+FFFD.
json_t *pj_lang_json(pj_str text);
/// lang_error.c: message handler of protected calls; fills message and frames.
int pj_lang_error_handler(lua_State *L);
/// The nearest of the globals that cells see; NULL when none is near.
const char *pj_lang_error_nearest(lua_State *L, pj_str name);
/// {"ename", "evalue", "traceback"} from message and frames.
json_t *pj_lang_error_json(pj_lang *lang, const char *ename);
/// Puts the message and place of a compile error (popped from the stack) into message and frames.
void pj_lang_error_syntax(pj_lang *lang, pj_str code);
/// The same for a name without a value that follows `before` in the cell `source`.
void pj_lang_error_undefined(pj_lang *lang, const char *source, pj_str before, pj_str name);
/// lang_show.c: the bundle of a value, or of several from `first` to the top of the stack, in
/// lang->data and lang->metadata; raises, also where `stop` (NULL = never) ends the drawing.
void pj_lang_bundle(lua_State *L, int index, const atomic_bool *stop);
void pj_lang_show(lua_State *L, int first);
void pj_lang_bundle_clear(pj_lang *lang);
/// A value as plain text in lang->text; raises.
void pj_lang_text(lua_State *L, int index);

#endif
