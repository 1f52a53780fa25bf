// Bars behind parts of a whole, as long as the part; of profiles in the colours that their pictures
// have. Ownership: plain values; no state.
#ifndef PJ_PART_BAR_H
#define PJ_PART_BAR_H

#include "metrics/table/table.h"
#include "widgets/figure/figure.h"

typedef struct pj_part_bar {
    pj_colour colour; // lets the page through: light and dark
    const char *said; // of a legend; NULL = nothing
} pj_part_bar;

pj_part_bar pj_part_bar_of(pj_tone tone);
/// 0 = no bar, 1 = the whole.
double pj_part_bar_length(const pj_column *column, pj_cell cell);
/// Which tones the first rows have, as bits 1 << tone; 0 where there is nothing to tell apart.
unsigned pj_part_bar_tones(const pj_table *table, size_t rows);

#endif
