// What recorded processes have left, made an archive when the program has ended. Ownership: plain
// values.
#ifndef PJ_RECORD_ARCHIVE_H
#define PJ_RECORD_ARCHIVE_H

#include "kernel/command/session.h"
#include "kernel/commands/record/record_opts.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/record/merge/merge_parts.h"

typedef struct pj_record_left {
    const pj_record_opts *opts;
    const char *folder;
    bool failed;   // the program
    pj_buf *notes; // gets a line for each thing that the processes have to say
} pj_record_left;

/// Waits a moment for processes that are about to end, then merges. Parts left out are complaints;
/// where the program failed, those that ended without closing are told of, too. PJ_E_MISSING:
/// nothing was recorded.
PJ_CHECKED bool pj_record_archive(pj_session *session, const pj_record_left *left,
                                  pj_merged_parts *merged, pj_err *err);
/// Bytes of its files.
uint64_t pj_record_archive_bytes(const char *folder);
/// Its file in the folder.
const char *pj_record_archive_name(const pj_merged_parts *merged);
/// "405540 events of 2 processes and 2 threads, 4.87 MB", appended; of a profile calls.
void pj_record_archive_told(const pj_merged_parts *merged, const char *folder, pj_buf *out);

#endif
