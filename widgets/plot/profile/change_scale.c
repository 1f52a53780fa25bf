// The map of colours diverges from a pale grey; more is darker than less, so that it reads without
// colours as well.
#include "widgets/plot/profile/change_scale.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/profile/profile_view.h"

#include <math.h>

static const pj_colour more = 0xb5261eff, less = 0x5b9bd5ff;
static const double seen = 0.005; // part of the largest change that is one
#define MINUS "\u2212"

bool pj_change_is_seen(double by, double most)
{
    return fabs(by) > seen * most;
}

pj_colour pj_change_colour(double by, double most)
{
    double part = most > 0 ? fabs(by) / most : 0;
    if (!pj_change_is_seen(by, most))
        return PJ_CHANGE_EQUAL;
    return pj_palette_legible(
        pj_palette_mix(PJ_CHANGE_EQUAL, by > 0 ? more : less, fmin(0.12 + 0.88 * part, 1)));
}

const char *pj_change_amount(const pj_profile_view *view, double by)
{
    return pj_arena_format(view->arena, "%s%s", by < 0 ? MINUS : "+",
                           pj_profile_view_amount(view, fabs(by)));
}

/// "+91 %"; of what has become many times as much: "40 times".
static const char *signed_part(const pj_profile_view *view, double by, double before)
{
    static const double many = 10;
    double part = fabs(by) / before;
    char times[32];
    if (by > many * before) {
        times[pj_format_grouped((int64_t)fmin(round(1 + part), 1e15), times)] = 0;
        return pj_arena_format(view->arena, "%s times", times);
    }
    return pj_arena_format(view->arena, "%s%.*f\u00a0%%", by < 0 ? MINUS : "+",
                           part < 0.0995 ? 1 : 0, 100 * part);
}

const char *pj_change_text(const pj_profile_view *view, double before, double now, double most)
{
    if (isnan(before))
        return pj_arena_format(view->arena, "new, %s", pj_profile_view_amount(view, now));
    if (!pj_change_is_seen(now - before, most))
        return "as before";
    return pj_arena_format(view->arena, "%s, %s", pj_change_amount(view, now - before),
                           before > 0 ? signed_part(view, now - before, before) : "was 0");
}

const char *pj_change_sentence(const pj_profile_view *view, double before, double now)
{
    const char *shown = pj_profile_view_amount(view, now);
    if (isnan(before))
        return pj_arena_format(view->arena, "new: %s", shown);
    return pj_arena_format(view->arena, "%s, before %s: %s (%s)", shown,
                           pj_profile_view_amount(view, before),
                           pj_change_amount(view, now - before),
                           before > 0 ? signed_part(view, now - before, before) : "was 0");
}

void pj_change_keys(const pj_profile_view *view, double most, pj_chart_key keys[PJ_CHANGE_KEYS])
{
    const char *amount = pj_profile_view_amount(view, most);
    keys[0] = (pj_chart_key){pj_arena_format(view->arena, "More, up to +%s", amount), more};
    keys[1] = (pj_chart_key){"As before", PJ_CHANGE_EQUAL};
    keys[2] = (pj_chart_key){pj_arena_format(view->arena, "Less, up to " MINUS "%s", amount), less};
}
