// Lightness falls alike in all ramps.
#include "widgets/plot/profile/heat_scale.h"

#include "metrics/profile/function_family.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/terminal_sheet.h"
#include "widgets/figure/textbox.h"

#include <math.h>

enum { STEPS = 40 };
static const double ramp_width = 240, ramp_height = 6;

static const struct {
    pj_colour pale, dark;
} ramps[PJ_FAMILY_COUNT] = {
    [PJ_FAMILY_WORK] = {0xdfeaf8ff, 0x0b3c78ff},
    [PJ_FAMILY_BUILTIN] = {0xe9ecf0ff, 0x3a424cff},
    [PJ_FAMILY_WAIT] = {0xfdecd6ff, 0x8a3f04ff},
};

pj_colour pj_heat_colour(pj_function_family family, double part)
{
    return pj_palette_mix(ramps[family].pale, ramps[family].dark, sqrt(fmin(fmax(part, 0), 1)));
}

void pj_heat_scale_add(pj_chart *chart, const bool there[PJ_FAMILY_COUNT],
                       const char *const labels[PJ_HEAT_LABELS], bool terminal)
{
    pj_figure *figure = chart->figure;
    double x = chart->left, y = figure->height - 6, high = terminal ? PJ_CELL_HEIGHT : ramp_height;
    if (terminal)
        y = ceil(y / PJ_CELL_HEIGHT) * PJ_CELL_HEIGHT;
    for (unsigned f = 0; f < PJ_FAMILY_COUNT; f++) {
        double step = ramp_width / STEPS;
        for (unsigned i = 0; there[f] && i < STEPS; i++) {
            double root = (i + 0.5) / STEPS;
            pj_figure_add(figure,
                          (pj_mark){.kind = PJ_MARK_RECT,
                                    .x = x + i * step,
                                    .y = y,
                                    .w = step + (i + 1 < STEPS ? 0.3 : 0),
                                    .h = high,
                                    .fill = pj_heat_colour((pj_function_family)f, root * root)});
        }
        y += there[f] ? high : 0;
    }
    for (unsigned l = 0; l < PJ_HEAT_LABELS; l++)
        pj_textbox_put(figure, x + l * ramp_width / (PJ_HEAT_LABELS - 1), y + 13, labels[l],
                       (pj_style){.size = 10.5,
                                  .colour = PJ_MUTED,
                                  .anchor = l ? PJ_ANCHOR_MIDDLE : PJ_ANCHOR_START});
    figure->height = y + 13 + 16;
}
