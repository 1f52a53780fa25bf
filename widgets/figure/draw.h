// The drawing module (cairo, pango) as function pointers: opened at the first drawing, so that
// the program starts without it. Ownership: borrow - the module stays loaded until the end.
#ifndef PJ_DRAW_H
#define PJ_DRAW_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "widgets/figure/figure.h"

#include <stdatomic.h>

typedef enum pj_picture { PJ_PNG, PJ_PDF } pj_picture;

typedef struct pj_extent {
    double width, height;
} pj_extent;

typedef struct pj_draw {
    /// Size of `text` in px at 1x in the font that PJ_MARK_TEXT uses.
    pj_extent (*measure)(const char *text, double size, bool bold);
    /// The figure as a file; PNG at `scale` pixels per px. Errors: PJ_E_IO, PJ_E_STOPPED (`stop`
    /// NULL = never).
    bool (*render)(const pj_figure *figure, pj_picture kind, double scale, const atomic_bool *stop,
                   pj_buf *out, pj_err *err);
} pj_draw;

/// NULL with PJ_E_MISSING when the module or its libraries are not installed.
PJ_CHECKED const pj_draw *pj_draw_open(pj_err *err);

#endif
