// The profile of the wizard: what is read of the chosen files and of traces beside them.
// Ownership: everything belongs to the wizard.
#ifndef PJ_WIZARD_PROFILE_H
#define PJ_WIZARD_PROFILE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "widgets/wizard/wizard.h"
#include "widgets/wizard/wizard_record.h"

/// Begins to read the chosen profiles, unless they are read already; nothing when there are none.
void pj_wizard_profile_start(pj_wizard *wizard);
/// Begins to make the profile of a trace, to stand beside the other one.
void pj_wizard_profile_beside(pj_wizard *wizard, const char *path);
/// Whether profiles are being read.
bool pj_wizard_profile_busy(const pj_wizard *wizard);
void pj_wizard_profile_stop(const pj_wizard *wizard);
/// The list of profiles is another one: what was read of it goes.
void pj_wizard_profile_forget(pj_wizard *wizard);
void pj_wizard_profile_news(pj_wizard *wizard);
/// wizard_profile_page.c: the trace's profile has come, or why it has not.
void pj_wizard_profile_came(pj_wizard *wizard, const pj_err *err);
/// Turns to the first page of the profile.
void pj_wizard_profile_turn(pj_wizard *wizard);
/// "p = profile{...}\n", and of the trace beside it "q = ...".
void pj_wizard_code_profile(const pj_wizard *wizard, pj_buf *out);
/// The expression alone; `whole`: paths from the root.
void pj_wizard_code_files(const pj_wizard *wizard, bool whole, pj_buf *out);

#endif
