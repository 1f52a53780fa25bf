// The kernel started as Jupyter would, by its kernelspec. Ownership: texts are arena.
#ifndef PJ_INSTALL_START_H
#define PJ_INSTALL_START_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"

/// The folder of the kernelspec that Jupyter finds first; NULL when there is none.
const char *pj_install_spec(pj_arena *arena);
/// Starts it on free ports of this machine, waits for the greeting of ZeroMQ and ends it; what
/// happened, for people. Errors: PJ_E_FORMAT, PJ_E_IO with what the kernel said.
PJ_CHECKED bool pj_install_start(const char *folder, pj_arena *arena, const char **what,
                                 pj_err *err);

#endif
