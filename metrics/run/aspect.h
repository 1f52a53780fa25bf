// Which aspects of a run are wanted, as plots and commands say it: bits of a number.
// Ownership: plain data.
#ifndef PJ_ASPECT_H
#define PJ_ASPECT_H

typedef enum pj_aspect_key {
#define ASPECT(key, part) PJ_ASPECT_##key,
#define FOUND(key, type, part) ASPECT(key, part)
#include "metrics/run/aspects.def"
#undef FOUND
#undef ASPECT
    PJ_ASPECT_COUNT
} pj_aspect_key;

#define PJ_WANT(key) (1u << PJ_ASPECT_##key)

/// Those that what ranks did before they waited tells.
#define PJ_HISTORY (PJ_WANT(delays) | PJ_WANT(path) | PJ_WANT(ideal_path) | PJ_WANT(wait_regions))

#endif
