// A part of a trace as a trace of its own, which has the statistics that the whole has in that
// region of interest (DEFINITIONS 7). Ownership: plain data.
#ifndef PJ_PRV_CUT_H
#define PJ_PRV_CUT_H

#include "metrics/base/job.h"
#include "metrics/run/run.h"

typedef struct pj_prv_cut_facts {
    uint64_t records;  // kept, whole or clipped
    uint64_t messages; // that cross a border: left out
    uint64_t clipped;  // states that cross a border
    uint64_t divided;  // counter readings that cross a border
} pj_prv_cut_facts;

/// Writes run->roi of the Paraver trace run->path to `path` (.prv), with the files beside it.
/// Errors: PJ_E_IO, PJ_E_FORMAT, PJ_E_STOPPED.
bool pj_prv_cut(const pj_run *run, const char *path, pj_job *job, pj_prv_cut_facts *facts,
                pj_err *err);

#endif
