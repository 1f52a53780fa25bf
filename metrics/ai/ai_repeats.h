// Ranges that programs mark and that come again and again: the steps of ranks that mark none as
// such. Ownership: a rank frees its own.
#ifndef PJ_AI_REPEATS_H
#define PJ_AI_REPEATS_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/str.h"

#include <stddef.h>
#include <stdint.h>

pj_ai_repeats *pj_ai_repeats_new(void);
/// A range of a thread, in any order; one that exchanges data is none. "ProfilerStep#3" is step 3
/// of the rank. Without rank->repeats nothing happens.
void pj_ai_repeats_add(pj_ai_rank *rank, int64_t thread, int64_t begin, int64_t end, pj_str name);
/// All are there: of a rank without steps those outermost ranges are steps, counted from 0, that
/// come at least three times and last longest together.
void pj_ai_repeats_finish(pj_ai_rank *rank);
size_t pj_ai_repeats_bytes(const pj_ai_repeats *repeats);
void pj_ai_repeats_free(pj_ai_repeats *repeats);

#endif
