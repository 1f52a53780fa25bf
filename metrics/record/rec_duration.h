// Durations as options of the recorder say them. Ownership: none.
#ifndef PJ_REC_DURATION_H
#define PJ_REC_DURATION_H

#include "metrics/record/rec_export.h"

/// Nanoseconds of "10us" (ns, us, ms, s; a number alone is ns); 0 = none.
PJ_REC_API double pj_rec_duration(const char *text);

#endif
