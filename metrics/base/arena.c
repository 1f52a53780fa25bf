// Arena of chained chunks that double up to 1 MB; larger requests get a chunk of their own.
#include "metrics/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

typedef struct chunk {
    struct chunk *next;
    size_t size;
    _Alignas(max_align_t) char bytes[];
} chunk;

struct pj_arena {
    chunk *chunks; // the first is the one being filled
    size_t filled;
    size_t next_size;
    uint64_t total;
    _Atomic uint64_t *used;
};

static void out_of_memory(size_t size)
{
    fprintf(stderr, "popinjay: the system has no memory left (%zu bytes were asked for)\n", size);
    abort();
}

/// Asks for large pages, of which a few are cheaper to get than many small ones.
static void *in_large_pages(void *memory, size_t size)
{
    enum { LARGE = 4 << 20, PAGE = 4096 };
    size_t to_page = (size_t) - (uintptr_t)memory & (PAGE - 1);
    if (size >= LARGE)
        (void)madvise((char *)memory + to_page, size - to_page, MADV_HUGEPAGE);
    return memory;
}

void *pj_take_memory(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory)
        out_of_memory(size);
    return in_large_pages(memory, size);
}

void *pj_resize_memory(void *old, size_t size)
{
    void *memory = realloc(old, size ? size : 1);
    if (!memory)
        out_of_memory(size);
    return in_large_pages(memory, size);
}

void *pj_take_zeros(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory)
        out_of_memory(size);
    return in_large_pages(memory, size);
}

pj_arena *pj_arena_new(_Atomic uint64_t *used)
{
    pj_arena *arena = pj_take_memory(sizeof *arena);
    *arena = (pj_arena){.next_size = FIRST_CHUNK, .used = used};
    return arena;
}

void pj_arena_free(pj_arena *arena)
{
    if (!arena)
        return;
    for (chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    if (arena->used)
        atomic_fetch_sub(arena->used, arena->total);
    free(arena);
}

static void add_chunk(pj_arena *arena, size_t size)
{
    chunk *c = calloc(1, sizeof *c + size);
    if (!c)
        out_of_memory(size);
    *c = (chunk){.next = arena->chunks, .size = size};
    arena->chunks = c;
    arena->filled = 0;
    arena->total += size;
    if (arena->used)
        atomic_fetch_add(arena->used, size);
}

static void *carve(pj_arena *arena, size_t size, size_t align)
{
    size_t from = (arena->filled + align - 1) & ~(align - 1);
    if (!arena->chunks || arena->chunks->size < from || arena->chunks->size - from < size) {
        bool large = size > arena->next_size;
        add_chunk(arena, large ? size : arena->next_size);
        if (!large && arena->next_size < LARGEST_CHUNK)
            arena->next_size *= 2;
        from = 0;
    }
    arena->filled = from + size;
    return arena->chunks->bytes + from;
}

void *pj_arena_alloc(pj_arena *arena, size_t size)
{
    return carve(arena, size, _Alignof(max_align_t));
}

void *pj_arena_alloc_n(pj_arena *arena, size_t size, size_t n)
{
    size_t bytes;
    if (__builtin_mul_overflow(size, n, &bytes))
        out_of_memory(SIZE_MAX);
    return pj_arena_alloc(arena, bytes);
}

uint64_t pj_arena_size(const pj_arena *arena)
{
    return arena->total;
}

pj_str pj_arena_str(pj_arena *arena, pj_str text)
{
    char *copy = carve(arena, text.len + 1, 1);
    if (text.len)
        memcpy(copy, text.at, text.len);
    return (pj_str){copy, text.len};
}

const char *pj_arena_text(pj_arena *arena, pj_str text)
{
    return pj_arena_str(arena, text).at;
}

const char *pj_arena_format(pj_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = carve(arena, (size_t)len + 1, 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}
