// Axes of calendar time: days and hours people would choose. Ownership: ticks are arena.
#ifndef PJ_TIME_AXIS_H
#define PJ_TIME_AXIS_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "widgets/figure/axis.h"

#include <stdbool.h>

/// Seconds since 1970 of "2026-05-01T07:08:09", of which the day is enough; what follows, as a
/// zone, is not looked at. False: it is none.
bool pj_time_axis_parse(pj_str text, double *seconds);
/// A linear axis of such seconds, with a few ticks at hours, days, months or years and a little
/// room at both ends.
pj_axis pj_time_axis(double from, double to, pj_arena *arena);

#endif
