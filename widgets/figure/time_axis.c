// Axes of calendar time.
#include "widgets/figure/time_axis.h"

#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <math.h>
#include <stdint.h>

enum { MOST_TICKS = 7 };

static const double hour = 3600, day = 86400, month = 30.4375 * 86400;

typedef struct date {
    int64_t year, month, day;
} date;

/// Howard Hinnant, "chrono-compatible low-level date algorithms": years begin in March.
static int64_t days_of(date d)
{
    int64_t year = d.year - (d.month <= 2);
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static date date_of(int64_t days)
{
    int64_t shifted = days + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t of_era = shifted - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t shift = (5 * of_year + 2) / 153;
    int64_t of_month = shift < 10 ? shift + 3 : shift - 9;
    return (date){year + era * 400 + (of_month <= 2), of_month,
                  of_year - (153 * shift + 2) / 5 + 1};
}

/// The digits at a place; `most` = the largest that is meant.
static bool take(pj_str text, size_t at, size_t count, uint64_t most, int64_t *out)
{
    uint64_t number = 0;
    pj_str digits = pj_str_head(pj_str_from(text, at), count);
    if (digits.len != count || !pj_parse_u64(digits, &number) || number > most)
        return false;
    *out = (int64_t)number;
    return true;
}

bool pj_time_axis_parse(pj_str text, double *seconds)
{
    date d = {0};
    int64_t hours = 0, minutes = 0, rest = 0;
    if (text.len < 10 || text.at[4] != '-' || text.at[7] != '-' ||
        !take(text, 0, 4, 9999, &d.year) || !take(text, 5, 2, 12, &d.month) ||
        !take(text, 8, 2, 31, &d.day) || !d.month || !d.day)
        return false;
    if (text.len >= 16 && (!take(text, 11, 2, 24, &hours) || !take(text, 14, 2, 59, &minutes)))
        return false;
    if (text.len >= 19 && text.at[16] == ':' && !take(text, 17, 2, 60, &rest))
        return false;
    *seconds = (double)(days_of(d) * 86400 + hours * 3600 + minutes * 60 + rest);
    return true;
}

static void add_tick(pj_axis *axis, double at, const char *label)
{
    if (at >= axis->from && at <= axis->to && axis->tick_count < 2 * MOST_TICKS)
        axis->ticks[axis->tick_count++] = (pj_tick){at, label};
}

static void add_hours(pj_axis *axis, double step, pj_arena *arena)
{
    for (double at = ceil(axis->from / step) * step; at <= axis->to; at += step) {
        date d = date_of((int64_t)floor(at / day));
        int minutes = (int)(fmod(at, day) / 60);
        add_tick(axis, at,
                 pj_arena_format(arena, "%02d-%02d %02d:%02d", (int)d.month, (int)d.day,
                                 minutes / 60, minutes % 60));
    }
}

static void add_days(pj_axis *axis, double step, pj_arena *arena)
{
    for (double at = ceil(axis->from / step) * step; at <= axis->to; at += step) {
        date d = date_of((int64_t)(at / day));
        add_tick(axis, at,
                 pj_arena_format(arena, "%04d-%02d-%02d", (int)d.year, (int)d.month, (int)d.day));
    }
}

static void add_months(pj_axis *axis, int64_t step, pj_arena *arena)
{
    date d = date_of((int64_t)floor(axis->from / day));
    for (int64_t months = (d.year * 12 + d.month - 1) / step * step;; months += step) {
        double at = (double)days_of((date){months / 12, months % 12 + 1, 1}) * day;
        if (at > axis->to)
            break;
        add_tick(axis, at,
                 pj_arena_format(arena, "%04d-%02d", (int)(months / 12), (int)(months % 12) + 1));
    }
}

/// The first step with few enough ticks.
static void add_ticks(pj_axis *axis, pj_arena *arena)
{
    static const double hours[] = {0.25, 1, 3, 6, 12}, days[] = {1, 2, 7, 14};
    static const int64_t months[] = {1, 2, 3, 6, 12, 24, 60, 120, 600, 1200, 6000, 24000};
    enum { HOURS = sizeof hours / sizeof *hours, DAYS = sizeof days / sizeof *days };
    enum { MONTHS = sizeof months / sizeof *months };
    double span = axis->to - axis->from;
    size_t i = 0;
    while (i < HOURS && span / (hours[i] * hour) >= MOST_TICKS - 1)
        i++;
    if (i < HOURS) {
        add_hours(axis, hours[i] * hour, arena);
        return;
    }
    for (i = 0; i < DAYS && span / (days[i] * day) >= MOST_TICKS;)
        i++;
    if (i < DAYS) {
        add_days(axis, days[i] * day, arena);
        return;
    }
    for (i = 0; i + 1 < MONTHS && span / ((double)months[i] * month) >= MOST_TICKS;)
        i++;
    add_months(axis, months[i], arena);
}

pj_axis pj_time_axis(double from, double to, pj_arena *arena)
{
    double room = fmax((to - from) * 0.03, from == to ? day : 60);
    pj_axis axis = {.kind = PJ_AXIS_LINEAR, .from = from - room, .to = to + room, .given = true};
    axis.ticks = pj_new_n(arena, pj_tick, 2 * MOST_TICKS);
    add_ticks(&axis, arena);
    return axis;
}
