// A program recorded on a thread of its own while the wizard answers. Ownership: new/free; one
// thread owns it, which asks and frees.
#ifndef PJ_WIZARD_RECORDER_H
#define PJ_WIZARD_RECORDER_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "widgets/wizard/wizard.h"

typedef struct pj_wizard_recorder pj_wizard_recorder;

/// `words` are those behind `popinjay record`; they are copied. `news` is called by its thread when
/// there is something to see: it must not wait.
pj_wizard_recorder *pj_wizard_recorder_start(const pj_wizard_host *host, const char *const *words,
                                             size_t count, void (*news)(void *context),
                                             void *context);
bool pj_wizard_recorder_ended(const pj_wizard_recorder *recorder);
/// What it said last, and how many of its runs are recorded.
const char *pj_wizard_recorder_said(pj_wizard_recorder *recorder, pj_arena *arena, uint64_t *done,
                                    uint64_t *total);
/// After the end: whether all went well.
PJ_CHECKED bool pj_wizard_recorder_good(const pj_wizard_recorder *recorder, pj_err *err);
/// Asks it to stop; returns at once.
void pj_wizard_recorder_stop(pj_wizard_recorder *recorder);
/// Stops it and waits for its thread.
void pj_wizard_recorder_free(pj_wizard_recorder *recorder);

#endif
