// Regions that the program names itself: the type `region` (with, decorator), begin and end.
// Ownership: Python's.
#ifndef PJ_PY_REGION_H
#define PJ_PY_REGION_H

#include "metrics/record/python/py_api.h"

/// Adds `region`, `begin`, `end` and `parameter` to the module. An error is left on failure.
bool pj_py_region_add_to(PyObject *module);

#endif
