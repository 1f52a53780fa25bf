// What a trace consists of and what is kept beside it, as its name and its format tell.
// Ownership: borrow; paths are arena.
#ifndef PJ_TRACE_FILES_H
#define PJ_TRACE_FILES_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/read/reader.h"

#include <stdint.h>

/// The row whose traces may be called so, by suffix alone; NULL = no trace is.
const pj_reader *pj_trace_files_named(const char *name);
/// Titles of the formats of traces: "Paraver trace"; NULL past the end.
const char *pj_trace_files_title(size_t index);
/// What files of traces end with: ".prv, .prv.gz, .otf2"; appended.
void pj_trace_files_suffixes(pj_buf *out);
/// Whether a file of this name belongs to a trace and is none itself.
bool pj_trace_files_part(const char *name);
/// Whether a file or folder is one of that trace's, by name, and not the trace: labels,
/// definitions, the folder of an archive.
bool pj_trace_files_belongs(const char *path, const char *trace);
/// Without its folder.
pj_str pj_trace_files_name(const char *path);
/// Where its summary lies: "a/run.prv.gz.popinjay.json.gz", or with the same name in `folder` (NULL
/// = beside the trace), where an archive that is called like all others has the name of its run.
const char *pj_trace_files_summary(const char *path, const char *folder, pj_arena *arena);
/// The fingerprint of the labels and names beside a Paraver trace; 0 = there are none. That of the
/// trace is pj_fingerprint_trace.
PJ_CHECKED bool pj_trace_files_names(const char *path, pj_job *job, uint64_t *out, pj_err *err);
/// Bytes of the trace as stored; of one that is several files, of all of them.
uint64_t pj_trace_files_bytes(const char *path);

#endif
