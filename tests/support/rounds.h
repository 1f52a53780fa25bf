// How often a test repeats itself with other numbers: less in a quick run and under a sanitizer,
// where everything takes longer and the same code runs again; more in a long run.
#ifndef PJ_ROUNDS_H
#define PJ_ROUNDS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/// "quick", "all" or "long", as tests/run was asked; without it as "all".
static inline bool pj_extent_is(const char *extent)
{
    const char *asked = getenv("PJ_EXTENT");
    return strcmp(asked && *asked ? asked : "all", extent) == 0;
}

static inline unsigned pj_rounds(unsigned usual, unsigned in_long_run)
{
    if (pj_extent_is("long"))
        return in_long_run;
#if defined(__SANITIZE_THREAD__)
    const unsigned part = 5;
#elif defined(__SANITIZE_ADDRESS__)
    const unsigned part = pj_extent_is("quick") ? 15 : 1;
#else
    const unsigned part = pj_extent_is("quick") ? 5 : 1;
#endif
    return (usual + part - 1) / part;
}

#endif
