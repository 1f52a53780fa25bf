// A state lasts until something is given out: the interval before is closed first, so that events
// of a location stay in order. Intervals of one state that touch count as one.
#include "metrics/read/otf2/events/otf2_place.h"

#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_skim.h"
#include "metrics/read/otf2/events/otf2_tangle.h"
#include "metrics/read/otf2/events/otf2_traffic.h"
#include "metrics/read/otf2/events/otf2_zoom.h"
#include "metrics/read/otf2/otf2_border.h"
#include "metrics/read/otf2/otf2_local.h"

#include <stdlib.h>

enum {
    NESTING_MOST = 1 << 20,
    MEASUREMENT_IS_OFF = 2, // OTF2_MEASUREMENT_OFF
    MODEL_OPENMP = PJ_OTF2_PARADIGM_OPENMP,
    STATE_BASE = PJ_OTF2_STATE_BASE,
    NEAR = 64, // frames above one that is left: more of them make a tangle
    STATE_FORK = 7,
    LEVEL_UNNAMED = 1,
    NAMES_AHEAD = 64,    // events between a team and its region
    LEVEL_MOST = 100000, // largest value that counts as time in OpenMP
    MAP_REGION = 3,      // OTF2_MappingType
    MAP_GROUP = 4,
    MAP_METRIC = 5,
    MAP_COMM = 6,
    MAP_WINDOW = 8,
    MAP_CONTEXT = 10,
    SCOUT_IDS = 1 << 16, // that it knows regions by
};

static uint32_t look_up_region(const pj_otf2_place *place, uint64_t id, unsigned of);

// Making

static void take_local(void *self, const pj_otf2_def *def)
{
    pj_otf2_place *place = self;
    if (def->kind == PJ_OTF2_DEF_OFFSET) {
        pj_otf2_clock_add(&place->clock, def->number[0], (int64_t)def->number[1]);
        return;
    }
    static const struct {
        unsigned kind, of;
    } kinds[] = {{MAP_REGION, PJ_OTF2_OF_REGION}, {MAP_COMM, PJ_OTF2_OF_COMM},
                 {MAP_METRIC, PJ_OTF2_OF_METRIC}, {MAP_CONTEXT, PJ_OTF2_OF_CONTEXT},
                 {MAP_WINDOW, PJ_OTF2_OF_WINDOW}, {MAP_GROUP, PJ_OTF2_OF_GROUP}};
    pj_map *maps[] = {&place->regions,  &place->comms,   &place->metrics,
                      &place->contexts, &place->windows, &place->groups};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (def->kind == PJ_OTF2_DEF_MAP && def->number[0] == kinds[i].kind &&
            def->number[1] <= UINT32_MAX) {
            pj_map_put(maps[kinds[i].of], def->id, (uint32_t)def->number[1]);
            place->mapped[kinds[i].of] = true;
        }
}

/// The library gives global ids only after it has read them itself.
static bool read_local(pj_otf2_place *place, const pj_otf2_place_opts *opts)
{
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/%llu.def", opts->folder, (unsigned long long)place->id);
    return (!opts->by_library && pj_otf2_local_read(path.at, take_local, place)) ||
           opts->lib->local(opts->archive, place->id, take_local, place);
}

static bool next_record(pj_otf2_place *place, pj_otf2_event *event)
{
    bool got = place->evt ? pj_otf2_evt_next(place->evt, event)
                          : place->lib && place->lib->next(place->archive, place->id, event, NULL);
    place->records += got;
    return got;
}

static void open_records(pj_otf2_place *place, const pj_otf2_place_opts *opts, uint32_t number)
{
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/%llu.evt", opts->folder, (unsigned long long)place->id);
    pj_otf2_evt_opts how = {opts->chunk_bytes, opts->buffer_bytes, opts->sum, opts->keep_open};
    if (!opts->by_library)
        place->evt = pj_otf2_evt_open(path.at, how, NULL);
    else
        place->lib = opts->lib;
    if (!place->evt && !place->lib && opts->defs->places[number].events > 0) {
        pj_otf2_count(place, PJ_IMPORT_missing_location);
        place->damage = "is missing";
    }
    if (opts->trails && place->evt) {
        pj_otf2_zoom_begin(place, &opts->trails[number], opts->ranges, opts->range_count);
        return;
    }
    place->has_ahead = next_record(place, &place->ahead);
    if (place->evt && pj_otf2_evt_facts_of(place->evt).foreign) {
        pj_otf2_evt_close(place->evt);
        place->evt = NULL;
        place->lib = opts->lib;
        place->lib->local(place->archive, place->id, take_local, place);
        place->has_ahead = next_record(place, &place->ahead);
    }
    if (place->evt && opts->marks)
        pj_otf2_trail_begin(place, opts->marks);
    if (place->lib) { // has applied them
        place->clock.count = 0;
        memset(place->mapped, 0, sizeof place->mapped);
    }
}

