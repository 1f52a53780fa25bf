// Modules beside the program: code whose libraries are loaded only when it is needed.
// Ownership: borrow - a module stays loaded until the end.
#ifndef PJ_MODULE_H
#define PJ_MODULE_H

#include "metrics/base/err.h"

/// What `symbol` of the module `name` ("popinjay-draw.so") names. NULL with PJ_E_MISSING when the
/// module or its libraries are not installed; `purpose` begins the message ("pictures need cairo").
PJ_CHECKED const void *pj_module_open(const char *name, const char *symbol, const char *purpose,
                                      pj_err *err);

#endif
