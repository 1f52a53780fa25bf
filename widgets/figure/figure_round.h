// Fewer colours for pictures that a notebook keeps. Ownership: the caller's pixels are changed.
#ifndef PJ_FIGURE_ROUND_H
#define PJ_FIGURE_ROUND_H

#include <stddef.h>
#include <stdint.h>

/// Rounds blends at the edges of letters and lines to 256 colours in all, which a PNG file keeps in
/// a quarter of the bytes. Colours that fill a surface stay exact; where those are too many,
/// nothing changes. `pixels` are opaque, 0xRRGGBB each, in `height` rows of `stride`.
void pj_figure_round(uint32_t *pixels, uint32_t width, uint32_t height, size_t stride);

#endif
