// One error: what was wrong, where, what to do. Ownership: plain value, the caller's.
#ifndef PJ_ERR_H
#define PJ_ERR_H

#include <stdbool.h>
#include <stdint.h>

/// Of what may fail with a pj_err: its result is looked at, or pj_ignore says that it is not.
#define PJ_CHECKED __attribute__((warn_unused_result))

typedef enum {
    PJ_E_NONE = 0,
    PJ_E_USAGE,   // wrong command, option or argument; exit status 2
    PJ_E_IO,      // a file cannot be opened, read or written
    PJ_E_FORMAT,  // bytes are not what their format promises
    PJ_E_MEMORY,  // the job's memory budget is used up
    PJ_E_STOPPED, // interrupted or cancelled
    PJ_E_MISSING, // something that the request needs is not there
    PJ_E_SCRIPT,  // a mistake in the user's Lua or formula
} pj_err_code;

typedef struct pj_err {
    pj_err_code code;
    char where[512]; // file, option or cell; "" when the text says all
    uint64_t line;   // 1-based; 0 = not known
    char text[1024]; // what was wrong and what to do; no trailing full stop or newline
} pj_err;

/// Fills `*err` unless it holds an error already (the first one wins); always returns false.
/// `err` may be NULL. `where` may be NULL; `line` 0 means "not known".
bool pj_fail(pj_err *err, pj_err_code code, const char *where, uint64_t line, const char *format,
             ...) __attribute__((format(printf, 5, 6)));
/// PJ_E_IO with what was tried ("cannot be opened"), what errno says of it and what to do.
bool pj_fail_io(pj_err *err, const char *where, const char *what);

/// "where: line 12: text" in `out`; returns `out`.
const char *pj_err_message(const pj_err *err, char *out, unsigned long size);

/// For a failure that changes nothing for the caller.
static inline void pj_ignore(bool done)
{
    (void)done;
}

#endif
