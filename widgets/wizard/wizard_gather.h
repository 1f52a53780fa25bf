// Profiles read as one, or a trace as the profile of its functions, on a thread of its own while
// the wizard answers. Ownership: new/free; one thread owns it, which asks and frees.
#ifndef PJ_WIZARD_GATHER_H
#define PJ_WIZARD_GATHER_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_job.h"

typedef struct pj_wizard_gather pj_wizard_gather;

/// One path may be that of a trace. `news` is called by its thread when there is something to see:
/// it must not wait. Paths and texts are copied.
pj_wizard_gather *pj_wizard_gather_start(const char *const *paths, size_t count,
                                         const pj_wizard_load *how, void (*news)(void *context),
                                         void *context);
/// Asks it to stop; returns at once.
void pj_wizard_gather_stop(pj_wizard_gather *gather);
/// Stops it and waits for its thread.
void pj_wizard_gather_free(pj_wizard_gather *gather);

bool pj_wizard_gather_ended(const pj_wizard_gather *gather);
pj_wizard_progress pj_wizard_gather_at(pj_wizard_gather *gather);
/// After the end: the files that could not be read where others could; NULL past the last.
const pj_err *pj_wizard_gather_problem(const pj_wizard_gather *gather, size_t index);
size_t pj_wizard_gather_count(const pj_wizard_gather *gather); // paths
const char *pj_wizard_gather_path(const pj_wizard_gather *gather, size_t index);
/// After the end, once: the profile (the caller's), or NULL with the reason.
PJ_CHECKED pj_profile *pj_wizard_gather_take(pj_wizard_gather *gather, pj_err *err);

#endif
