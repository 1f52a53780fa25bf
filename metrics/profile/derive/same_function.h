// Functions that are the same in two profiles, though folders and lines have changed.
// Ownership: borrow.
#ifndef PJ_SAME_FUNCTION_H
#define PJ_SAME_FUNCTION_H

#include "metrics/profile/profile.h"

/// What must be equal, each looser than the one before.
typedef enum pj_same_level {
    PJ_SAME_ALL,    // name, file, line
    PJ_SAME_MODULE, // name, module or name of the file, line
    PJ_SAME_NAME,   // name, module or name of the file
    PJ_SAME_LEVELS,
} pj_same_level;

typedef struct pj_same_side {
    const pj_profile *profile;
    uint32_t *other; // by region: that of the other side; PJ_NO_ITEM = none yet, and free
} pj_same_side;

/// Pairs of free functions of which each is the only one that fits the other. `*other` of those
/// that are not to be matched is anything but PJ_NO_ITEM.
void pj_same_functions(pj_same_side a, pj_same_side b, pj_same_level level);

#endif
