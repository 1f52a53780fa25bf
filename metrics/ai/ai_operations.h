// Sums of exchanges by group and operation, with their bandwidths. Ownership: arena.
#ifndef PJ_AI_OPERATIONS_H
#define PJ_AI_OPERATIONS_H

#include "metrics/ai/ai_split.h"
#include "metrics/base/arena.h"
#include "metrics/run/ai_account.h"

/// Once all instances are split.
void pj_ai_operations(const pj_ai_ranks *ranks, pj_arena *arena, pj_ai_account *account);

#endif
