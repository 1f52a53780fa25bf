// The lines of an input one by one, however long it is. Ownership: the caller's; pj_textstream_free
// gives its memory back. A line is borrowed until the next one.
#ifndef PJ_TEXTSTREAM_H
#define PJ_TEXTSTREAM_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/source.h"

typedef struct pj_textstream {
    pj_source *source;
    pj_block block;
    pj_str rest;   // of the block
    uint64_t line; // number of the line given last, from 1
    bool dropped;  // it was longer than PJ_LINE_BYTES_MAX and is given empty
    bool failed;   // reading ended with an error
} pj_textstream;

static inline pj_textstream pj_textstream_of(pj_source *source)
{
    return (pj_textstream){.source = source};
}
void pj_textstream_free(pj_textstream *stream);
#define pj_auto_textstream __attribute__((cleanup(pj_textstream_free))) pj_textstream

/// The next line without LF and CR; false at the end or with an error (`failed`).
PJ_CHECKED bool pj_textstream_next(pj_textstream *stream, pj_str *line, pj_err *err);

#endif
