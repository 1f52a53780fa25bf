// Bytes of an input at any place: of a plain file, read where they are asked for, else of memory.
// Ownership: new/free - pj_blob_close; the source, or the bytes, must outlive it.
#ifndef PJ_BLOB_H
#define PJ_BLOB_H

#include "metrics/base/err.h"
#include "metrics/read/source.h"

typedef struct pj_blob {
    const char *name; // for messages
    uint64_t size;    // bytes in all
    int fd;           // -1 = in memory
    const char *at;
} pj_blob;

/// What a source has: a plain file in its place, all else in memory (pj_source_whole, at most
/// 16 GiB). Errors as there.
PJ_CHECKED bool pj_blob_open(pj_blob *blob, pj_source *source, pj_err *err);
void pj_blob_close(pj_blob *blob);

/// `size` bytes from `offset` on into `out`; false when the input ends before.
PJ_CHECKED bool pj_blob_read(const pj_blob *blob, uint64_t offset, size_t size, void *out,
                             pj_err *err);

#endif
