// A hash table with open places.
#include "metrics/record/merge/definition_table.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

struct pj_definition_table {
    uint32_t *slots; // id, 0 = free
    size_t slot_count;
    pj_str *texts; // of id - 1
    uint64_t *hashes;
    size_t count, cap, hash_cap;
};

static uint64_t hash_of(pj_str text)
{
    uint64_t hash = 0x9E3779B97F4A7C15 ^ text.len;
    for (; text.len >= sizeof hash; text = pj_str_from(text, sizeof hash)) {
        uint64_t word;
        memcpy(&word, text.at, sizeof word);
        hash = (hash ^ word) * 0xFF51AFD7ED558CCD;
        hash ^= hash >> 32;
    }
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.at[i]) * 0x100000001B3;
    return hash ^ hash >> 29;
}

static void grow_slots(pj_definition_table *t)
{
    t->slot_count = t->slot_count ? 2 * t->slot_count : FIRST_SLOTS;
    free(t->slots);
    t->slots = pj_take_memory(t->slot_count * sizeof *t->slots);
    memset(t->slots, 0, t->slot_count * sizeof *t->slots);
    for (size_t i = 0; i < t->count; i++) {
        size_t at = t->hashes[i] & (t->slot_count - 1);
        while (t->slots[at])
            at = (at + 1) & (t->slot_count - 1);
        t->slots[at] = (uint32_t)i + 1;
    }
}

pj_definition_table *pj_definition_table_new(void)
{
    pj_definition_table *table = pj_take_memory(sizeof *table);
    *table = (pj_definition_table){0};
    grow_slots(table);
    return table;
}

void pj_definition_table_free(pj_definition_table *t)
{
    if (!t)
        return;
    free(t->slots);
    free(t->texts);
    free(t->hashes);
    free(t);
}

uint32_t pj_definition_table_id(pj_definition_table *t, pj_str text)
{
    if (2 * t->count >= t->slot_count)
        grow_slots(t);
    const uint64_t hash = hash_of(text);
    size_t at = hash & (t->slot_count - 1);
    for (uint32_t id; (id = t->slots[at]); at = (at + 1) & (t->slot_count - 1))
        if (t->hashes[id - 1] == hash && pj_str_equal(t->texts[id - 1], text))
            return id;
    pj_grow(t->texts, &t->cap, t->count + 1);
    pj_grow(t->hashes, &t->hash_cap, t->count + 1);
    t->texts[t->count] = text;
    t->hashes[t->count] = hash;
    return t->slots[at] = (uint32_t)++t->count;
}

uint32_t pj_definition_table_count(const pj_definition_table *t)
{
    return (uint32_t)t->count;
}

pj_str pj_definition_table_text(const pj_definition_table *t, uint32_t id)
{
    return t->texts[id - 1];
}
