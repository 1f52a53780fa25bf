// What a trace consists of, as its name and its format tell. Ownership: borrow.
#ifndef PJ_TRACE_FILES_H
#define PJ_TRACE_FILES_H

#include "metrics/read/reader.h"

#include <stdint.h>

/// The row whose traces may be called so, by suffix alone; NULL = no trace is.
const pj_reader *pj_trace_files_named(const char *name);
/// Bytes of the trace as stored; of one that is several files, of all of them.
uint64_t pj_trace_files_bytes(const char *path);

#endif
