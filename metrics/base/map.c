// The hash map.
// Linear probing; keys are spread by multiplications, so that neither runs of numbers nor pairs of
// neighbours cluster.
#include "metrics/base/map.h"

#include "metrics/base/arena.h"

#include <stdlib.h>

static size_t place_of(const pj_map *map, uint64_t key)
{
    uint64_t spread = key * UINT64_C(0x9E3779B97F4A7C15);
    spread = (spread ^ (spread >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(spread >> 32) & (map->cap - 1);
    while (map->entries[at].used && map->entries[at].key != key)
        at = (at + 1) & (map->cap - 1);
    return at;
}

bool pj_map_get(const pj_map *map, uint64_t key, uint32_t *value)
{
    if (map->count == 0)
        return false;
    const pj_map_entry *entry = &map->entries[place_of(map, key)];
    if (entry->used)
        *value = entry->value;
    return entry->used;
}

static void grow(pj_map *map)
{
    pj_map old = *map;
    map->cap = old.cap ? old.cap * 2 : 16;
    map->entries = pj_take_memory(map->cap * sizeof *map->entries);
    for (size_t i = 0; i < map->cap; i++)
        map->entries[i] = (pj_map_entry){0};
    for (size_t i = 0; i < old.cap; i++)
        if (old.entries[i].used)
            map->entries[place_of(map, old.entries[i].key)] = old.entries[i];
    free(old.entries);
}

void pj_map_put(pj_map *map, uint64_t key, uint32_t value)
{
    if (map->count + 1 > map->cap - map->cap / 3)
        grow(map);
    pj_map_entry *entry = &map->entries[place_of(map, key)];
    map->count += !entry->used;
    *entry = (pj_map_entry){key, value, true};
}

void pj_map_free(pj_map *map)
{
    free(map->entries);
    *map = (pj_map){0};
}
