// Requests of debuggers (Debug Adapter Protocol inside debug_request, as JupyterLab sends them): no
// cell is stopped or stepped through, but the panel of variables is served. Ownership: new
// references.
#ifndef PJ_VARIABLES_H
#define PJ_VARIABLES_H

#include "kernel/lua/lang.h"

/// Content of the debug_reply to the content of a debug_request; `started` is whether a front end
/// has attached itself, kept by the caller.
json_t *pj_variables_answer(pj_lang *lang, atomic_bool *started, const json_t *request);

#endif
