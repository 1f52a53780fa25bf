// Profiles of a report: which inputs are profiles, the Lua text that reads them again, their files
// with fingerprints. Ownership: arena.
#ifndef PJ_PROFILE_SOURCE_H
#define PJ_PROFILE_SOURCE_H

#include "kernel/command/command.h"
#include "kernel/command/profile_inputs.h"
#include "kernel/command/session.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "widgets/report/report_cells.h"

/// Takes the inputs apart; traces keep their order. Both lists are arena.
void pj_profile_source_split(const pj_inputs *inputs, pj_arena *arena, pj_inputs *profiles,
                             pj_inputs *others);
/// An expression of the command language that reads them again; paths below `folder` are relative,
/// NULL = all absolute.
const char *pj_profile_source_code(const pj_inputs *profiles, const char *folder, pj_arena *arena);
/// By file of the profile. Fails when the user interrupts.
PJ_CHECKED bool pj_profile_source_files(pj_session *session, const pj_profile *profile,
                                        const char *folder, pj_arena *arena,
                                        const pj_report_file **files, pj_err *err);

#endif
