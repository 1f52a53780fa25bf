// Call paths come with both values from profile_graph.h; of calls the sums below a path are made
// here, from the last node to the first, children before their parents.
#include "metrics/profile/location_values.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_graph.h"

#include <math.h>

double pj_location_values_fold(const pj_location_values *values, double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    switch (values->fold) {
    case PJ_MEASURE_SUM:
        return a + b;
    case PJ_MEASURE_MIN:
        return fmin(a, b);
    case PJ_MEASURE_MAX:
        return fmax(a, b);
    }
    return a;
}

static pj_site site_of(const pj_location_values *v)
{
    return v->paths ? PJ_AT_NODE : PJ_AT_REGION;
}

/// Calls of a path and of all below it.
static const pj_profile_column *calls_below(const pj_location_values *v, pj_arena *arena)
{
    const pj_profile *p = v->profile;
    size_t width = p->location_count, cells = p->count[PJ_AT_NODE] * width;
    pj_profile_column *made = pj_new(arena, pj_profile_column);
    *made = (pj_profile_column){.site = PJ_AT_NODE, .part = PJ_CALLS, .measure = PJ_NO_ITEM};
    made->real = pj_new_n(arena, double, cells + 1);
    for (uint32_t n = p->count[PJ_AT_NODE]; n-- > 0;)
        for (uint32_t at = 0; at < width; at++) {
            double *sum = &made->real[n * width + at]; // so far of its children; 0 = none
            double calls = pj_profile_value(p, v->own, n, at);
            *sum += isnan(calls) ? 0 : calls;
            if (p->nodes[n].parent != PJ_NO_ITEM)
                made->real[p->nodes[n].parent * width + at] += *sum;
        }
    return made;
}

static void take_columns(pj_location_values *v, pj_arena *arena)
{
    const pj_profile *p = v->profile;
    if (v->measure == PJ_NO_ITEM) {
        v->own = pj_profile_find(p, site_of(v), PJ_CALLS, PJ_NO_ITEM);
        v->with = v->own && v->paths ? calls_below(v, arena) : v->own;
    } else if (v->paths) {
        pj_profile_paths paths = pj_profile_paths_of(p, v->measure, arena);
        v->own = paths.exclusive;
        v->with = paths.inclusive;
    } else {
        v->own = pj_profile_find(p, PJ_AT_REGION, PJ_EXCLUSIVE, v->measure);
        v->with = pj_profile_find(p, PJ_AT_REGION, PJ_INCLUSIVE, v->measure);
    }
}

static double *sums_of(const pj_location_values *v, const pj_profile_column *column,
                       pj_arena *arena)
{
    uint32_t count = v->profile->count[site_of(v)];
    double *sums = pj_new_n(arena, double, count + (size_t)1);
    for (uint32_t i = 0; i < count; i++) {
        sums[i] = NAN;
        for (uint32_t at = 0; at < v->profile->location_count; at++)
            sums[i] =
                pj_location_values_fold(v, sums[i], pj_profile_value(v->profile, column, i, at));
    }
    return sums;
}

bool pj_location_values_new(pj_profile *profile, uint32_t measure, bool paths, pj_arena *arena,
                            pj_location_values *out, pj_err *err)
{
    pj_job job = {0};
    *out = (pj_location_values){.paths = paths && profile->count[PJ_AT_NODE] > 0,
                                .measure = measure,
                                .fold = measure == PJ_NO_ITEM ? PJ_MEASURE_SUM
                                                              : profile->measures[measure].fold};
    out->profile =
        out->paths ? pj_profile_hold(profile) : pj_profile_by_region(profile, measure, &job, err);
    if (!out->profile)
        return false;
    if (!out->paths && measure != PJ_NO_ITEM && out->profile != profile) // it holds this one alone
        out->measure = pj_profile_measure(out->profile, pj_str_of(profile->measures[measure].key));
    take_columns(out, arena);
    out->own_sum = sums_of(out, out->own, arena);
    out->with_sum = sums_of(out, out->with, arena);
    out->total = pj_location_value(out, PJ_NO_ITEM, PJ_NO_ITEM, true);
    return true;
}

void pj_location_values_free(pj_location_values *values)
{
    pj_profile_release(values->profile);
    values->profile = NULL;
}

/// Of paths that of the roots; of functions what they take themselves, added up.
static double all_items(const pj_location_values *v, uint32_t location)
{
    const pj_profile *p = v->profile;
    double sum = NAN, most = NAN;
    for (uint32_t i = 0; i < p->count[site_of(v)]; i++) {
        double with = pj_profile_value(p, v->with, i, location);
        if (v->paths && p->nodes[i].parent != PJ_NO_ITEM)
            continue;
        most = isnan(most) || with > most ? with : most;
        sum = pj_location_values_fold(v, sum,
                                      v->paths ? with : pj_profile_value(p, v->own, i, location));
    }
    return isnan(sum) ? most : sum;
}

double pj_location_value(const pj_location_values *v, uint32_t item, uint32_t location,
                         bool with_callees)
{
    double sum = NAN;
    if (item != PJ_NO_ITEM && location != PJ_NO_ITEM)
        return pj_profile_value(v->profile, with_callees ? v->with : v->own, item, location);
    if (item != PJ_NO_ITEM)
        return with_callees ? v->with_sum[item] : v->own_sum[item];
    if (location != PJ_NO_ITEM)
        return all_items(v, location);
    for (uint32_t at = 0; at < v->profile->location_count; at++)
        sum = pj_location_values_fold(v, sum, all_items(v, at));
    return sum;
}
