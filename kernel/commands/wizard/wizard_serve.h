// popinjay wizard in the shell: a notebook with one cell, and the Jupyter that is installed.
// Ownership: none.
#ifndef PJ_WIZARD_SERVE_H
#define PJ_WIZARD_SERVE_H

#include "kernel/command/session.h"
#include "metrics/base/err.h"

/// Writes wizard.ipynb into the folder unless it is there, and becomes the server: returns only
/// with an error. PJ_E_MISSING says how to install one.
PJ_CHECKED bool pj_wizard_serve(pj_session *session, const char *folder, pj_err *err);

#endif
