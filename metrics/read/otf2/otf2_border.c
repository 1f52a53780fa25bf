// The last reading up to a border and the first one behind it are given out as they are.
#include "metrics/read/otf2/otf2_border.h"

#include "metrics/read/otf2/events/otf2_give.h"

/// Whether a border lies in [from, to).
static bool is_between(const pj_otf2_place *place, uint64_t from, uint64_t to)
{
    for (unsigned b = 0; b < place->border_count; b++)
        if (from <= place->borders[b].ns && place->borders[b].ns < to)
            return true;
    return false;
}

void pj_otf2_border_read(pj_otf2_place *place, uint64_t time)
{
    pj_otf2_standing *now = &place->now;
    if (!place->border_count || time <= now->read_last)
        return;
    bool crossed = is_between(place, now->read_last, time);
    bool due = now->reading.due && now->reading.time > now->read_until;
    if (due && (crossed || now->alone))
        pj_otf2_give_reading(place);
    now->alone = crossed;
    now->read_last = time;
}

bool pj_otf2_border_is_behind(const pj_otf2_place *place)
{
    return !place->metric || !is_between(place, place->now.read_last, place->now.last);
}

uint64_t pj_otf2_border_next(pj_otf2_place *place)
{
    for (unsigned b = 0; b < place->border_count; b++) {
        pj_otf2_border *border = &place->borders[b];
        if (border->ns < place->now.last)
            continue;
        if (!border->behind)
            border->behind = pj_otf2_clock_first(&place->clock, border->ns + 1);
        return border->behind ? border->behind - 1 : 0;
    }
    return UINT64_MAX;
}
