// Reading only the parts of an event file that lie in given times.
// The state that is open where a part ends is given out up to there: what it is afterwards is not
// looked at.
#include "metrics/read/otf2/events/otf2_ranged.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/read/otf2/events/otf2_device.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/otf2_reach.h"

#include <stdlib.h>

void pj_otf2_ranged_begin(pj_otf2_location *location, const pj_otf2_index *index,
                          const pj_otf2_range *ranges, size_t range_count)
{
    pj_otf2_ranged *ranged = pj_take_memory(sizeof *ranged);
    *ranged = (pj_otf2_ranged){.index = index, .ranges = ranges, .range_count = range_count};
    for (size_t i = 0; i < index->flows.count; i++) {
        const pj_otf2_flow *flow = &index->flows.items[i];
        pj_otf2_flow_of(&ranged->flows,
                        &(pj_otf2_op){.kind = flow->sent ? PJ_OTF2_OP_SEND : PJ_OTF2_OP_RECEIVE,
                                      .peer = flow->peer,
                                      .comm = flow->comm,
                                      .tag = flow->tag});
    }
    location->ranged = ranged;
    location->due = 0;
}

void pj_otf2_ranged_free(pj_otf2_ranged *ranged)
{
    if (!ranged)
        return;
    pj_otf2_flows_free(&ranged->flows);
    free(ranged);
}

/// Whether records behind a mark have times that are looked at.
static bool is_needed(const pj_otf2_ranged *ranged, size_t mark)
{
    const pj_otf2_mark *from = &ranged->index->marks[mark];
    bool last = mark + 1 == ranged->index->count;
    for (size_t i = 0; i < ranged->range_count; i++)
        if (from->now.last <= ranged->ranges[i].to &&
            (last || from[1].now.last >= ranged->ranges[i].from))
            return true;
    return false;
}

/// The number of each flow's next message behind a mark.
static void set_numbers(pj_otf2_ranged *ranged, const pj_otf2_mark *mark)
{
    ranged->jumps++;
    for (size_t i = mark->number; i < ranged->index->number_count; i++) {
        const pj_otf2_number *number = &ranged->index->numbers[i];
        pj_otf2_flow *flow = &ranged->flows.items[number->flow];
        if (flow->stamp == ranged->jumps)
            continue;
        flow->stamp = ranged->jumps;
        flow->next = number->number;
    }
}

static void jump(pj_otf2_location *location, const pj_otf2_mark *mark)
{
    uint64_t given = location->now.since;
    if (location->stream)
        pj_otf2_stream_goes_on(location, &mark->now);
    pj_grow(location->stack, &location->stack_cap, mark->depth + 1);
    if (mark->depth)
        memcpy(location->stack, location->ranged->index->frames + mark->frame,
               mark->depth * sizeof *location->stack);
    location->depth = mark->depth;
    location->now = mark->now;
    location->now.since = given > location->now.since ? given : location->now.since;
    location->records = mark->records;
    location->clock.current = mark->piece < location->clock.count ? mark->piece : 0;
    location->latest.ticks = PJ_OTF2_UNDEFINED;
    location->unnamed.count = 0;
    pj_otf2_evt_go(location->evt, mark->spot);
    set_numbers(location->ranged, mark);
}

void pj_otf2_ranged_on(pj_otf2_location *location)
{
    pj_otf2_ranged *ranged = location->ranged;
    const pj_otf2_index *index = ranged->index;
    while (ranged->next < index->count && !is_needed(ranged, ranged->next))
        ranged->next++;
    location->ended = ranged->next == index->count;
    const pj_otf2_mark *mark = &index->marks[ranged->next];
    bool goes_on = !location->ended && ranged->jumps && location->records >= mark->records;
    if (location->now.begun && !goes_on)
        pj_otf2_end_interval(location, location->now.last);
    if (location->ended)
        return;
    if (!goes_on)
        jump(location, mark);
    ranged->next++;
    location->due = ranged->next < index->count ? mark[1].records : UINT64_MAX;
}

uint32_t pj_otf2_ranged_number(pj_otf2_ranged *ranged, const pj_otf2_op *op)
{
    return pj_otf2_flow_of(&ranged->flows, op)->next++;
}

uint64_t pj_otf2_ranged_bytes(const pj_otf2_ranged *ranged)
{
    uint64_t bytes = 0;
    const pj_otf2_index *index = ranged->index;
    for (size_t i = 0; i < index->count; i++) {
        uint64_t end = i + 1 < index->count ? index->marks[i + 1].spot.offset : index->bytes;
        if (is_needed(ranged, i))
            bytes += end - index->marks[i].spot.offset;
    }
    return bytes;
}
