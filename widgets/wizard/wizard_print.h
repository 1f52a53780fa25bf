// A notebook made a document (PDF, HTML) on a thread of its own while the wizard answers.
// Ownership: new/free; one thread owns it, which asks and frees.
#ifndef PJ_WIZARD_PRINT_H
#define PJ_WIZARD_PRINT_H

#include "metrics/base/err.h"
#include "widgets/wizard/wizard.h"

typedef struct pj_wizard_print pj_wizard_print;

/// `news` is called by its thread at the end: it must not wait. Paths are copied; the notebook is
/// removed when it has been read.
pj_wizard_print *pj_wizard_print_start(const pj_wizard_host *host, const char *notebook,
                                       const char *output, void (*news)(void *context),
                                       void *context);
bool pj_wizard_print_ended(const pj_wizard_print *print);
/// After the end: whether the document was written.
PJ_CHECKED bool pj_wizard_print_good(const pj_wizard_print *print, pj_err *err);
const char *pj_wizard_print_output(const pj_wizard_print *print);
/// Asks it to stop; returns at once.
void pj_wizard_print_stop(pj_wizard_print *print);
/// Stops it and waits for its thread.
void pj_wizard_print_free(pj_wizard_print *print);

#endif
