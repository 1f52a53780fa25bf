// A first look at a trace or profile: what it is and how many processes it is of, before all of it
// is read. Ownership: texts are arena.
#ifndef PJ_TRACE_LOOK_H
#define PJ_TRACE_LOOK_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"

#include <stdint.h>

typedef struct pj_trace_look {
    const char *name;   // of an archive, that of its folder; NULL = the file's
    const char *format; // "Paraver trace"
    const char *layout; // "16x1"; "" = not known
    uint64_t bytes;     // of an archive: of all its files
    bool summary;       // one lies beside it
    bool profile;       // it is no trace
} pj_trace_look;

/// Reading ends as soon as the layout is known; profiles are told by their content alone. False
/// where it is not, with what is known.
PJ_CHECKED bool pj_trace_look_at(const char *path, pj_arena *arena, pj_trace_look *out,
                                 pj_err *err);

#endif
