// What every rank does with its time: work, MPI, other waiting, as VTune's summary has it.
// Ownership: tables hold one reference; NULL with an error.
#ifndef PJ_PROFILE_WAITS_H
#define PJ_PROFILE_WAITS_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"

/// A row for each rank, its threads added up; the note tells the parts of all of them. Own time of
/// functions: MPI is that of MPI and its wrappers, waiting that of barriers, locks and sleeping,
/// work all else. PJ_E_MISSING where there are no values of functions that can be added.
PJ_CHECKED pj_table *pj_profile_waits(const pj_profile *profile, pj_err *err);

#endif
