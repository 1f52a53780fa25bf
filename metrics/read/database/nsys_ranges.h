// Ranges that programs mark with NVTX, as the steps of their ranks. Ownership: new/free; ranks are
// borrowed.
#ifndef PJ_NSYS_RANGES_H
#define PJ_NSYS_RANGES_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/str.h"

#include <stdint.h>

typedef struct pj_nsys_ranges pj_nsys_ranges;

pj_nsys_ranges *pj_nsys_ranges_new(void);
/// A range of a thread, in the order of their begins. "ProfilerStep#3" is step 3 of the rank.
void pj_nsys_ranges_add(pj_nsys_ranges *ranges, pj_ai_rank *rank, int64_t thread, int64_t begin,
                        int64_t end, pj_str name);
/// All are there: of a rank without such steps those outermost ranges are steps, counted from 0,
/// that come at least three times and last longest together.
void pj_nsys_ranges_finish(pj_nsys_ranges *ranges);
void pj_nsys_ranges_free(pj_nsys_ranges *ranges);

#endif
