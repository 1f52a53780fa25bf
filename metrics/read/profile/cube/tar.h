// Members of a tar archive (POSIX.1-1988 ustar): where they lie; their bytes are not read.
// Ownership: arena for the members, borrow for the blob.
#ifndef PJ_TAR_H
#define PJ_TAR_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/profile/cube/blob.h"

typedef struct pj_tar_member {
    pj_str name;     // as in the archive, with its folder
    uint64_t offset; // of its bytes in the blob
    uint64_t size;
} pj_tar_member;

typedef struct pj_tar {
    const pj_blob *blob;
    pj_tar_member *members; // plain files alone
    size_t count;
} pj_tar;

/// Whether `head`, the first bytes of an input, begins a tar archive.
bool pj_tar_sniff(pj_str head);
/// Checksums of headers are not checked: writers exist that get them wrong. A missing end is no
/// error, a member that is not whole is one (PJ_E_FORMAT).
PJ_CHECKED bool pj_tar_list(pj_tar *tar, const pj_blob *blob, pj_arena *arena, pj_err *err);
/// The member whose name ends in `name` after its folder; NULL = none.
const pj_tar_member *pj_tar_find(const pj_tar *tar, pj_str name);

#endif
