// Who receives events. A sink folds them into the totals of a run and keeps none of them.
// Ownership: the state is the sink's own; made by its constructor, freed by `close`.
#ifndef PJ_SINK_H
#define PJ_SINK_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/base/tiny.h"
#include "metrics/trace/event.h"

struct pj_path_tree;
struct pj_run;

/// Threads of a trace from which on a process group replays its ranks apart (replay/README.md).
enum { PJ_SHARED_LEAST = PJ_SIZE(256, 2) };

/// Of a sink that needs the ranks apart only as far as it is told what those of others have done.
/// Where the ends of messages are apart (pj_run.told.messages_apart), every member of a process
/// group then has one for its own ranks (pj_layout_owner). Only the first such sink of a pass is
/// told of others.
typedef struct pj_sharing {
    /// Comes before `begin`: only the events of this member's ranks will come, those of one
    /// location in their order.
    void (*share)(void *self, const pj_process_group *group);
    /// What the others need to know of what has been found since the last time, by member; borrow.
    const pj_buf *(*news)(void *self);
    /// What a member had to tell; false when it cannot be understood.
    bool (*take)(void *self, unsigned member, pj_str in);
    /// All events have come: does the step of that number, after which news may go round; false
    /// when there is none.
    bool (*conclude)(void *self, const struct pj_run *run, unsigned step);
} pj_sharing;

typedef struct pj_sink {
    const char *name;
    /// The layout of `run` is known, no event has come yet.
    bool (*begin)(void *self, const struct pj_run *run, pj_err *err);
    /// Batches come in trace order, one at a time, from whichever worker holds the turn.
    bool (*events)(void *self, const pj_batch *batch, pj_err *err);
    /// All events have come and `run->end_ns` is final: write the totals into the run.
    bool (*finish)(void *self, struct pj_run *run, pj_err *err);
    /// Comes before the run is released.
    void (*close)(void *self);
    void *self;
    unsigned kinds; // bits of the pj_event_kind that it looks at; 0 = all
    /// Is given events of streams of devices too (pj_layout), in order with those of the threads,
    /// and messages between both; nothing where there are no streams. All other sinks see the
    /// threads alone.
    bool devices;
    bool meters;      // the same with readings of meters, which come behind streams
    bool sent;        // is given PJ_PART_SENT too, where the trace has it
    bool locks;       // and PJ_LOCK and PJ_PART_LOCK of archives
    bool calls_alone; // is of use where a trace tells nothing but calls of MPI and what they
                      // exchange
    /// The call tree of a location, for a reader that knows how regions are nested: whoever reads
    /// the location fills it, and its events tell the sink nothing more. NULL = no such sink.
    struct pj_path_tree *(*calls)(void *self, uint32_t location);
    /// Takes the threads each for itself, so that they may be shared over a process group.
    bool by_location;
    const pj_sharing *sharing; // NULL = in a process group its leader has all the events
    uint32_t shared_from;      // threads from which on it shares them; 0 = PJ_SHARED_LEAST
    uint32_t below;            // threads from which on no event is given to it; 0 = any number
    /// Of a sink of either kind that leaves more than pj_run_gather gathers: in a process group
    /// only the leader finishes it. The others tell what they have found of their threads, with a
    /// final `run->end_ns`; false when that cannot be understood. Both or none.
    void (*tell)(void *self, const struct pj_run *run, pj_buf *out);
    bool (*hear)(void *self, pj_str in);
} pj_sink;

#endif
