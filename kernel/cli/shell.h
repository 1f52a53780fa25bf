// The face of a terminal: text on the standard streams, lines typed on standard input.
// Ownership: plain value.
#ifndef PJ_SHELL_H
#define PJ_SHELL_H

#include "kernel/command/face.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"

/// Draws when standard output is a terminal, with colours when NO_COLOR is not set; `terminal` when
/// standard error is one.
pj_face pj_shell_face(void);
/// Adds the text with its control characters visible (^[ for ESC): only ends of lines, tabs and
/// sequences that colour stay.
void pj_shell_clean(pj_str text, pj_buf *out);
/// The same for the name of a file within a line, of which no control character stays.
void pj_shell_clean_name(pj_str name, pj_buf *out);
/// Columns of the terminal; 0 when standard output is none.
unsigned pj_shell_columns(void);

#endif
