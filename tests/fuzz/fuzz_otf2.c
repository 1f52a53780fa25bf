// Event files of OTF2 from any bytes, as those of two ranks, a stream and a recorder of meters:
// events come in the order of time and belong to their location, messages join the two. The same
// bytes as definitions of a location.
#include "metrics/base/arena.h"
#include "metrics/read/otf2/events/otf2_match.h"
#include "metrics/read/otf2/otf2_local.h"
#include "tests/support/trace/made_defs.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHUNK = 256, REGIONS = 12 };

static void require(bool truth)
{
    if (!truth)
        abort();
}

static pj_otf2_defs *make_defs(pj_arena *arena)
{
    static const pj_otf2_region regions[REGIONS + 1] = {
        {.name = "main", .state = PJ_OTF2_INHERIT},
        {.name = "MPI_Send", .state = 4, .construct = PJ_OTF2_MPI, .class_ = PJ_MPI_P2P, .call = 1},
        {.name = "MPI_Recv", .state = 3, .construct = PJ_OTF2_MPI, .class_ = PJ_MPI_P2P, .call = 2},
        {.name = "MPI_Waitall", .state = 8, .construct = PJ_OTF2_MPI, .class_ = 1, .call = 6},
        {.name = "parallel", .state = PJ_STATE_RUNNING, .construct = PJ_OTF2_PARALLEL},
        {.name = "barrier", .state = 5, .construct = PJ_OTF2_BARRIER},
        {.name = "task", .state = PJ_STATE_RUNNING, .construct = PJ_OTF2_TASK},
        {.name = "Working", .state = PJ_OTF2_INHERIT, .construct = PJ_OTF2_ROOT},
        {.name = "taskwait", .state = 5, .construct = PJ_OTF2_TASKWAIT},
        {.name = "kernel", .state = PJ_OTF2_INHERIT, .work = PJ_OTF2_WORK_KERNEL},
        {.name = "copy", .state = PJ_OTF2_INHERIT, .work = PJ_OTF2_WORK_COPY},
        {.name = "cudaMalloc", .state = 15, .construct = PJ_OTF2_DEVICE, .device_call = 1},
        {.name = "", .state = PJ_OTF2_INHERIT, .unknown = true},
    };
    pj_otf2_defs *defs = pj_new(arena, pj_otf2_defs);
    *defs = (pj_otf2_defs){.arena = arena, .ticks_per_second = 3000000000, .has_teams = true};
    defs->regions = pj_new_n(arena, pj_otf2_region, REGIONS + 1);
    memcpy(defs->regions, regions, sizeof regions);
    defs->region_count = REGIONS;
    for (uint32_t i = 0; i < REGIONS; i++)
        pj_map_put(&defs->region_of, i, i);
    made_defs_complete(defs, arena);
    defs->meters = pj_new(arena, pj_otf2_meter);
    defs->meter_count = 1;
    pj_map_put(&defs->meter_of, 0, 0);
    return defs;
}

static void check(const pj_otf2_location *location)
{
    uint64_t last = 0;
    for (size_t i = 0; i < location->event_count; i++) {
        const pj_event *event = &location->events[i];
        require(event->location == location->number && event->kind < PJ_EV_LAST);
        if (event->kind == PJ_EV_MESSAGE)
            continue;
        require(event->time >= last);
        last = event->time;
        if (event->kind == PJ_EV_STATE)
            require(event->a > event->time);
    }
}

static void count(void *self, const pj_otf2_def *def)
{
    require(def->kind == PJ_OTF2_DEF_MAP || def->kind == PJ_OTF2_DEF_OFFSET);
    ++*(size_t *)self;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t definitions = 0;
    require(pj_otf2_local_take(data, size, count, &definitions) || definitions == 0);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_otf2_defs *defs = make_defs(arena);
    pj_otf2_sync *sync = pj_otf2_sync_new(2);
    pj_otf2_match *match = pj_otf2_match_new(defs, sync);
    for (uint32_t i = 0; i < 4; i++) { // the last two are a stream and a recorder
        size_t half = size / 2, length = i ? size - half : half;
        pj_otf2_evt *evt = pj_otf2_evt_memory(data + (i ? half : 0), length, CHUNK);
        pj_otf2_location *location = pj_otf2_location_take(defs, i, i % 2, evt);
        location->parts = i == 0;
        location->stream = i >= 2;
        location->recorder = i == 3;
        while (!location->ended)
            pj_otf2_location_fill(location, location->event_count + 64);
        check(location);
        pj_otf2_match_take(match, location);
        pj_otf2_location_free(location);
    }
    pj_import_stats import = {.count = {0}};
    pj_otf2_match_end(match, &import);
    pj_otf2_shift shifts[2];
    pj_otf2_sync_solve(sync, shifts);
    pj_otf2_match_free(match);
    pj_otf2_sync_free(sync);
    pj_map_free(&defs->region_of);
    pj_map_free(&defs->comm_of);
    pj_map_free(&defs->metric_of);
    pj_map_free(&defs->meter_of);
    return 0;
}
