// A part of a count, in the proportion of two others: exact, without overflow. Ownership: none.
#ifndef PJ_SHARE_H
#define PJ_SHARE_H

#include <stdint.h>

/// value x part / whole, rounded to the nearest, halves away from zero; `whole` is not 0.
static inline int64_t pj_share(int64_t value, uint64_t part, uint64_t whole)
{
    __extension__ typedef __int128 wide;
    wide product = (wide)value * part, quotient = product / whole, rest = product % whole;
    if ((rest < 0 ? -rest : rest) * 2 >= whole)
        quotient += value < 0 ? -1 : 1;
    return (int64_t)quotient;
}

#endif
