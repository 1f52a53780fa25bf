// The most is that of the row itself: rows are compared by their numbers, ranks by their blocks.
#include "metrics/table/spread.h"

#include "metrics/base/buf.h"

#include <math.h>

pj_spread pj_spread_of(const double *values, size_t count)
{
    pj_spread spread = {.count = (uint8_t)(count < PJ_SPREAD_MOST ? count : PJ_SPREAD_MOST)};
    double largest[PJ_SPREAD_MOST] = {0}, most = 0;
    for (size_t i = 0; i < count; i++) {
        double *group = &largest[i * spread.count / count];
        *group = values[i] > *group ? values[i] : *group;
        most = *group > most ? *group : most;
    }
    for (size_t k = 0; k < spread.count; k++)
        if (largest[k] > 0)
            spread.level[k] = (uint8_t)fmax(1, ceil(largest[k] / most * PJ_SPREAD_LEVELS));
    return spread;
}

void pj_spread_text(pj_spread spread, pj_buf *out)
{
    static const char *const blocks[PJ_SPREAD_LEVELS + 1] = {
        "\u00a0", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
    for (size_t k = 0; k < spread.count; k++)
        pj_buf_puts(out, blocks[spread.level[k]]);
}
