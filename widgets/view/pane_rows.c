// Amounts are told in one unit, so that they wait for the largest.
#include "widgets/view/pane_rows.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/view/pane.h"
#include "widgets/view/pane_amount.h"

#include <math.h>
#include <stdlib.h>

void pj_pane_rows_add(pj_pane_rows *rows, pj_pane_row row, double value)
{
    if (rows->count == PJ_PANE_ROWS_MOST)
        return;
    pj_grow(rows->at, &rows->cap, rows->count + 1);
    pj_grow(rows->values, &rows->value_cap, rows->count + 1);
    rows->at[rows->count] = row;
    rows->values[rows->count++] = value;
}

void pj_pane_rows_free(pj_pane_rows *rows)
{
    free(rows->at);
    free(rows->values);
    *rows = (pj_pane_rows){.count = 0};
}

void pj_pane_rows_align(const pj_pane_rows *rows, pj_arena *arena)
{
    size_t width = 0;
    for (size_t i = 0; i < rows->count; i++) {
        size_t columns = pj_utf8_columns(pj_str_of(rows->at[i].value));
        width = columns > width ? columns : width;
    }
    for (size_t i = 0; i < rows->count; i++)
        rows->at[i].value = pj_pane_amount_pad(rows->at[i].value, width, arena);
}

void pj_pane_rows_complete(pj_pane_rows *rows, pj_pane_amount *how, bool hide, pj_arena *arena)
{
    size_t kept = 0;
    double most = 0;
    for (size_t i = 0; i < rows->count; i++) {
        bool nothing = !(fabs(rows->values[i]) > 0);
        if (hide && nothing && !rows->at[i].holds && !rows->at[i].wanted)
            continue;
        rows->at[kept] = rows->at[i];
        rows->values[kept] = rows->values[i];
        most = fmax(most, nothing ? 0 : fabs(rows->values[i]));
        kept++;
    }
    rows->count = kept;
    pj_pane_amount_fit(how, rows->values, rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        rows->at[i].value = pj_pane_amount_text(how, rows->values[i], arena);
        rows->at[i].part = most > 0 ? fabs(rows->values[i]) / most : NAN;
    }
    pj_pane_rows_align(rows, arena);
}
