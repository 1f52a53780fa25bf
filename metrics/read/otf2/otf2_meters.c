// An instance of a metric tells which location records it and what it is about. Readings of
// locations that record nothing else are taken; those among the events of threads are not.
#include "metrics/read/otf2/otf2_meters.h"

#include "metrics/base/arena.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/meter.h"

#include <math.h>
#include <string.h>

enum { // OTF2_Definitions.h, OTF2_GeneralDefinitions.h
    METRIC_LOCATION = 3,
    SCOPE_LOCATION = 0,
    SCOPE_GROUP = 1,
    SCOPE_NODE = 2,
    BASE_BINARY = 0,
    TIMING_MASK = 15 << 4,
    TIMING_POINT = 1 << 4,
    TIMING_LAST = 2 << 4,
    METERS_MOST = 1 << (PJ_METER_BITS - 1),
    DEPTH_MOST = 64, // of the system tree
};

typedef struct work {
    pj_otf2_defs *defs;
    const pj_otf2_gathered *all;
    pj_run *run;
    pj_meter *members; // what each member of a metric is, in the order of their definitions
    pj_map rank_of;    // by location group
    pj_map node_of;    // in the layout, by node of the system tree that holds processes
    uint64_t *nodes;   // the keys of node_of
    uint32_t node_count;
    pj_map threads_of;  // what pj_meter.node is, by node of the system tree
    pj_map recorder_at; // number of a recorder, by id
} work;

static const pj_otf2_def *def_of(const work *w, pj_otf2_def_kind kind, uint64_t id)
{
    return pj_otf2_def_of(w->all, kind, id);
}

// Nodes

static uint64_t node_of_group(const work *w, uint64_t group)
{
    const pj_otf2_def *def = def_of(w, PJ_OTF2_DEF_LOCATION_GROUP, group);
    return def ? def->number[2] : PJ_OTF2_UNDEFINED;
}

/// Which ranks and nodes of the layout groups and nodes of the archive are.
static void note_threads(work *w)
{
    const pj_layout *layout = &w->run->layout;
    w->nodes = pj_new_n(w->defs->arena, uint64_t, w->defs->location_count + 1);
    for (uint32_t i = 0; i < w->defs->location_count; i++) {
        const pj_otf2_def *def = def_of(w, PJ_OTF2_DEF_LOCATION, w->defs->locations[i].id);
        uint32_t location = w->defs->locations[i].location, known;
        uint64_t node = def ? node_of_group(w, def->number[3]) : PJ_OTF2_UNDEFINED;
        if (def)
            pj_map_put(&w->rank_of, def->number[3], layout->rank_of[location]);
        if (node == PJ_OTF2_UNDEFINED || pj_map_get(&w->node_of, node, &known))
            continue;
        pj_map_put(&w->node_of, node, layout->node_of[location]);
        w->nodes[w->node_count++] = node;
    }
}

static uint64_t above(const work *w, uint64_t node)
{
    const pj_otf2_def *def = def_of(w, PJ_OTF2_DEF_NODE, node);
    return def ? def->number[0] : PJ_OTF2_UNDEFINED;
}

/// Whether `node` is `top` or below it.
static bool is_within(const work *w, uint64_t node, uint64_t top)
{
    for (unsigned depth = 0; node != PJ_OTF2_UNDEFINED && depth < DEPTH_MOST; depth++) {
        if (node == top)
            return true;
        node = above(w, node);
    }
    return false;
}

/// The node of the layout whose threads a meter is about: those below its scope, or where they are
/// not told apart so finely, those above.
static uint32_t threads_of(work *w, uint64_t scope)
{
    uint32_t found = PJ_METER_NO_NODE;
    if (scope == PJ_OTF2_UNDEFINED || pj_map_get(&w->threads_of, scope, &found))
        return found;
    for (uint32_t i = 0; i < w->node_count; i++) {
        uint32_t node;
        if (!pj_map_get(&w->node_of, w->nodes[i], &node) ||
            !(is_within(w, w->nodes[i], scope) || is_within(w, scope, w->nodes[i])))
            continue;
        found = found == PJ_METER_NO_NODE || found == node ? node : PJ_METER_ALL_NODES;
    }
    pj_map_put(&w->threads_of, scope, found);
    return found;
}

