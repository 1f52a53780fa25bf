// The colours of bars, and how long they are.
#include "widgets/table/part_bar.h"

#include <math.h>

static const pj_part_bar bars[PJ_TONES] = {
    [PJ_TONE_NONE] = {0x4080c852, NULL},
    [PJ_TONE_WORK] = {0x4080c852, "functions"},
    [PJ_TONE_BUILTIN] = {0x80889466, "built-in"},
    [PJ_TONE_WAIT] = {0xe88c286b, "communication and waiting"}};

pj_part_bar pj_part_bar_of(pj_tone tone)
{
    return bars[tone];
}

double pj_part_bar_length(const pj_column *column, pj_cell cell)
{
    double percent = column->unit == PJ_UNIT_PERCENT ? pj_cell_number(cell) : 0;
    return percent > 0 ? fmin(percent / 100, 1) : 0;
}

unsigned pj_part_bar_tones(const pj_table *table, size_t rows)
{
    unsigned there = 0;
    for (size_t i = 0; i < rows * table->column_count; i++)
        if (table->cells[i].tone != PJ_TONE_NONE)
            there |= 1U << table->cells[i].tone;
    bool several = there & (there - 1);
    return several ? there : 0;
}
