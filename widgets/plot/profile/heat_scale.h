// Colours of amounts: pale for little, dark for much, by family of functions; in grey they are in
// the same order. Ownership: marks are the chart's figure's.
#ifndef PJ_HEAT_SCALE_H
#define PJ_HEAT_SCALE_H

#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/figure.h"

#define PJ_HEAT_ABSENT 0xfafbfcffu // never called
#define PJ_HEAT_SCALE_HEIGHT 46.0  // px that the scale adds

enum { PJ_HEAT_LABELS = 5 };

/// Of a part of the largest amount; even by its root, so that small ones can be told apart.
pj_colour pj_heat_colour(pj_function_family family, double part);
/// Adds the scale below the chart, whose figure grows; a ramp for each family that is there.
/// `labels` stand at equal distances, so at (l / (PJ_HEAT_LABELS - 1)) squared of the largest.
void pj_heat_scale_add(pj_chart *chart, const bool there[PJ_FAMILY_COUNT],
                       const char *const labels[PJ_HEAT_LABELS], bool terminal);

#endif
