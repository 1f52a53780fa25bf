// Progress of long work in place: a display that is updated in a notebook, a line that is drawn
// over itself on a terminal, nothing elsewhere. Ownership: plain struct on the caller's stack.
#ifndef PJ_PROGRESS_H
#define PJ_PROGRESS_H

#include "kernel/command/session.h"
#include "metrics/base/job.h"

typedef struct pj_progress {
    pj_session *session;
    size_t count; // inputs in all
    size_t index; // the one at work, from 1
    bool shown;
    char id[48];               // of the display
    uint64_t began_ns, due_ns; // of the next sentence
    uint64_t bytes;            // of the files that were read; kept by the caller
} pj_progress;

pj_progress pj_progress_of(pj_session *session, size_t inputs);
/// Reports of `job` go here: its next input begins. The first third of a second shows nothing.
void pj_progress_attach(pj_progress *progress, pj_job *job);
/// The same of other work than reading: a sentence, and the part of it that is done (0 to 1). At
/// most five of a second are shown.
void pj_progress_say(pj_progress *progress, const char *text, double part);
/// Takes the line away, so that a message can be written.
void pj_progress_clear(pj_progress *progress);
/// Leaves a summary in the notebook, nothing on a terminal.
void pj_progress_end(pj_progress *progress);
/// The same with a summary of other work.
void pj_progress_end_as(pj_progress *progress, const char *text);

#endif
