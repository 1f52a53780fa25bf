// Folding many cells into one: sum, mean, max, min, count. Ownership: plain data; reasons are
// borrowed from the cells.
#ifndef PJ_FOLD_H
#define PJ_FOLD_H

#include "metrics/base/str.h"
#include "metrics/table/table.h"

typedef enum pj_fold {
    PJ_FOLD_SUM,
    PJ_FOLD_MEAN,
    PJ_FOLD_MAX,
    PJ_FOLD_MIN,
    PJ_FOLD_COUNT,
    PJ_FOLD_LAST, // number of folds
} pj_fold;

/// "sum", "mean", "max", "min", "count"; NULL past the end.
const char *pj_fold_name(pj_fold fold);
bool pj_fold_parse(pj_str name, pj_fold *out);

/// A fold under way; begin with {.fold = ...}.
typedef struct pj_folding {
    pj_fold fold;
    size_t cells;   // not empty
    bool real;      // a cell was real, or the whole sum left 64 bits
    int64_t whole;  // sum while all cells are whole
    double sum;     // the same as double
    pj_cell best;   // for max and min
    pj_cell defect; // the first cell that cannot be folded
    bool defective;
} pj_folding;

/// Cells are added in order, so that the digits do not depend on anything else.
void pj_folding_add(pj_folding *folding, pj_cell cell);
/// One empty or text cell makes the result empty with its reason; COUNT counts the cells that are
/// not empty; SUM of no cells is 0, the other folds of none are empty. Whole numbers stay whole.
pj_cell pj_folding_result(const pj_folding *folding);

#endif
