// Arrows from launches to what they launch, of files whose arguments do not tell correlations. At
// one time and place the n-th arrow is that of the n-th call or record. Ownership: the caller
// frees; ranks are borrowed.
#ifndef PJ_KINETO_FLOWS_H
#define PJ_KINETO_FLOWS_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_kineto_flow_call {
    pj_ai_rank *rank;
    pj_ai_call call;
    int64_t thread;
} pj_kineto_flow_call;

typedef struct pj_kineto_flows {
    bool unneeded;              // an argument has told a correlation: nothing more is kept
    pj_map met;                 // how often an arrow came to a place at a time
    pj_map begins;              // id, by thread and time
    pj_map ends;                // id, by device, stream and time
    pj_kineto_flow_call *calls; // that wait for their id
    size_t count, cap;
} pj_kineto_flows;

void pj_kineto_flows_begin(pj_kineto_flows *flows, int64_t thread, int64_t time, uint32_t id);
void pj_kineto_flows_end(pj_kineto_flows *flows, int64_t device, int64_t stream, int64_t time,
                         uint32_t id);
/// A call without a correlation: it goes to its rank once all arrows are there.
void pj_kineto_flows_call(pj_kineto_flows *flows, pj_ai_rank *rank, pj_ai_call call,
                          int64_t thread);
/// All are there: those calls, and records without a correlation, get theirs.
void pj_kineto_flows_tell(const pj_kineto_flows *flows, pj_ai_rank **ranks, size_t count);
size_t pj_kineto_flows_bytes(const pj_kineto_flows *flows);
void pj_kineto_flows_free(pj_kineto_flows *flows);

#endif
