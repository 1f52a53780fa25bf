// A function with a region around it, as `@region` leaves it. Ownership: Python's.
#ifndef PJ_PY_FUNCTION_H
#define PJ_PY_FUNCTION_H

#include "metrics/record/python/py_api.h"

/// A new callable in place of `function`; `id` 0 = the region of the function itself, written only
/// where the hook does not write it. Generators and coroutines are left to
/// popinjay.resumed(region, function).
PyObject *pj_py_function_wrap(PyObject *region, PyObject *function, uint32_t id);

#endif
