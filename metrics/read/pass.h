// One pass over an input: events from its reader to all who listen.
// Ownership: a pass is the caller's; what readers store in its run is the run's arena.
#ifndef PJ_PASS_H
#define PJ_PASS_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/roi.h"
#include "metrics/trace/sink.h"

/// One pass over an input: what is filled, who listens, and what an earlier pass has learnt.
typedef struct pj_pass {
    pj_run *run;
    const pj_sink *sinks;
    size_t sink_count;
    pj_job *job;
    const char *const *files; // of a run that is a file each rank; none = one file
    size_t file_count;
    /// How far the times of a location go back, in ns, one per location (of Paraver traces streams
    /// count, and the whole is one more); NULL = not known. A pass
    /// that meets unordered times leaves it to be freed by the caller; another pass with it
    /// delivers the events of each location in order.
    uint64_t *disorder;
    /// What a reader has found out in one pass and wants to use in the next (clock shifts). The
    /// pass leaves it to be freed by the caller with free().
    void *learnt;
    bool learning;    // set by the pass: another one would use what this one has learnt
    bool by_location; // the sinks take one location after another: times need not be merged; the
                      // reader takes it back where it does so all the same
    bool regions;     // the sinks want PJ_EV_ENTER and PJ_EV_LEAVE
    uint32_t regions_below; // threads from which on they do not; 0 = any number
    bool parameters;        // and PJ_PARAMETER_*
    /// A run that an earlier pass has left, for which pj_reader_knows holds: only what has times in
    /// [from_ns, to_ns] is read, for states and messages. NULL = all is read.
    const pj_run *known;
    uint64_t from_ns, to_ns;
    /// For readers of whole runs: what is to be seen of run->timeline; NULL = nothing.
    const struct pj_timeline_opts *timeline;
    const pj_roi_request *steps; // the same: those that are looked at; NULL = all that is there
    const struct pj_ai_window *window; // the same of time (metrics/ai)
    bool step_parts;                   // the same: each step becomes a part
    bool find_steps;                   // the same: ranges that come again may be steps
    pj_function_cut cut;               // the same: how ranges of the program become parts
    bool raw_clock;                    // clocks are taken as they are
    bool calls_alone; // set by the reader: it tells sinks of calls of MPI, all else is in the run
    bool again;       // set by the pass: the input may be read another time
    /// Who reads the input together; NULL = this process alone. The leader has the result.
    pj_process_group *group;
    bool ranks_apart; // set by the reader: ranks are whole, each at one member of the process group
    bool
        apart; // set by the pass: a process group cannot share this input, one process must read it
} pj_pass;

/// For readers: tells the sinks that the layout is known, and hands them events.
PJ_CHECKED bool pj_pass_begin(pj_pass *pass, pj_err *err);
PJ_CHECKED bool pj_pass_events(pj_pass *pass, const pj_batch *batch, pj_err *err);

/// Whether a sink names this kind among those that it looks at.
bool pj_pass_asks(const pj_pass *pass, pj_event_kind kind);

/// Whether a sink wants calls of MPI alone, where nothing else is told.
bool pj_pass_wants_calls(const pj_pass *pass);

/// Whether a sink wants PJ_PART_SENT.
bool pj_pass_wants_sent(const pj_pass *pass);

/// Whether a sink wants PJ_LOCK of readers that have to look for it.
bool pj_pass_wants_locks(const pj_pass *pass);

/// Threads from which on the members of a process group keep their ranks to themselves.
uint32_t pj_pass_shared_from(const pj_pass *pass);

/// The sink that has the call trees of locations; NULL = none.
const pj_sink *pj_pass_calls(const pj_pass *pass);

/// Whether there are streams of devices, and a sink wants what they do.
bool pj_pass_has_devices(const pj_pass *pass);

/// Whether the trace has meters, and a sink wants what they read.
bool pj_pass_has_meters(const pj_pass *pass);

/// For readers in a process group: events of this member's own threads, for the sinks that take
/// these apart.
PJ_CHECKED bool pj_pass_own(pj_pass *pass, const pj_batch *batch, pj_err *err);
/// The leader's events of all threads in order, for the other sinks.
PJ_CHECKED bool pj_pass_all(pj_pass *pass, const pj_batch *batch, pj_err *err);
/// Members together: news of their ranks go round until there are no more. Nothing where the ranks
/// are not apart.
PJ_CHECKED bool pj_pass_trade(pj_pass *pass, pj_err *err);
/// Bits of the pj_event_kind that the sinks of pj_pass_all look at.
unsigned pj_pass_kinds(const pj_pass *pass);
/// For who reads: ends the sinks, in a process group after their news have gone round.
PJ_CHECKED bool pj_pass_finish(pj_pass *pass, pj_err *err);

#endif
