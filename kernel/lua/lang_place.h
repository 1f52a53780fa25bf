// What stands at the cursor: the word, the object before it, the call around it. Shared by
// completion and inspection. Ownership: views of the code.
#ifndef PJ_LANG_PLACE_H
#define PJ_LANG_PLACE_H

#include "kernel/lua/lang_lex.h"
#include "metrics/base/str.h"

typedef struct pj_lang_place {
    pj_str before;  // the code up to the cursor
    pj_str word;    // the name at the cursor, or the text of an open string up to it
    pj_str chain;   // "a.b[1]" of "a.b[1].wo|"; empty = none
    char link;      // '.' or ':' before the word, behind the chain or behind what is none; 0 = none
    bool in_string; // word is the content of a string that is open at the cursor
    bool in_comment;
    bool in_table; // between { and }
    pj_str callee; // name of the innermost call around the cursor: "plot", "where"; empty = none
    pj_str owner;  // "a.b" when the callee is a.b:where or a.b.where; empty = none
    bool method;   // the callee stands behind a '.' or ':'
    pj_str option; // "y" of "y = wo|"; empty = none
    pj_str line;   // the command of a `%` line up to the cursor, without '%'; .at NULL = none
} pj_lang_place;

/// Looks at the code before byte `cursor`; with `whole` the word goes on behind it.
pj_lang_place pj_lang_place_at(pj_str code, size_t cursor, bool whole);

/// Byte of a code point of UTF-8, and code points of a text: Jupyter counts in code points.
size_t pj_lang_place_byte(pj_str code, size_t point);
size_t pj_lang_place_points(pj_str text);

#endif
