// A series as one curve: its samples and both ends of its brackets in order of time; the largest
// value, the trend. As memory_profiler's mprof draws and tells them. Ownership: arena.
#ifndef PJ_MEMORY_CURVE_H
#define PJ_MEMORY_CURVE_H

#include "metrics/base/arena.h"
#include "metrics/profile/profile.h"

typedef struct pj_memory_curve {
    pj_profile_point *points;
    size_t count;
    double peak, peak_time; // the first of the largest values; NaN without points
    double slope;           // a second: least squares over all points; NaN below two times
    double intercept;       // at `start`
} pj_memory_curve;

/// `start`: the time that the trend counts from, which is that of the first curve of a recording.
pj_memory_curve pj_memory_curve_of(const pj_profile *profile, uint32_t series, double start,
                                   pj_arena *arena);
/// The earliest time of the series of a file; NaN when it has none.
double pj_memory_curve_start(const pj_profile *profile, uint32_t file);

#endif
