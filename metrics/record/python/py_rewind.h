// Marks of a thread, to which its events can be taken back. Ownership: Python's.
#ifndef PJ_PY_REWIND_H
#define PJ_PY_REWIND_H

#include "metrics/record/python/py_api.h"

/// Adds `mark` and `rewind` to the module. An error is left on failure.
bool pj_py_rewind_add_to(PyObject *module);

#endif
