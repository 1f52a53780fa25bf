// UTF-8 as file names and labels really have it: broken bytes count as U+FFFD, never as an error.
// Ownership: borrow.
#ifndef PJ_UTF8_H
#define PJ_UTF8_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <stdint.h>

/// Takes the next code point from `*rest`, which is not empty; U+FFFD for a broken byte.
uint32_t pj_utf8_next(pj_str *rest);
/// Appends one code point.
void pj_utf8_add(pj_buf *out, uint32_t code);
/// Appends `text` with broken bytes replaced, so that the result is valid.
void pj_utf8_clean(pj_buf *out, pj_str text);
/// The same without what a terminal would obey: controls other than line ends and tabs vanish.
void pj_utf8_clean_text(pj_buf *out, pj_str text);
/// The same on one line for a terminal: line ends and tabs become blanks, other controls vanish.
void pj_utf8_clean_line(pj_buf *out, pj_str text);
/// The same with nothing lost: broken bytes and controls show as \xNN.
void pj_utf8_show(pj_buf *out, pj_str text);
/// Appends `text`, each word that is written from right to left apart from those beside it (LRI,
/// PDI): else browsers and pango put the number behind it on its other side. A word alone stays as
/// it is.
void pj_utf8_apart(pj_buf *out, pj_str text);
bool pj_utf8_valid(pj_str text);
/// Length of the longest start of `text` that does not end inside a code point: what is left over
/// is at most three bytes that more bytes could complete.
size_t pj_utf8_whole(pj_str text);
/// Columns of a terminal: 2 for wide characters (CJK, emoji), 0 for combining ones.
size_t pj_utf8_columns(pj_str text);

#endif
