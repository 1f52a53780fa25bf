// Lines of text in the order of time, however many: sorted in memory, or in runs on disk that are
// merged in the end. Ownership: new/free.
#ifndef PJ_SORTER_H
#define PJ_SORTER_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stdint.h>

typedef struct pj_sorter pj_sorter;

/// `path`: temporary files are made beside it. `memory`: bytes to work in.
pj_sorter *pj_sorter_new(const char *path, size_t memory);
void pj_sorter_free(pj_sorter *sorter);
/// Lines of equal time come out by `order`, then as they came in.
PJ_CHECKED bool pj_sorter_add(pj_sorter *sorter, uint64_t time, uint64_t order, pj_str line,
                              pj_err *err);
/// All lines in order; once.
PJ_CHECKED bool pj_sorter_each(pj_sorter *sorter,
                               bool (*line)(void *self, pj_str line, pj_err *err), void *self,
                               pj_err *err);

#endif
