// Three digits of the largest one, and as many decimals for all others.
#include "widgets/view/pane_amount.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"
#include "widgets/figure/column_text.h"

#include <math.h>

#define FIGURE_SPACE "\u2007"
static const double ns_per_s = 1e9;

const char *const pj_pane_modes[] = {"absolute", "% of the metric", "% of the choice", "per rank",
                                     NULL};

pj_pane_amount pj_pane_amount_of(const pj_profile *profile, uint32_t measure)
{
    pj_pane_amount how = {.unit = "", .factor = 1, .decimals = -1};
    if (measure == PJ_NO_ITEM)
        return how;
    how.unit = profile->measures[measure].unit;
    how.is_time = profile->measures[measure].kind == PJ_MEASURE_TIME;
    return how;
}

static bool is_percent(const pj_pane_amount *how)
{
    return how->mode == PJ_PANE_OF_METRIC || how->mode == PJ_PANE_OF_CHOICE;
}

double pj_pane_amount_told(const pj_pane_amount *how, double value)
{
    double whole = how->mode == PJ_PANE_OF_METRIC ? how->total : how->whole;
    if (is_percent(how))
        return whole > 0 ? 100 * value / whole : NAN;
    return how->mode == PJ_PANE_PER_RANK && how->ranks > 0 ? value / how->ranks : value;
}

static int decimals_for(double most)
{
    return most < 9.995 ? 3 : most < 99.95 ? 2 : most < 999.5 ? 1 : 0;
}

void pj_pane_amount_fit(pj_pane_amount *how, const double *values, size_t count)
{
    double most = 0;
    bool whole = !how->is_time;
    for (size_t i = 0; i < count; i++) {
        double value = pj_pane_amount_told(how, values[i]);
        most = isnan(value) ? most : fmax(most, fabs(value));
        whole = whole && (isnan(value) || (value == floor(value) && fabs(value) < 1e15));
    }
    how->factor = 1;
    if (is_percent(how)) {
        how->unit = "%";
        how->decimals = 1;
        return;
    }
    if (how->is_time) {
        pj_column_text form = pj_column_text_unit(PJ_UNIT_NS, most * ns_per_s);
        how->unit = form.unit;
        how->factor = form.factor * ns_per_s;
    }
    how->decimals = whole ? -1 : decimals_for(most * how->factor);
}

const char *pj_pane_amount_text(const pj_pane_amount *how, double value, pj_arena *arena)
{
    char text[32];
    double shown = pj_pane_amount_told(how, value) * how->factor;
    if (isnan(shown))
        return "\u00b7";
    if (how->decimals < 0)
        text[pj_format_grouped((int64_t)shown, text)] = 0;
    else
        text[pj_format_fixed(shown, how->decimals, text)] = 0;
    return pj_arena_text(arena, pj_str_of(text));
}

const char *pj_pane_amount_pad(const char *text, size_t width, pj_arena *arena)
{
    pj_auto_buf padded = {0};
    for (size_t have = pj_utf8_columns(pj_str_of(text)); have < width; have++)
        pj_buf_puts(&padded, FIGURE_SPACE);
    pj_buf_puts(&padded, text);
    return pj_arena_text(arena, pj_buf_str(&padded));
}
