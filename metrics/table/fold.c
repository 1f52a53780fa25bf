// Sums, means, minima and maxima of cells.
// Sums of whole numbers are kept exact as long as they fit into 64 bits.
#include "metrics/table/fold.h"

#include "metrics/base/str.h"

#include <math.h>

static const char *const names[PJ_FOLD_LAST] = {
    [PJ_FOLD_SUM] = "sum", [PJ_FOLD_MEAN] = "mean",   [PJ_FOLD_MAX] = "max",
    [PJ_FOLD_MIN] = "min", [PJ_FOLD_COUNT] = "count",
};

const char *pj_fold_name(pj_fold fold)
{
    return fold < PJ_FOLD_LAST ? names[fold] : NULL;
}

bool pj_fold_parse(pj_str name, pj_fold *out)
{
    for (pj_fold fold = PJ_FOLD_SUM; fold < PJ_FOLD_LAST; fold++)
        if (pj_str_equal(name, pj_str_of(names[fold]))) {
            *out = fold;
            return true;
        }
    return false;
}

static void mark_defect(pj_folding *folding, pj_cell cell)
{
    if (!folding->defective)
        folding->defect = cell;
    folding->defective = true;
}

void pj_folding_add(pj_folding *folding, pj_cell cell)
{
    if (cell.kind == PJ_CELL_EMPTY) {
        mark_defect(folding, cell);
        return;
    }
    folding->cells++;
    if (cell.kind == PJ_CELL_TEXT) {
        mark_defect(folding, pj_cell_empty("text cannot be folded"));
        return;
    }
    double value = pj_cell_number(cell), best = pj_cell_number(folding->best);
    folding->sum += value;
    if (cell.kind == PJ_CELL_REAL ||
        __builtin_add_overflow(folding->whole, cell.integer, &folding->whole))
        folding->real = true;
    if (folding->cells == 1 || (folding->fold == PJ_FOLD_MAX ? value > best : value < best))
        folding->best = cell;
}

pj_cell pj_folding_result(const pj_folding *folding)
{
    if (folding->fold == PJ_FOLD_COUNT)
        return pj_cell_int((int64_t)folding->cells);
    if (folding->defective)
        return folding->defect;
    if (folding->cells == 0 && folding->fold != PJ_FOLD_SUM)
        return pj_cell_empty("there are no cells");
    double sum = folding->real ? folding->sum : (double)folding->whole;
    pj_cell result = folding->best;
    if (folding->fold == PJ_FOLD_SUM)
        result = folding->real ? pj_cell_real(sum) : pj_cell_int(folding->whole);
    else if (folding->fold == PJ_FOLD_MEAN)
        result = pj_cell_real(sum / (double)folding->cells);
    if (result.kind == PJ_CELL_REAL && !isfinite(result.real))
        return pj_cell_empty("the result is not a finite number");
    return result;
}
