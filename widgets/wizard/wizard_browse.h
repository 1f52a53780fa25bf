// The file browser of the wizard's first page: folders, filters, several files at once, paths and
// globs typed by hand, uploads. What is added goes to the chosen runs.
// Ownership: belongs to the wizard.
#ifndef PJ_WIZARD_BROWSE_H
#define PJ_WIZARD_BROWSE_H

#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_pieces.h"
#include "widgets/wizard/wizard_record.h"

/// `changed` after runs were added.
pj_browser *pj_browser_new(pj_wizard *wizard, void (*changed)(pj_wizard *wizard));
void pj_browser_free(pj_browser *browser);
pj_piece pj_browser_box(const pj_browser *browser);
/// Begins in this folder; it is listed by the next pj_browser_show.
void pj_browser_start(pj_browser *browser, const char *folder);
/// Whether a part says where the browser is.
bool pj_browser_keeps(const pj_browser *browser, pj_piece part);
/// Lists the folder anew.
void pj_browser_show(pj_browser *browser);

#endif
