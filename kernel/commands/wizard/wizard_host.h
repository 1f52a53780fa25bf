// What the wizard gets from the kernel: metric sets of the session, documents made, choices kept,
// results shown beside it, calls made later. Ownership: the host belongs to the wizard it was made
// for.
#ifndef PJ_WIZARD_HOST_H
#define PJ_WIZARD_HOST_H

#include "kernel/command/face.h"
#include "kernel/command/session.h"
#include "widgets/wizard/wizard.h"

/// Inside only (live.h). `id` names the displays of the wizard's results.
pj_wizard_host pj_wizard_host_new(pj_session *session, const char *id);
/// Displays a bundle that is hidden as long as the wizard, marked with the class `id`, is on the
/// page; `data` may be NULL.
void pj_wizard_host_show(const pj_face *face, const char *id, pj_wizard_slot slot, json_t *data,
                         json_t *metadata);

#endif
