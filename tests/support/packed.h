// Text as gzip, zstd and UTF-16. Ownership: bytes are appended to the caller's buffer.
#ifndef PJ_PACKED_H
#define PJ_PACKED_H

#include "metrics/base/buf.h"

/// One member, with a header that says neither name nor time.
void packed_gzip(pj_buf *out, pj_str text);
/// Fills the buffer with the text of a file of up to 1 MiB; the test fails where there is none.
void packed_read(pj_buf *out, const char *path);
/// One frame of blocks that are stored as they are (RFC 8878, 3.1.1), made without the library.
void packed_zstd(pj_buf *out, pj_str text);
/// ASCII as UTF-16 with its mark, little endian.
void packed_utf16(pj_buf *out, pj_str text);

#endif
