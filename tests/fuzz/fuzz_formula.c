// Formulas from any bytes: they are refused with a reason or give finite numbers, texts and empty
// cells.
#include "metrics/table/formula.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const pj_formula_name name_rows[] = {
    {"a", false, 1}, {"b", false, 1}, {"t", true, 1}, {"ref.a", false, 2}, {"n", false, 0},
};
static const pj_formula_names names = {name_rows, sizeof name_rows / sizeof *name_rows, 1};

static size_t count_rows(const void *self, unsigned domain)
{
    (void)self;
    return domain;
}

static pj_cell cell_at(const void *self, size_t row, unsigned name)
{
    (void)self;
    if (name_rows[name].text)
        return pj_cell_text(row ? "text" : "");
    return name == 1 ? pj_cell_empty("none") : name ? pj_cell_real(2.5) : pj_cell_int(INT64_MIN);
}

static void require(bool truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const pj_formula_rows rows = {NULL, count_rows, cell_at};
    pj_auto_arena kept = pj_arena_new(NULL);
    pj_err err = {0};
    const pj_formula *formula =
        pj_formula_new(kept, (pj_str){(const char *)data, size}, &names, &err);
    require(!formula == (err.code == PJ_E_SCRIPT));
    if (!formula)
        return 0;
    pj_cell *aggregates = pj_new_n(kept, pj_cell, pj_formula_aggregates(formula));
    pj_formula_aggregate(formula, &rows, aggregates);
    pj_cell cell = pj_formula_value(formula, &rows, 0, aggregates);
    require(cell.kind != PJ_CELL_REAL || isfinite(cell.real));
    require(cell.kind == PJ_CELL_EMPTY ||
            pj_formula_is_text(formula) == (cell.kind == PJ_CELL_TEXT));
    return 0;
}
