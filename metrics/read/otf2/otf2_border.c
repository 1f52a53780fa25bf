// Counters at the borders of a region of interest.
// The last reading up to a border and the first one behind it are given out as they are.
#include "metrics/read/otf2/otf2_border.h"

#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/otf2_clock.h"

/// Whether a border lies in [from, to).
static bool is_between(const pj_otf2_location *location, uint64_t from, uint64_t to)
{
    for (unsigned b = 0; b < location->borders.count; b++)
        if (from <= location->borders.at[b].ns && location->borders.at[b].ns < to)
            return true;
    return false;
}

void pj_otf2_border_read(pj_otf2_location *location, uint64_t time)
{
    pj_otf2_standing *now = &location->now;
    if (!location->borders.count || time <= now->read_last)
        return;
    bool crossed = is_between(location, now->read_last, time);
    bool due = now->reading.due && now->reading.time > now->read_until;
    if (due && (crossed || now->alone))
        pj_otf2_give_reading(location);
    now->alone = crossed;
    now->read_last = time;
}

bool pj_otf2_border_is_behind(const pj_otf2_location *location)
{
    return !location->metric.class_ ||
           !is_between(location, location->now.read_last, location->now.last);
}

uint64_t pj_otf2_border_next(pj_otf2_location *location)
{
    for (unsigned b = 0; b < location->borders.count; b++) {
        pj_otf2_border *border = &location->borders.at[b];
        if (border->ns < location->now.last)
            continue;
        if (!border->behind)
            border->behind = pj_otf2_clock_first(&location->clock, border->ns + 1);
        return border->behind ? border->behind - 1 : 0;
    }
    return UINT64_MAX;
}
