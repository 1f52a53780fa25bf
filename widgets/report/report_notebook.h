// The standard report as a notebook: sections with tables and plots, and the findings that the
// numbers give already. Ownership: new JSON reference, the caller's; everything else is borrowed.
#ifndef PJ_REPORT_NOTEBOOK_H
#define PJ_REPORT_NOTEBOOK_H

#include "metrics/pop/metrics.h"
#include "metrics/profile/profile.h"
#include "widgets/report/report_cells.h"
#include "widgets/report/report_title.h"

typedef struct pj_report_plan {
    pj_report_info info;
    const char *load_code;         // Lua expression that gives the runs in study order
    const char *metrics_code;      // Lua expression of options for metrics(runs, ...); "" = none
    const pj_report_trace *traces; // by run of the study; NULL = no list of traces
    const pj_profile *profile;     // of the run, for a section of its own; NULL = none
    const char *profile_code;      // Lua expression that gives it
    const pj_report_file *profile_files; // NULL = no list of them
    size_t profile_file_count;
} pj_report_plan;

json_t *pj_report_notebook(const pj_metrics *metrics, const pj_report_plan *plan);

#endif
