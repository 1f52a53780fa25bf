// A table of events as Chrome trace events, which Perfetto and chrome://tracing show. Ownership:
// text is appended to the caller's buffer.
#ifndef PJ_TABLE_TRACE_H
#define PJ_TABLE_TRACE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/table/table.h"

#include <stdatomic.h>

/// Suffix of such files, without the point.
#define PJ_TABLE_TRACE_SUFFIX "trace.json"

/// Wants the columns of popinjay events without groups: kind, type, rank, thread, start_ns, end_ns
/// (PJ_E_USAGE where they lack); further ones become arguments. Processes are ranks, times
/// microseconds to the nanosecond.
PJ_CHECKED bool pj_table_trace(const pj_table *table, const atomic_bool *stop, pj_buf *out,
                               pj_err *err);

#endif
