// One metric of a profile by call path (or function) and location, with and without what lies
// below: what linked panes show. Ownership: arena, but for the held profile (free).
#ifndef PJ_LOCATION_VALUES_H
#define PJ_LOCATION_VALUES_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"

typedef struct pj_location_values {
    pj_profile *profile; // of the items; held
    bool paths;          // items are call paths, else functions
    uint32_t measure;    // PJ_NO_ITEM = calls
    pj_measure_fold fold;
    const pj_profile_column *own, *with; // without and with callees; NULL = the source does not say
    double *own_sum, *with_sum;          // by item, over all locations; NAN = absent
    double total;                        // of everything; NAN = absent
} pj_location_values;

/// `paths` asks for call paths, which only trees have.
PJ_CHECKED bool pj_location_values_new(pj_profile *profile, uint32_t measure, bool paths,
                                       pj_arena *arena, pj_location_values *out, pj_err *err);
void pj_location_values_free(pj_location_values *values);

/// Of an item at a location; PJ_NO_ITEM stands for all items, and for all locations.
double pj_location_value(const pj_location_values *values, uint32_t item, uint32_t location,
                         bool with_callees);
/// Two values as one: added, or the smaller or larger one; what is absent does not count.
double pj_location_values_fold(const pj_location_values *values, double a, double b);

#endif
