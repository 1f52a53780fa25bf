// From a notebook to a report. The standard report is executed here and becomes a page without
// help; other notebooks are executed by Jupyter where it is. nbconvert converts with the template
// of the house and XeLaTeX sets; everything happens in a private folder that vanishes. Ownership:
// the folder is new/free (pj_report_close), everything else borrowed.
#ifndef PJ_REPORT_H
#define PJ_REPORT_H

#include "kernel/command/session.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/report/report_notebook.h"

typedef enum pj_report_format {
#define REPORT(name, suffix, exporter, needs) PJ_REPORT_##name,
#include "kernel/report/report_formats.def"
#undef REPORT
    PJ_REPORT_COUNT
} pj_report_format;

typedef struct pj_report {
    pj_session *session;
    pj_arena *arena;
    const char *folder;
    const char *summaries; // folder of summaries, for the notebook's kernel; NULL = none
    const char *origin;    // folder of the notebook; NULL = it refers to nothing
    pj_report_format format;
    bool own; // the standard report, whose cells and text are all known
    unsigned logs;
} pj_report;

/// "pdf", ...; NULL past the end.
const char *pj_report_format_name(size_t index);
bool pj_report_format_parse(pj_str name, pj_report_format *out);

/// Makes the private folder. Fails with PJ_E_MISSING naming the Debian packages when a program that
/// the format needs is not there.
PJ_CHECKED bool pj_report_open(pj_report *report, pj_session *session, pj_report_format format,
                               pj_err *err);
void pj_report_close(pj_report *report);
#define pj_auto_report __attribute__((cleanup(pj_report_close))) pj_report

/// Whether Jupyter is there to execute and convert notebooks of any kind.
bool pj_report_has_jupyter(void);
/// Runs the cells in the folder of the notebook, which stays as it is; new reference or NULL.
/// Without Jupyter (PJ_E_MISSING) only notebooks of this kernel, and not from a cell.
PJ_CHECKED json_t *pj_report_execute(pj_report *report, const char *path, pj_err *err);
/// A notebook from a file; new reference or NULL.
PJ_CHECKED json_t *pj_report_read(const char *path, pj_err *err);
/// Whether its cells are for this kernel; else PJ_E_USAGE.
PJ_CHECKED bool pj_report_is_own(const char *path, const json_t *notebook, pj_err *err);
/// Converts the notebook, which changes with it, and puts the result at `path`, whole or not at
/// all; pictures of Markdown go into a folder beside it.
PJ_CHECKED bool pj_report_write(pj_report *report, json_t *notebook, const char *path, pj_err *err);

#endif
