// Where the level of a series changes. Ownership: the caller's arrays.
#ifndef PJ_CHANGE_POINTS_H
#define PJ_CHANGE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

/// Fewest values between two changes, and before the first.
enum { PJ_CHANGE_LEAST = 3 };

/// Marks the first value of each new level: least squares around the means of levels, on the series
/// standardised by its mean and standard deviation, with a penalty of 3 ln n for each change (the
/// optimum that PELT finds; Killick, Fearnhead, Eckley 2012). How many there are.
size_t pj_change_points(const double *values, size_t count, bool *changes);

#endif
