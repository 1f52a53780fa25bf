// The ranges of an AI run that its program marks, and what devices do of what is launched in each.
// Ownership: the run's arena.
#ifndef PJ_AI_REGIONS_H
#define PJ_AI_REGIONS_H

#include "metrics/ai/ai_split.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/run.h"

#include <stdbool.h>

/// Fills the regions of the account, once all exchanges are split: by name, or `paths`.
void pj_ai_regions_fill(pj_run *run, const pj_ai_ranks *ranks, bool paths, pj_ai_account *account);
/// Makes each region, with those within it, a part of the run.
void pj_ai_regions_parts(pj_run *run);

#endif
