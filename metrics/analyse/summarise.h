// Summaries of traces: whether they still stand for their trace, how they are made.
// Ownership: runs are new references; paths arena.
#ifndef PJ_SUMMARISE_H
#define PJ_SUMMARISE_H

#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"
#include "metrics/run/run.h"

typedef enum pj_summary_state {
    PJ_SUMMARY_ABSENT,
    PJ_SUMMARY_FRESH,
    PJ_SUMMARY_UNREADABLE,    // damaged, or of a newer version
    PJ_SUMMARY_OLD,           // of an older version, whose numbers may mean something else
    PJ_SUMMARY_OTHER_OPTIONS, // made with another region of interest, say
    PJ_SUMMARY_OTHER_BYTES,   // made from what is not the trace any more
} pj_summary_state;

/// What a summary of the trace would be made from now; reads all its bytes. Texts are arena.
PJ_CHECKED bool pj_summarise_origin(const char *path, const pj_load_opts *opts, pj_job *job,
                                    pj_arena *arena, pj_provenance *out, pj_err *err);
/// The run from the summary `at`, when it is fresh. Fails only when the trace cannot be read or the
/// job is stopped; NULL otherwise tells nothing but `*state`.
PJ_CHECKED pj_run *pj_summarise_find(const char *at, const char *path, const pj_load_opts *opts,
                                     pj_job *job, pj_summary_state *state, pj_err *err);
/// The same for the summary in opts->summaries, which need not be of this trace, or else for the
/// one beside the trace, if it has what the options want.
PJ_CHECKED pj_run *pj_summarise_beside(const char *path, const pj_load_opts *opts, pj_job *job,
                                       pj_summary_state *state, pj_err *err);

/// Reads the trace and writes its summary at `at`. `*run` is what was read. Errors: those of
/// reading and writing; PJ_E_IO when the trace changes meanwhile.
PJ_CHECKED bool pj_summarise(const char *path, const char *at, pj_load_opts opts, pj_job *job,
                             pj_run **run, pj_err *err);

/// Writes a run that was read from its trace into `folder`, for opts->summaries, unless values of
/// threads would have to be rounded.
PJ_CHECKED bool pj_summarise_keep(const pj_run *run, const pj_provenance *origin,
                                  const char *folder, pj_err *err);

/// In a process group (opts.group) the leader makes summaries; the others help it to read, until it
/// dismisses them. What goes wrong is the leader's to say.
void pj_summarise_help(pj_load_opts opts, pj_job *job);
void pj_summarise_dismiss(pj_process_group *group);

#endif
