// What events cost in a trace by libotf2's own estimate (OTF2_EventSizeEstimator), for who plans a
// measurement. Ownership: borrow.
#ifndef PJ_OTF2_SIZES_H
#define PJ_OTF2_SIZES_H

#include "metrics/base/err.h"

#include <stddef.h>

typedef enum pj_otf2_size {
#define OTF2_SIZE(name) PJ_OTF2_SIZE_##name,
#include "metrics/read/otf2/otf2_sizes.def"
#undef OTF2_SIZE
    PJ_OTF2_SIZE_Metric,       // of `counters` values
    PJ_OTF2_SIZE_ProgramBegin, // with `arguments`
    PJ_OTF2_SIZE_COUNT,
} pj_otf2_size;

/// How many definitions of a kind there are, by the library's word for it: "Region", "Parameter".
typedef struct pj_otf2_def_count {
    const char *kind;
    uint32_t count;
} pj_otf2_def_count;

typedef struct pj_otf2_sized {
    const pj_otf2_def_count *counts; // kinds that the library does not know are passed over
    size_t count_count;
    uint8_t counters;
    uint32_t arguments;
} pj_otf2_sized;

typedef struct pj_otf2_sizes {
    /// Bytes of each event, without its time stamp.
    bool (*estimate)(const pj_otf2_sized *what, uint64_t sizes[PJ_OTF2_SIZE_COUNT]);
} pj_otf2_sizes;

/// Errors: PJ_E_MISSING when the module or libotf2 is not installed.
PJ_CHECKED bool pj_otf2_sizes_estimate(const pj_otf2_sized *what,
                                       uint64_t sizes[PJ_OTF2_SIZE_COUNT], pj_err *err);

#endif
