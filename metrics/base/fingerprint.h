// XXH64 of bytes and files (specification: xxHash 0.8, doc/xxhash_spec.md, seed 0): says whether a
// trace is the one that a result was made from; `xxhsum -H64 FILE` prints the same digits.
// Ownership: plain structs.
#ifndef PJ_FINGERPRINT_H
#define PJ_FINGERPRINT_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"

#ifndef XXH_STATIC_LINKING_ONLY
#define XXH_STATIC_LINKING_ONLY // shows the state, so that it needs no memory of its own
#endif
#include <xxhash.h>

enum { PJ_FINGERPRINT_TEXT = 17 };

typedef struct pj_fingerprint {
    uint64_t total; // bytes
    XXH64_state_t state;
} pj_fingerprint;

void pj_fingerprint_begin(pj_fingerprint *print);
void pj_fingerprint_add(pj_fingerprint *print, pj_str bytes);
uint64_t pj_fingerprint_end(const pj_fingerprint *print);
/// Of bytes at hand.
uint64_t pj_fingerprint_of(pj_str bytes);
/// 16 hexadecimal digits; `out` holds PJ_FINGERPRINT_TEXT bytes.
void pj_fingerprint_text(uint64_t value, char *out);

/// Of a file's bytes; `bytes` (may be NULL) is how many there are. Errors: PJ_E_IO, PJ_E_STOPPED.
/// `job` may be NULL.
PJ_CHECKED bool pj_fingerprint_file(const char *path, pj_job *job, uint64_t *out, uint64_t *bytes,
                                    pj_err *err);

#endif
