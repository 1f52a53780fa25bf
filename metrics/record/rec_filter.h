// Which functions are recorded: filter files of Score-P, patterns, modules. Judged once for a
// function, at first sight; regions of the program and calls of MPI are never left out.
#ifndef PJ_REC_FILTER_H
#define PJ_REC_FILTER_H

#include "metrics/record/rec_export.h"

#include <stdbool.h>

/// Reads $POPINJAY_RECORD_FILTER, the path of a filter file, and behind its rules those of _MODULES
/// (these alone), _EXCLUDE and _INCLUDE: patterns parted by commas. What is wrong is noted.
PJ_REC_API void pj_rec_filter_begin(void);
/// Whether a function is left out: the last rule that fits decides, those of files before those of
/// names.
PJ_REC_API bool pj_rec_filter_excludes(const char *name, const char *file);

#endif
