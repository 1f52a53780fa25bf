// The report of a profile, and the section about one in a report of traces: cells that load it, say
// what its numbers say, and show its tables and pictures. Ownership: new JSON references;
// everything else is borrowed.
#ifndef PJ_REPORT_PROFILE_H
#define PJ_REPORT_PROFILE_H

#include "metrics/profile/profile.h"
#include "widgets/report/report_cells.h"
#include "widgets/report/report_title.h"

typedef struct pj_report_profile {
    pj_report_info info;
    const char *code;            // Lua expression that gives the profile
    const char *before;          // the same of one that it is compared with; NULL = none
    const pj_report_file *files; // NULL = no list of them
    size_t file_count;
} pj_report_profile;

/// What the profile has decides which sections there are.
json_t *pj_report_profile_notebook(const pj_profile *profile, const pj_report_profile *plan);
/// Appends the cells of a section to those of a report of traces.
void pj_report_profile_section(const pj_profile *profile, const char *code, json_t *cells);

#endif
