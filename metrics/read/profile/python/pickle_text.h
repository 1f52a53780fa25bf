// Texts of the pickles that are lines of text (protocol 0), without their escapes. Ownership:
// borrow; what they stand for is appended to the caller's buffer. Nothing is refused: what is no
// escape stands for itself.
#ifndef PJ_PICKLE_TEXT_H
#define PJ_PICKLE_TEXT_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

/// raw-unicode-escape of Python: Latin-1, and \u or \U for what is not in it. UTF-8; a lone
/// surrogate has the three bytes that it would have.
void pj_pickle_unicode(pj_str line, pj_buf *out);
/// What stands between the quotes of a string of Python 2, as bytes.
void pj_pickle_quoted(pj_str text, pj_buf *out);

#endif
