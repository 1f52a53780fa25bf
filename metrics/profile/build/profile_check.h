// Whether a profile is what a profile must be: parts not larger than the whole, sums that add up.
// Ownership: none.
#ifndef PJ_PROFILE_CHECK_H
#define PJ_PROFILE_CHECK_H

#include "metrics/profile/profile.h"

/// Counts in profile->oddities what breaks an invariant; changes nothing else.
void pj_profile_check(pj_profile *profile);

#endif
