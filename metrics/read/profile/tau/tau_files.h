// Which files of a folder are TAU's profiles: profile.N.C.T, or such in MULTI__ folders, of which
// each holds one metric. Ownership: new/free - pj_tau_files_free.
#ifndef PJ_TAU_FILES_H
#define PJ_TAU_FILES_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stddef.h>

/// Where a file comes from: node (rank), context, thread.
typedef struct pj_tau_place {
    char *path;
    int64_t node, context, thread;
} pj_tau_place;

typedef struct pj_tau_files {
    pj_tau_place *places; // metric by metric, then by node, context, thread
    size_t *first;        // place of each metric's first file, and the end behind the last
    size_t metric_count;
} pj_tau_files;

/// Node, context and thread from the name of a file; false when it is not named so. The path is
/// not set.
bool pj_tau_place_of(const char *path, pj_tau_place *place);
/// Whether a folder holds such files.
bool pj_tau_files_any(const char *folder);
/// Errors: PJ_E_IO; PJ_E_FORMAT when there are more than 2^20.
PJ_CHECKED bool pj_tau_files_list(pj_tau_files *files, const char *folder, pj_err *err);
void pj_tau_files_free(pj_tau_files *files);

#endif
