// Memory that lives as long as one analysis, command call or figure and is freed at once.
// Ownership: new/free for the arena; everything taken from it is "arena".
#ifndef PJ_ARENA_H
#define PJ_ARENA_H

#include "metrics/base/str.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_arena pj_arena;

/// `used` (may be NULL) is raised by the bytes taken and lowered when the arena is freed: the
/// memory account of a job (job.h), which turns an overrun into a clean error.
pj_arena *pj_arena_new(_Atomic uint64_t *used);
void pj_arena_free(pj_arena *arena);
/// Zeroed, aligned for any type, never NULL; ends the process only when the system has no memory.
void *pj_arena_alloc(pj_arena *arena, size_t size);
/// Bytes taken so far.
uint64_t pj_arena_size(const pj_arena *arena);

/// Terminated copies in the arena.
pj_str pj_arena_str(pj_arena *arena, pj_str text);
const char *pj_arena_text(pj_arena *arena, pj_str text);
const char *pj_arena_format(pj_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define pj_new(arena, type) ((type *)pj_arena_alloc(arena, sizeof(type)))
#define pj_new_n(arena, type, n) ((type *)pj_arena_alloc_n(arena, sizeof(type), n))
void *pj_arena_alloc_n(pj_arena *arena, size_t size, size_t n);

static inline void pj_arena_drop(pj_arena **arena)
{
    pj_arena_free(*arena);
}
#define pj_auto_arena __attribute__((cleanup(pj_arena_drop))) pj_arena *

/// malloc, realloc, calloc that never return NULL (the process ends when the system has no memory).
void *pj_take_memory(size_t size);
void *pj_resize_memory(void *old, size_t size);
void *pj_take_zeros(size_t size);

#endif
