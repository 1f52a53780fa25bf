// What functions take at each rank or thread: what plots over ranks are made of. Ownership: arena.
#ifndef PJ_RANK_VALUES_H
#define PJ_RANK_VALUES_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/profile_view.h"

typedef struct pj_rank_values {
    pj_profile_view view; // of `flat`
    pj_profile *flat;     // the profile with values by function; released by pj_rank_values_free
    const char **names;   // of the locations shown: "3", "3.1"
} pj_rank_values;

void pj_rank_values_free(pj_rank_values *values);
PJ_CHECKED bool pj_rank_values_new(const pj_profile *profile, pj_profile_opts opts, pj_arena *arena,
                                   pj_rank_values *out, pj_err *err);
/// The same function in other values, by name and module, where there are several by line;
/// PJ_NO_ITEM = they have none.
uint32_t pj_rank_values_same(const pj_rank_values *values, uint32_t region,
                             const pj_rank_values *other);
/// By location as shown: the location of the same rank and thread as `other` shows them; PJ_NO_ITEM
/// = there is none.
uint32_t *pj_rank_values_places(const pj_rank_values *values, const pj_rank_values *other);
/// Of a function, by location as they are shown; NaN = it is not there.
const double *pj_rank_values_of(const pj_rank_values *values, uint32_t region, pj_value_part part);

typedef struct pj_rank_spread {
    uint32_t count, least_at, most_at;        // that have it; indices of locations as shown
    double sum, mean, least, most, deviation; // over those that have it
} pj_rank_spread;

pj_rank_spread pj_rank_spread_of(const pj_rank_values *values, const double *of);
/// "0 to 3, 7": those with a value from `least` on and `below` another, as many as a line holds.
const char *pj_rank_values_list(const pj_rank_values *values, const double *of, double least,
                                double below);
/// "12 take 33.5 s to 36.4 s (2, 4, 7, ...), 20 take 982 ms to 5.22 s" where the values fall apart
/// into two groups; "" where they do not.
const char *pj_rank_gap_said(const pj_rank_values *values, const double *of);
/// "Ranks 20 to 31 (12 of 32) never call it. Of the others: mean 137 ms, standard deviation ...,
/// least ... (rank 3), most ... (rank 7)"; which few ranks have nearly all of it, or two groups.
const char *pj_rank_spread_said(const pj_rank_values *values, const double *of,
                                pj_rank_spread spread);

/// The function that the options name, else the one with the most own time. PJ_E_USAGE when there
/// is none of that name.
PJ_CHECKED uint32_t pj_rank_values_function(const pj_rank_values *values, pj_err *err);

#endif
