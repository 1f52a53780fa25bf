// Ends of messages that wait for the call they belong to, in order of time, for one location.
// Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_ENDS_H
#define PJ_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// In the order in which they take effect at equal times.
typedef enum pj_end_kind {
    PJ_END_POST,
    PJ_END_SEND,
    PJ_END_RECEIVED,
    PJ_END_SENT, // a call completes the send of another
    PJ_END_KINDS // number of kinds
} pj_end_kind;

typedef struct pj_end {
    uint64_t time;  // ns in the trace
    uint64_t order; // among ends of one time: kind, then rank
    uint32_t message;
} pj_end;

/// `rank` (of its low 62 bits) orders the ends of one time and kind.
static inline uint64_t pj_end_order(pj_end_kind kind, uint64_t rank)
{
    return (uint64_t)kind << 62 | (rank & UINT64_MAX >> 2);
}

static inline pj_end_kind pj_end_kind_of(pj_end end)
{
    return (pj_end_kind)(end.order >> 62);
}

static inline uint64_t pj_end_rank_of(pj_end end)
{
    return end.order & UINT64_MAX >> 2;
}

typedef struct pj_ends {
    pj_end *sorted; // ring
    size_t first, count, cap;
    pj_end *heap; // those that came far out of order
    size_t heap_count, heap_cap;
} pj_ends;

/// In single values, which stay in registers.
void pj_ends_add(pj_ends *ends, uint64_t time, uint64_t order, uint32_t message);
/// Takes the earliest end away; false when it is later than `until`, or there is none.
bool pj_ends_pop(pj_ends *ends, uint64_t until, pj_end *out);
/// The order among ends of its time of the end of `message` that is of this kind and no later than
/// `until`; UINT64_MAX when none of the first ones is it.
uint64_t pj_ends_order_of(const pj_ends *ends, uint32_t message, pj_end_kind kind, uint64_t until);
void pj_ends_free(pj_ends *ends);
/// Bytes in use.
static inline size_t pj_ends_bytes(const pj_ends *ends)
{
    return (ends->cap + ends->heap_cap) * sizeof *ends->sorted;
}

#endif
