// Cells of a notebook (nbformat 4.5) and the appendices that every report has. Ownership: new JSON
// references, the caller's.
#ifndef PJ_REPORT_CELLS_H
#define PJ_REPORT_CELLS_H

#include "metrics/base/fingerprint.h"
#include "metrics/base/str.h"
#include "metrics/pop/metricset.h"

#include <jansson.h>

/// A trace as the appendix lists it.
typedef struct pj_report_trace {
    const char *name, *path;
    const char *layout; // "16x1"
    uint64_t bytes;
    char fingerprint[PJ_FINGERPRINT_TEXT]; // "" = could not be read again
} pj_report_trace;

/// A file of a profile as the appendix lists it.
typedef struct pj_report_file {
    const char *name;
    uint64_t bytes;
    char fingerprint[PJ_FINGERPRINT_TEXT]; // "" = could not be read again
} pj_report_file;

/// What the template may know of a cell; NULL = nothing.
typedef struct pj_report_mark {
    const char *part;    // "title", "traces", "definitions"
    const char *caption; // of the cell's table or picture
    const char *label;   // of the caption, to refer to
} pj_report_mark;

json_t *pj_report_prose(pj_str markdown, pj_report_mark mark);
json_t *pj_report_code(pj_str code, pj_report_mark mark);

/// A section that lists traces with sizes and fingerprints.
json_t *pj_report_traces(const pj_report_trace *traces, size_t count);
/// The same of files of a profile, up to a number that people can read.
json_t *pj_report_files(const pj_report_file *files, size_t count);
/// A section with formula and meaning of every row of the sets, and of the symbols in formulas.
json_t *pj_report_definitions(const pj_metric_set *const *sets, size_t count);

/// Gives every cell an id and makes a notebook of them; takes `cells`.
json_t *pj_report_assemble_take(json_t *cells);

#endif