static pj_otf2_place *new_place(const pj_otf2_defs *defs, uint32_t location, uint32_t rank)
{
    pj_otf2_place *place = pj_take_memory(sizeof *place);
    *place = (pj_otf2_place){.defs = defs,
                             .location = location,
                             .rank = rank,
                             .metric_id = PJ_OTF2_UNDEFINED,
                             .ticks = PJ_OTF2_UNDEFINED,
                             .due = UINT64_MAX};
    pj_otf2_clock_unit(&place->clock, defs->ticks_per_second);
    pj_otf2_known_begin(&place->known);
    return place;
}

pj_otf2_place *pj_otf2_place_take(const pj_otf2_defs *defs, uint32_t location, uint32_t rank,
                                  pj_otf2_evt *evt)
{
    pj_otf2_place *place = new_place(defs, location, rank);
    place->evt = evt;
    place->has_ahead = next_record(place, &place->ahead);
    return place;
}

pj_otf2_place *pj_otf2_place_new(const pj_otf2_place_opts *opts, uint32_t number)
{
    uint32_t location = opts->defs->places[number].location;
    uint32_t rank = opts->layout->rank_of[location];
    pj_otf2_place *place = new_place(opts->defs, location, rank);
    place->archive = opts->archive;
    place->id = opts->defs->places[number].id;
    place->worker = location != opts->layout->first_location[rank];
    if (opts->roi && opts->roi->set) {
        place->borders[0].ns = opts->roi->from_ns;
        place->borders[1].ns = opts->roi->to_ns;
        place->border_count = PJ_OTF2_BORDERS;
    }
    place->named = opts->regions;
    place->parts = opts->parts;
    if (!read_local(place, opts))
        pj_otf2_count(place, PJ_IMPORT_local_definitions);
    open_records(place, opts, number);
    return place;
}

pj_otf2_place *pj_otf2_place_absent(const pj_otf2_place_opts *opts, uint32_t number)
{
    uint32_t location = opts->defs->places[number].location;
    pj_otf2_place *place = new_place(opts->defs, location, opts->layout->rank_of[location]);
    place->id = opts->defs->places[number].id;
    return place;
}

void pj_otf2_place_free(pj_otf2_place *place)
{
    if (!place)
        return;
    pj_otf2_evt_close(place->evt);
    pj_otf2_clock_free(&place->clock);
    pj_map_free(&place->regions);
    pj_map_free(&place->comms);
    pj_map_free(&place->metrics);
    pj_map_free(&place->contexts);
    pj_map_free(&place->windows);
    pj_map_free(&place->groups);
    pj_map_free(&place->channels);
    pj_otf2_requests_free(&place->requests);
    pj_otf2_requests_free(&place->collectives);
    pj_otf2_trail_free(place->trail);
    pj_otf2_zoom_free(place->zoom);
    pj_otf2_known_end(&place->known);
    pj_otf2_tangle_free(place->tangle);
    free(place->stack);
    free(place->posts);
    free(place->events);
    free(place->ops);
    free(place);
}

void pj_otf2_place_send_scout(pj_otf2_place *place)
{
    uint32_t ids = place->defs->region_count < SCOUT_IDS ? place->defs->region_count : SCOUT_IDS;
    uint32_t *plain = pj_take_memory(ids * sizeof *plain);
    for (uint32_t id = 0; id < ids; id++) {
        uint32_t index = look_up_region(place, id, PJ_OTF2_OF_REGION);
        plain[id] = pj_otf2_region_at(place, index)->plain ? index : PJ_OTF2_NONE;
    }
    pj_otf2_evt_send_scout(place->evt, plain, ids);
    free(plain);
}

