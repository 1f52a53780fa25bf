// What functions do: work, serve the language, wait. Ownership: borrow.
#ifndef PJ_FUNCTION_FAMILY_H
#define PJ_FUNCTION_FAMILY_H

#include "metrics/profile/profile.h"

/// What a region does, as pictures and findings tell it apart.
typedef enum pj_function_family {
    PJ_FAMILY_WORK,    // functions of the program and of its packages
    PJ_FAMILY_BUILTIN, // of the language and the system
    PJ_FAMILY_WAIT,    // communication and waiting
    PJ_FAMILY_COUNT,
} pj_function_family;

pj_function_family pj_function_family_of(const pj_profile *profile, uint32_t region);

#endif
