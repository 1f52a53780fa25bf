// "did you mean": the nearest of the names that were tried; small and capital letters are the same.
// Ownership: borrow.
#ifndef PJ_SUGGEST_H
#define PJ_SUGGEST_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

typedef struct pj_suggest {
    pj_str word;
    const char *best; // NULL = nothing was near enough
    size_t distance;
} pj_suggest;

/// Tries a candidate; it becomes `best` when it is the nearest so far and near enough.
void pj_suggest_try(pj_suggest *suggest, const char *candidate);
/// "; did you mean best?", or only ";" where nothing was near enough: what is valid may follow.
void pj_suggest_add(const pj_suggest *suggest, pj_buf *out);

#endif
