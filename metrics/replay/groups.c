// Slots count the collectives of a rank on a communicator; they are made when first used, because
// large runs define far more (rank, communicator) pairs than they use.
#include "metrics/replay/groups.h"

#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/replay/gate_row.h"

#include <stdlib.h>

typedef struct group {
    const pj_communicator *communicator;
    uint32_t *ranks; // members, ascending, each once; NULL until used
    uint32_t size;
    pj_gate_row rows[2]; // blocking, non-blocking
} group;

typedef struct slot {
    uint64_t key;       // of (rank, communicator)
    uint64_t number[2]; // of its next collective, by row
    uint32_t group;     // PJ_NOTHING: not known, or the rank is no member
} slot;

struct pj_groups {
    pj_arena *arena;
    pj_engine *engine;
    const pj_run *run;
    group *groups;   // one per communicator of the run
    pj_map group_of; // (application, number of the communicator)
    slot *slots;
    size_t slot_count, slot_cap;
    pj_map slot_of;
    uint32_t *last;       // slot last used, by rank
    uint32_t *starts;     // by application: the gate at the end of MPI_Init
    bool *begun;          // by rank: has called MPI, or is not awaited
    pj_gate_row *touched; // of the last meeting
};

static uint64_t key_of(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void list_members(pj_groups *groups, group *g)
{
    const pj_communicator *c = g->communicator;
    g->ranks = pj_new_n(groups->arena, uint32_t, c->size + 1);
    for (uint32_t i = 0; i < c->size; i++)
        g->ranks[i] = c->ranks[i];
    qsort(g->ranks, c->size, sizeof *g->ranks, by_value);
    for (uint32_t i = 0; i < c->size; i++)
        if (g->size == 0 || g->ranks[i] != g->ranks[g->size - 1])
            g->ranks[g->size++] = g->ranks[i];
}

static group *group_named(pj_groups *groups, uint32_t application, uint32_t id)
{
    uint32_t index;
    if (!pj_map_get(&groups->group_of, key_of(application, id), &index))
        return NULL;
    group *g = &groups->groups[index];
    if (!g->ranks)
        list_members(groups, g);
    return g;
}

static bool is_member(const group *g, uint32_t rank)
{
    return bsearch(&rank, g->ranks, g->size, sizeof rank, by_value) != NULL;
}

/// The ranks of each application expect each other in MPI_Init; those of communicator 1, where
/// there is one.
static void expect_starts(pj_groups *groups)
{
    const pj_layout *layout = &groups->run->layout;
    for (uint32_t a = 0; a < layout->applications; a++)
        groups->starts[a] = pj_engine_gate(groups->engine, false);
    for (uint32_t r = 0; r < layout->ranks; r++) {
        uint32_t a = layout->application_of[r];
        group *world = group_named(groups, a, 1);
        groups->begun[r] = world && world->size > 0 && !is_member(world, r);
        pj_engine_gate_expect(groups->engine, groups->starts[a], !groups->begun[r], 0);
    }
    for (uint32_t a = 0; a < layout->applications; a++)
        pj_engine_gate_close(groups->engine, groups->starts[a]);
}

pj_groups *pj_groups_new(pj_engine *engine, const pj_run *run)
{
    const pj_layout *layout = &run->layout;
    pj_groups *groups = pj_take_memory(sizeof *groups);
    *groups = (pj_groups){.engine = engine, .run = run};
    groups->arena = pj_arena_new(NULL);
    groups->groups = pj_new_n(groups->arena, group, run->communicator_count);
    groups->starts = pj_new_n(groups->arena, uint32_t, layout->applications);
    groups->begun = pj_new_n(groups->arena, bool, layout->ranks);
    groups->last = pj_new_n(groups->arena, uint32_t, layout->ranks);
    for (uint32_t i = 0; i < run->communicator_count; i++) {
        const pj_communicator *c = &run->communicators[i];
        groups->groups[i].communicator = c;
        pj_map_put(&groups->group_of, key_of(c->application, c->id), i);
    }
    for (uint32_t r = 0; r < layout->ranks; r++)
        groups->last[r] = PJ_NOTHING;
    expect_starts(groups);
    return groups;
}

void pj_groups_free(pj_groups *groups)
{
    if (!groups)
        return;
    for (uint32_t i = 0; i < groups->run->communicator_count; i++)
        for (unsigned k = 0; k < 2; k++)
            pj_gate_row_free(&groups->groups[i].rows[k]);
    pj_map_free(&groups->group_of);
    pj_map_free(&groups->slot_of);
    free(groups->slots);
    pj_arena_free(groups->arena);
    free(groups);
}

/// The rank's place in a communicator, made when first used.
static slot *slot_for(pj_groups *groups, uint32_t rank, uint32_t communicator)
{
    uint64_t key = key_of(rank, communicator);
    uint32_t index = groups->last[rank];
    if (index != PJ_NOTHING && groups->slots[index].key == key)
        return &groups->slots[index];
    if (!pj_map_get(&groups->slot_of, key, &index)) {
        group *g = group_named(groups, groups->run->layout.application_of[rank], communicator);
        bool in = g && (g->communicator->size == 0 || is_member(g, rank));
        index = (uint32_t)groups->slot_count++;
        pj_grow(groups->slots, &groups->slot_cap, groups->slot_count);
        groups->slots[index] =
            (slot){.key = key, .group = in ? (uint32_t)(g - groups->groups) : PJ_NOTHING};
        pj_map_put(&groups->slot_of, key, index);
    }
    groups->last[rank] = index;
    return &groups->slots[index];
}

pj_meeting pj_groups_meet(pj_groups *groups, pj_collective call, uint32_t *gate)
{
    slot *s = slot_for(groups, call.rank, call.communicator);
    if (s->group == PJ_NOTHING)
        return PJ_MEETS_WHO;
    group *g = &groups->groups[s->group];
    if (g->size < 2)
        return PJ_MEETS_NONE;
    pj_gate_row *row = &g->rows[call.nonblocking];
    uint64_t number = s->number[call.nonblocking]++;
    pj_gate_entry *entry = pj_gate_row_at(row, groups->engine, number, g->size, true);
    if (entry->seen == 1)
        entry->label = call.call;
    pj_engine_gate_expect(groups->engine, entry->gate, 0, call.bytes);
    *gate = entry->gate;
    groups->touched = row;
    return entry->label == call.call ? PJ_MEETS : PJ_MEETS_OTHER;
}

void pj_groups_settle(pj_groups *groups)
{
    pj_gate_row_trim(groups->touched, groups->engine);
}

uint64_t pj_groups_end(pj_groups *groups)
{
    uint64_t missing = 0;
    for (uint32_t i = 0; i < groups->run->communicator_count; i++) {
        const pj_gate_row *row = &groups->groups[i].rows[true];
        for (uint32_t k = 0; k < row->count; k++) {
            pj_gate_entry *entry = pj_gate_row_item(row, k);
            for (; entry->seen < entry->guests; entry->seen++, missing++)
                pj_engine_gate_excuse(groups->engine, entry->gate);
        }
    }
    return missing;
}

uint32_t pj_groups_init(pj_groups *groups, uint32_t rank)
{
    if (groups->begun[rank])
        return PJ_NOTHING;
    groups->begun[rank] = true;
    return groups->starts[groups->run->layout.application_of[rank]];
}

void pj_groups_begin(pj_groups *groups, uint32_t rank)
{
    uint32_t gate = pj_groups_init(groups, rank);
    if (gate != PJ_NOTHING)
        pj_engine_gate_excuse(groups->engine, gate);
}

static uint64_t number_of(const pj_groups *groups, const group *g, uint32_t rank, unsigned row)
{
    uint32_t index;
    return pj_map_get(&groups->slot_of, key_of(rank, g->communicator->id), &index)
               ? groups->slots[index].number[row]
               : 0;
}

/// The member that has not come to the `number`-th gate of a row; PJ_NOTHING when all have.
static uint32_t missing_at(const pj_groups *groups, const group *g, unsigned row, uint64_t number)
{
    for (uint32_t m = 0; m < g->size; m++)
        if (number_of(groups, g, g->ranks[m], row) <= number)
            return g->ranks[m];
    return PJ_NOTHING;
}

bool pj_groups_missing(const pj_groups *groups, uint32_t gate, uint32_t *rank, uint32_t *call)
{
    for (uint32_t i = 0; i < 2 * groups->run->communicator_count; i++) {
        const group *g = &groups->groups[i / 2];
        const pj_gate_row *row = &g->rows[i % 2];
        for (uint32_t k = 0; k < row->count; k++) {
            const pj_gate_entry *entry = pj_gate_row_item(row, k);
            if (entry->gate != gate)
                continue;
            *call = entry->label;
            *rank = missing_at(groups, g, i % 2, row->base + k);
            return *rank != PJ_NOTHING;
        }
    }
    return false;
}

size_t pj_groups_bytes(const pj_groups *groups)
{
    return (size_t)pj_arena_size(groups->arena) + groups->slot_cap * sizeof *groups->slots +
           groups->slot_of.cap * sizeof *groups->slot_of.entries +
           groups->group_of.cap * sizeof *groups->group_of.entries;
}
