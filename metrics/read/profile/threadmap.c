// Names are texts of the profile, so that a pair of them is a key.
#include "metrics/read/profile/threadmap.h"

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

#include <stdlib.h>

static uint32_t rank_of(pj_threadmap *map, uint32_t process)
{
    uint32_t rank;
    if (pj_map_get(&map->processes, process, &rank))
        return rank;
    rank = (uint32_t)map->count++;
    pj_grow(map->counts, &map->cap, map->count);
    map->counts[rank] = 0;
    pj_map_put(&map->processes, process, rank);
    return rank;
}

uint32_t pj_threadmap_find(pj_threadmap *map, pj_str process, pj_str thread)
{
    uint32_t process_text = pj_build_text(map->build, process);
    uint32_t thread_text = pj_build_text(map->build, thread), location;
    uint64_t key = (uint64_t)process_text << 32 | thread_text;
    if (pj_map_get(&map->threads, key, &location))
        return location;
    uint32_t rank = rank_of(map, process_text);
    pj_profile_location made = {
        .rank = rank, .thread = -1, .kind = PJ_LOCATION_PROCESS, .name = thread_text};
    if (thread.len) {
        made.thread = map->counts[rank]++;
        made.kind = PJ_LOCATION_CPU;
    }
    location = pj_build_location(map->build, made);
    pj_map_put(&map->threads, key, location);
    return location;
}

void pj_threadmap_finish(pj_threadmap *map)
{
    pj_profile *profile = pj_build_profile(map->build);
    for (uint32_t i = 0; map->count == 1 && i < profile->location_count; i++)
        profile->locations[i].rank = -1;
}

void pj_threadmap_free(pj_threadmap *map)
{
    pj_map_free(&map->processes);
    pj_map_free(&map->threads);
    free(map->counts);
}
