// Scaling models of the parts of a program: which of them becomes the runtime with more threads.
// Sources: DEFINITIONS.md, "Scaling models". Ownership: a new table.
#ifndef PJ_PART_MODELS_H
#define PJ_PART_MODELS_H

#include "metrics/base/err.h"
#include "metrics/pop/part_series.h"
#include "metrics/table/table.h"

#include <stddef.h>

/// One row for each part and size, ordered by growth up to the largest size: part, p,
/// predicted_s, low_s, high_s, share, measured_s, share_measured, growth, formula, smape, points.
/// `at` none: four times the largest size measured. PJ_E_USAGE: fewer than 3 sizes.
PJ_CHECKED pj_table *pj_part_models_table(const pj_part_study *parts, const double *at,
                                          size_t at_count, pj_err *err);

#endif
