// Formats that programs print behind their own output: known by a line that comes late.
// Ownership: borrow.
#ifndef PJ_LATE_MARK_H
#define PJ_LATE_MARK_H

#include "metrics/base/job.h"
#include "metrics/read/reader.h"
#include "metrics/read/source.h"

/// The row with the first late mark in a file whose first bytes nobody has recognised; NULL when
/// there is none in its first 1 GiB, or the file is a pipe, binary or shorter than a head.
const pj_reader *pj_late_mark(const char *path, const pj_source *source, pj_job *job);

#endif
