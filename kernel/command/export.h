// Values as files or as a JSON answer, the format by suffix: written beside the target, flushed to
// disk and renamed, so that a full disk never leaves half a file. Ownership: borrow.
#ifndef PJ_EXPORT_H
#define PJ_EXPORT_H

#include "kernel/command/answer.h"
#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/figure/figure.h"

/// What is written in place of printing: files, with the size of pictures among them, and JSON.
typedef struct pj_exports {
    pj_texts paths;
    pj_picture_size size;
    pj_answer_args answer;
} pj_exports;

/// A group over pj_exports.
extern const pj_param pj_export_rows[];

/// "table.pdf"; "-.csv" writes to standard output. PJ_E_USAGE on an unknown suffix or one that the
/// value has no form for (the message lists those it has).
PJ_CHECKED bool pj_export(pj_session *session, const pj_value *value, const char *path,
                          pj_err *err);
/// The value keeps the size of pictures.
PJ_CHECKED bool pj_export_all(pj_session *session, pj_value *value, const pj_exports *exports,
                              pj_err *err);
/// Whether the suffix of every path is known and its folder lets it be written, and whether the
/// size can be, before any work is done.
PJ_CHECKED bool pj_export_check(const pj_exports *exports, pj_err *err);
/// Whether every table can be written so, as text or picture.
bool pj_export_is_common(pj_str suffix);
/// Suffixes without the point, those of single kinds of values last; NULL past the end.
const char *pj_export_suffix(size_t index);

#endif
