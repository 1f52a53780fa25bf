// Names of parallel regions, from what was executed in them.
// Sequences are found again by a hash of their values, names by a hash of their text.
#include "metrics/stat/executed.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"

#include <stdlib.h>

typedef struct sequence {
    pj_seen seen;
    pj_region_sum sum;
} sequence;

struct pj_executed {
    sequence *items;
    size_t count, cap;
    pj_map number_of; // by hash
    uint32_t last;    // found or added
};

void pj_seen_add(pj_seen *seen, uint16_t code, uint64_t value)
{
    for (uint16_t i = 0; i < seen->count; i++)
        if (seen->values[i] == value && seen->codes[i] == code)
            return;
    if (seen->count == PJ_SEEN_MOST) {
        seen->more = true;
        return;
    }
    seen->values[seen->count] = value;
    seen->codes[seen->count++] = code;
}

pj_executed *pj_executed_new(void)
{
    pj_executed *executed = pj_take_memory(sizeof *executed);
    *executed = (pj_executed){.count = 0};
    return executed;
}

void pj_executed_free(pj_executed *executed)
{
    if (!executed)
        return;
    free(executed->items);
    pj_map_free(&executed->number_of);
    free(executed);
}

static bool same(const pj_seen *a, const pj_seen *b)
{
    if (a->count != b->count || a->more != b->more)
        return false;
    for (uint16_t i = 0; i < a->count; i++)
        if (a->values[i] != b->values[i] || a->codes[i] != b->codes[i])
            return false;
    return true;
}

static uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const pj_seen *seen)
{
    uint64_t hash = seen->more;
    for (uint16_t i = 0; i < seen->count; i++)
        hash = mixed(mixed(hash, seen->values[i]), seen->codes[i]);
    return hash;
}

uint32_t pj_executed_number(pj_executed *executed, const pj_seen *seen)
{
    if (executed->count && same(&executed->items[executed->last].seen, seen))
        return executed->last;
    uint64_t hash = hash_of(seen);
    for (; pj_map_get(&executed->number_of, hash, &executed->last); hash++)
        if (same(&executed->items[executed->last].seen, seen))
            return executed->last;
    pj_grow(executed->items, &executed->cap, executed->count + 1);
    executed->items[executed->count] = (sequence){.seen = *seen};
    executed->last = (uint32_t)executed->count++;
    pj_map_put(&executed->number_of, hash, executed->last);
    return executed->last;
}

pj_region_sum *pj_executed_sum(pj_executed *executed, uint32_t number)
{
    return &executed->items[number].sum;
}

/// What one value is called; NULL when it is not to be shown.
static const char *name_of(const pj_run *run, uint16_t code, uint64_t value, bool lines,
                           pj_arena *arena)
{
    const char *name =
        lines ? pj_region_line(run, code, value, arena) : pj_region_label(run, code, value);
    bool of_line = code == PJ_OMP_FUNCTION_LINE || code == PJ_OMP_TASK_LINE;
    if (name || (lines && !of_line))
        return name;
    return pj_arena_format(arena, "%llu", (unsigned long long)value);
}

static bool holds(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (pj_str_equal(pj_str_of(names[i]), pj_str_of(name)))
            return true;
    return false;
}

static const char *text_of(const pj_run *run, const pj_seen *seen, bool lines, pj_arena *arena)
{
    const char *names[PJ_SEEN_MOST];
    size_t count = 0;
    pj_auto_buf text = {.at = NULL};
    for (uint16_t i = 0; i < seen->count; i++) {
        const char *name = name_of(run, seen->codes[i], seen->values[i], lines, arena);
        if (!name || holds(names, count, name))
            continue;
        pj_buf_addf(&text, "%s%s", count ? ":" : "", name);
        names[count++] = name;
    }
    if (seen->more)
        pj_buf_puts(&text, ":...");
    return pj_arena_text(arena, pj_buf_str(&text));
}

static void merge(pj_region_sum *into, const pj_region_sum *from)
{
    into->instances += from->instances;
    into->length_ns += from->length_ns;
    into->total_ns += from->total_ns;
    into->max_ns = from->max_ns > into->max_ns ? from->max_ns : into->max_ns;
    into->delay_ns += from->delay_ns;
    into->region_delay_ns += from->region_delay_ns;
    into->mean_ns += from->mean_ns;
    into->weighted_mean += from->weighted_mean;
}

pj_region_sum *pj_executed_named(const pj_executed *executed, pj_run *run, bool lines,
                                 const uint32_t **places, uint32_t *count)
{
    pj_region_sum *sums = pj_new_n(run->arena, pj_region_sum, executed->count);
    uint32_t *place = pj_new_n(run->arena, uint32_t, executed->count);
    pj_map place_of = {.count = 0};
    *count = 0;
    for (size_t i = 0; i < executed->count; i++) {
        const sequence *item = &executed->items[i];
        const char *name = text_of(run, &item->seen, lines, run->arena);
        uint64_t hash = 0;
        for (const char *at = name; *at; at++)
            hash = mixed(hash, (uint8_t)*at);
        while (pj_map_get(&place_of, hash, &place[i]) &&
               !pj_str_equal(pj_str_of(sums[place[i]].name), pj_str_of(name)))
            hash++;
        if (!pj_map_get(&place_of, hash, &place[i])) {
            place[i] = (*count)++;
            pj_map_put(&place_of, hash, place[i]);
            sums[place[i]].name = name;
        }
        merge(&sums[place[i]], &item->sum);
    }
    pj_map_free(&place_of);
    *places = place;
    return sums;
}
