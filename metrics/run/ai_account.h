// The account of an AI run: what every device did in all of the run's time, who waited for whom and
// why, and its steps (DEFINITIONS 13). Ownership: arena (the run's). Times in ns.
#ifndef PJ_AI_ACCOUNT_H
#define PJ_AI_ACCOUNT_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "metrics/trace/roi.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pj_ai_idle {
#define IDLE(name, title, words, sentence, of) PJ_AI_IDLE_##name,
#include "metrics/run/ai_idle.def"
#undef IDLE
    PJ_AI_IDLE_CAUSES
} pj_ai_idle;

typedef enum pj_ai_kind {
#define KIND(name, title, words) PJ_AI_KIND_##name,
#include "metrics/run/ai_kinds.def"
#undef KIND
    PJ_AI_KINDS
} pj_ai_kind;

/// What a device did: useful + transfer + copies + unsplit + wait + the idle causes are the run's
/// time.
typedef struct pj_ai_share {
    uint64_t useful;   // some kernel computes
    uint64_t transfer; // else: an exchange moves data
    uint64_t copies;   // else: copies and memory that is set
    uint64_t unsplit;  // else: exchanges that cannot be told apart
    uint64_t wait;     // else: an exchange waits for another rank
    uint64_t idle[PJ_AI_IDLE_CAUSES];
} pj_ai_share;

/// All waits of a rank for another one. `wait_ns`, longest and reasons are before what is computed
/// and moved meanwhile is taken off; exposed waits of all pairs sum to the waits of all devices.
typedef struct pj_ai_pair {
    uint32_t rank, culprit;
    uint64_t instances, wait_ns, exposed_ns, longest_ns;
    uint64_t reasons[PJ_AI_KINDS]; // what the culprit did longer than the waiter; at most wait_ns
} pj_ai_pair;

/// All exchanges of one kind in one group.
typedef struct pj_ai_operation {
    const char *group, *operation;
    uint64_t instances, records, unsplit;
    uint64_t bytes;        // of one member, over all instances that are split; 0 = not told
    uint64_t transfer_ns;  // summed over instances
    uint64_t wait_ns;      // summed over members
    uint64_t exposed_ns;   // the part of it in which devices do nothing else
    uint64_t waiting;      // members that wait
    uint64_t skew_ns;      // between the ends of members: the median over instances
    uint64_t skew_most_ns; // and what 99 % of them are below
    uint64_t members;      // of the largest instance
    double bus_factor;     // bus bandwidth over that of the algorithm
} pj_ai_operation;

/// What a device does in a step of its rank; useful to idle are its length.
typedef struct pj_ai_step_row {
    int64_t number;
    uint32_t rank, device;
    uint64_t begin_ns, length_ns;
    uint64_t useful, transfer, copies, unsplit, wait, idle;
    uint64_t driving; // of the rank: in calls of the runtime
} pj_ai_step_row;

/// What devices do of what was launched in a range, and how long they are idle before it.
typedef struct pj_ai_region_use {
    pj_ai_share *shares;          // by device of the run
    uint64_t time_ns, longest_ns; // over all devices, and of the one that is longest in it
    uint64_t kernels;
} pj_ai_region_use;

/// A range that the program marks, by its name or path. Own uses of all rows sum to the account.
typedef struct pj_ai_region_row {
    const char *name;
    uint64_t instances;
    uint32_t ranks;         // that are in it
    uint64_t host_ns;       // of the threads that mark it, over all instances
    pj_ai_region_use own;   // in it and in no range within it
    pj_ai_region_use whole; // in it
    bool outside;           // of any range
} pj_ai_region_row;

