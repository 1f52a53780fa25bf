// Ranges that programs mark on their threads (NVTX, rocTX, annotations of PyTorch), and which of
// them are open where work is launched. Ownership: of their rank.
#ifndef PJ_AI_RANGES_H
#define PJ_AI_RANGES_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether a range is the fetching of the next batch (PyTorch's DataLoader).
static inline bool pj_ai_ranges_is_loading(pj_str name)
{
    return pj_str_starts(name, PJ_S("enumerate(DataLoader)"));
}

/// All calls of the rank are there, ranges come. `all`: they become regions of the rank; else those
/// alone are looked at that tell what an exchange does. A range may come up to `waiting` ranges too
/// late; SIZE_MAX = in any order.
void pj_ai_ranges_expect(pj_ai_rank *rank, bool all, size_t waiting);
/// Steps and data loading are no regions, numbers behind a name (", seq = 3") are no part of it.
void pj_ai_ranges_add(pj_ai_rank *rank, int64_t thread, int64_t begin, int64_t end, pj_str name);
/// No range follows: each call knows its region. Without pj_ai_ranges_expect nothing happens.
void pj_ai_ranges_finish(pj_ai_rank *rank);
void pj_ai_ranges_shift(pj_ai_ranges *ranges, int64_t by);
/// What is long leaves memory. NULL is allowed.
void pj_ai_ranges_spill(pj_ai_ranges *ranges);
size_t pj_ai_ranges_bytes(const pj_ai_ranges *ranges);
/// NULL is allowed.
void pj_ai_ranges_free(pj_ai_ranges *ranges);

/// An exchange whose arguments the trace does not tell takes its operation from the innermost range
/// around its launch ("nccl:all_reduce", "nccl:send 0->1"), where that tells one.
void pj_ai_ranges_name_exchange(pj_ai_rank *rank, uint32_t region, pj_ai_exchange *exchange);

#endif