bool pj_otf2_place_first(pj_otf2_place *place, uint64_t *ticks)
{
    if (place->has_ahead)
        *ticks = pj_otf2_clock_ticks(&place->clock, place->ahead.time);
    return place->has_ahead;
}

size_t pj_otf2_place_bytes(const pj_otf2_place *place)
{
    return sizeof *place + pj_otf2_known_bytes(&place->known) +
           place->event_cap * sizeof *place->events + place->op_cap * sizeof *place->ops +
           place->stack_cap * sizeof *place->stack +
           place->requests.cap * sizeof *place->requests.items +
           place->collectives.cap * sizeof *place->collectives.items +
           place->post_cap * sizeof *place->posts + pj_otf2_trail_bytes(place->trail) +
           pj_otf2_tangle_bytes(place->tangle);
}

static void give_openmp(pj_otf2_place *place, uint64_t time, uint16_t code, uint64_t value)
{
    pj_otf2_settle(place, time);
    pj_event *event = pj_otf2_give(place, time, PJ_EV_OPENMP);
    event->code = code;
    event->a = value;
}

// States

static uint8_t top_state(const pj_otf2_place *place)
{
    if (place->tangle)
        return pj_otf2_tangle_state(place->tangle);
    return place->depth ? place->stack[place->depth - 1].state : STATE_BASE;
}

static uint8_t state_now(const pj_otf2_place *place)
{
    if (place->now.off)
        return PJ_STATE_DISABLED;
    uint8_t state = top_state(place);
    if (state == STATE_BASE)
        state = !place->worker || place->now.in_body || !place->defs->has_teams ? PJ_STATE_RUNNING
                                                                                : PJ_STATE_IDLE;
    bool forking = place->now.forks && !place->now.in_body;
    return forking && state == PJ_STATE_RUNNING ? STATE_FORK : state;
}

/// The state from `time` on.
static void change(pj_otf2_place *place, uint64_t time)
{
    uint8_t state = state_now(place);
    if (state == place->now.state)
        return;
    pj_otf2_settle(place, time);
    place->now.state = state;
}

/// What a region makes of the state below it.
static uint8_t state_above(const pj_otf2_place *place, uint8_t below, uint32_t index)
{
    return pj_otf2_state_above(pj_otf2_region_at(place, index), below, place->now.calls > 0);
}

/// One at `from` has been taken out.
static void restate(pj_otf2_place *place, size_t from)
{
    if (place->tangle) {
        pj_otf2_tangle_restate(place->tangle, from, place->now.calls > 0);
        if (pj_otf2_tangle_is_sparse(place->tangle))
            pj_otf2_tangle_end(place);
        return;
    }
    for (size_t i = from; i < place->depth; i++)
        place->stack[i].state =
            state_above(place, i ? place->stack[i - 1].state : STATE_BASE, place->stack[i].region);
}

// OpenMP

static uint64_t level_of(const pj_otf2_place *place, uint32_t region)
{
    uint32_t number = pj_otf2_region_at(place, region)->number;
    return number + 1u < LEVEL_MOST ? number + 1u : LEVEL_MOST;
}

/// An event that was given out is about the innermost team that the thread is in. A team whose
/// parent is not among the definitions, as in eztrace, is known to be nested by its master, who is
/// in two; of the others the replay finds out by its number.
static void mark_team(pj_otf2_place *place)
{
    const pj_otf2_standing *now = &place->now;
    bool nested = now->inner_teams || (now->teams ? now->teams : now->parallels) > 1;
    place->events[place->event_count - 1].b = nested       ? PJ_TEAM_NESTED
                                              : now->teams ? now->team
                                                           : PJ_TEAM_UNKNOWN;
}

/// A team is there before its parallel region is entered: what was given out gets its name then.
static void give_body(pj_otf2_place *place, uint64_t time, uint16_t code, uint64_t level)
{
    give_openmp(place, time, code, level ? level : LEVEL_UNNAMED);
    mark_team(place);
    if (!level)
        place->unnamed[place->unnamed_count++ % 2] = place->event_count - 1;
}

static void name_body(pj_otf2_place *place, uint64_t level)
{
    for (unsigned i = 0; i < place->unnamed_count && i < 2; i++)
        place->events[place->unnamed[i]].a = level;
    place->unnamed_count = 0;
}

