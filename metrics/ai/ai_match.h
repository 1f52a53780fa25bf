// Which exchanges of the ranks are one collective or one message, and how far their clocks differ.
// Ownership: new/free.
#ifndef PJ_AI_MATCH_H
#define PJ_AI_MATCH_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"

/// Why an exchange cannot be told into transfer and wait.
typedef enum pj_ai_refusal {
#define REFUSAL(name, sentence) PJ_AI_REFUSED_##name,
#include "metrics/ai/ai_refusals.def"
#undef REFUSAL
    PJ_AI_REFUSALS
} pj_ai_refusal;

/// A rank's part of an instance.
typedef struct pj_ai_member {
    uint32_t rank, exchange; // indices
} pj_ai_member;

typedef struct pj_ai_instance {
    size_t first;   // of pj_ai_match.members, by rank
    uint32_t count; // members
    bool valid;
    bool symmetric; // all members wait for each other: fit to compare clocks
    bool partial;   // not all ranks of its group are there
    bool uneven;    // members may move different amounts (rooted, or of varying size)
} pj_ai_instance;

typedef struct pj_ai_match {
    pj_ai_member *members;
    size_t member_count;
    pj_ai_instance *instances; // in the order of their first begin
    size_t instance_count;
    uint64_t refused[PJ_AI_REFUSALS]; // exchanges
    uint64_t partial, uneven;         // instances
    uint64_t by_ends;                 // instances that were matched by their ends
    bool clocks_checked;              // there are symmetric instances
    bool apart;                       // clocks had nothing in common: every rank begins at 0
    int64_t farthest;                 // offset of a clock, in ns; 0 = none that matters
    double drift;                     // largest of a clock, in ns for each ns; 0 = none
} pj_ai_match;

/// Matches the exchanges of all ranks, settled and in their order; sets the offset of every rank.
/// `raw_clock`: stamps stand as they are. Errors: PJ_E_STOPPED.
PJ_CHECKED bool pj_ai_match_ranks(pj_ai_rank *const *ranks, size_t count, bool raw_clock,
                                  pj_job *job, pj_ai_match *out, pj_err *err);
void pj_ai_match_free(pj_ai_match *match);

/// "exchanges have members that do not overlap in time".
const char *pj_ai_refusal_sentence(pj_ai_refusal refusal);
/// What an operation is called whatever its variant: "_allgather_base", "all_gather" ->
/// "allgather".
pj_str pj_ai_operation_class(pj_str name);
/// Whether it is a message between two ranks.
bool pj_ai_operation_is_message(pj_str name);

/// The offset of every rank's clock from the ends of what they did together. `raw`: it is found,
/// and none is applied.
PJ_CHECKED bool pj_ai_clock_fit(pj_ai_rank *const *ranks, size_t count, bool raw,
                                pj_ai_match *match, pj_job *job, pj_err *err);

#endif
