// UTF-8: what programs write is not always text, but what goes on the wire must be.
// Ownership: borrow.
#ifndef PJ_UTF8_H
#define PJ_UTF8_H

#include "metrics/base/buf.h"

#include <stdint.h>

/// Length of the well-formed code point at the start of `text` (RFC 3629), 0 when there is none.
size_t pj_utf8_point(pj_str text);
/// Length of the longest start of `text` that does not end inside a code point: what is left over
/// is at most three bytes that more bytes could complete.
size_t pj_utf8_whole(pj_str text);
bool pj_utf8_valid(pj_str text);
/// Adds `text` with U+FFFD in place of every byte that belongs to no code point.
void pj_utf8_add_clean(pj_buf *out, pj_str text);
/// Adds the code point in UTF-8; U+FFFD for a surrogate or a value beyond Unicode.
void pj_utf8_add_point(pj_buf *out, uint32_t point);

#endif
