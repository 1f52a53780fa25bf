// A growing byte buffer, mostly for building text. Ownership: new/free; pj_auto_buf frees.
#ifndef PJ_BUF_H
#define PJ_BUF_H

#include "metrics/base/str.h"

typedef struct pj_buf {
    char *at; // terminated after every call; NULL while empty
    size_t len;
    size_t cap;
} pj_buf;

void pj_buf_add(pj_buf *buf, pj_str text);
void pj_buf_add_char(pj_buf *buf, char c);
void pj_buf_addf(pj_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Room for `size` more bytes at the end; the caller raises `len` by what it wrote.
char *pj_buf_room(pj_buf *buf, size_t size);
void pj_buf_free(pj_buf *buf);

static inline void pj_buf_puts(pj_buf *buf, const char *text)
{
    pj_buf_add(buf, pj_str_of(text));
}

static inline pj_str pj_buf_str(const pj_buf *buf)
{
    return (pj_str){buf->at, buf->len};
}

#define pj_auto_buf __attribute__((cleanup(pj_buf_free))) pj_buf

/// Grows an array kept as pointer and capacity so that it holds at least `need` items.
void *pj_grow_array(void *items, size_t *cap, size_t need, size_t item_size);
#define pj_grow(items, cap, need) ((items) = pj_grow_array((items), (cap), (need), sizeof *(items)))

/// A ring with no room left, its first item at `first`: the same items in one of `wider` items, the
/// first at 0. Frees the old one.
void *pj_widen_ring(void *items, size_t cap, size_t first, size_t wider, size_t item_size);

#endif
