// The door to the drawing module.
// The drawing module is looked for at the first drawing.
#include "widgets/figure/draw.h"

#include "metrics/base/err.h"
#include "metrics/base/module.h"

const pj_draw *pj_draw_open(pj_err *err)
{
    return pj_module_open("popinjay-draw.so", "pj_draw_module",
                          "pictures need cairo and pango (Debian: libcairo2 libpangocairo-1.0-0)",
                          err);
}
