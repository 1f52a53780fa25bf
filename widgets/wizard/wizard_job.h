// Traces read on a thread of its own while the wizard answers: progress and results by trace.
// Ownership: new/free; one thread owns the job, which asks and frees.
#ifndef PJ_WIZARD_JOB_H
#define PJ_WIZARD_JOB_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "widgets/wizard/wizard.h"

typedef struct pj_wizard_job pj_wizard_job;

typedef enum pj_reading {
    PJ_READING_NOT,   // not begun
    PJ_READING_WAITS, // its turn will come
    PJ_READING_NOW,
    PJ_READING_DONE,
    PJ_READING_FAILED,
    PJ_READING_STOPPED,
} pj_reading;

typedef struct pj_wizard_progress {
    pj_reading state;
    uint64_t done, total; // bytes of the input
    uint64_t ns;          // since it was begun
} pj_wizard_progress;

/// Whether the texts mean something. Error: PJ_E_USAGE.
PJ_CHECKED bool pj_wizard_job_check(const pj_wizard_load *how, pj_err *err);

/// `news` is called by the job's thread when there is something to see: it must not wait.
/// Paths and texts are copied.
pj_wizard_job *pj_wizard_job_start(const char *const *paths, size_t count,
                                   const pj_wizard_load *how, void (*news)(void *context),
                                   void *context);
/// Asks it to stop; returns at once.
void pj_wizard_job_stop(pj_wizard_job *job);
/// Stops it and waits for its thread (a block of a trace at most).
void pj_wizard_job_free(pj_wizard_job *job);

bool pj_wizard_job_ended(pj_wizard_job *job);
size_t pj_wizard_job_count(const pj_wizard_job *job);
const char *pj_wizard_job_path(const pj_wizard_job *job, size_t index);
pj_wizard_progress pj_wizard_job_at(pj_wizard_job *job, size_t index);
/// What came of a trace, once: the run (the caller's), or NULL with the reason.
PJ_CHECKED pj_run *pj_wizard_job_take(pj_wizard_job *job, size_t index, pj_err *err);

#endif
