// A figure as the bytes of a file. Ownership: output is appended to the caller's buffer.
#ifndef PJ_FIGURE_FILE_H
#define PJ_FIGURE_FILE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"

#include <stdatomic.h>

/// Formats by suffix without the point: svg (with hover texts), png (2x), pdf, html (a whole page).
/// NULL past the end. Figures of graphs have dot beside them.
const char *pj_figure_format_at(size_t index);
/// Fails with PJ_E_USAGE on another format, PJ_E_MISSING without the drawing module, PJ_E_STOPPED
/// when `stop` is raised (NULL = never).
PJ_CHECKED bool pj_figure_file(const pj_figure *figure, pj_str format, const atomic_bool *stop,
                               pj_buf *out, pj_err *err);

#endif
