// The region of interest that a trace marks itself: tracing switched on and off (Extrae's event
// 40000012) on every thread.
#ifndef PJ_BRACKET_H
#define PJ_BRACKET_H

#include "metrics/run/run.h"
#include "metrics/trace/sink.h"

typedef enum pj_bracket_kind {
    PJ_BRACKET_NONE,    // tracing was never switched back on
    PJ_BRACKET_VALID,   // from_ns .. to_ns
    PJ_BRACKET_INVALID, // switches that are no bracket on some thread
} pj_bracket_kind;

/// From the earliest second switch, which must be an "on", to 1 ns after the latest last one, which
/// must be an "off"; the first "on" belongs to the start of the run.
typedef struct pj_bracket {
    pj_bracket_kind kind;
    uint64_t from_ns, to_ns;
    uint32_t location; // the first thread that makes it invalid
} pj_bracket;

/// A sink that writes `*out`, which must outlive it.
pj_sink pj_bracket_sink(pj_bracket *out);

#endif
