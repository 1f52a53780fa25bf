// UTF-16 text, in pieces as it arrives, to UTF-8. Ownership: plain value, the caller's.
#ifndef PJ_UTF16_H
#define PJ_UTF16_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <stdint.h>

typedef struct pj_utf16 {
    bool big;    // big endian
    bool halved; // `half` is the first byte of a unit
    unsigned char half;
    uint32_t high; // half of a pair, 0 = none
} pj_utf16;

/// Whether `bytes` begin with a byte order mark, and whose; two bytes that are skipped.
bool pj_utf16_begin(pj_str bytes, pj_utf16 *text);
/// Appends what the next bytes say; lone halves of pairs are U+FFFD.
void pj_utf16_add(pj_utf16 *text, pj_str bytes, pj_buf *out);
/// Appends U+FFFD where the text breaks off.
void pj_utf16_end(pj_utf16 *text, pj_buf *out);

#endif