static void open_parallel(pj_otf2_place *place, uint64_t time, uint64_t level)
{
    if (place->worker || place->now.in_parallel)
        return;
    place->now.in_parallel = true;
    give_body(place, time, PJ_OMP_PARALLEL, level);
}

static void close_parallel(pj_otf2_place *place, uint64_t time)
{
    if (!place->now.in_parallel || place->now.forks || place->now.in_body)
        return;
    place->now.in_parallel = false;
    give_openmp(place, time, PJ_OMP_PARALLEL, 0);
}

/// A thread works in the body of a parallel region while the region or its team is open.
static void enter_body(pj_otf2_place *place, uint64_t time, uint64_t level)
{
    if (place->now.in_body)
        return;
    open_parallel(place, time, level);
    give_body(place, time, PJ_OMP_FUNCTION, level);
    place->now.in_body = true;
}

static void leave_body(pj_otf2_place *place, uint64_t time)
{
    if (!place->now.in_body || place->now.parallels || place->now.teams)
        return;
    give_openmp(place, time, PJ_OMP_FUNCTION, 0);
    place->now.in_body = false;
    close_parallel(place, time);
}

static void fork_team(pj_otf2_place *place, uint64_t time)
{
    if (place->now.forks++ == 0)
        open_parallel(place, time, 0);
    change(place, time);
}

static void join_team(pj_otf2_place *place, uint64_t time)
{
    if (place->now.forks == 0)
        return;
    place->now.forks--;
    pj_otf2_settle(place, time);
    close_parallel(place, time);
    change(place, time);
}

/// Whether the team, by its id, is nested in another.
static bool is_inner(const pj_otf2_place *place, uint64_t team)
{
    uint32_t index;
    if (!place->defs->has_nested)
        return false;
    uint64_t id = pj_otf2_global_of(place, PJ_OTF2_OF_COMM, team);
    return pj_map_get(&place->defs->comm_of, id, &index) && place->defs->comms[index].nested;
}

static void begin_team(pj_otf2_place *place, uint64_t time, uint64_t team)
{
    if (place->now.teams++ == 0)
        place->now.team = PJ_TEAM_FIRST + pj_otf2_global_of(place, PJ_OTF2_OF_COMM, team);
    place->now.inner_teams += is_inner(place, team);
    enter_body(place, time, 0);
    change(place, time);
}

static void end_team(pj_otf2_place *place, uint64_t time, uint64_t team)
{
    if (place->now.teams == 0)
        return;
    place->now.teams--;
    place->now.inner_teams -= place->now.inner_teams && is_inner(place, team);
    pj_otf2_settle(place, time);
    leave_body(place, time);
    change(place, time);
}

// Regions

static uint32_t look_up_region(const pj_otf2_place *place, uint64_t id, unsigned of)
{
    uint32_t index;
    const pj_map *map =
        of == PJ_OTF2_OF_REGION ? &place->defs->region_of : &place->defs->context_of;
    return pj_map_get(map, pj_otf2_global_of(place, of, id), &index) ? index
                                                                     : place->defs->region_count;
}

static uint32_t region_of(pj_otf2_place *place, uint64_t id, unsigned of)
{
    if (of != PJ_OTF2_OF_REGION || id >= UINT32_MAX)
        return look_up_region(place, id, of);
    uint32_t known = pj_otf2_known_region(&place->known, (uint32_t)id);
    if (known != PJ_OTF2_NONE)
        return known & ~PJ_OTF2_NOT_PLAIN;
    uint32_t index = look_up_region(place, id, of);
    bool plain = pj_otf2_region_at(place, index)->plain;
    pj_otf2_known_add(&place->known, (uint32_t)id, index | (plain ? 0 : PJ_OTF2_NOT_PLAIN));
    return index;
}

static void begin_construct(pj_otf2_place *place, uint64_t time, uint32_t index)
{
    switch ((pj_otf2_construct)pj_otf2_region_at(place, index)->construct) {
    case PJ_OTF2_MPI:
        pj_otf2_begin_call(place, time, index);
        return;
    case PJ_OTF2_PARALLEL:
        place->now.parallels++;
        name_body(place, level_of(place, index));
        enter_body(place, time, level_of(place, index));
        return;
    case PJ_OTF2_BARRIER:
        give_openmp(place, time, PJ_OMP_BARRIER, 1);
        mark_team(place);
        return;
    case PJ_OTF2_TASK:
        give_openmp(place, time, PJ_OMP_TASK, level_of(place, index));
        return;
    case PJ_OTF2_TASK_MADE:
        give_openmp(place, time, PJ_OMP_TASK_MADE, level_of(place, index));
        return;
    case PJ_OTF2_TASKWAIT:
        give_openmp(place, time, PJ_OMP_TASKWAIT, 1);
        return;
    case PJ_OTF2_PLAIN:
    case PJ_OTF2_ROOT:
        return;
    }
}

