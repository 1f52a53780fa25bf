// A region of a TALP file: its members as they stand there, and what metrics are made of.
// Ownership: plain data; the name is the run's arena.
#ifndef PJ_TALP_REGION_H
#define PJ_TALP_REGION_H

#include "metrics/base/err.h"
#include "metrics/read/jsonpull.h"
#include "metrics/run/sums.h"

typedef enum pj_talp_field {
#define FIELD(key, needed) PJ_TALP_##key,
#include "metrics/read/talp/talp_fields.def"
#undef FIELD
    PJ_TALP_FIELDS
} pj_talp_field;

/// Times in ns over all CPUs of the region; counts.
typedef struct pj_talp_region {
    const char *name;
    double value[PJ_TALP_FIELDS];
    bool known[PJ_TALP_FIELDS];
} pj_talp_region;

/// Reads the members behind the opening brace. Errors: PJ_E_FORMAT (JSON; a member twice).
PJ_CHECKED bool pj_talp_region_read(pj_jsonpull *json, pj_talp_region *out, pj_err *err);
/// Why nothing can be made of it: "lacks usefulTime", "has a negative mpiTime"; NULL = it is whole.
/// The text lives in `room`.
const char *pj_talp_region_lacks(const pj_talp_region *region, char room[64]);
/// Processes, at least 1, and CPUs, at least one each.
uint32_t pj_talp_region_ranks(const pj_talp_region *region);
uint32_t pj_talp_region_cpus(const pj_talp_region *region);
/// What is known of a whole region (DEFINITIONS 8); the rest is no number.
pj_sums pj_talp_region_sums(const pj_talp_region *region);

static inline bool pj_talp_region_has_openmp(const pj_talp_region *region)
{
    return pj_talp_region_cpus(region) > pj_talp_region_ranks(region) ||
           region->value[PJ_TALP_ompLoadImbalanceTime] > 0 ||
           region->value[PJ_TALP_ompSchedulingTime] > 0 ||
           region->value[PJ_TALP_ompSerializationTime] > 0;
}

#endif
