// Ranks of MPI whose parts are not there: stand-ins, so that communicators and messages keep their
// numbers. Ownership: as of other parts.
#ifndef PJ_MISSING_RANKS_H
#define PJ_MISSING_RANKS_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/record/merge/unite.h"

enum { PJ_MISSING_RANKS_MOST = 1 << 16 }; // that are stood in for

/// Ranks of the world that no part is of; `names` gets the first of them: "2, 5, 6".
uint32_t pj_missing_ranks(const pj_united_part *parts, size_t count, pj_buf *names);
/// The stand-in for a rank, with one event that says that nothing was measured; it is made in
/// `folder`, and `like` is a part that is there.
PJ_CHECKED bool pj_missing_rank_make(const pj_united_part *like, uint32_t rank, const char *folder,
                                     pj_united_part *out, pj_err *err);

#endif
