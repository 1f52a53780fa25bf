// Lines of chosen functions: hits and time, by a tracer that is installed while such a function
// itself runs. Ownership: the process's.
#ifndef PJ_PY_LINES_H
#define PJ_PY_LINES_H

#include "metrics/record/python/py_api.h"

/// Whether any function is chosen.
extern bool pj_py_lines_wanted;

/// Functions by $POPINJAY_RECORD_LINES: patterns parted by commas, of "module:function" or of what
/// is behind the colon.
void pj_py_lines_begin(void);
/// There is no hook that could tell lines: none are recorded, and that is said.
void pj_py_lines_end(void);
/// Whether the function of this name is chosen.
bool pj_py_lines_choose(const char *name);
/// The frame by its evaluator; `lines` is that of its function (pj_rec_lines_of), 0 = not chosen.
PyObject *pj_py_lines_eval(uint32_t lines, pj_py_eval eval, PyThreadState *state, void *frame,
                           int thrown);
/// Adds `lines(function)` to the module, which chooses a function. An error is left on failure.
bool pj_py_lines_add_to(PyObject *module);

#endif
