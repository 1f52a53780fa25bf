// The execute_request and what a cell sees of the front end.
#ifndef PJ_EXECUTE_H
#define PJ_EXECUTE_H

#include "kernel/command/face.h"
#include "kernel/jupyter/dispatch.h"
#include "kernel/jupyter/request.h"
#include "kernel/jupyter/subshell.h"

/// Runs the cell and publishes what comes of it; the content of the execute_reply, new.
json_t *pj_execute(pj_subshell *shell, pj_request *request);
/// The face of a notebook: output becomes messages of the request that is being served.
pj_face pj_execute_face(pj_subshell *shell);

#endif
