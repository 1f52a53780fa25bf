// The steps of an AI run: how long each is on each rank, and what its devices do in it.
// Ownership: the run's arena.
#ifndef PJ_AI_STEPS_H
#define PJ_AI_STEPS_H

#include "metrics/ai/ai_split.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/run.h"

/// Fills the steps of the account, once all exchanges are split.
void pj_ai_steps_fill(pj_run *run, const pj_ai_ranks *ranks, pj_ai_account *account);
/// Makes each step a part of the run, as long as it is on the rank that takes longest.
void pj_ai_steps_parts(pj_run *run);

#endif
