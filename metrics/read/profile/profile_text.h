// Lines, words and numbers of the text that profilers print. Ownership: borrow; views of the text.
#ifndef PJ_PROFILE_TEXT_H
#define PJ_PROFILE_TEXT_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stdint.h>

#define PJ_TEXT_BYTES (UINT64_C(16) << 30) // of a whole text
enum {
    PJ_TEXT_LINE = 1 << 20,            // bytes of a line of a small format
    PJ_TEXT_LINE_LONG = 16 * (1 << 20) // of one that holds stacks or wide tables
};

/// Goes over a text line by line; zeroed but for `rest` at the start.
typedef struct pj_text_lines {
    pj_str rest;
    uint64_t line; // 1-based number of the line given last
    bool failed;   // a line was too long for pj_text_take
} pj_text_lines;

/// The next line without its end (LF or CR LF); false behind the last one.
bool pj_text_next(pj_text_lines *text, pj_str *line);

/// The same of the text of `path`, with an error where a line is longer than `max`; then `failed`.
PJ_CHECKED bool pj_text_take(pj_text_lines *text, size_t max, const char *path, pj_str *line,
                             pj_err *err);

/// The next word, which blanks end; `*rest` becomes what follows it. Empty at the end.
pj_str pj_text_word(pj_str *rest);
/// The last word; `*rest` becomes what stands before it, without blanks at its end.
pj_str pj_text_last_word(pj_str *rest);

/// A finite number in decimals, the whole of `text`: nan, inf and hexadecimal ones are none.
bool pj_text_number(pj_str text, double *out);

#endif
