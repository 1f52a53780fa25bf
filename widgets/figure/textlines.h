// Lines of text for a terminal: wrapped, elided, ruled. Ownership: borrow; output is appended.
#ifndef PJ_TEXTLINES_H
#define PJ_TEXTLINES_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#define PJ_ANSI_BOLD "\033[1m"
#define PJ_ANSI_FAINT "\033[2m"
#define PJ_ANSI_RED "\033[31m"
#define PJ_ANSI_GREEN "\033[32m"
#define PJ_ANSI_RESET "\033[0m"

void pj_textlines_repeat(pj_buf *out, const char *text, size_t times);
/// One clean line of at most `columns` columns, with an ellipsis where it was cut.
void pj_textlines_elide(pj_buf *out, pj_str text, size_t columns);
/// A title and an empty line.
void pj_textlines_title(pj_buf *out, pj_str title, bool colour);
/// Breaks at blanks; continued lines are indented by the width of `mark`.
void pj_textlines_wrap(pj_buf *out, const char *mark, pj_str text, size_t columns);

/// Sentences, each kept once, in order of their first appearance. NULL is not kept.
typedef struct pj_reasons {
    pj_arena *arena;
    const char **items;
    size_t count;
} pj_reasons;

void pj_reasons_add(pj_reasons *reasons, const char *reason);

#endif
