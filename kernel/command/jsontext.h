// JSON as it really arrives: jansson refuses lone surrogates, integers beyond 64 bits, NaN and
// bytes that are not UTF-8; such text is mended and read again. Ownership: new references.
#ifndef PJ_JSONTEXT_H
#define PJ_JSONTEXT_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <jansson.h>

/// Reads one JSON value; NULL with PJ_E_FORMAT naming `what` when it cannot be read even mended.
/// `mended` (may be NULL) gets the text that was read when it differs from `text`.
PJ_CHECKED json_t *pj_jsontext_read(pj_str text, const char *what, pj_buf *mended, pj_err *err);
/// Adds `text` to `out` with lone surrogate escapes and invalid bytes as U+FFFD, integers of more
/// than 18 digits as reals, and NaN and infinities as null.
void pj_jsontext_mend(pj_buf *out, pj_str text);
/// A JSON string of any bytes, invalid ones as U+FFFD.
json_t *pj_jsontext_string(pj_str text);

/// Members of an object with a default (for text: empty) for "absent or of another type".
pj_str pj_jsontext_str(const json_t *object, const char *key);
bool pj_jsontext_flag(const json_t *object, const char *key, bool otherwise);
json_int_t pj_jsontext_int(const json_t *object, const char *key, json_int_t otherwise);

#endif
