// The one rule that says whether a summary suffices in place of its trace. Ownership: borrow.
#ifndef PJ_LOAD_NEEDS_H
#define PJ_LOAD_NEEDS_H

#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"

/// What is found besides the totals: `aspects` and what the other options ask for.
unsigned pj_load_aspects(const pj_load_opts *opts);
/// What a summary lacks of what is wanted, to follow "a summary"; NULL = it suffices in place of
/// its trace. `beside`: the trace is there too, so that rounded values of threads will not do.
const char *pj_load_lack(const pj_load_opts *opts, const pj_run *run, bool beside);

/// Whether a summary that was given in place of its trace has what is wanted. Errors: PJ_E_MISSING.
PJ_CHECKED bool pj_load_suffices(const pj_load_opts *opts, const pj_run *run, pj_err *err);

/// Whether a run that came as sums, without a trace, has what is wanted. Errors: PJ_E_MISSING.
PJ_CHECKED bool pj_load_tells(const pj_load_opts *opts, const pj_run *run, pj_err *err);

#endif