/// The node of the system tree that an instance is about.
static uint64_t scope_of(const work *w, const pj_otf2_def *instance)
{
    uint64_t id = instance->number[3];
    const pj_otf2_def *location;
    switch (instance->number[2]) {
    case SCOPE_LOCATION:
        location = def_of(w, PJ_OTF2_DEF_LOCATION, id);
        return location ? node_of_group(w, location->number[3]) : PJ_OTF2_UNDEFINED;
    case SCOPE_GROUP:
        return node_of_group(w, id);
    case SCOPE_NODE:
        return id;
    default:
        return PJ_OTF2_UNDEFINED;
    }
}

/// The name of the host above a node of the system tree, or else its own.
static const char *scope_name(const work *w, uint64_t node)
{
    const pj_otf2_def *own = def_of(w, PJ_OTF2_DEF_NODE, node), *def = own;
    for (unsigned depth = 0; def && depth < DEPTH_MOST; depth++) {
        if (strcmp(pj_otf2_text(w->all, def->number[2]), "node") == 0)
            own = def;
        def = def_of(w, PJ_OTF2_DEF_NODE, def->number[0]);
    }
    const char *name = own ? pj_otf2_text(w->all, own->number[1]) : "";
    return pj_arena_text(w->run->arena, pj_str_of(name));
}

// Meters

static pj_meter_timing timing_of(uint64_t mode)
{
    switch (mode & TIMING_MASK) {
    case TIMING_POINT:
        return PJ_METER_POINT;
    case TIMING_LAST:
        return PJ_METER_UP_TO_HERE;
    default:
        return PJ_METER_FROM_HERE;
    }
}

/// Once: many instances may be of one class.
static void note_members(work *w)
{
    const pj_otf2_def_list *list = &w->all->lists[PJ_OTF2_DEF_METRIC_MEMBER];
    w->members = pj_new_n(w->defs->arena, pj_meter, list->count + 1);
    for (size_t i = 0; i < list->count; i++) {
        const uint64_t *number = list->items[i].number;
        double scale = pow(number[3] == BASE_BINARY ? 2 : 10, (double)(int64_t)number[4]);
        w->members[i] =
            pj_meter_of(pj_otf2_text(w->all, number[0]), pj_otf2_text(w->all, number[5]), scale);
        w->members[i].timing = timing_of(number[1]);
    }
}

/// False where the location that records an instance holds events of a thread.
static bool add_recorder(work *w, const pj_otf2_def *instance)
{
    const pj_otf2_def *def = def_of(w, PJ_OTF2_DEF_LOCATION, instance->number[1]);
    pj_otf2_defs *defs = w->defs;
    uint32_t number = defs->location_count + defs->stream_count + defs->meter_recorders, known;
    if (!def || def->number[1] != METRIC_LOCATION)
        return false;
    if (pj_map_get(&w->recorder_at, def->id, &known))
        return true;
    pj_map_put(&w->recorder_at, def->id, number);
    pj_otf2_location_def *recorder = &defs->locations[number];
    *recorder = (pj_otf2_location_def){.id = def->id, .location = number, .events = def->number[2]};
    pj_map_get(&w->rank_of, def->number[3], &recorder->rank);
    defs->meter_recorders++;
    return true;
}

