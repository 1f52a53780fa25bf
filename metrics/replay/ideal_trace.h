// The idealised trace: every record of the run at the time that the replay gives it, as a Paraver
// trace with its .pcf and .row. Ownership: new/free.
#ifndef PJ_IDEAL_TRACE_H
#define PJ_IDEAL_TRACE_H

/// What an idealised trace is called.
#define PJ_IDEAL_TRACE_SUFFIX ".prv"

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"

typedef struct pj_ideal_trace pj_ideal_trace;

/// NULL with PJ_E_USAGE when `path` does not end with .prv.
PJ_CHECKED pj_ideal_trace *pj_ideal_trace_new(const char *path, const pj_run *run, pj_err *err);
void pj_ideal_trace_free(pj_ideal_trace *trace);
/// What the engine is to call; `engine` is used when messages are delivered.
pj_engine_watch pj_ideal_trace_watch(pj_ideal_trace *trace);
void pj_ideal_trace_engine(pj_ideal_trace *trace, const pj_engine *engine);

/// A record of the trace, before the replay comes to it. Messages: pj_ideal_trace_tag.
void pj_ideal_trace_event(pj_ideal_trace *trace, const pj_event *event);
/// The tag of a message that has just been given to the engine.
void pj_ideal_trace_tag(pj_ideal_trace *trace, uint32_t message, int64_t tag);
/// Time of the location's last record so far, ns in the trace.
uint64_t pj_ideal_trace_seen(const pj_ideal_trace *trace, uint32_t location);

/// The replay is over: `finish` is the clock at the end of each location. Writes the three files.
/// Errors: PJ_E_IO, also of the temporary files written on the way; PJ_E_STOPPED, PJ_E_MEMORY of
/// the job, which may be NULL.
PJ_CHECKED bool pj_ideal_trace_write(pj_ideal_trace *trace, const double *finish, pj_job *job,
                                     pj_err *err);
/// Bytes of records that wait for the replay.
size_t pj_ideal_trace_bytes(const pj_ideal_trace *trace);

#endif
