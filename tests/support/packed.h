// Text as a gzip stream. Ownership: bytes are appended to the caller's buffer.
#ifndef PJ_PACKED_H
#define PJ_PACKED_H

#include "metrics/base/buf.h"

/// One member, with a header that says neither name nor time.
void packed_gzip(pj_buf *out, pj_str text);

#endif
