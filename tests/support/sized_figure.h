// Whether a figure obeys a width and a height, all of it.
#ifndef PJ_SIZED_FIGURE_H
#define PJ_SIZED_FIGURE_H

#include "widgets/figure/figure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/// Brings it there; 0 0 = nothing was said.
static inline void sized_figure_check(pj_figure *figure, double width, double height)
{
    if (!(width > 0) || !(height > 0))
        return;
    double factor = pj_figure_zoom(figure, (pj_picture_size){.width = width, .height = height});
    assert_true(factor <= 1 && figure->width == width && figure->height == height);
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *mark = &figure->marks[i];
        assert_true(mark->x > -1 && mark->x < width + 1);
        assert_true(mark->y > -1 && mark->y < height + 1);
    }
}

#endif
