// Growing buffers and arrays; both double, so that adding costs constant time on average.
#include "metrics/base/buf.h"

#include "metrics/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void *pj_grow_array(void *items, size_t *cap, size_t need, size_t item_size)
{
    if (need <= *cap)
        return items;
    size_t grown = *cap ? *cap * 2 : 8;
    if (grown < need)
        grown = need;
    size_t bytes;
    if (__builtin_mul_overflow(grown, item_size, &bytes))
        bytes = SIZE_MAX; // pj_resize_memory reports it
    items = pj_resize_memory(items, bytes);
    *cap = grown;
    return items;
}

void *pj_widen_ring(void *items, size_t cap, size_t first, size_t wider, size_t item_size)
{
    char *ring = pj_take_memory(wider * item_size);
    size_t head = first * item_size, tail = cap * item_size - head;
    if (cap) {
        memcpy(ring, (const char *)items + head, tail);
        memcpy(ring + tail, items, head);
    }
    free(items);
    return ring;
}

char *pj_buf_room(pj_buf *buf, size_t size)
{
    buf->at = pj_grow_array(buf->at, &buf->cap, buf->len + size + 1, 1);
    return buf->at + buf->len;
}

void pj_buf_add(pj_buf *buf, pj_str text)
{
    char *room = pj_buf_room(buf, text.len);
    if (text.len)
        memcpy(room, text.at, text.len);
    buf->len += text.len;
    buf->at[buf->len] = 0;
}

void pj_buf_add_char(pj_buf *buf, char c)
{
    pj_buf_add(buf, (pj_str){&c, 1});
}

void pj_buf_addf(pj_buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *room = pj_buf_room(buf, (size_t)len);
    vsnprintf(room, (size_t)len + 1, format, again);
    va_end(again);
    buf->len += (size_t)len;
}

void pj_buf_free(pj_buf *buf)
{
    free(buf->at);
    *buf = (pj_buf){0};
}
