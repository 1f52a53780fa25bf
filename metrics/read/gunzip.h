// Streaming decompression of gzip data (RFC 1952), also of several members in a row: ISA-L where
// it is available (2.8 times as fast), else zlib. Ownership: new/free.
#ifndef PJ_GUNZIP_H
#define PJ_GUNZIP_H

#include "metrics/base/str.h"

typedef struct pj_gunzip pj_gunzip;

typedef enum pj_gunzip_end {
    PJ_GUNZIP_HUNGRY,  // all input is used up
    PJ_GUNZIP_FULL,    // the output is full
    PJ_GUNZIP_MEMBER,  // a member ended, its checksum is right; more may follow
    PJ_GUNZIP_CORRUPT, // the data are damaged; the output so far is good but for its checksum
} pj_gunzip_end;

pj_gunzip *pj_gunzip_new(void);
void pj_gunzip_free(pj_gunzip *gunzip);
/// Turns bytes of `*in` into at most `room` bytes at `out`; shortens `*in` by what was used and
/// stores the number of bytes written. After PJ_GUNZIP_MEMBER the next call begins a member.
pj_gunzip_end pj_gunzip_step(pj_gunzip *gunzip, pj_str *in, char *out, size_t room,
                             size_t *written);

/// Whether `bytes` begin with gzip's magic number.
static inline bool pj_is_gzip(pj_str bytes)
{
    return pj_str_starts(bytes, PJ_S("\x1f\x8b"));
}

#endif
