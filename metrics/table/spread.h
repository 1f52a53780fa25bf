// How ranks (or threads) differ in something, as a word of blocks: one for each, or for a group of
// neighbours the largest of them, as high as its part of the most. Ownership: plain values.
#ifndef PJ_SPREAD_H
#define PJ_SPREAD_H

#include "metrics/base/buf.h"

#include <stddef.h>
#include <stdint.h>

enum { PJ_SPREAD_MOST = 16, PJ_SPREAD_LEVELS = 8 };

typedef struct pj_spread {
    uint8_t count;
    uint8_t level[PJ_SPREAD_MOST]; // 0 = nothing, absent, or below 0
} pj_spread;

/// Values in the order of the ranks; NAN = absent.
pj_spread pj_spread_of(const double *values, size_t count);
/// U+2581 to U+2588; a blank that does not break a line where there is nothing.
void pj_spread_text(pj_spread spread, pj_buf *out);

#endif
