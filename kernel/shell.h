// The face of a terminal: text on the standard streams, lines typed on standard input.
// Ownership: plain value.
#ifndef PJ_SHELL_H
#define PJ_SHELL_H

#include "kernel/face.h"

/// Colours when standard output is a terminal and NO_COLOR is not set; `terminal` when standard
/// error is one.
pj_face pj_shell_face(void);
/// Adds the text with its control characters visible (^[ for ESC): only ends of lines, tabs and
/// sequences that colour stay.
void pj_shell_clean(pj_str text, pj_buf *out);
/// Columns of the terminal; 0 when standard output is none.
unsigned pj_shell_columns(void);

#endif
