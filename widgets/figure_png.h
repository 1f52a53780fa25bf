// PNG files of flat pictures: at most 256 colours, a third of the size of true colour.
// Ownership: output is appended to the caller's buffer.
#ifndef PJ_FIGURE_PNG_H
#define PJ_FIGURE_PNG_H

#include "metrics/base/buf.h"

#include <stdint.h>

/// `pixels` holds height rows of `stride` pixels, 0x00RRGGBB each. False when zlib fails.
bool pj_figure_png(const uint32_t *pixels, uint32_t width, uint32_t height, size_t stride,
                   pj_buf *out);

#endif
