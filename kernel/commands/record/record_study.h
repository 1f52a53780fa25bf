// A scaling study on this machine: case after case recorded, finished ones left alone, what fails
// put aside. Ownership: the caller's.
#ifndef PJ_RECORD_STUDY_H
#define PJ_RECORD_STUDY_H

#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "kernel/commands/record/record_cases.h"
#include "kernel/commands/record/record_order.h"
#include "metrics/base/err.h"

/// The value: in the shell a table of the cases, in the language the runs. What fails is a
/// complaint, and the others go on; false when nothing is left, or it was interrupted.
PJ_CHECKED bool pj_record_study(pj_session *session, const pj_record_plan *plan,
                                const pj_record_order *order, pj_value *out, pj_err *err);

#endif
