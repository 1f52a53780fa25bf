// Puts samples and brackets of a series in order of time, finds the largest and the trend.
#include "metrics/profile/memory_curve.h"

#include <math.h>
#include <stdlib.h>

/// A point and where it came from, so that points of one time keep their order.
typedef struct placed {
    pj_profile_point point;
    size_t order;
} placed;

static int by_time(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->point.time != y->point.time)
        return x->point.time < y->point.time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_sorted(const pj_profile_point *points, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (points[i].time < points[i - 1].time)
            return false;
    return true;
}

static void sort_points(pj_profile_point *points, size_t count)
{
    if (is_sorted(points, count))
        return;
    placed *all = pj_take_memory(count * sizeof *all);
    for (size_t i = 0; i < count; i++)
        all[i] = (placed){points[i], i};
    qsort(all, count, sizeof *all, by_time);
    for (size_t i = 0; i < count; i++)
        points[i] = all[i].point;
    free(all);
}

static void find_peak(pj_memory_curve *curve)
{
    curve->peak = curve->peak_time = NAN;
    for (size_t i = 0; i < curve->count; i++)
        if (isnan(curve->peak) || curve->points[i].value > curve->peak) {
            curve->peak = curve->points[i].value;
            curve->peak_time = curve->points[i].time;
        }
}

/// Least squares around the means, which loses fewer digits than sums of squares.
static void find_trend(pj_memory_curve *curve, double start)
{
    double n = (double)curve->count, time = 0, value = 0, across = 0, along = 0;
    for (size_t i = 0; i < curve->count; i++) {
        time += (curve->points[i].time - start) / n;
        value += curve->points[i].value / n;
    }
    for (size_t i = 0; i < curve->count; i++) {
        double t = curve->points[i].time - start - time;
        along += t * t;
        across += t * (curve->points[i].value - value);
    }
    curve->slope = along > 0 ? across / along : NAN;
    curve->intercept = value - curve->slope * time;
}

pj_memory_curve pj_memory_curve_of(const pj_profile *profile, uint32_t series, double start,
                                   pj_arena *arena)
{
    const pj_profile_series *from = &profile->series[series];
    size_t cap = from->count;
    for (uint32_t i = 0; i < profile->bracket_count; i++)
        cap += profile->brackets[i].series == series ? 2 : 0;
    pj_memory_curve curve = {.points = pj_new_n(arena, pj_profile_point, cap + 1),
                             .count = from->count};
    if (from->count)
        memcpy(curve.points, from->points, from->count * sizeof *from->points);
    for (uint32_t i = 0; i < profile->bracket_count; i++) {
        const pj_profile_bracket *call = &profile->brackets[i];
        if (call->series != series)
            continue;
        curve.points[curve.count++] = (pj_profile_point){call->begin, call->value_begin};
        curve.points[curve.count++] = (pj_profile_point){call->end, call->value_end};
    }
    sort_points(curve.points, curve.count);
    find_peak(&curve);
    find_trend(&curve, start);
    return curve;
}

double pj_memory_curve_start(const pj_profile *profile, uint32_t file)
{
    double start = NAN;
    for (uint32_t i = 0; i < profile->series_count; i++) {
        const pj_profile_series *series = &profile->series[i];
        if (profile->locations[series->location].file == file)
            for (size_t k = 0; k < series->count; k++)
                start = fmin(start, series->points[k].time);
    }
    for (uint32_t i = 0; i < profile->bracket_count; i++) {
        const pj_profile_bracket *call = &profile->brackets[i];
        uint32_t location = profile->series[call->series].location;
        if (profile->locations[location].file == file)
            start = fmin(start, call->begin);
    }
    return start;
}
