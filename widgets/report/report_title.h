// The title page of a report: a cell, and the notebook's metadata. Ownership: new JSON references.
#ifndef PJ_REPORT_TITLE_H
#define PJ_REPORT_TITLE_H

#include "metrics/base/arena.h"

#include <jansson.h>
#include <stdbool.h>

/// The title page; NULL = not said.
typedef struct pj_report_info {
    const char *title, *id, *application, *author, *contributors, *date;
    bool code; // cells are printed too
} pj_report_info;

/// With the title and the date (today) that a report has where nobody says them; texts are arena.
pj_report_info pj_report_info_whole(const pj_report_info *info, pj_arena *arena);
json_t *pj_report_title(const pj_report_info *info);
/// Sets the title page of a notebook; what `info` does not say stays as it is.
void pj_report_set_info(json_t *notebook, const pj_report_info *info);

#endif
