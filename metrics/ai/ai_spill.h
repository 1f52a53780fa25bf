// Arrays of one rank that are too long for the memory budget: they lie in a file without a name in
// the folder for temporary files, and only what is looked at is in memory. Sorted there in runs
// that are merged. The order of things, and so every digit, is what it is in memory.
// Ownership: a zeroed struct keeps all in memory; freed with pj_ai_spill_free, arrays with
// pj_ai_spill_drop.
#ifndef PJ_AI_SPILL_H
#define PJ_AI_SPILL_H

#include "metrics/base/err.h"
#include "metrics/base/tiny.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_ai_spill {
    bool active;        // long arrays lie in the file
    int file;           // while it is
    uint64_t end;       // of the file
    const char *folder; // where it is
    struct pj_ai_spill_area *areas;
    size_t count, cap;
    pj_err problem;         // the first one, while arrays grew
    _Atomic uint64_t *used; // of a job: lowered by `counted` at the end; NULL = nobody counts
    uint64_t counted;
} pj_ai_spill;

/// From now on long arrays lie in a file: in TMPDIR, else in /var/tmp or /tmp. Errors: PJ_E_IO.
PJ_CHECKED bool pj_ai_spill_begin(pj_ai_spill *spill, pj_err *err);
void pj_ai_spill_free(pj_ai_spill *spill);

/// As pj_grow_array, where `need` is more than `*cap`. Where the file cannot grow (a full disk) the
/// array is in memory, and the problem is kept: pj_ai_spill_check. `spill` may be NULL: then all is
/// in memory.
void *pj_ai_spill_grow(pj_ai_spill *spill, void *items, size_t *cap, size_t need, size_t size);
#define pj_ai_grow(spill, items, cap, need)                                                        \
    ((void)((need) > *(cap) &&                                                                     \
            ((items) = pj_ai_spill_grow((spill), (items), (cap), (need), sizeof *(items)))))
/// A new array of `count` items, as above.
static inline void *pj_ai_spill_new(pj_ai_spill *spill, size_t count, size_t size, size_t *cap)
{
    *cap = 0;
    return pj_ai_spill_grow(spill, NULL, cap, count + 1, size);
}
/// An array of `bytes` that is in memory goes to the file when it is long; returns where it is.
void *pj_ai_spill_move(pj_ai_spill *spill, void *items, size_t bytes);
/// Frees an array, wherever it is.
void pj_ai_spill_drop(pj_ai_spill *spill, void *items);
/// Of the bytes of an array those that are in memory.
size_t pj_ai_spill_held(const pj_ai_spill *spill, const void *items, size_t bytes);
PJ_CHECKED bool pj_ai_spill_check(const pj_ai_spill *spill, pj_err *err);

/// As pj_sort_records, of a part of an array, which lies in the file or not; `order` tells all
/// apart.
PJ_CHECKED bool pj_ai_spill_sort(pj_ai_spill *spill, void *items, size_t count, size_t size,
                                 int (*order)(const void *a, const void *b),
                                 const atomic_bool *stop);

/// What lies in the file leaves memory until it is looked at again.
void pj_ai_spill_relax(pj_ai_spill *spill);
/// The same now and then, in a loop that passes item `i`.
static inline void pj_ai_spill_pass(pj_ai_spill *spill, size_t i)
{
    enum { OFTEN = PJ_SIZE(1 << 14, 1 << 6) };
    if (spill && spill->active && i % OFTEN == 0)
        pj_ai_spill_relax(spill);
}
/// The same, more often, where what is looked at lies far apart.
static inline void pj_ai_spill_jump(pj_ai_spill *spill, size_t i)
{
    enum { OFTEN = PJ_SIZE(1 << 7, 1 << 2) };
    if (spill && spill->active && i % OFTEN == 0)
        pj_ai_spill_relax(spill);
}

#endif
