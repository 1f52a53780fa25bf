// From 64-bit keys to 32-bit numbers: open addressing, nothing is ever removed.
// Ownership: new/free; a zeroed struct is an empty map.
#ifndef PJ_MAP_H
#define PJ_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_map_entry {
    uint64_t key;
    uint32_t value;
    bool used;
} pj_map_entry;

typedef struct pj_map {
    pj_map_entry *entries;
    size_t count, cap; // cap is a power of two, at least a third of it free
} pj_map;

/// False when there is no such key.
bool pj_map_get(const pj_map *map, uint64_t key, uint32_t *value);
/// Adds the key or replaces its value.
void pj_map_put(pj_map *map, uint64_t key, uint32_t value);
void pj_map_free(pj_map *map);

#endif
