// Commands and their arguments as rows of data: one table serves the shell, the notebook's `%`
// lines, Lua, completion, help and the man page. Ownership: constants.
#ifndef PJ_COMMAND_H
#define PJ_COMMAND_H

#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stddef.h>

/// Where a command exists, or an argument has its place without a name.
enum { PJ_IN_SHELL = 1, PJ_IN_LUA = 2, PJ_IN_BOTH = 3 };

/// The type of an argument and of its field in the command's struct.
typedef enum pj_param_type {
    PJ_PARAM_FLAG,     // bool
    PJ_PARAM_TEXT,     // const char *, NULL = not given
    PJ_PARAM_CHOICE,   // const char *, one of the valid values
    PJ_PARAM_COUNT,    // uint64_t from 1, 0 = not given
    PJ_PARAM_NUMBER,   // double above 0, 0 = not given
    PJ_PARAM_PART,     // double between 0 and 1, 0 = not given
    PJ_PARAM_SIZE,     // uint64_t bytes: "64M"
    PJ_PARAM_DURATION, // double ns: "2us"
    PJ_PARAM_RATE,     // double bytes per second: "10G", "inf"
    PJ_PARAM_PATH,     // const char *, a file or folder
    PJ_PARAM_TEXTS,    // pj_texts, given again and again
    PJ_PARAM_REST,     // pj_texts, every word that follows
    PJ_PARAM_INPUTS,   // pj_inputs: paths, globs, and in Lua runs and results
} pj_param_type;

typedef struct pj_texts {
    const char **items;
    size_t count, cap;
} pj_texts;

/// Borrowed values.
typedef struct pj_inputs {
    pj_value *items;
    const char **names; // that the user gave them; NULL = none
    size_t count, cap;
} pj_inputs;

typedef struct pj_param {
    const char *name; // "roi-cut": --roi-cut in the shell, roi_cut in Lua
    const char *help; // one sentence
    char letter;      // 'y' for -y; 0 = none
    const char *lua;  // another name, where the first one is a word of Lua's own; NULL = none
    pj_param_type type;
    unsigned place; // faces in which it stands without its name, in the order of the rows
    bool required;
    bool named;                 // of inputs: NAME = INPUT in Lua names one
    bool open;                  // other values than `choices` are fine too
    size_t offset;              // of its field in the struct
    const char *shown;          // its value in usage lines: "SET"
    const char *const *choices; // ends with NULL
    const char *(*choice)(const pj_session *session, size_t index); // in place of `choices`
    const char *(*offers)(const pj_session *session, size_t index); // what Tab offers besides
    bool body;          // in a cell: the lines below a % line that leaves the places empty
    bool files;         // Tab offers files too; those of paths and inputs it always does
    bool output;        // it says where the answer goes: into files, as JSON
    const char *preset; // the default as help says it; NULL = none
    const char *bare;   // its value where none stands behind it; one must have the form key=value
    const char *(*suffix)(size_t index); // a file it writes may end with; NULL past the end
    size_t index;                        // among those of its command; not said in rows
} pj_param;

/// Parameters that belong together, whose fields lie in a struct of their own.
typedef struct pj_param_group {
    const pj_param *rows; // ends with a row without a name
    size_t base;          // of that struct in the command's
    const char *help;     // of the first row, in place of its own
    unsigned place;       // of the first row, besides its own
} pj_param_group;

/// A word that may be taken for a command, and what is meant: "idle", "stats --device-idle".
typedef struct pj_lead {
    const char *word, *to;
} pj_lead;

typedef struct pj_command {
    const char *name;
    const char *summary; // one line
    const char *detail;  // paragraphs
    const char *example; // a shell line
    unsigned faces;
    bool reads; // its answer comes from files, which it leaves as they are but for `output`
    const pj_param_group *groups; // ends with one without rows
    const pj_lead *leads; // words that are meant for it, ending with one without; NULL = none
    size_t args_size;
    /// `out` is NIL before the call. A failure after which the rest goes on is a complaint of the
    /// session, not an error.
    bool (*run)(pj_session *session, const void *args, pj_value *out, pj_err *err);
} pj_command;

/// Commands in the order of commands.def; NULL past the end.
const pj_command *pj_command_at(size_t index);
/// Those that exist in one of `faces`; NULL when there is none of this name.
const pj_command *pj_command_find(pj_str name, unsigned faces);
/// False with PJ_E_USAGE: "unknown command ...; did you mean ...?" and the list.
bool pj_command_unknown(pj_str name, unsigned faces, pj_err *err);

/// A parameter by its index, in the order of the groups: `offset` is that in the command's struct.
/// False past the end.
bool pj_command_param_at(const pj_command *command, size_t index, pj_param *out);
/// By name (dashes and underscores alike) or letter; false when there is none.
bool pj_command_param(const pj_command *command, pj_str name, pj_param *out);
bool pj_command_letter(const pj_command *command, char letter, pj_param *out);
/// The one that takes the lines below a % line.
bool pj_command_body(const pj_command *command, pj_param *out);
/// Whether several values may be given.
bool pj_param_many(const pj_param *param);
/// Valid values; NULL past the end and for parameters without a list.
const char *pj_param_choice(const pj_param *param, const pj_session *session, size_t index);

#endif