static void end_construct(pj_otf2_place *place, uint64_t time, uint32_t index)
{
    switch ((pj_otf2_construct)pj_otf2_region_at(place, index)->construct) {
    case PJ_OTF2_MPI:
        pj_otf2_end_call(place, time);
        return;
    case PJ_OTF2_PARALLEL:
        place->now.parallels--;
        pj_otf2_settle(place, time);
        leave_body(place, time);
        return;
    case PJ_OTF2_BARRIER:
        give_openmp(place, time, PJ_OMP_BARRIER, 0);
        mark_team(place);
        return;
    case PJ_OTF2_TASK:
        give_openmp(place, time, PJ_OMP_TASK, 0);
        return;
    case PJ_OTF2_TASK_MADE:
        give_openmp(place, time, PJ_OMP_TASK_MADE, 0);
        return;
    case PJ_OTF2_TASKWAIT:
        give_openmp(place, time, PJ_OMP_TASKWAIT, 0);
        return;
    case PJ_OTF2_PLAIN:
    case PJ_OTF2_ROOT:
        return;
    }
}

static void give_region(pj_otf2_place *place, uint64_t time, uint16_t kind, uint32_t index)
{
    pj_otf2_settle(place, time);
    pj_otf2_give(place, time, kind)->a = pj_otf2_region_at(place, index)->number;
}

static void push_frame(pj_otf2_place *place, pj_otf2_frame frame)
{
    if (place->tangle && !pj_otf2_tangle_push(place->tangle, frame))
        pj_otf2_tangle_end(place);
    if (!place->tangle) {
        if (place->depth == place->stack_cap)
            pj_grow(place->stack, &place->stack_cap, place->depth + 1);
        place->stack[place->depth] = frame;
    }
    place->depth++;
}

static void enter(pj_otf2_place *place, uint64_t time, uint32_t index)
{
    if (pj_otf2_region_at(place, index)->unknown)
        pj_otf2_count(place, PJ_IMPORT_undefined_region);
    if (place->depth >= NESTING_MOST)
        return;
    uint8_t above = state_above(place, top_state(place), index);
    if (place->named)
        give_region(place, time, PJ_EV_ENTER, index);
    if (pj_otf2_region_at(place, index)->construct != PJ_OTF2_PLAIN)
        begin_construct(place, time, index);
    place->unnamed_count = 0;
    push_frame(place, (pj_otf2_frame){index, above});
    change(place, time);
}

static size_t top_frame(const pj_otf2_place *place)
{
    return place->tangle ? pj_otf2_tangle_top(place->tangle) : place->depth - 1;
}

/// The innermost frame of the region, false = there is none; makes a tangle where it is far down.
static bool find_frame(pj_otf2_place *place, uint32_t index, size_t *at)
{
    size_t top = place->depth - 1, least = top > NEAR ? top - NEAR : 0;
    for (*at = top; !place->tangle && place->stack[*at].region != index; --*at) {
        if (*at > least)
            continue;
        if (least == 0)
            return false;
        place->tangle = pj_otf2_tangle_new(place->defs->regions, place->stack, place->depth);
        break;
    }
    return !place->tangle || pj_otf2_tangle_find(place->tangle, index, at);
}

/// The frame that is left: the innermost one of the region, or else the innermost one.
static size_t frame_left(pj_otf2_place *place, uint32_t index)
{
    size_t at;
    bool found = find_frame(place, index, &at);
    if (!found || at != top_frame(place))
        pj_otf2_count(place, found ? PJ_IMPORT_wrong_nesting : PJ_IMPORT_leave_without_enter);
    return found ? at : top_frame(place);
}

