// The standard report as a notebook: sections with tables and plots, and the findings that the
// numbers give already. Ownership: new JSON reference, the caller's; everything else is borrowed.
#ifndef PJ_REPORT_NOTEBOOK_H
#define PJ_REPORT_NOTEBOOK_H

#include "metrics/base/arena.h"
#include "metrics/pop/metrics.h"
#include "widgets/report/report_cells.h"

/// The title page; NULL = not said.
typedef struct pj_report_info {
    const char *title, *id, *application, *author, *contributors, *date;
    bool code; // cells are printed too
} pj_report_info;

typedef struct pj_report_plan {
    pj_report_info info;
    const char *load_code;         // Lua expression that gives the runs in study order
    const char *metrics_code;      // Lua expression of options for metrics(runs, ...); "" = none
    const pj_report_trace *traces; // by run of the study; NULL = no list of traces
} pj_report_plan;

/// With the title and the date (today) that a report has where nobody says them; texts are arena.
pj_report_info pj_report_info_whole(const pj_report_info *info, pj_arena *arena);
/// Sets the title page of a notebook; what `info` does not say stays as it is.
void pj_report_set_info(json_t *notebook, const pj_report_info *info);
json_t *pj_report_notebook(const pj_metrics *metrics, const pj_report_plan *plan);

#endif
