// Makes the event file of a thread whole: what its chunk holds is checked record by record, what is
// open is left, and the file gets its end. Ownership: new/free.
#ifndef PJ_RECOVER_H
#define PJ_RECOVER_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stdint.h>

/// What the definitions of a part know: ids up to these.
typedef struct pj_recover_known {
    uint32_t strings, parameters, metrics, comms, handles;
    bool closed; // the thread has left all it was inside
} pj_recover_known;

typedef struct pj_recovered {
    uint64_t events;
    uint64_t first, last; // ticks
    uint32_t regions;     // highest id that was met; of a closed thread 0
    uint64_t left;        // regions that were open at the end
    bool damaged;         // bytes behind the last whole record were not zero, or chunks are odd
} pj_recovered;

/// Whole chunks of an event file: `chunk` gives one, valid until the next but one; NULL when it
/// cannot be read.
typedef struct pj_recover_chunks {
    const uint8_t *(*chunk)(void *self, uint64_t index);
    void *self;
    uint64_t count;
} pj_recover_chunks;

/// What the file has behind its first `kept` bytes.
typedef struct pj_recovered_tail {
    uint64_t kept;
    pj_buf bytes;
} pj_recovered_tail;

/// `current`: the chunk that was being filled.
void pj_recover_bytes(const pj_recover_chunks *whole, pj_str current, const pj_recover_known *known,
                      pj_recovered *out, pj_recovered_tail *tail);
/// `folder`/`thread`.evt from itself and `folder`/`thread`.cur; again gives the same file. On a
/// full disk the chunk makes room for itself.
PJ_CHECKED bool pj_recover_thread(const char *folder, uint32_t thread,
                                  const pj_recover_known *known, pj_recovered *out, pj_err *err);

#endif
