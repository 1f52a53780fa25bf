// What forks, teams and parallel regions make of a thread: it works in a body while the region or
// its team is open, and a team may be there before anybody says which region it works in.
#include "metrics/read/otf2/events/otf2_teams.h"

#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_region.h"
#include "metrics/trace/event.h"

enum {
    LEVEL_UNNAMED = 1,
    LEVEL_MOST = 100000, // largest value that counts as time in OpenMP
};

void pj_otf2_teams_give(pj_otf2_location *location, uint64_t time, uint16_t code, uint64_t value)
{
    pj_otf2_settle(location, time);
    pj_event *event = pj_otf2_give(location, time, PJ_EV_OPENMP);
    event->code = code;
    event->a = value;
}

uint64_t pj_otf2_teams_level(const pj_otf2_location *location, uint32_t region)
{
    uint32_t number = pj_otf2_region_at(location, region)->number;
    return number + 1u < LEVEL_MOST ? number + 1u : LEVEL_MOST;
}

void pj_otf2_teams_mark(pj_otf2_location *location)
{
    const pj_otf2_standing *now = &location->now;
    bool nested = now->inner_teams || (now->teams ? now->teams : now->parallels) > 1;
    location->events[location->event_count - 1].b = nested       ? PJ_TEAM_NESTED
                                                    : now->teams ? now->team
                                                                 : PJ_TEAM_UNKNOWN;
}

/// A team is there before its parallel region is entered: what was given out gets its name then.
static void give_body(pj_otf2_location *location, uint64_t time, uint16_t code, uint64_t level)
{
    pj_otf2_teams_give(location, time, code, level ? level : LEVEL_UNNAMED);
    pj_otf2_teams_mark(location);
    if (!level)
        location->unnamed.at[location->unnamed.count++ % 2] = location->event_count - 1;
}

void pj_otf2_teams_name(pj_otf2_location *location, uint64_t level)
{
    for (unsigned i = 0; i < location->unnamed.count && i < 2; i++)
        location->events[location->unnamed.at[i]].a = level;
    location->unnamed.count = 0;
}

static void open_parallel(pj_otf2_location *location, uint64_t time, uint64_t level)
{
    if (location->worker || location->now.in_parallel)
        return;
    location->now.in_parallel = true;
    give_body(location, time, PJ_OMP_PARALLEL, level);
}

static void close_parallel(pj_otf2_location *location, uint64_t time)
{
    if (!location->now.in_parallel || location->now.forks || location->now.in_body)
        return;
    location->now.in_parallel = false;
    pj_otf2_teams_give(location, time, PJ_OMP_PARALLEL, 0);
}

void pj_otf2_teams_enter(pj_otf2_location *location, uint64_t time, uint64_t level)
{
    if (location->now.in_body)
        return;
    open_parallel(location, time, level);
    give_body(location, time, PJ_OMP_FUNCTION, level);
    location->now.in_body = true;
}

void pj_otf2_teams_leave(pj_otf2_location *location, uint64_t time)
{
    if (!location->now.in_body || location->now.parallels || location->now.teams)
        return;
    pj_otf2_teams_give(location, time, PJ_OMP_FUNCTION, 0);
    location->now.in_body = false;
    close_parallel(location, time);
}

void pj_otf2_teams_fork(pj_otf2_location *location, uint64_t time)
{
    if (location->calls)
        location->calls->fork_ns = time;
    if (location->now.forks++ == 0)
        open_parallel(location, time, 0);
    pj_otf2_location_change(location, time);
}

void pj_otf2_teams_join(pj_otf2_location *location, uint64_t time)
{
    if (location->now.forks == 0)
        return;
    location->now.forks--;
    pj_otf2_settle(location, time);
    close_parallel(location, time);
    pj_otf2_location_change(location, time);
}

/// Whether the team, by its id, is nested in another.
static bool is_inner(const pj_otf2_location *location, uint64_t team)
{
    uint32_t index;
    if (!location->defs->has_nested)
        return false;
    uint64_t id = pj_otf2_global_of(location, PJ_OTF2_OF_COMM, team);
    return pj_map_get(&location->defs->comm_of, id, &index) && location->defs->comms[index].nested;
}

void pj_otf2_teams_begin(pj_otf2_location *location, uint64_t time, uint64_t team)
{
    if (location->now.teams++ == 0)
        location->now.team = PJ_TEAM_FIRST + pj_otf2_global_of(location, PJ_OTF2_OF_COMM, team);
    location->now.inner_teams += is_inner(location, team);
    pj_otf2_teams_enter(location, time, 0);
    pj_otf2_location_change(location, time);
}

void pj_otf2_teams_end(pj_otf2_location *location, uint64_t time, uint64_t team)
{
    if (location->now.teams == 0)
        return;
    location->now.teams--;
    location->now.inner_teams -= location->now.inner_teams && is_inner(location, team);
    pj_otf2_settle(location, time);
    pj_otf2_teams_leave(location, time);
    pj_otf2_location_change(location, time);
}
