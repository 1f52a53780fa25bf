// Values as files, the format by suffix: written beside the target, flushed to disk and renamed,
// so that a full disk never leaves half a file. Ownership: borrow.
#ifndef PJ_EXPORT_H
#define PJ_EXPORT_H

#include "kernel/command.h"

/// "table.pdf"; "-.csv" writes to standard output. PJ_E_USAGE on an unknown suffix or one that the
/// value has no form for (the message lists those it has).
bool pj_export(pj_session *session, const pj_value *value, const char *path, pj_err *err);
bool pj_export_all(pj_session *session, const pj_value *value, const pj_texts *paths, pj_err *err);
/// Whether the suffix of every path is known and its folder lets it be written, before any work is
/// done.
bool pj_export_check(const pj_texts *paths, pj_err *err);
/// Suffixes without the point; NULL past the end.
const char *pj_export_suffix(size_t index);

#endif