static void add_meter(work *w, const pj_otf2_def *instance, size_t at, pj_meter meter)
{
    pj_meters *meters = &w->run->meters;
    if (meters->count == METERS_MOST || !add_recorder(w, instance)) {
        meters->left_out++;
        return;
    }
    uint64_t scope = scope_of(w, instance);
    uint32_t first;
    meter.name = pj_arena_text(w->run->arena, pj_str_of(meter.name));
    meter.scope = scope_name(w, scope);
    meter.node = threads_of(w, scope);
    if (!pj_map_get(&w->defs->meter_of, instance->id, &first))
        pj_map_put(&w->defs->meter_of, instance->id, meters->count);
    w->defs->meters[meters->count] = (pj_otf2_meter){.instance = instance->id, .at = (uint8_t)at};
    meters->items[meters->count++] = meter;
}

/// How many members of a class are meters; adds them for an instance that is not NULL.
static size_t take_members(work *w, uint64_t class_id, const pj_otf2_def *instance)
{
    const pj_otf2_def *class_ = def_of(w, PJ_OTF2_DEF_METRIC_CLASS, class_id);
    size_t count = 0;
    for (size_t i = 0; class_ && i < class_->member_count; i++) {
        const pj_otf2_def *member = def_of(w, PJ_OTF2_DEF_METRIC_MEMBER, class_->members[i]);
        const pj_meter *meter =
            member ? &w->members[member - w->all->lists[PJ_OTF2_DEF_METRIC_MEMBER].items] : NULL;
        if (!meter || meter->kind == PJ_METER_NONE)
            continue;
        count++;
        if (instance)
            add_meter(w, instance, i, *meter);
    }
    return count;
}

/// Room for all that there can be; the locations that are known keep their place.
static void make_room(work *w, size_t meters)
{
    pj_otf2_defs *defs = w->defs;
    size_t known = defs->location_count + defs->stream_count,
           recorders = w->all->lists[PJ_OTF2_DEF_METRIC_INSTANCE].count;
    recorders = recorders < meters ? recorders : meters;
    pj_otf2_location_def *locations =
        pj_new_n(defs->arena, pj_otf2_location_def, known + recorders);
    memcpy(locations, defs->locations, known * sizeof *locations);
    defs->locations = locations;
    defs->meters = pj_new_n(defs->arena, pj_otf2_meter, meters);
    w->run->meters.items = pj_new_n(w->run->arena, pj_meter, meters);
}

void pj_otf2_meters_resolve(pj_otf2_defs *defs, const pj_otf2_gathered *all, pj_run *run)
{
    work w = {.defs = defs, .all = all, .run = run};
    const pj_otf2_def_list *classes = &all->lists[PJ_OTF2_DEF_METRIC_CLASS],
                           *instances = &all->lists[PJ_OTF2_DEF_METRIC_INSTANCE];
    run->meters = (pj_meters){.count = 0};
    note_members(&w);
    pj_map counts = {0}; // of meters, by class
    size_t meters = 0;
    for (size_t i = 0; i < classes->count; i++) {
        size_t count = take_members(&w, classes->items[i].id, NULL);
        if (count)
            pj_map_put(&counts, classes->items[i].id, (uint32_t)count);
    }
    pj_map used = {0};
    for (size_t i = 0; i < instances->count && counts.count; i++) {
        uint32_t count;
        if (!pj_map_get(&counts, instances->items[i].number[0], &count))
            continue;
        meters += count;
        pj_map_put(&used, instances->items[i].number[0], 0);
    }
    run->meters.left_out =
        (uint32_t)(counts.count - used.count); // recorded as they are, by threads
    if (meters) {
        make_room(&w, meters < METERS_MOST ? meters : METERS_MOST);
        note_threads(&w);
        for (size_t i = 0; i < instances->count; i++)
            take_members(&w, instances->items[i].number[0], &instances->items[i]);
    }
    defs->meter_count = run->meters.count;
    pj_map_free(&counts);
    pj_map_free(&used);
    pj_map_free(&w.rank_of);
    pj_map_free(&w.node_of);
    pj_map_free(&w.threads_of);
    pj_map_free(&w.recorder_at);
}
