// How often a test repeats itself with other numbers: less under ThreadSanitizer, where everything
// takes ten times longer and the same code runs again; more in a long run.
#ifndef PJ_ROUNDS_H
#define PJ_ROUNDS_H

#include <stdlib.h>

static inline unsigned pj_rounds(unsigned usual, unsigned in_long_run)
{
    if (getenv("PJ_LONG"))
        return in_long_run;
#if defined(__SANITIZE_THREAD__)
    return (usual + 4) / 5;
#else
    return usual;
#endif
}

#endif
