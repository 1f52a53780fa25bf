// Ends of messages that wait for the call they belong to: a heap by time for each location.
// Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_ENDS_H
#define PJ_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// In the order in which they take effect at equal times.
typedef enum pj_end_kind { PJ_END_POST, PJ_END_SEND, PJ_END_RECEIVED } pj_end_kind;

typedef struct pj_end {
    uint64_t time;  // ns in the trace
    uint64_t order; // among ends of one time: kind, then order in the trace
    uint32_t message;
} pj_end;

static inline pj_end_kind pj_end_kind_of(pj_end end)
{
    return (pj_end_kind)(end.order >> 62);
}

typedef struct pj_ends {
    pj_end *items; // binary heap
    size_t count, cap;
} pj_ends;

void pj_ends_add(pj_ends *ends, pj_end end);
/// The earliest end is items[0] while count > 0.
void pj_ends_pop(pj_ends *ends);
void pj_ends_free(pj_ends *ends);

static inline pj_end pj_end_at(uint64_t time, pj_end_kind kind, uint64_t number, uint32_t message)
{
    return (pj_end){time, (uint64_t)kind << 62 | number, message};
}

#endif
