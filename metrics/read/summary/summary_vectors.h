// Values of every thread as short text: exact where there is room, else rounded, else means over
// neighbouring ranks and threads. Ownership: borrow; what is decoded goes where the caller says.
#ifndef PJ_SUMMARY_VECTORS_H
#define PJ_SUMMARY_VECTORS_H

#include "metrics/base/err.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_summary_vector {
    const char *name;
    int64_t *values; // by item
} pj_summary_vector;

/// Vectors over the same items: rank r owns the items first[r] .. first[r + 1] - 1.
typedef struct pj_summary_vectors {
    pj_summary_vector *items;
    size_t count;
    uint32_t ranks;
    const uint32_t *first;
} pj_summary_vectors;

/// The finest form that takes at most `budget` bytes when it is compressed, or the coarsest; new.
/// `exact_only`: NULL when the values as they are do not fit.
json_t *pj_summary_vectors_encode(const pj_summary_vectors *vectors, size_t budget,
                                  bool exact_only);
/// Whether what was encoded is rounded.
bool pj_summary_vectors_rounded(const json_t *from);
/// Fills the values; a vector that is not there stays as it is. Errors (PJ_E_FORMAT): no text of
/// this form for these items.
PJ_CHECKED bool pj_summary_vectors_decode(const json_t *from, const pj_summary_vectors *vectors,
                                          const char *path, pj_err *err);

/// Bytes of `part` when it is compressed by itself.
size_t pj_summary_size(const json_t *part);

#endif
