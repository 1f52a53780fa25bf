// A part of a trace written as a trace of its own, by its format. Ownership: constants; `self` is
// begun and ended by the caller.
#ifndef PJ_CUTTER_H
#define PJ_CUTTER_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pseudonym.h"
#include "metrics/run/run.h"
#include "metrics/trace/sink.h"

typedef struct pj_cut_facts {
    uint64_t records;  // kept, whole or clipped
    uint64_t messages; // that cross a border: left out
    uint64_t clipped;  // states, regions and teams that a border cuts
    uint64_t divided;  // counter readings that cross a border
} pj_cut_facts;

typedef struct pj_cutter {
    const char *suffix; // of what it writes: ".prv"
    /// Before it is known whether the trace is of this format. `names` hides those of the part;
    /// NULL = they stay.
    void *(*begin)(const pj_pseudonyms *names);
    /// What listens while the trace is read in order; NULL = nothing has to.
    pj_sink (*sink)(void *self);
    void (*end)(void *self);
    /// Writes run->roi of the trace run->path to `path`, with the files that belong to it. Errors:
    /// PJ_E_IO, PJ_E_USAGE (it must not replace what is there), PJ_E_FORMAT, PJ_E_STOPPED.
    bool (*write)(void *self, const pj_run *run, const char *path, pj_job *job, pj_cut_facts *facts,
                  pj_err *err);
} pj_cutter;

#endif
