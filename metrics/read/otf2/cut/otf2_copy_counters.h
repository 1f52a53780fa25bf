// Counters of the location that is copied. Ownership: they are the location's.
#ifndef PJ_OTF2_COPY_COUNTERS_H
#define PJ_OTF2_COPY_COUNTERS_H

#include "metrics/read/otf2/cut/otf2_copy_state.h"

/// NULL without memory.
pj_otf2_copy_counter *pj_otf2_copy_counter_of(pj_otf2_copying *c, OTF2_MetricRef metric,
                                              uint8_t count, const OTF2_Type *types);

/// The first reading of the events: keeps the readings around both borders.
void pj_otf2_copy_survey(pj_otf2_copying *c, uint64_t time, OTF2_MetricRef metric, uint8_t count,
                         const OTF2_Type *types, const OTF2_MetricValue *values);

/// Writes what the counter stands at at a border (0 = begin), where no reading of its own lies.
void pj_otf2_copy_border(pj_otf2_copying *c, pj_otf2_copy_counter *k, unsigned border);

/// The first value in the part of one that counts anew.
void pj_otf2_copy_divide(pj_otf2_copying *c, pj_otf2_copy_counter *k, OTF2_MetricValue *values);

#endif
