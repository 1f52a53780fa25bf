// Arrivals at collectives. Of those at one time the lowest rank counts.
#include "metrics/replay/wait_meeting.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

uint32_t pj_wait_meetings_new(pj_wait_meetings *meetings)
{
    uint32_t id = meetings->free;
    if (id) {
        meetings->free = meetings->items[--id].next_free;
    } else {
        id = (uint32_t)meetings->count++;
        pj_grow(meetings->items, &meetings->cap, meetings->count);
        meetings->items[id] = (pj_wait_meeting){.all = NULL};
    }
    pj_arrival *all = meetings->items[id].all;
    size_t cap = meetings->items[id].all_cap;
    meetings->items[id] = (pj_wait_meeting){.all = all, .all_cap = cap, .number = ++meetings->made};
    return id;
}

void pj_wait_meetings_part(pj_wait_meetings *meetings, uint32_t id)
{
    meetings->items[id].next_free = meetings->free;
    meetings->free = id + 1;
}

static bool is_later(pj_arrival a, pj_arrival b)
{
    return a.enter != b.enter ? a.enter > b.enter : a.rank < b.rank;
}

static void note(bool *came, pj_arrival *latest, pj_arrival arrival)
{
    if (!*came || is_later(arrival, *latest))
        *latest = arrival;
    *came = true;
}

static void note_clock(pj_wait_meeting *meeting, uint32_t rank, double clock)
{
    if (meeting->came &&
        (clock < meeting->clock || (clock == meeting->clock && rank > meeting->clock_rank)))
        return;
    meeting->clock = clock;
    meeting->clock_rank = rank;
}

void pj_wait_meeting_arrive(pj_wait_meeting *meeting, pj_arrival arrival, double clock)
{
    note_clock(meeting, arrival.rank, clock);
    note(&meeting->came, &meeting->latest, arrival);
    if (meeting->has_root && arrival.rank == meeting->root)
        note(&meeting->root_came, &meeting->at_root, arrival);
    else
        note(&meeting->others_came, &meeting->others_latest, arrival);
    if (meeting->flow != PJ_FLOW_SCAN)
        return;
    pj_grow(meeting->all, &meeting->all_cap, meeting->all_count + 1);
    meeting->all[meeting->all_count++] = arrival;
}

void pj_wait_meeting_leave(pj_wait_meeting *meeting, uint64_t leave, uint64_t clipped)
{
    if (!meeting->first_leave || leave < meeting->first_leave)
        meeting->first_leave = leave;
    if (leave < meeting->latest.enter) // clocks disagree
        return;
    meeting->leaves += clipped;
    meeting->leave_count++;
}

uint64_t pj_wait_meeting_complete(const pj_wait_meeting *meeting)
{
    return meeting->first_leave > meeting->latest.enter ? meeting->first_leave
                                                        : meeting->latest.enter;
}

void pj_wait_meeting_merge(pj_wait_meeting *from, pj_wait_meeting *to)
{
    if (!from->came)
        return;
    note_clock(to, from->clock_rank, from->clock);
    note(&to->came, &to->latest, from->latest);
    if (from->others_came)
        note(&to->others_came, &to->others_latest, from->others_latest);
}

/// The last one of the ranks up to `rank`.
static bool last_before(const pj_wait_meeting *meeting, uint32_t rank, pj_arrival *out)
{
    bool came = false;
    for (size_t i = 0; i < meeting->all_count; i++)
        if (meeting->all[i].rank <= rank)
            note(&came, out, meeting->all[i]);
    return came;
}

bool pj_wait_meeting_release(const pj_wait_meeting *meeting, uint32_t rank, pj_arrival *out)
{
    bool leads = meeting->has_root && rank == meeting->root;
    switch (meeting->flow) {
    case PJ_FLOW_ALL:
    case PJ_FLOW_BARRIER:
    case PJ_FLOW_INIT:
    case PJ_FLOW_FENCE:
        *out = meeting->latest;
        return meeting->came;
    case PJ_FLOW_FROM:
        *out = meeting->at_root;
        return meeting->root_came && !leads;
    case PJ_FLOW_TO:
        *out = meeting->others_latest;
        return meeting->others_came && leads;
    case PJ_FLOW_SCAN:
        return last_before(meeting, rank, out);
    }
    return false;
}

pj_wait_pattern pj_wait_meeting_pattern(const pj_wait_meeting *meeting)
{
    static const pj_wait_pattern patterns[] = {
        [PJ_FLOW_ALL] = PJ_WAIT_wait_at_nxn,     [PJ_FLOW_BARRIER] = PJ_WAIT_barrier_wait,
        [PJ_FLOW_FROM] = PJ_WAIT_late_broadcast, [PJ_FLOW_TO] = PJ_WAIT_early_reduce,
        [PJ_FLOW_SCAN] = PJ_WAIT_early_scan,     [PJ_FLOW_INIT] = PJ_WAIT_init_wait,
        [PJ_FLOW_FENCE] = PJ_WAIT_wait_at_fence,
    };
    return patterns[meeting->flow];
}

void pj_wait_meetings_free(pj_wait_meetings *meetings)
{
    for (size_t i = 0; i < meetings->count; i++)
        free(meetings->items[i].all);
    free(meetings->items);
    *meetings = (pj_wait_meetings){.count = 0};
}
