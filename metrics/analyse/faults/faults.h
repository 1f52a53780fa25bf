// What costs a run most, each fault with what a replay says that mending it brings. Ownership:
// arena.
#ifndef PJ_FAULTS_H
#define PJ_FAULTS_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/aspect.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/wait_places.h"

#include <stddef.h>

typedef enum pj_fault_kind {
#define FAULT(key, title, sentence, command, options) PJ_FAULT_##key,
#include "metrics/analyse/faults/faults.def"
#undef FAULT
    PJ_FAULT_KINDS // number of kinds
} pj_fault_kind;

typedef struct pj_fault_row {
    const char *key, *title, *sentence;
    const char *command, *options; // that show it, before and behind the trace
} pj_fault_row;

extern const pj_fault_row pj_fault_rows[PJ_FAULT_KINDS];

typedef struct pj_fault {
    pj_fault_kind kind;
    const char *where;
    const char *against;    // path of the run that it scales from; NULL = of the run alone
    const char *said;       // what explains it, a sentence; NULL = nothing more
    double loss_ns;         // of all threads
    double recoverable_ns;  // of all threads, beside what the faults before it bring
    const char *method;     // how that is known
    const char *change;     // that whatif replays to prove it; NULL = none
    const char *on_top;     // of these changes, which mend what comes before it; NULL = none
    const char *confidence; // "high", "medium"
    pj_wait_place place;    // where it is seen worst
    bool in_regions;        // most of it at ends of OpenMP regions, where no barrier tells of it
} pj_fault;

/// The command that shows it, before and behind the trace.
typedef struct pj_fault_view {
    const char *command, *options;
} pj_fault_view;
pj_fault_view pj_fault_view_of(const pj_fault *fault);

/// Of what an ideal network would mend, as changes are made on one.
#define PJ_FAULT_IDEAL "latency:0"

typedef struct pj_faults {
    const pj_run *run;
    pj_fault *items; // the most recoverable first
    size_t count;
    double units;     // threads; of AI runs devices
    const char *lack; // why no replay tells the faults of the work; NULL = one does
    double others_ns; // of those below a hundredth of the run, together
    size_t others;
} pj_faults;

/// Aspects that runs are read with for this.
#define PJ_FAULTS_WANT                                                                             \
    (PJ_WANT(tape) | PJ_WANT(waits) | PJ_WANT(omp_waits) | PJ_WANT(openmp_regions) |               \
     PJ_WANT(mpi_use) | PJ_WANT(bursts))

/// Of the run with most threads; the others tell how it scales. Times of AI runs are those of
/// devices. Errors: PJ_E_STOPPED; a run that cannot be replayed has the faults that need no replay.
PJ_CHECKED bool pj_faults_find(pj_run *const *runs, size_t count, pj_job *job, pj_arena *arena,
                               pj_faults *out, pj_err *err);

/// "rank 2 makes others wait 16.0 %: its data loading", "Data loading 9.4 %: most: rank 2": what
/// mending it brings, of the time of all units.
const char *pj_fault_sentence(const pj_faults *faults, const pj_fault *fault, pj_arena *arena);

#endif
