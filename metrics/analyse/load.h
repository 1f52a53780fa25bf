// From a trace file to a run: the one place where reader, sinks and replay are put together.
// Ownership: the caller gets one reference.
#ifndef PJ_LOAD_H
#define PJ_LOAD_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"
#include "metrics/replay/network.h"
#include "metrics/run/aspect.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/trace/roi.h"
#include "metrics/trace/sink.h"

typedef struct pj_load_opts {
    pj_roi_request roi;
    const char *tag;             // NULL = none
    const pj_run_origin *origin; // which version of the code was measured, for summaries; NULL
    bool ignore_summary;         // reads the trace, whatever lies beside it
    const char *summaries;    // folder where summaries are looked for first; NULL = beside traces
    bool no_replay;           // leaves the ideal times empty (statistics only)
    bool raw_clock;           // takes the clocks of the trace as they are
    const pj_sink *listeners; // further sinks, begun anew in every pass; the caller closes them
    size_t listener_count;
    bool each_wait;   // with for_sums: waits are wanted one by one, where a trace is at hand
    bool for_sums;    // `aspects` are for the sums of metrics: a summary that has these suffices
    unsigned aspects; // PJ_WANT(...): what is found besides; the timeline and MPI go by themselves
    bool few_waits;   // for summaries: waits, too, below PJ_FEW_WAITS threads
    bool few_functions;                   // the same: functions, where the trace names any
    const pj_timeline_opts *timeline;     // what is to be seen of run->timeline; NULL = nothing
    const pj_run *known;                  // the same run read before, for `timeline`; NULL = none
    const struct pj_slicing_opts *slices; // cut along time: pj_run.slices; NULL = not; borrow
    pj_function_cut functions;            // pj_run.functions
    bool iterations; // finds them, and cuts the run into them: pj_run.iterations, pj_run.slices
    bool steps;      // finds them where there are some, for the tape (PJ_WANT(tape))
    const struct pj_borders *borders; // found for it
    bool parts_too;                   // whoever wants the run wants its parts as cases beside it
    bool in_order;      // the listeners want the events of all threads in one order of time
    bool regions;       // and PJ_EV_ENTER and PJ_EV_LEAVE where the trace has them
    pj_network network; // another one than the ideal gives a case (pj_run.other)
    const char
        *ideal_path; // where to write the trace as that network makes it (.prv); NULL = nowhere
    /// Who reads the trace together; NULL = this process alone. All members load the same trace
    /// with the same options; only the leader's run is whole.
    pj_process_group *group;
} pj_load_opts;

/// Reads `path` in one pass with job->workers threads; NULL with an error that says what, where
/// and what to do. A summary
/// gives what it has (PJ_E_MISSING when that is not enough); one that lies beside the trace and was
/// made from the same bytes with the same options is taken in its place.
PJ_CHECKED pj_run *pj_load(const char *path, pj_load_opts opts, pj_job *job, pj_err *err);

#endif
