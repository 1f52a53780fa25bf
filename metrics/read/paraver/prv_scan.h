// Finds the fields of Paraver records with vector instructions: where each line and each field
// ends, and which lines hold anything but digits, ':' and newlines. Ownership: the marks are the
// caller's.
#ifndef PJ_PRV_SCAN_H
#define PJ_PRV_SCAN_H

#include "metrics/base/tiny.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PJ_PRV_CHUNK =
        PJ_SIZE(16 << 10, 512), // text that is scanned at once: its marks stay in the first cache
    PJ_PRV_WORD = 64,           // bytes looked at at once; so many may be read behind a chunk
};

typedef struct pj_prv_marks {
    /// Positions of ':' and newline; in place of a newline perhaps that of the byte before it,
    /// which is no digit and should be '\r'.
    uint32_t ends[PJ_PRV_CHUNK + PJ_PRV_WORD];
    /// Of each line: twice the index of its end in `ends`, plus 1 when the line is odd (other
    /// bytes, or an empty field).
    uint32_t lines[PJ_PRV_CHUNK + 2];
    size_t line_count;
} pj_prv_marks;

typedef void pj_prv_scan(const char *text, size_t size, pj_prv_marks *out);

/// The fastest scan that this processor has. It marks the first `size` bytes (at most PJ_PRV_CHUNK)
/// of `text`, which begins a line.
pj_prv_scan *pj_prv_scan_choose(void);
/// The one that runs everywhere.
pj_prv_scan pj_prv_scan_plain;

#endif
