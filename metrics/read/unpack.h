// Streaming decompression of what an input may be packed with: gzip (RFC 1952) and zstd (RFC 8878),
// also several members in a row. Ownership: new/free.
#ifndef PJ_UNPACK_H
#define PJ_UNPACK_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"

typedef struct pj_unpack pj_unpack;

typedef enum pj_unpack_end {
    PJ_UNPACK_HUNGRY,  // all input is used up
    PJ_UNPACK_FULL,    // the output is full
    PJ_UNPACK_MEMBER,  // a member ended, its checksum is right; more may follow
    PJ_UNPACK_CORRUPT, // the data are damaged; the output so far is good but for its checksum
} pj_unpack_end;

/// NULL without an error where `head` begins no packed data; with PJ_E_FORMAT where this build
/// lacks the library. `where` names the input.
PJ_CHECKED pj_unpack *pj_unpack_new(pj_str head, const char *where, pj_err *err);
/// NULL is allowed.
void pj_unpack_free(pj_unpack *unpack);
/// Turns bytes of `*in` into at most `room` bytes at `out`; shortens `*in` by what was used and
/// stores the number of bytes written. After PJ_UNPACK_MEMBER the next call begins a member.
pj_unpack_end pj_unpack_step(pj_unpack *unpack, pj_str *in, char *out, size_t room,
                             size_t *written);
/// Whether bytes behind a member begin another one.
bool pj_unpack_goes_on(const pj_unpack *unpack, pj_str bytes);

#endif
