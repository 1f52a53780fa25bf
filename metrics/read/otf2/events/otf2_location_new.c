// How a location of an archive is made from its files, and freed.
#include "metrics/read/otf2/events/otf2_location.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_index.h"
#include "metrics/read/otf2/events/otf2_known.h"
#include "metrics/read/otf2/events/otf2_ranged.h"
#include "metrics/read/otf2/events/otf2_requests.h"
#include "metrics/read/otf2/events/otf2_tangle.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/read/otf2/otf2_local.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/path_tree.h"

#include <stdlib.h>

enum {
    MAP_REGION = 3, // OTF2_MappingType
    MAP_GROUP = 4,
    MAP_METRIC = 5,
    MAP_COMM = 6,
    MAP_WINDOW = 8,
    MAP_CONTEXT = 10,
    MAP_STRING = 0,
    MAP_PARAMETER = 7,
    MAP_HANDLE = 13,
    READAHEAD_IDS = 1 << 16, // that it knows regions by
};

static void take_local(void *self, const pj_otf2_def *def)
{
    pj_otf2_location *location = self;
    if (def->kind == PJ_OTF2_DEF_OFFSET) {
        pj_otf2_clock_add(&location->clock, def->number[0], (int64_t)def->number[1]);
        return;
    }
    static const struct {
        unsigned kind, of;
    } kinds[] = {{MAP_REGION, PJ_OTF2_OF_REGION},       {MAP_COMM, PJ_OTF2_OF_COMM},
                 {MAP_METRIC, PJ_OTF2_OF_METRIC},       {MAP_CONTEXT, PJ_OTF2_OF_CONTEXT},
                 {MAP_WINDOW, PJ_OTF2_OF_WINDOW},       {MAP_GROUP, PJ_OTF2_OF_GROUP},
                 {MAP_PARAMETER, PJ_OTF2_OF_PARAMETER}, {MAP_STRING, PJ_OTF2_OF_STRING},
                 {MAP_HANDLE, PJ_OTF2_OF_HANDLE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (def->kind == PJ_OTF2_DEF_MAP && def->number[0] == kinds[i].kind &&
            def->number[1] <= UINT32_MAX) {
            pj_map_put(&location->ids.maps[kinds[i].of], def->id, (uint32_t)def->number[1]);
            location->ids.mapped[kinds[i].of] = true;
        }
}

/// The library gives global ids only after it has read them itself.
static bool read_local(pj_otf2_location *location, const pj_otf2_location_opts *opts)
{
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/%llu.def", opts->folder, (unsigned long long)location->id);
    return (!opts->by_library && pj_otf2_local_read(path.at, take_local, location)) ||
           opts->lib->local(opts->archive, location->id, take_local, location);
}

static void open_records(pj_otf2_location *location, const pj_otf2_location_opts *opts,
                         uint32_t number)
{
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/%llu.evt", opts->folder, (unsigned long long)location->id);
    pj_otf2_evt_opts how = {opts->chunk_bytes, opts->buffer_bytes, opts->sum, opts->keep_open};
    if (!opts->by_library)
        location->evt = pj_otf2_evt_open(path.at, how, NULL);
    else
        location->library.lib = opts->lib;
    if (!location->evt && !location->library.lib && opts->defs->locations[number].events > 0) {
        pj_otf2_count(location, PJ_IMPORT_missing_location);
        location->damage = "is missing";
    }
    if (opts->indices && location->evt) {
        pj_otf2_ranged_begin(location, &opts->indices[number], opts->ranges, opts->range_count);
        return;
    }
    location->has_ahead = pj_otf2_next_record(location, &location->ahead);
    if (location->evt && pj_otf2_evt_facts_of(location->evt).foreign) {
        pj_otf2_evt_close(location->evt);
        location->evt = NULL;
        location->library.lib = opts->lib;
        location->library.lib->local(location->library.archive, location->id, take_local, location);
        location->has_ahead = pj_otf2_next_record(location, &location->ahead);
    }
    if (location->evt && opts->marks)
        pj_otf2_index_begin(location, opts->marks);
    if (location->library.lib) { // has applied them
        location->clock.count = 0;
        memset(location->ids.mapped, 0, sizeof location->ids.mapped);
    }
}

static pj_otf2_location *new_location(const pj_otf2_defs *defs, uint32_t number, uint32_t rank)
{
    pj_otf2_location *location = pj_take_memory(sizeof *location);
    *location = (pj_otf2_location){.defs = defs,
                                   .number = number,
                                   .rank = rank,
                                   .metric.id = PJ_OTF2_UNDEFINED,
                                   .latest.ticks = PJ_OTF2_UNDEFINED,
                                   .due = UINT64_MAX};
    pj_otf2_clock_unit(&location->clock, defs->ticks_per_second);
    pj_otf2_known_begin(&location->known);
    return location;
}

pj_otf2_location *pj_otf2_location_take(const pj_otf2_defs *defs, uint32_t number, uint32_t rank,
                                        pj_otf2_evt *evt)
{
    pj_otf2_location *location = new_location(defs, number, rank);
    location->evt = evt;
    location->has_ahead = pj_otf2_next_record(location, &location->ahead);
    return location;
}

static bool is_recorder(const pj_layout *layout, uint32_t location)
{
    return location >= layout->locations + layout->stream_count;
}

static uint32_t rank_of(const pj_layout *layout, const pj_otf2_location_def *def)
{
    if (is_recorder(layout, def->location))
        return def->rank;
    return def->location < layout->locations
               ? layout->rank_of[def->location]
               : layout->streams[def->location - layout->locations].rank;
}

pj_otf2_location *pj_otf2_location_new(const pj_otf2_location_opts *opts, uint32_t number)
{
    uint32_t run_number = opts->defs->locations[number].location;
    uint32_t rank = rank_of(opts->layout, &opts->defs->locations[number]);
    pj_otf2_location *location = new_location(opts->defs, run_number, rank);
    location->library.archive = opts->archive;
    location->id = opts->defs->locations[number].id;
    location->worker = run_number != opts->layout->first_location[rank];
    if (opts->roi && opts->roi->set) {
        location->borders.at[0].ns = opts->roi->from_ns;
        location->borders.at[1].ns = opts->roi->to_ns;
        location->borders.count = PJ_OTF2_BORDERS;
    }
    location->named = opts->regions;
    location->parameters = opts->parameters;
    location->locks = opts->locks;
    location->parts = opts->parts;
    location->sent = opts->parts && opts->sent;
    location->stream = run_number >= opts->layout->locations;
    location->recorder = is_recorder(opts->layout, run_number);
    if (!read_local(location, opts))
        pj_otf2_count(location, PJ_IMPORT_local_definitions);
    open_records(location, opts, number);
    return location;
}

pj_otf2_location *pj_otf2_location_absent(const pj_otf2_location_opts *opts, uint32_t number)
{
    uint32_t run_number = opts->defs->locations[number].location;
    pj_otf2_location *location =
        new_location(opts->defs, run_number, rank_of(opts->layout, &opts->defs->locations[number]));
    location->id = opts->defs->locations[number].id;
    return location;
}

void pj_otf2_location_free(pj_otf2_location *location)
{
    if (!location)
        return;
    pj_otf2_evt_close(location->evt);
    pj_otf2_clock_free(&location->clock);
    for (size_t i = 0; i < PJ_OTF2_IDS; i++)
        pj_map_free(&location->ids.maps[i]);
    pj_map_free(&location->pending.channels);
    pj_otf2_requests_free(&location->pending.requests);
    pj_otf2_requests_free(&location->pending.collectives);
    pj_otf2_requests_free(&location->pending.operations);
    pj_otf2_requests_free(&location->pending.sends);
    pj_otf2_index_free(location->index);
    pj_otf2_ranged_free(location->ranged);
    pj_otf2_known_end(&location->known);
    pj_otf2_tangle_free(location->tangle);
    free(location->stack);
    free(location->copying.items);
    free(location->pending.posts);
    free(location->events);
    free(location->ops.at);
    free(location);
}

void pj_otf2_location_start_readahead(pj_otf2_location *location)
{
    uint32_t ids =
        location->defs->region_count < READAHEAD_IDS ? location->defs->region_count : READAHEAD_IDS;
    uint32_t *plain = pj_take_memory(ids * sizeof *plain);
    for (uint32_t id = 0; id < ids; id++) {
        uint32_t index = pj_otf2_look_up_region(location, id, PJ_OTF2_OF_REGION);
        plain[id] = pj_otf2_region_at(location, index)->plain ? index : PJ_OTF2_NONE;
    }
    pj_otf2_evt_start_readahead(location->evt, plain, ids);
    free(plain);
}

bool pj_otf2_location_first(pj_otf2_location *location, uint64_t *ticks)
{
    if (location->has_ahead)
        *ticks = pj_otf2_clock_ticks(&location->clock, location->ahead.time);
    return location->has_ahead;
}

size_t pj_otf2_location_bytes(const pj_otf2_location *location)
{
    return sizeof *location + pj_otf2_known_bytes(&location->known) +
           location->event_cap * sizeof *location->events +
           location->ops.cap * sizeof *location->ops.at +
           location->stack_cap * sizeof *location->stack +
           location->pending.requests.cap * sizeof *location->pending.requests.items +
           location->pending.collectives.cap * sizeof *location->pending.collectives.items +
           location->pending.sends.cap * sizeof *location->pending.sends.items +
           location->pending.post_cap * sizeof *location->pending.posts +
           pj_otf2_index_bytes(location->index) + pj_otf2_tangle_bytes(location->tangle) +
           (location->calls ? pj_path_tree_bytes(location->calls) : 0);
}
