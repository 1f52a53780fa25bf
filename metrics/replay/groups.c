// Communicators in the replay.
// Slots count the collectives of a rank on a communicator; they are made when first used, because
// large runs define far more (rank, communicator) pairs than they use.
#include "metrics/replay/groups.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/replay/sync_row.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>

typedef struct group {
    const pj_communicator *communicator;
    uint32_t *ranks; // members, ascending, each once; NULL until used
    uint32_t size;
    pj_sync_row rows[2]; // blocking, non-blocking
    unsigned *members;   // other processes that have some of the ranks
    unsigned member_count;
} group;

typedef struct slot {
    uint64_t key;       // of (rank, communicator)
    uint64_t number[2]; // of its next collective, by row
    uint32_t group;     // PJ_NOTHING: not known, or the rank is no member
} slot;

typedef struct met { // guests of a synchronisation that others have to hear of
    pj_sync_row *row;
    uint64_t number, bytes;
    uint32_t guests, label;
    bool differs;
} met;

struct pj_groups {
    pj_arena *arena;
    pj_engine *engine;
    const pj_run *run;
    pj_far *far; // NULL = all ranks are here
    pj_import_stats *stats;
    group *groups;   // one per communicator of the run
    pj_map group_of; // (application, number of the communicator)
    slot *slots;
    size_t slot_count, slot_cap;
    pj_map slot_of;
    uint32_t *last;       // slot last used, by rank
    uint32_t *starts;     // by application: the synchronisation at the end of MPI_Init
    bool *begun;          // by rank: has called MPI, or is not awaited
    pj_sync_row *touched; // of the last meeting
    met *news;
    size_t news_count, news_cap;
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

/// Rows of others have the same numbers: two of each communicator, then one of each application.
static void share_group(pj_groups *groups, group *g)
{
    const pj_far *far = groups->far;
    uint32_t elsewhere = 0;
    if (!far)
        return;
    for (uint32_t i = 0; i < g->size; i++)
        elsewhere += pj_far_has(far, g->ranks[i]);
    if (!elsewhere || elsewhere == g->size)
        return; // nobody else knows of it, or nobody here does
    g->members = pj_new_n(groups->arena, unsigned, elsewhere);
    for (uint32_t i = 0; i < g->size; i++) { // a member has ranks that follow each other
        unsigned owner = far->owner[g->ranks[i]];
        if (owner != far->self && (!g->member_count || g->members[g->member_count - 1] != owner))
            g->members[g->member_count++] = owner;
    }
    for (unsigned k = 0; k < 2; k++) {
        g->rows[k].far = true;
        g->rows[k].number = 2 * (uint32_t)(g - groups->groups) + k;
    }
}

static group *group_named(pj_groups *groups, uint32_t application, uint32_t id)
{
    uint32_t index;
    if (!pj_map_get(&groups->group_of, key_of(application, id), &index))
        return NULL;
    group *g = &groups->groups[index];
    if (!g->ranks) {
        list_members(groups, g);
        share_group(groups, g);
    }
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
    for (uint32_t a = 0; a < layout->applications; a++) {
        groups->starts[a] = pj_engine_sync(groups->engine, false);
        if (groups->far)
            pj_engine_sync_far(groups->engine, groups->starts[a],
                               2 * groups->run->names.communicator_count + a, 0);
    }
    for (uint32_t r = 0; r < layout->ranks; r++) {
        uint32_t a = layout->application_of[r];
        group *world = group_named(groups, a, 1);
        groups->begun[r] = world && world->size > 0 && !is_member(world, r);
        pj_engine_sync_expect(groups->engine, groups->starts[a], !groups->begun[r], 0);
    }
    for (uint32_t a = 0; a < layout->applications; a++)
        pj_engine_sync_close(groups->engine, groups->starts[a]);
}

pj_groups *pj_groups_new(pj_engine *engine, const pj_run *run, pj_far *far, pj_import_stats *stats)
{
    const pj_layout *layout = &run->layout;
    pj_groups *groups = pj_take_memory(sizeof *groups);
    *groups = (pj_groups){.engine = engine, .run = run, .far = far, .stats = stats};
    groups->arena = pj_arena_new(NULL);
    groups->groups = pj_new_n(groups->arena, group, run->names.communicator_count);
    groups->starts = pj_new_n(groups->arena, uint32_t, layout->applications);
    groups->begun = pj_new_n(groups->arena, bool, layout->ranks);
    groups->last = pj_new_n(groups->arena, uint32_t, layout->ranks);
    for (uint32_t i = 0; i < run->names.communicator_count; i++) {
        const pj_communicator *c = &run->names.communicators[i];
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
    for (uint32_t i = 0; i < groups->run->names.communicator_count; i++)
        for (unsigned k = 0; k < 2; k++)
            pj_sync_row_free(&groups->groups[i].rows[k]);
    pj_map_free(&groups->group_of);
    pj_map_free(&groups->slot_of);
    free(groups->slots);
    free(groups->news);
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

/// Whether this process counts what is odd about the group's collectives.
static bool counts(const pj_groups *groups, const group *g)
{
    return !pj_far_has(groups->far, g->ranks[0]);
}

/// Guests with this function have been told the synchronisation, whose name is that of the first
/// function in the table: it does not depend on who comes first.
static void compare(pj_groups *groups, const group *g, pj_sync_entry *entry, uint32_t label,
                    bool differs)
{
    bool now = entry->differs || differs || (entry->seen > 0 && entry->label != label);
    if (entry->seen == 0 || label < entry->label)
        entry->label = label;
    if (now && !entry->differs && counts(groups, g))
        pj_import_add(groups->stats, PJ_IMPORT_collective_mismatch, 0);
    entry->differs = now;
}

/// One more guest of the synchronisation, for the news.
static void note(pj_groups *groups, pj_sync_row *row, uint64_t number, pj_collective call)
{
    enum { LOOK_BACK = 8 };
    size_t n = groups->news_count;
    for (size_t i = n; i-- > 0 && n - i <= LOOK_BACK;) {
        met *m = &groups->news[i];
        if (m->row != row || m->number != number)
            continue;
        m->guests++;
        m->bytes = m->bytes > call.bytes ? m->bytes : call.bytes;
        m->differs |= m->label != call.call;
        m->label = m->label < call.call ? m->label : call.call;
        return;
    }
    pj_grow(groups->news, &groups->news_cap, n + 1);
    groups->news[groups->news_count++] = (met){row, number, call.bytes, 1, call.call, false};
}

pj_meeting pj_groups_meet(pj_groups *groups, pj_collective call, uint32_t *sync)
{
    slot *s = slot_for(groups, call.rank, call.communicator);
    if (s->group == PJ_NOTHING)
        return PJ_MEETS_WHO;
    group *g = &groups->groups[s->group];
    if (g->size < 2)
        return PJ_MEETS_NONE;
    pj_sync_row *row = &g->rows[call.nonblocking];
    uint64_t number = s->number[call.nonblocking]++;
    pj_sync_entry *entry = pj_sync_row_make(row, groups->engine, number, g->size, true);
    compare(groups, g, entry, call.call, false);
    entry->seen++;
    if (row->far)
        note(groups, row, number, call);
    pj_engine_sync_expect(groups->engine, entry->sync, 0, call.bytes);
    *sync = entry->sync;
    groups->touched = row;
    return PJ_MEETS;
}

void pj_groups_settle(pj_groups *groups)
{
    pj_sync_row_trim(groups->touched, groups->engine);
}

void pj_groups_end(pj_groups *groups)
{
    for (uint32_t i = 0; i < groups->run->names.communicator_count; i++) {
        const group *g = &groups->groups[i];
        const pj_sync_row *row = &g->rows[true];
        for (uint32_t k = 0; k < row->count; k++) {
            pj_sync_entry *entry = pj_sync_row_item(row, k);
            if (counts(groups, g))
                groups->stats->count[PJ_IMPORT_collective_absent] += entry->guests - entry->seen;
            for (; entry->seen < entry->guests; entry->seen++)
                pj_engine_sync_excuse(groups->engine, entry->sync);
        }
    }
}

// Other processes

static void tell_members(const pj_groups *groups, const group *g, pj_far_kind kind,
                         const uint64_t *numbers, size_t count, const double *clock)
{
    for (unsigned i = 0; i < g->member_count; i++) {
        pj_buf *out = &groups->far->out[g->members[i]];
        pj_far_put(out, kind, numbers, count);
        if (clock)
            pj_far_put_clock(out, *clock);
    }
}

static void tell_arrivals(const pj_groups *groups, const pj_arrivals *news)
{
    const uint64_t numbers[] = {news->row, news->number, news->guests};
    uint32_t count = groups->run->names.communicator_count;
    if (news->row < 2 * count) {
        tell_members(groups, &groups->groups[news->row / 2], PJ_FAR_ARRIVED, numbers, 3,
                     &news->clock);
        return;
    }
    for (unsigned i = 0; i < groups->far->size; i++) {
        if (i == groups->far->self)
            continue;
        pj_far_put(&groups->far->out[i], PJ_FAR_ARRIVED, numbers, 3);
        pj_far_put_clock(&groups->far->out[i], news->clock);
    }
}

void pj_groups_tell(pj_groups *groups)
{
    for (size_t i = 0; i < groups->news_count; i++) {
        const met *m = &groups->news[i];
        tell_members(
            groups, &groups->groups[m->row->number / 2], PJ_FAR_MET,
            (uint64_t[]){m->row->number, m->number, m->guests, m->label, m->differs, m->bytes}, 6,
            NULL);
    }
    groups->news_count = 0;
    pj_arrivals news;
    while (pj_engine_sync_news(groups->engine, &news))
        tell_arrivals(groups, &news);
}

/// The row with this number, of a group that has ranks here and there; NULL = none has it.
static pj_sync_row *row_numbered(pj_groups *groups, uint64_t number, group **g)
{
    if (number >= 2 * (uint64_t)groups->run->names.communicator_count)
        return NULL;
    *g = &groups->groups[number / 2];
    group_named(groups, (*g)->communicator->application, (*g)->communicator->id);
    pj_sync_row *row = &(*g)->rows[number % 2];
    return row->far ? row : NULL;
}

static bool hear_met(pj_groups *groups, pj_str *in)
{
    enum { NUMBER_MOST = 1 << 24 }; // collectives that one process is ahead of another
    uint64_t n[6];
    group *g;
    if (!pj_far_take(in, n, 6))
        return false;
    pj_sync_row *row = row_numbered(groups, n[0], &g);
    if (!row || n[1] < row->base || n[1] - row->base > NUMBER_MOST)
        return false;
    pj_sync_entry *entry = pj_sync_row_make(row, groups->engine, n[1], g->size, true);
    if (n[2] > entry->guests - entry->seen)
        return false;
    compare(groups, g, entry, (uint32_t)n[3], n[4] != 0);
    entry->seen += (uint32_t)n[2];
    pj_engine_sync_expect(groups->engine, entry->sync, 0, n[5]);
    return true;
}

static bool hear_arrived(pj_groups *groups, pj_str *in)
{
    uint64_t n[3];
    double clock;
    group *g;
    if (!pj_far_take(in, n, 3) || !pj_far_take_clock(in, &clock))
        return false;
    uint64_t application = n[0] - 2 * (uint64_t)groups->run->names.communicator_count;
    if (application < groups->run->layout.applications) {
        pj_engine_sync_arrived(groups->engine, groups->starts[application], (uint32_t)n[2], clock);
        return true;
    }
    pj_sync_row *row = row_numbered(groups, n[0], &g);
    pj_sync_entry *entry = row ? pj_sync_row_find(row, n[1]) : NULL;
    if (!entry)
        return false;
    pj_engine_sync_arrived(groups->engine, entry->sync, (uint32_t)n[2], clock);
    pj_sync_row_trim(row, groups->engine);
    return true;
}

bool pj_groups_hear(pj_groups *groups, pj_far_kind kind, pj_str *in)
{
    return kind == PJ_FAR_MET ? hear_met(groups, in) : hear_arrived(groups, in);
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
    uint32_t sync = pj_groups_init(groups, rank);
    if (sync != PJ_NOTHING)
        pj_engine_sync_skip(groups->engine, sync);
}

static uint64_t number_of(const pj_groups *groups, const group *g, uint32_t rank, unsigned row)
{
    uint32_t index;
    return pj_map_get(&groups->slot_of, key_of(rank, g->communicator->id), &index)
               ? groups->slots[index].number[row]
               : 0;
}

bool pj_groups_name(const pj_groups *groups, uint32_t sync, pj_sync_name *name)
{
    for (uint32_t i = 0; i < 2 * groups->run->names.communicator_count; i++) {
        const pj_sync_row *row = &groups->groups[i / 2].rows[i % 2];
        for (uint32_t k = 0; k < row->count; k++) {
            const pj_sync_entry *entry = pj_sync_row_item(row, k);
            *name = (pj_sync_name){i, entry->label, row->base + k};
            if (entry->sync == sync)
                return true;
        }
    }
    return false;
}

uint32_t pj_groups_missing(const pj_groups *groups, pj_sync_name name)
{
    const group *g = &groups->groups[name.row / 2];
    for (uint32_t m = 0; m < g->size; m++)
        if (number_of(groups, g, g->ranks[m], name.row % 2) <= name.number)
            return g->ranks[m];
    return PJ_NOTHING;
}

static bool is_open(const pj_groups *groups, const slot *s)
{
    const group *g = s->group == PJ_NOTHING ? NULL : &groups->groups[s->group];
    return g && (g->rows[0].count > 0 || g->rows[1].count > 0);
}

void pj_groups_tell_slots(const pj_groups *groups, pj_buf *out)
{
    uint64_t open = 0;
    for (size_t i = 0; i < groups->slot_count; i++)
        open += is_open(groups, &groups->slots[i]);
    pj_code_number(out, open);
    for (size_t i = 0; i < groups->slot_count; i++) {
        const slot *s = &groups->slots[i];
        const uint64_t numbers[] = {s->key >> 32, (uint32_t)s->key, s->number[0], s->number[1]};
        for (unsigned k = 0; k < 4 && is_open(groups, s); k++)
            pj_code_number(out, numbers[k]);
    }
}

bool pj_groups_hear_slots(pj_groups *groups, pj_str *in)
{
    uint64_t open, n[4];
    if (!pj_decode_number(in, &open))
        return false;
    for (; open > 0; open--) {
        if (!pj_far_take(in, n, 4) || n[0] >= groups->run->layout.ranks)
            return false;
        slot *s = slot_for(groups, (uint32_t)n[0], (uint32_t)n[1]);
        s->number[0] = n[2];
        s->number[1] = n[3];
    }
    return true;
}

size_t pj_groups_bytes(const pj_groups *groups)
{
    return (size_t)pj_arena_size(groups->arena) + groups->slot_cap * sizeof *groups->slots +
           groups->slot_of.cap * sizeof *groups->slot_of.entries +
           groups->group_of.cap * sizeof *groups->group_of.entries;
}
