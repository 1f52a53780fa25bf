// Sorts numbers of things that an input may have millions of, as an interrupt must not wait for it.
#ifndef PJ_SORT_H
#define PJ_SORT_H

#include "metrics/base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/// As for qsort_r, of two `const size_t *`.
typedef int pj_sort_order(const void *a, const void *b, void *context);

/// `order` tells all apart. False when `stop` (NULL = never) was set on the way: then the order is
/// any.
PJ_CHECKED bool pj_sort(size_t *items, size_t count, pj_sort_order *order, void *context,
                        const atomic_bool *stop);

/// Records of `size` bytes, as qsort; equal ones in any order. False when stopped, as above.
PJ_CHECKED bool pj_sort_records(void *items, size_t count, size_t size,
                                int (*order)(const void *a, const void *b),
                                const atomic_bool *stop);

#endif
