// Memory of the recorder that is not malloc's: a handler of a signal that comes while the program
// is in malloc may make events, too. Ownership: new/free by size; texts are kept to the end.
#ifndef PJ_REC_STORE_H
#define PJ_REC_STORE_H

#include "metrics/record/rec_export.h"

#include <stddef.h>

/// `old` (NULL: none) with room for `bytes`, whole pages each, the new ones 0; it may have moved.
/// NULL: no memory, `old` is as it was.
PJ_REC_API void *pj_rec_store_grow(void *old, size_t old_bytes, size_t bytes);
PJ_REC_API void pj_rec_store_free(void *old, size_t bytes);

typedef struct pj_rec_texts {
    char *at;
    size_t left;
} pj_rec_texts;

/// A copy of `size` bytes. NULL: no memory. The caller sees to it that one thread is here at a
/// time.
PJ_REC_API char *pj_rec_store_text(pj_rec_texts *texts, const char *text, size_t size);

#endif
