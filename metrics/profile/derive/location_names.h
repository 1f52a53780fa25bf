// What ranks and threads are called, where they have names that tell them apart.
// Ownership: arena.
#ifndef PJ_LOCATION_NAMES_H
#define PJ_LOCATION_NAMES_H

#include "metrics/base/arena.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/profile.h"

typedef struct pj_location_names {
    int64_t *ranks, *threads;
    uint32_t *texts; // 0 = its locations have several names, or none
    uint32_t count;
    bool by_thread;
    pj_buckets buckets;
} pj_location_names;

/// By rank, or by rank and thread. False when no two names are different: nothing is worth telling.
bool pj_location_names_of(const pj_profile *profile, bool by_thread, pj_arena *arena,
                          pj_location_names *names);
void pj_location_names_free(pj_location_names *names);
/// A text of the profile.
uint32_t pj_location_name(const pj_location_names *names, int64_t rank, int64_t thread);

#endif
