// Listings by source line as line_profiler and memory_profiler print them, of any profile that has
// lines. Ownership: borrow; text is appended to the caller's buffer.
#ifndef PJ_LINE_TEXT_H
#define PJ_LINE_TEXT_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"

typedef struct pj_line_text_opts {
    double unit;        // seconds that times are told in; 0 = a microsecond
    bool skip_zero;     // functions that took no time are left out
    const char *source; // folder with the sources; NULL = where the profile says, or beside it
} pj_line_text_opts;

/// Whether there are times by line, and line_profiler's listing has something to say.
bool pj_line_text_has_time(const pj_profile *profile);
/// Whether there is memory by line, and memory_profiler's has.
bool pj_line_text_has_memory(const pj_profile *profile);

/// line_profiler's listing (4.0): functions in the order of file and line, the sum over locations
/// and, where there are several, the least and the most of them. Or memory_profiler's (0.61), where
/// lines have memory. Errors: PJ_E_MISSING (no lines).
PJ_CHECKED bool pj_line_text(const pj_profile *profile, pj_line_text_opts opts, pj_buf *out,
                             pj_err *err);

#endif
