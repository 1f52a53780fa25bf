// The state that is open where a part ends is given out up to there: what it is afterwards is not
// looked at.
#include "metrics/read/otf2/events/otf2_zoom.h"

#include "metrics/base/arena.h"
#include "metrics/read/otf2/events/otf2_give.h"

#include <stdlib.h>

void pj_otf2_zoom_begin(pj_otf2_place *place, const pj_otf2_trail *trail,
                        const pj_otf2_range *ranges, size_t range_count)
{
    pj_otf2_zoom *zoom = pj_take_memory(sizeof *zoom);
    *zoom = (pj_otf2_zoom){.trail = trail, .ranges = ranges, .range_count = range_count};
    for (size_t i = 0; i < trail->flows.count; i++) {
        const pj_otf2_flow *flow = &trail->flows.items[i];
        pj_otf2_flow_of(&zoom->flows,
                        &(pj_otf2_op){.kind = flow->sent ? PJ_OTF2_OP_SEND : PJ_OTF2_OP_RECEIVE,
                                      .peer = flow->peer,
                                      .comm = flow->comm,
                                      .tag = flow->tag});
    }
    place->zoom = zoom;
    place->due = 0;
}

void pj_otf2_zoom_free(pj_otf2_zoom *zoom)
{
    if (!zoom)
        return;
    pj_otf2_flows_free(&zoom->flows);
    free(zoom);
}

/// Whether records behind a mark have times that are looked at.
static bool is_needed(const pj_otf2_zoom *zoom, size_t mark)
{
    const pj_otf2_mark *from = &zoom->trail->marks[mark];
    bool last = mark + 1 == zoom->trail->count;
    for (size_t i = 0; i < zoom->range_count; i++)
        if (from->now.last <= zoom->ranges[i].to &&
            (last || from[1].now.last >= zoom->ranges[i].from))
            return true;
    return false;
}

/// The number of each flow's next message behind a mark.
static void set_numbers(pj_otf2_zoom *zoom, const pj_otf2_mark *mark)
{
    zoom->jumps++;
    for (size_t i = mark->number; i < zoom->trail->number_count; i++) {
        const pj_otf2_number *number = &zoom->trail->numbers[i];
        pj_otf2_flow *flow = &zoom->flows.items[number->flow];
        if (flow->stamp == zoom->jumps)
            continue;
        flow->stamp = zoom->jumps;
        flow->next = number->number;
    }
}

static void jump(pj_otf2_place *place, const pj_otf2_mark *mark)
{
    uint64_t given = place->now.since;
    pj_grow(place->stack, &place->stack_cap, mark->depth + 1);
    if (mark->depth)
        memcpy(place->stack, place->zoom->trail->frames + mark->frame,
               mark->depth * sizeof *place->stack);
    place->depth = mark->depth;
    place->now = mark->now;
    place->now.since = given > place->now.since ? given : place->now.since;
    place->records = mark->records;
    place->clock.current = mark->piece < place->clock.count ? mark->piece : 0;
    place->ticks = PJ_OTF2_UNDEFINED;
    place->unnamed_count = 0;
    pj_otf2_evt_go(place->evt, mark->spot);
    set_numbers(place->zoom, mark);
}

void pj_otf2_zoom_on(pj_otf2_place *place)
{
    pj_otf2_zoom *zoom = place->zoom;
    const pj_otf2_trail *trail = zoom->trail;
    while (zoom->next < trail->count && !is_needed(zoom, zoom->next))
        zoom->next++;
    place->ended = zoom->next == trail->count;
    const pj_otf2_mark *mark = &trail->marks[zoom->next];
    bool goes_on = !place->ended && zoom->jumps && place->records >= mark->records;
    if (place->now.begun && !goes_on)
        pj_otf2_cut(place, place->now.last);
    if (place->ended)
        return;
    if (!goes_on)
        jump(place, mark);
    zoom->next++;
    place->due = zoom->next < trail->count ? mark[1].records : UINT64_MAX;
}

uint32_t pj_otf2_zoom_number(pj_otf2_zoom *zoom, const pj_otf2_op *op)
{
    return pj_otf2_flow_of(&zoom->flows, op)->next++;
}

uint64_t pj_otf2_zoom_bytes(const pj_otf2_zoom *zoom)
{
    uint64_t bytes = 0;
    const pj_otf2_trail *trail = zoom->trail;
    for (size_t i = 0; i < trail->count; i++) {
        uint64_t end = i + 1 < trail->count ? trail->marks[i + 1].spot.offset : trail->bytes;
        if (is_needed(zoom, i))
            bytes += end - trail->marks[i].spot.offset;
    }
    return bytes;
}
