// What OpenMP regions execute: the values seen in a region, in the order of their first appearance,
// and one sum for each such sequence. Ownership: new/free; what is named is the run's arena.
#ifndef PJ_EXECUTED_H
#define PJ_EXECUTED_H

#include "metrics/run/regions.h"
#include "metrics/run/run.h"

enum { PJ_SEEN_MOST = 16 };

/// Values of OpenMP events in one region.
typedef struct pj_seen {
    uint64_t values[PJ_SEEN_MOST];
    uint16_t codes[PJ_SEEN_MOST]; // PJ_OMP_*
    uint16_t count;
    bool more; // than there is room for
} pj_seen;

void pj_seen_add(pj_seen *seen, uint16_t code, uint64_t value);

typedef struct pj_executed pj_executed;

pj_executed *pj_executed_new(void);
void pj_executed_free(pj_executed *executed);
/// The number of a sequence, from 0 in the order in which they come.
uint32_t pj_executed_number(pj_executed *executed, const pj_seen *seen);
/// Valid until the next number is asked for.
pj_region_sum *pj_executed_sum(pj_executed *executed, uint32_t number);
/// The sums with names, of functions or of `lines`; sequences of one name are one. `*places` says
/// where each number went.
pj_region_sum *pj_executed_named(const pj_executed *executed, pj_run *run, bool lines,
                                 const uint32_t **places, uint32_t *count);

#endif
