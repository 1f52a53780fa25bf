// Calls of functions that are written in C, of those that are chosen by their names.
// Ownership: constants; callers hold the lock of the interpreter.
#ifndef PJ_PY_BUILTINS_H
#define PJ_PY_BUILTINS_H

#include "metrics/record/python/py_api.h"

/// Whether any are to be recorded (POPINJAY_RECORD_C_FUNCTIONS: patterns parted by commas).
extern bool pj_py_builtins_wanted;

void pj_py_builtins_begin(void);
/// Why none will be, with a hook that does not see them.
void pj_py_builtins_end(const char *hook);

/// `code` is what calls it, NULL = not known; `function` may be anything that can be called: what
/// is no function of C, or not chosen, or called from what is never recorded, is left alone. No
/// error is left and none that is set is lost.
void pj_py_builtins_enter(const void *code, PyObject *function);
void pj_py_builtins_leave(const void *code, PyObject *function);

#endif
