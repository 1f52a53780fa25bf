// What several findings of a profile stand on: own time by function and by rank, what of it is
// work and what waiting, and which ranks have which functions. Ownership: arena.
#ifndef PJ_PROFILE_FACTS_H
#define PJ_PROFILE_FACTS_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

typedef struct pj_profile_facts {
    const pj_profile *profile;
    pj_arena *arena;
    uint32_t measure;             // time, else the first that can be added
    const pj_profile_column *own; // exclusive values of its site; NULL = there are none
    double total, waited;         // of all locations
    uint32_t told;                // locations that tell the measure
    uint32_t rank_count;
    int64_t *ranks;                 // in the order of the locations
    uint32_t *rank_of;              // by location, an index of `ranks`
    double *whole, *work;           // by location; work is what is not waiting
    double *rank_whole, *rank_work; // by rank
    double *of_region;              // own values by region
    uint32_t *costly;               // regions, the costliest first
    bool *present;                  // region x rank; NULL = too many
    bool *works;                    // by rank: whether it shares the work of the others
    uint32_t working;               // how many do
    uint32_t carrier;               // the costliest function of those; PJ_NO_ITEM = by time alone
} pj_profile_facts;

/// NULL when the profile has no values of functions that can be added.
pj_profile_facts *pj_profile_facts_new(const pj_profile *profile, pj_arena *arena);

bool pj_profile_facts_waits(const pj_profile_facts *facts, uint32_t region);
/// Sums over all locations, for inclusive values and calls.
const pj_profile_sums *pj_profile_facts_sums(const pj_profile_facts *facts);
/// Own values of a region by rank; NaN where a rank lacks it.
double *pj_profile_facts_by_rank(const pj_profile_facts *facts, uint32_t region);

/// "1.64 s", "120 samples".
const char *pj_profile_facts_amount(const pj_profile_facts *facts, double value);
/// "58.6 %", never 100 or 0 for what is not.
const char *pj_profile_facts_share(const pj_profile_facts *facts, double part, double whole);
/// "time", "period": what the measure is called within a sentence.
const char *pj_profile_facts_what(const pj_profile_facts *facts);
/// "rank 3", "rank 3, thread 1", "thread 7": of a location.
const char *pj_profile_facts_place(const pj_profile_facts *facts, uint32_t location);
/// Whether calls are counted, so that a function that is not there was not called.
bool pj_profile_facts_counts(const pj_profile_facts *facts);
const char *pj_profile_facts_name(const pj_profile_facts *facts, uint32_t region);
/// Appends "2, 4, 7 to 10": ranks for which `chosen` is `value`.
void pj_profile_facts_list(const pj_profile_facts *facts, const bool *chosen, bool value,
                           pj_buf *out);
/// The function with most inclusive time that exactly the chosen ranks have; PJ_NO_ITEM = none.
uint32_t pj_profile_facts_mark_of(const pj_profile_facts *facts, const bool *chosen, bool value);

#endif
