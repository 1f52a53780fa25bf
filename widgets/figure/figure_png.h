// PNG files with exact colours. Ownership: output is appended to the caller's buffer.
#ifndef PJ_FIGURE_PNG_H
#define PJ_FIGURE_PNG_H

#include "metrics/base/buf.h"

#include <stdint.h>

/// `pixels` holds height rows of `stride` pixels, 0xAARRGGBB each; without `alpha` all are opaque.
/// False when zlib fails.
bool pj_figure_png(const uint32_t *pixels, uint32_t width, uint32_t height, size_t stride,
                   bool alpha, pj_buf *out);

#endif