/// Gives its region.
static uint32_t take_frame(pj_otf2_place *place, size_t at)
{
    place->depth--;
    if (place->tangle)
        return pj_otf2_tangle_take(place->tangle, at);
    uint32_t region = place->stack[at].region;
    for (size_t i = at; i < place->depth; i++)
        place->stack[i] = place->stack[i + 1];
    return region;
}

static void leave(pj_otf2_place *place, uint64_t time, uint32_t index)
{
    if (place->depth == 0) {
        pj_otf2_count(place, PJ_IMPORT_leave_without_enter);
        return;
    }
    size_t at = frame_left(place, index);
    index = take_frame(place, at);
    if (pj_otf2_region_at(place, index)->construct != PJ_OTF2_PLAIN)
        end_construct(place, time, index);
    if (place->named)
        give_region(place, time, PJ_EV_LEAVE, index);
    place->unnamed_count = 0;
    restate(place, at);
    change(place, time);
}

// Counters

static const pj_otf2_metric *metric_of(pj_otf2_place *place, uint64_t id)
{
    if (id == place->metric_id)
        return place->metric;
    if (pj_otf2_known_idle(&place->known, id))
        return NULL;
    uint32_t index;
    if (!pj_map_get(&place->defs->metric_of, pj_otf2_global_of(place, PJ_OTF2_OF_METRIC, id),
                    &index) ||
        !place->defs->metrics[index].used) {
        pj_otf2_known_add_idle(&place->known, id);
        return NULL;
    }
    place->metric_id = id;
    place->metric = &place->defs->metrics[index];
    return place->metric;
}

static int64_t value_of(const pj_otf2_event *event, unsigned at)
{
    enum { KIND_DOUBLE = 10 };
    double real;
    if (event->kinds[at] != KIND_DOUBLE)
        return (int64_t)event->values[at];
    memcpy(&real, &event->values[at], sizeof real);
    const double most = 9e18;
    return real > -most && real < most ? (int64_t)real : 0;
}

/// What was counted since the reading before.
static int64_t counted_since(pj_otf2_place *place, const pj_otf2_metric *metric, unsigned c,
                             int64_t value)
{
    int64_t since = value;
    bool first = !place->now.counting[c];
    place->now.counting[c] = true;
    if (metric->mode[c] != PJ_OTF2_RELATIVE) {
        since = (int64_t)((uint64_t)value - (uint64_t)place->now.counted[c]);
        place->now.counted[c] = value;
        if (first && metric->mode[c] == PJ_OTF2_ABSOLUTE)
            since = 0;
    }
    if (!metric->next[c])
        return since;
    int64_t held = place->now.held[c];
    place->now.held[c] = since;
    return held;
}

static void read_counters(pj_otf2_place *place, uint64_t time, const pj_otf2_event *event)
{
    const pj_otf2_metric *metric = metric_of(place, event->field[0]);
    if (!metric)
        return;
    pj_otf2_border_read(place, time);
    pj_otf2_reading *r = &place->now.reading;
    for (unsigned c = 0; c < 2; c++) {
        if (!metric->has[c] || metric->at[c] >= event->count)
            continue;
        int64_t since = counted_since(place, metric, c, value_of(event, metric->at[c]));
        since = time > place->now.began ? since : 0; // nothing was open before
        r->value[c] = (int64_t)((uint64_t)r->value[c] + (uint64_t)since);
        r->has[c] = r->due = true;
    }
    r->time = time;
}

// Records

static void switch_measurement(pj_otf2_place *place, uint64_t time, uint64_t mode)
{
    bool off = mode == MEASUREMENT_IS_OFF;
    if (off == place->now.off)
        return;
    if (off)
        pj_otf2_count(place, PJ_IMPORT_measurement_off);
    pj_otf2_settle(place, time);
    place->now.measured = place->now.state;
    place->now.just_off = off && place->now.since <= time; // else it has been measured already
    // A trace begins switched on; what is switched off before it is switched on is its start.
    unsigned switches = off ? place->now.was_on : place->now.was_on ? 1 : 2;
    for (unsigned i = 0; i < switches; i++)
        pj_otf2_give(place, time, PJ_EV_TRACING)->a = !off;
    place->now.was_on |= !off;
    place->now.off = off;
    change(place, time);
}

