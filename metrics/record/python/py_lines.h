// Lines of chosen functions: hits and time, which is from the begin of a line to that of the next
// one, or to the end of the frame. Ownership: the process's.
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
/// Who is told of each code object whose lines are to be recorded.
void pj_py_lines_tell(void (*tell)(PyObject *code));
/// Whether the function of this name is chosen.
bool pj_py_lines_choose(const char *name);
/// The number of a chosen function (pj_rec_lines_of); 0 = its lines cannot be kept.
uint32_t pj_py_lines_of(PyObject *code, uint32_t region, uint32_t first, uint32_t last);

/// Where a frame of a chosen function stands.
typedef struct pj_py_line {
    uint32_t lines; // of the function
    uint32_t line;  // that is running; 0 = none
    uint64_t since;
} pj_py_line;

void pj_py_line_begin(pj_py_line *at, uint32_t line);
void pj_py_line_end(pj_py_line *at);

/// The frame by its evaluator; `lines` is that of its function, 0 = not chosen.
PyObject *pj_py_lines_eval(uint32_t lines, pj_py_eval eval, PyThreadState *state, void *frame,
                           int thrown);
/// Adds `lines(function)` to the module, which chooses a function. An error is left on failure.
bool pj_py_lines_add_to(PyObject *module);

#endif
