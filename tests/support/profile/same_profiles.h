// Whether two readings of one input are the same profile. Ownership: borrow.
#ifndef PJ_SAME_PROFILES_H
#define PJ_SAME_PROFILES_H

#include "metrics/profile/profile.h"

/// Fails, by cmocka's means, unless texts, items, values and oddities are the same to the last bit.
void same_profiles(const pj_profile *a, const pj_profile *b);

#endif
