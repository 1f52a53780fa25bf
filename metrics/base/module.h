// Modules beside the program: code whose libraries are loaded only when it is needed.
// Ownership: borrow - a module stays loaded until the end.
#ifndef PJ_MODULE_H
#define PJ_MODULE_H

#include "metrics/base/err.h"

#include <stdbool.h>
#include <stddef.h>

/// Where a module is, for other programs to load; false when it is not installed.
bool pj_module_path(const char *name, char *path, size_t size);
/// What `symbol` of the module `name` ("popinjay-draw.so") names. NULL with PJ_E_MISSING when the
/// module or its libraries are not installed; `purpose` begins the message ("pictures need cairo").
PJ_CHECKED const void *pj_module_open(const char *name, const char *symbol, const char *purpose,
                                      pj_err *err);

#endif
