// What outlives a command: where output goes, the interrupt flag, the user's own metric sets.
// Ownership: new/free; sets live as long as the session.
#ifndef PJ_SESSION_H
#define PJ_SESSION_H

#include "kernel/command/face.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"
#include "widgets/table/render.h"

typedef struct pj_session {
    const pj_face *face;
    atomic_bool *stop;
    struct pj_session_sets *sets; // defined by the user; shared by sessions beside each other
    bool beside;
    struct pj_lang *lang;  // whose session it is; NULL in the shell
    unsigned complaints;   // failures reported while the rest went on: exit status 1
    const char *command;   // the name of the one that runs; NULL between them
    unsigned exports;      // files and JSON written, in place of what is shown
    int status;            // exit status asked for by a script
    const char *summaries; // folder with summaries of traces (POPINJAY_SUMMARIES); may be NULL
    pj_render_opts render; // of text on a terminal
} pj_session;

pj_session *pj_session_new(const pj_face *face, atomic_bool *stop);
/// With the metric sets of `first`, which outlives it; both may be used at the same time.
pj_session *pj_session_beside(pj_session *first, const pj_face *face, atomic_bool *stop);
/// The user's metric sets are released, and none is taken from now on.
void pj_session_end_sets(pj_session *session);
void pj_session_free(pj_session *session);

/// Tells that a file was written, its name as plain text: on standard error, in the notebook, which
/// shows that in red, on standard output.
void pj_session_wrote(pj_session *session, const char *path);
/// A line of message on standard error.
void pj_session_say(pj_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// Reports a failure after which the work goes on with the rest.
void pj_session_complain(pj_session *session, const pj_err *err);

/// Keys of built-in sets, then of the user's (none without a session); NULL past the end.
const char *pj_session_set_key(const pj_session *session, size_t index);
const pj_metric_set *pj_session_set(const pj_session *session, pj_str key);
/// Metrics of all sets, set by set; NULL past the end. A key stands in several sets.
const char *pj_session_metric_key(const pj_session *session, size_t index);
void pj_session_add_set_take(pj_session *session, const pj_metric_set *set);

#endif