static void flush_buffer(pj_otf2_place *place, uint64_t time, uint64_t stop)
{
    uint8_t state = place->now.state;
    pj_otf2_count(place, PJ_IMPORT_buffer_flush);
    pj_otf2_settle(place, time);
    place->now.state = PJ_STATE_OTHERS;
    pj_otf2_settle(place, stop);
    place->now.state = state;
    if (stop > place->now.last)
        place->now.last = stop;
}

/// The records about OpenMP and threads.
static void take_thread_record(pj_otf2_place *place, uint64_t time, const pj_otf2_event *event)
{
    switch (event->type) {
    case PJ_OTF2_THREAD_FORK:
        if (event->field[0] == MODEL_OPENMP)
            fork_team(place, time);
        return;
    case PJ_OTF2_THREAD_JOIN:
        if (event->field[0] == MODEL_OPENMP)
            join_team(place, time);
        return;
    case PJ_OTF2_OMP_FORK:
        fork_team(place, time);
        return;
    case PJ_OTF2_OMP_JOIN:
        join_team(place, time);
        return;
    case PJ_OTF2_THREAD_TEAM_BEGIN:
        begin_team(place, time, event->field[0]);
        return;
    case PJ_OTF2_THREAD_TEAM_END:
        end_team(place, time, event->field[0]);
        return;
    }
}

/// Of what is not switched on again at once, that very nanosecond was still measured: regions of
/// interest end behind it. Not where the thread begins with it.
static void measure_last(pj_otf2_place *place)
{
    pj_otf2_standing *now = &place->now;
    if (!now->just_off)
        return;
    now->just_off = false;
    uint8_t off = now->state;
    now->state = now->measured;
    pj_otf2_settle(place, now->since + (now->since > now->began));
    now->state = off;
}

static void take_record(pj_otf2_place *place, uint64_t time, const pj_otf2_event *event)
{
    switch (event->type) {
    case PJ_OTF2_ENTER:
        enter(place, time, region_of(place, event->field[0], PJ_OTF2_OF_REGION));
        return;
    case PJ_OTF2_LEAVE:
        leave(place, time, region_of(place, event->field[0], PJ_OTF2_OF_REGION));
        return;
    case PJ_OTF2_METRIC:
        read_counters(place, time, event);
        return;
    case PJ_OTF2_CALLING_CONTEXT_ENTER:
        enter(place, time, region_of(place, event->field[0], PJ_OTF2_OF_CONTEXT));
        return;
    case PJ_OTF2_CALLING_CONTEXT_LEAVE:
        leave(place, time, region_of(place, event->field[0], PJ_OTF2_OF_CONTEXT));
        return;
    case PJ_OTF2_MPI_SEND:
    case PJ_OTF2_MPI_ISEND:
        pj_otf2_send(place, time, event);
        return;
    case PJ_OTF2_MPI_RECV:
    case PJ_OTF2_MPI_IRECV:
        pj_otf2_receive(place, time, event);
        return;
    case PJ_OTF2_MPI_IRECV_REQUEST:
        pj_otf2_post(place, time, event->field[0]);
        return;
    case PJ_OTF2_MPI_REQUEST_CANCELLED:
        pj_otf2_requests_take(&place->requests, event->field[0], &(uint64_t){0});
        return;
    case PJ_OTF2_MPI_COLLECTIVE_BEGIN:
        place->now.collective_begin = time;
        place->now.collectives++;
        return;
    case PJ_OTF2_MPI_COLLECTIVE_END:
        pj_otf2_collective(place, time, event);
        return;
    case PJ_OTF2_RMA_COLLECTIVE_END:
        pj_otf2_window_collective(place, time, event);
        return;
    case PJ_OTF2_RMA_GROUP_SYNC:
        pj_otf2_window_signal(place, time, event);
        return;
    case PJ_OTF2_NON_BLOCKING_COLLECTIVE_REQUEST:
        pj_otf2_collective_request(place, time, event->field[0]);
        return;
    case PJ_OTF2_NON_BLOCKING_COLLECTIVE_COMPLETE:
        pj_otf2_collective_complete(place, time, event);
        return;
    case PJ_OTF2_MEASUREMENT_ON_OFF:
        switch_measurement(place, time, event->field[0]);
        return;
    case PJ_OTF2_BUFFER_FLUSH:
        flush_buffer(place, time, pj_otf2_clock_ns(&place->clock, event->field[0]));
        return;
    }
    take_thread_record(place, time, event);
}

