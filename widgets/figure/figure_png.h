// PNG files with exact colours. Ownership: output is appended to the caller's buffer.
#ifndef PJ_FIGURE_PNG_H
#define PJ_FIGURE_PNG_H

#include "metrics/base/buf.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct pj_pixels {
    const uint32_t *at; // height rows of `stride` pixels, 0xAARRGGBB each
    uint32_t width, height;
    size_t stride;
    bool alpha; // else all are opaque
} pj_pixels;

/// False when zlib fails, or `stop` is raised (NULL = never).
bool pj_figure_png(const pj_pixels *pixels, const atomic_bool *stop, pj_buf *out);

#endif
