// The standard report of a result: the notebook that loads its runs again, with the same options.
// Ownership: new JSON reference; everything else is borrowed.
#ifndef PJ_REPORT_SOURCE_H
#define PJ_REPORT_SOURCE_H

#include "kernel/command/args/metrics_args.h"
#include "kernel/command/inputs.h"
#include "kernel/command/session.h"
#include "metrics/base/err.h"
#include "metrics/pop/metrics.h"
#include "metrics/profile/profile.h"
#include "widgets/report/report_notebook.h"
#include "widgets/report/report_title.h"

typedef struct pj_report_source {
    const pj_metrics *metrics;
    const pj_load_args *load;    // as the runs were read
    const pj_metrics_args *args; // how its efficiencies are coloured
    const char *folder;          // paths of traces below it are relative; NULL = all absolute
    const char *summaries;       // folder where summaries of the runs are put; NULL = nowhere
    const pj_profile *profile;   // for a section of its own; NULL = none
    const char *profile_code;    // what reads it again
    const char *before_code;     // what reads the one that it is compared with; NULL = none
} pj_report_source;

/// NULL when the set was defined in a notebook (PJ_E_USAGE) or the user interrupts: every trace is
/// read once more for its fingerprint, which does not take long.
PJ_CHECKED json_t *pj_report_source_notebook(pj_session *session, const pj_report_source *source,
                                             const pj_report_info *info, pj_err *err);
/// Adds the appendices that an executed notebook lacks: its traces, and the metrics of the sets
/// that its outputs show (both from metadata.popinjay of outputs). `folder` is the notebook's.
void pj_report_source_complete(json_t *notebook, const char *folder);

#endif
