// Which computation a loss of IPC is of. Ownership: arena.
#ifndef PJ_FAULT_CLUSTER_H
#define PJ_FAULT_CLUSTER_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"

#include <stdint.h>

typedef struct pj_fault_cluster {
    uint32_t number; // from 1, as popinjay bursts counts; 0 = no cluster has most of the loss
    bool start_up;   // nothing is computed before it
    double share;    // of useful time
    double ipc;      // of it
    double scaling;  // of IPC, over all bursts
    double without;  // the same without the cluster
} pj_fault_cluster;

/// The cluster of bursts without which IPC scales best, when it has at least half of what is lost.
/// `scaling`: of the run's IPC, below 1. Nothing where bursts or counters are not known.
pj_fault_cluster pj_fault_cluster_of(const pj_run *run, const pj_sums *sums, double scaling);
/// "cluster 2 of bursts = start-up, 35 % of useful time at IPC 0.34: IPC scaling is 0.8226 over all
/// bursts and 1.0068 without it, so that cluster is the whole IPC loss"; NULL without a cluster.
const char *pj_fault_cluster_said(pj_fault_cluster cluster, pj_arena *arena);

#endif
