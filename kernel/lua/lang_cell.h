// A cell cut into its top-level statements, and the one Lua chunk that runs them: a newline ends a
// statement wherever what stands before it compiles. Ownership: texts are views of the code;
// pj_lang_cell_free frees the rest.
#ifndef PJ_LANG_CELL_H
#define PJ_LANG_CELL_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <lua.h>

typedef enum pj_statement_kind {
    PJ_STATEMENT_CODE,
    PJ_STATEMENT_EXPRESSION, // or a call: has a value
    PJ_STATEMENT_COMMAND,    // "%metrics a.prv"
    PJ_STATEMENT_HELP,       // "?metrics", "metrics?"
    PJ_STATEMENT_BROKEN,     // the rest of the cell, which does not compile
} pj_statement_kind;

typedef struct pj_statement {
    pj_statement_kind kind;
    pj_str text; // first to last token; of a command what follows the '%', of help the name
    size_t at;   // offsets in the code
    size_t end;
    bool quiet;    // ends with ';'
    bool call;     // of an expression in the middle of a cell: it may be made for what it does
    pj_str body;   // of a command: the lines below it, where it takes them
    pj_str target; // of a command: what it is assigned to ("m", "local m"); empty = nothing
    bool shown;    // of a command: shown though assigned ("... as m")
} pj_statement;

typedef struct pj_lang_cell {
    pj_statement *items;
    size_t count, cap;
    bool lined;      // has `%` or `?` lines or values in its middle: its program takes what they
                     // call and gives a function
    bool incomplete; // the code only wants more text
    int depth;       // lines with a bracket or block open at the end of the code
} pj_lang_cell;

/// Compiles parts of `code` in `L` (never runs them) and leaves its stack as it was.
void pj_lang_cell_cut(lua_State *L, pj_str code, pj_lang_cell *out);
/// The chunk, with the line numbers of the cell. With `valued` it returns the value of the last
/// statement when that has one and does not end with ';', and shows such values in the middle: of
/// calls those that were made to be looked at, of other expressions any.
void pj_lang_cell_program(const pj_lang_cell *cell, pj_str code, bool valued, pj_buf *out);
void pj_lang_cell_free(pj_lang_cell *cell);

#endif
