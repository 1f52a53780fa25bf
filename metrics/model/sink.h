// Who receives events. A sink folds them into the totals of a run and keeps none of them.
// Ownership: the state is the sink's own; made by its constructor, freed by `close`.
#ifndef PJ_SINK_H
#define PJ_SINK_H

#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/model/event.h"

struct pj_run;

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
    /// Takes the threads each for itself, so that they may be shared over a crew.
    bool by_location;
    /// Of such a sink that leaves more than pj_run_gather gathers: in a crew only the leader
    /// finishes it. The others tell what they have found of their threads, with a final
    /// `run->end_ns`; false when that cannot be understood. Both or none.
    void (*tell)(void *self, const struct pj_run *run, pj_buf *out);
    bool (*hear)(void *self, pj_str in);
} pj_sink;

#endif
