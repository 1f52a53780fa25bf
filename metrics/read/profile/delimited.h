// Lines of CSV, with any delimiter: cells, of which some may be quoted (RFC 4180). A cell is on one
// line. Ownership: new/free; cells are valid until the next line.
#ifndef PJ_DELIMITED_H
#define PJ_DELIMITED_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

typedef struct pj_cells {
    pj_str *items;
    size_t count, cap;
    pj_buf text; // of cells with quotes inside
} pj_cells;

/// Takes a line apart at `delimiter`, which has at least one byte.
void pj_cells_take(pj_cells *cells, pj_str line, pj_str delimiter);
void pj_cells_free(pj_cells *cells);
/// The cell; empty past the last one.
pj_str pj_cells_at(const pj_cells *cells, size_t index);

#define pj_auto_cells __attribute__((cleanup(pj_cells_free))) pj_cells

#endif
