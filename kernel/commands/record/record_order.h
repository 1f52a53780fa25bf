// What is to be recorded and where: the words of a program, or the text of one, and a folder.
// Ownership: texts are arena.
#ifndef PJ_RECORD_ORDER_H
#define PJ_RECORD_ORDER_H

#include "kernel/command/command.h"
#include "kernel/commands/record/record_opts.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"

typedef struct pj_record_order {
    const char *name;   // of files that belong to it: "app"
    const char *folder; // absolute
    pj_texts words;     // the program and its arguments
    const char *script; // text of a Python program, which `words` run; NULL = none
    pj_texts options;   // what else the recording depends on, as words
    pj_record_opts opts;
} pj_record_order;

/// What the user said: a command, one word or a line of them, and more words; or a script alone.
typedef struct pj_record_said {
    const char *command, *script, *folder;
    const pj_texts *args;
    const pj_record_opts *opts;
    bool study;
} pj_record_said;

/// Errors: PJ_E_USAGE (neither command nor script, or both), PJ_E_MISSING (no such program).
PJ_CHECKED bool pj_record_order_of(const pj_record_said *said, pj_arena *arena,
                                   pj_record_order *out, pj_err *err);
/// Makes the folder and what of the order stands in it. With `keep` it may be there already, else
/// one that is there is renamed by its date.
PJ_CHECKED bool pj_record_order_begin(const pj_record_order *order, bool keep, pj_err *err);

#endif