typedef struct pj_ai_account {
    pj_ai_share *shares;     // by device of the run
    const uint32_t *rank_of; // by device
    const int64_t *numbers;  // of ranks of the run, as their files call them
    uint32_t count;
    pj_ai_pair *pairs; // in the order of rank and culprit
    uint32_t pair_count;
    pj_ai_operation *operations;
    uint32_t operation_count;
    pj_ai_step_row *steps; // in the order of number and device
    uint32_t step_count;
    pj_ai_region_row *regions;       // the longest own time first, what lies outside of all last
    uint32_t region_count;           // 0 = nobody asked
    const pj_roi_request *only;      // the steps that were looked at; NULL = all that is there
    uint64_t skew_median, skew_most; // of the ends of one exchange
    int64_t begin;                   // of the run on the clock of its first rank, while it is read
    const char *const *paths;        // of ranks, while they are read
    const int64_t *begins;           // of the run on the clocks of its ranks, likewise
    const double *drifts;            // how much the run's clock runs faster than theirs, likewise
} pj_ai_account;

static inline uint64_t pj_ai_share_idle(const pj_ai_share *share)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < PJ_AI_IDLE_CAUSES; i++)
        sum += share->idle[i];
    return sum;
}

static inline uint64_t pj_ai_share_time(const pj_ai_share *share)
{
    return share->useful + share->transfer + share->copies + share->unsplit + share->wait +
           pj_ai_share_idle(share);
}

/// Part of the waits of a pair that is exposed; reasons are taken to be so evenly.
static inline double pj_ai_pair_exposed(const pj_ai_pair *pair)
{
    return pair->wait_ns ? (double)pair->exposed_ns / (double)pair->wait_ns : 0;
}

/// "data_loading_ns", "Data loading", the sentence.
const char *pj_ai_idle_key(pj_ai_idle cause);
const char *pj_ai_idle_title(pj_ai_idle cause);
const char *pj_ai_idle_sentence(pj_ai_idle cause);
/// The row of device_idle.def that it belongs to.
unsigned pj_ai_idle_of(pj_ai_idle cause);
/// "data_loading"; "its data loading".
const char *pj_ai_kind_key(pj_ai_kind kind);
const char *pj_ai_kind_words(pj_ai_kind kind);

/// How the waits of an AI run are listed.
typedef enum pj_ai_by {
    PJ_AI_BY_ACCOUNT,
    PJ_AI_BY_CULPRIT,
    PJ_AI_BY_PAIR,
    PJ_AI_BY_OPERATION,
    PJ_AI_BY_GROUP,
    PJ_AI_BY_PATTERN
} pj_ai_by;

/// New tables. Account: share and time of each part of the devices' time. Culprit and pair: waits,
/// instances, share and what the culprit did meanwhile. Operation: group, operation, instances,
/// bytes, transfer_ns, wait_ns, exposed_ns, end_skew_ns, bandwidth, bus_bandwidth. Group: its sums.
/// Pattern: pattern, instances, wait_ns, exposed_ns, share.
pj_table *pj_ai_account_table(const pj_run *run, pj_ai_by by);
/// The waits for each rank of the run; malloc, the caller frees them.
pj_ai_pair *pj_ai_culprits(const pj_run *run);
/// step, rank, device, begin_ns, length_ns, then what the device does in it. New.
pj_table *pj_ai_steps_table(const pj_run *run);
/// step, begin_ns, length_ns (of the longest rank), mean_length_ns, longest_rank, efficiency, then
/// what devices do in it, summed. New.
pj_table *pj_ai_iterations_table(const pj_run *run);
/// part, ranks, instances, kernels, host_ns, time_ns, share, runtime_ns,
/// device_parallel_efficiency, then what devices do in it: with ranges within it, or `own` without.
/// New. Errors: PJ_E_MISSING where the program marks no ranges.
PJ_CHECKED pj_table *pj_ai_regions_table(const pj_run *run, bool own, pj_err *err);
/// The same error; true where there are regions.
PJ_CHECKED bool pj_ai_regions_known(const pj_run *run, pj_err *err);
/// The part of a culprit's reasons that is largest; PJ_AI_KINDS = none is known.
pj_ai_kind pj_ai_main_reason(const uint64_t reasons[PJ_AI_KINDS]);

#endif
