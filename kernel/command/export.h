// Values as files, the format by suffix: written beside the target, flushed to disk and renamed,
// so that a full disk never leaves half a file. Ownership: borrow.
#ifndef PJ_EXPORT_H
#define PJ_EXPORT_H

#include "kernel/command/command.h"
#include "kernel/command/session.h"
#include "kernel/command/value.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/figure/figure.h"

/// Files that are written in place of printing, and the size of pictures among them.
typedef struct pj_exports {
    pj_texts paths;
    pj_picture_size size;
} pj_exports;

/// Rows for a struct with a field `exports` of this type.
#define PJ_EXPORT_PARAM(args_type)                                                                 \
    {.name = "export",                                                                             \
     .type = PJ_PARAM_TEXTS,                                                                       \
     .offset = offsetof(args_type, exports.paths),                                                 \
     .shown = "FILE",                                                                              \
     .completes = PJ_COMPLETES_FILES,                                                              \
     .suffix = pj_export_suffix,                                                                   \
     .help =                                                                                       \
         "Writes the result to a file, the format by suffix, in place of printing it; "            \
         "-.csv writes CSV to standard output. In CSV a text that a spreadsheet would compute "    \
         "(= + - @) stands behind an apostrophe; numbers and JSON are as they are."},              \
        PJ_PICTURE_PARAMS(args_type)

#define PJ_PICTURE_PARAMS(args_type)                                                               \
    {.name = "width",                                                                              \
     .type = PJ_PARAM_NUMBER,                                                                      \
     .offset = offsetof(args_type, exports.size.width),                                            \
     .shown = "PX",                                                                                \
     .help = "Width of a picture in px; 96 are an inch."},                                         \
        {.name = "height",                                                                         \
         .type = PJ_PARAM_NUMBER,                                                                  \
         .offset = offsetof(args_type, exports.size.height),                                       \
         .shown = "PX",                                                                            \
         .help = "Height of a picture; of a table's, the whole is brought to it."},                \
        {.name = "font-size",                                                                      \
         .type = PJ_PARAM_NUMBER,                                                                  \
         .offset = offsetof(args_type, exports.size.font_size),                                    \
         .shown = "PX",                                                                            \
         .preset = "12",                                                                           \
         .help = "Size of ordinary text in a picture, which grows with it unless its width is "    \
                 "given."},                                                                        \
    {                                                                                              \
        .name = "scale", .type = PJ_PARAM_NUMBER,                                                  \
        .offset = offsetof(args_type, exports.size.pixels), .shown = "N", .preset = "2",           \
        .help = "Pixels of a PNG for each px."                                                     \
    }

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
