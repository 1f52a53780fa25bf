// What of every exchange is transfer and what is waiting for whom; then the account of the run.
// Ownership: what is stored is the run's arena.
#ifndef PJ_AI_SPLIT_H
#define PJ_AI_SPLIT_H

#include "metrics/ai/ai_match.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/ai_account.h"

/// The ranks of a run, settled, matched and in their order.
typedef struct pj_ai_ranks {
    pj_ai_rank *const *items;
    size_t count;
    const pj_ai_match *match;
    int64_t begin, end; // of all records, on the common clock
} pj_ai_ranks;

/// Fills the waits of exchanges and the shares of devices; pairs, operations and skews of
/// `account`.
PJ_CHECKED bool pj_ai_split(const pj_ai_ranks *ranks, pj_arena *arena, pj_ai_account *account,
                            pj_job *job, pj_err *err);

#endif
