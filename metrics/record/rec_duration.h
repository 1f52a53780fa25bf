// Durations as options of the recorder say them. Ownership: none.
#ifndef PJ_REC_DURATION_H
#define PJ_REC_DURATION_H

#include "metrics/record/rec_export.h"

#include <time.h>

/// Nanoseconds of "10us" (ns, us, ms, s; a number alone is ns); 0 = none.
PJ_REC_API double pj_rec_duration(const char *text);
/// The time between readings that are wanted so often, from 100 us to a day; none
/// are where it is 0.
PJ_REC_API struct timespec pj_rec_duration_between(const char *text);

#endif