static void begin_place(pj_otf2_place *place, uint64_t time)
{
    place->now.begun = true;
    place->now.began = time;
    place->now.state = PJ_STATE_NOT_CREATED;
    pj_otf2_cut(place, time);
    place->now.state = state_now(place);
    pj_otf2_give(place, time, PJ_EV_OTHER);
}

static void end_place(pj_otf2_place *place)
{
    place->ended = true;
    if (place->now.begun) {
        measure_last(place);
        pj_otf2_settle(place, place->now.last);
        pj_otf2_give(place, place->now.last, PJ_EV_OTHER);
    }
    if (place->parts)
        pj_otf2_give(place, place->now.last, PJ_EV_END);
    place->import.count[PJ_IMPORT_region_not_left] += place->depth;
    if (!place->evt)
        return;
    pj_otf2_evt_facts facts = pj_otf2_evt_facts_of(place->evt);
    place->damage = facts.damage;
    if (facts.damage)
        pj_otf2_count(place, PJ_IMPORT_damaged_location);
    place->import.count[PJ_IMPORT_malformed_event] += facts.malformed;
    place->import.count[PJ_IMPORT_unknown_event] += facts.unknown;
}

/// The time of a record in ns; many have that of the one before.
static uint64_t time_of(pj_otf2_place *place, uint64_t ticks)
{
    if (ticks != place->ticks) {
        place->ticks = ticks;
        place->ticks_ns = pj_otf2_clock_ns(&place->clock, ticks);
    }
    return place->ticks_ns;
}

static void take_next(pj_otf2_place *place, const pj_otf2_event *event)
{
    uint64_t time = time_of(place, event->time);
    if (!place->now.begun)
        begin_place(place, time);
    if (time < place->now.last) {
        pj_otf2_count(place, PJ_IMPORT_time_reversed);
        time = place->now.last;
    }
    place->now.last = time;
    if (event->type != PJ_OTF2_MEASUREMENT_ON_OFF && event->type != PJ_OTF2_METRIC)
        measure_last(place);
    take_record(place, time, event);
}

/// Passes over records that change nothing; not while the place is ahead of their time.
static void skim(pj_otf2_place *place)
{
    pj_otf2_event reading;
    uint64_t events = place->records, ticks, before = place->now.last;
    if (before != place->ticks_ns || !pj_otf2_border_lets_skim(place))
        return;
    bool counted = pj_otf2_skim(place, pj_otf2_border_limit(place), &reading, &ticks);
    if (place->records == events)
        return;
    uint64_t counted_at = counted ? time_of(place, reading.time) : 0;
    uint64_t time = time_of(place, ticks);
    place->now.last = time > before ? time : before;
    if (counted)
        read_counters(place, counted_at > before ? counted_at : before, &reading);
}

void pj_otf2_place_close_up(pj_otf2_place *place)
{
    size_t ready = pj_otf2_place_ready(place);
    if (place->event_first)
        memmove(place->events, place->events + place->event_first, ready * sizeof *place->events);
    place->event_first = 0;
    place->event_count = ready;
    place->unnamed_count = 0;
    size_t left = place->op_count - place->op_first;
    if (place->op_first)
        memmove(place->ops, place->ops + place->op_first, left * sizeof *place->ops);
    place->op_base += place->op_first;
    place->op_seen -= place->op_first;
    place->op_first = 0;
    place->op_count = left;
}

/// At a mark, or at the end of a part that is needed; false when nothing more is.
static bool go_on(pj_otf2_place *place)
{
    pj_otf2_tangle_end(place);
    if (place->zoom)
        pj_otf2_zoom_on(place);
    else
        pj_otf2_trail_mark(place);
    return !place->ended;
}

void pj_otf2_place_fill(pj_otf2_place *place, size_t events)
{
    pj_otf2_place_close_up(place);
    if (place->has_ahead) {
        place->has_ahead = false;
        take_next(place, &place->ahead);
    }
    pj_otf2_event event;
    bool may_skim = place->evt && !place->named;
    while (place->event_count < events + (place->unnamed_count ? NAMES_AHEAD : 0) &&
           !place->ended) {
        if (place->records >= place->due && !go_on(place))
            return;
        if (may_skim && !place->tangle)
            skim(place);
        if (next_record(place, &event))
            take_next(place, &event);
        else
            end_place(place);
    }
}
