// Lines of chosen functions of each process, as line_profiler writes them. Ownership: borrow.
#ifndef PJ_MERGE_LINES_H
#define PJ_MERGE_LINES_H

#include "metrics/base/err.h"
#include "metrics/record/merge/unite.h"

#include <stddef.h>

/// Writes `folder`/lines/<place>.lprof of each process that has lines. Errors: PJ_E_IO.
PJ_CHECKED bool pj_merge_lines(const pj_united_part *parts, size_t count, const char *folder,
                               pj_err *err);

#endif
