// Base64 (RFC 4648, with padding). Ownership: output is appended to the caller's buffer.
#ifndef PJ_BASE64_H
#define PJ_BASE64_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

void pj_base64_add(pj_buf *out, pj_str bytes);
/// Adds the bytes that `text` stands for; white space is passed over. False when it is no Base64.
bool pj_base64_decode(pj_buf *out, pj_str text);

#endif
