// A modelled application: a stencil code whose every duration follows from a few parameters, so
// that totals, ideal runtime and efficiencies of its traces are known without reading them.
// Ownership: plain data; totals of what pj_model_expect returns are new/free.
#ifndef PJ_MODEL_APP_H
#define PJ_MODEL_APP_H

#include "metrics/run/run.h"
#include "tests/support/trace/trace_writer.h"

/// The domain is cut into one slab per rank and is densest at 45 % of its length. Every iteration:
/// compute, exchange halos with both neighbours (Irecv, Isend, Waitall), compute, Allreduce. With
/// threads each compute phase is a serial part and an OpenMP region. Times in ns.
typedef struct pj_model_app {
    uint32_t ranks, threads; // threads of each rank
    uint32_t iterations;
    bool no_mpi; // an OpenMP program of one process (then openmp is set)
    bool openmp; // phases have a parallel region, also with one thread
    bool weak;   // the work grows with ranks x threads

    double work_ns;          // useful time of an iteration on one core, all pieces together
    double imbalance;        // density at the densest place over the mean, less 1; below 0.3
    double shifting;         // share of a phase's work that moves to the other phase, by turns
    double serial_fraction;  // of a phase's work, done by thread 0 alone
    double thread_imbalance; // work of the last thread over the mean, less 1

    uint64_t halo_ns;       // the network's part of an exchange
    uint64_t collective_ns; // of a step of an Allreduce, which has log2(ranks) + 1
    uint64_t fork_ns;       // opening a parallel region
    uint64_t join_ns;       // closing it after the last thread
    uint64_t halo_bytes;    // of a message

    double ipc, ghz;           // on one core
    double extra_instructions; // each is a share lost or added per doubling of the cores
    double ipc_loss;
    double ghz_loss;

    /// Tracing is switched on again before iteration roi_from and off after roi_to - 1: the region
    /// of interest, which the expectations are then about. 0, 0 = none; roi_from is at least 1.
    uint32_t roi_from, roi_to;
} pj_model_app;

/// Costs for tests to which any will do: threads fork and join, ranks exchange and wait.
#define PJ_MODEL_COSTS                                                                             \
    .work_ns = 8e6, .imbalance = 0.2, .serial_fraction = 0.07, .halo_ns = 21000,                   \
    .collective_ns = 8000, .fork_ns = 5000, .join_ns = 3000, .halo_bytes = 40000, .ipc = 1.4,      \
    .ghz = 2.1

/// What a thread's trace adds up to; ns and counts (fields as pj_totals).
typedef struct pj_model_totals {
    uint64_t useful, serial_useful, openmp_useful, openmp, outside_mpi, runtime;
    int64_t instructions, cycles;
} pj_model_totals;

typedef struct pj_model_expected {
    uint32_t ranks, threads;
    pj_model_totals *totals; // by location, rank by rank
    uint64_t runtime;        // ns
    uint64_t ideal;          // ns, on a network without cost
} pj_model_expected;

/// Writes every record; the caller frees the writer.
pj_trace_writer *pj_model_write(const pj_model_app *app);

pj_model_expected pj_model_expect(const pj_model_app *app);
void pj_model_expected_free(pj_model_expected *expected);
#define pj_auto_expected __attribute__((cleanup(pj_model_expected_free))) pj_model_expected

/// What reading the model's trace has to give: a run with these totals, made without a trace.
pj_run *pj_model_run(const pj_model_app *app, const char *path);

/// An efficiency or scaling by the key of its metric set, from the totals alone; `weak` as the
/// study's scaling. False when the set has no such key.
bool pj_model_metric(const char *set, const char *key, const pj_model_expected *run,
                     const pj_model_expected *reference, bool weak, double *value);

/// The bundled example runs: name ("stencil_16x1") and parameters; NULL past the end.
const pj_model_app *pj_model_example(size_t index, const char **name);

#endif
