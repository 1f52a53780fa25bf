// Rows of the tables by source line that memory_profiler and line_profiler print: a line number,
// cells that may be blank, the line of source. Ownership: borrow; views of the text.
#ifndef PJ_LINE_ROW_H
#define PJ_LINE_ROW_H

#include "metrics/base/str.h"

#include <stdint.h>

enum { PJ_LINE_CELLS = 6 };

typedef struct pj_line_row {
    uint32_t line;
    pj_str cells[PJ_LINE_CELLS]; // words, as many as there are
    unsigned cell_count;         // 0 = the line was not executed
    pj_str source;
} pj_line_row;

/// Where the source begins in rows below this header; 0 = it is no header of such a table.
size_t pj_line_header(pj_str header);
/// A row below a header whose source begins at `column`, with at most `cells` words before it;
/// false when it does not begin with a line number.
bool pj_line_row_of(pj_str text, size_t column, unsigned cells, pj_line_row *row);
/// The name in "def name(...)" or "class name:"; empty when the line is none.
pj_str pj_line_defines(pj_str source);

#endif
