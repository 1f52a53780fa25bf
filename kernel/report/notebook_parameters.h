// Values for a notebook from outside: the cell tagged `parameters` holds the defaults, a cell
// behind it replaces them. Ownership: the notebook is borrowed and changes.
#ifndef PJ_NOTEBOOK_PARAMETERS_H
#define PJ_NOTEBOOK_PARAMETERS_H

#include "kernel/command/command.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"

#include <jansson.h>

/// The text of a cell, which files have whole or as a list of lines.
void pj_notebook_source(const json_t *cell, pj_buf *out);
/// Each text is NAME=VALUE: numbers, true and false as they are, all else as text. PJ_E_USAGE where
/// a name is none, or the cell tagged `parameters` does not set it.
PJ_CHECKED bool pj_notebook_parameters(json_t *notebook, const pj_texts *given, pj_err *err);

#endif
