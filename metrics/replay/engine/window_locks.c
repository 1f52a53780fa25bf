// MPI may lock a window only when it is used, or given free: that another rank has given it free
// while a call lasted shows that the call could not end before.
#include "metrics/replay/engine/window_locks.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/trace/event.h"

#include <stdlib.h>

enum { SHARED, EXCLUSIVE, KINDS };

typedef struct asker { // that has asked and not given free
    uint32_t rank;
    bool exclusive;
} asker;

typedef struct given { // free, by the last ones of a kind that are different ranks
    uint64_t time[2];
    uint32_t rank[2];
} given;

typedef struct pj_window_lock {
    asker *askers;
    size_t count, cap;
    given last[KINDS];
} lock;

static lock *lock_at(pj_window_locks *locks, uint64_t key)
{
    uint32_t place;
    if (pj_map_get(&locks->place_of, key, &place))
        return &locks->items[place];
    pj_map_put(&locks->place_of, key, (uint32_t)locks->count);
    pj_grow(locks->items, &locks->cap, locks->count + 1);
    lock *made = &locks->items[locks->count++];
    const given nobody = {{0, 0}, {UINT32_MAX, UINT32_MAX}};
    *made = (lock){.last = {nobody, nobody}};
    return made;
}

/// What the rank has asked for; NULL = nothing is known.
static asker *asker_of(const lock *l, uint32_t rank)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->askers[i].rank == rank)
            return &l->askers[i];
    return NULL;
}

static void ask(lock *l, uint32_t rank, bool exclusive)
{
    asker *known = asker_of(l, rank);
    if (!known) {
        pj_grow(l->askers, &l->cap, l->count + 1);
        known = &l->askers[l->count++];
    }
    *known = (asker){rank, exclusive};
}

static void give_free(lock *l, asker *who, uint64_t time)
{
    given *last = &l->last[who->exclusive ? EXCLUSIVE : SHARED];
    if (last->rank[0] != who->rank) {
        last->rank[1] = last->rank[0];
        last->time[1] = last->time[0];
    }
    last->rank[0] = who->rank;
    last->time[0] = time;
    *who = l->askers[--l->count];
}

/// The last other rank whose lock could not be had together with this one.
static uint32_t awaited(const lock *l, const asker *who, uint64_t since, uint64_t *at)
{
    uint32_t rank = UINT32_MAX;
    uint64_t latest = since;
    for (int kind = who->exclusive ? SHARED : EXCLUSIVE; kind < KINDS; kind++)
        for (int i = 0; i < 2; i++) {
            const given *last = &l->last[kind];
            if (last->rank[i] == UINT32_MAX || last->rank[i] == who->rank ||
                last->time[i] <= latest)
                continue;
            latest = *at = last->time[i];
            rank = last->rank[i];
        }
    return rank;
}

uint32_t pj_window_locks_take(pj_window_locks *locks, const pj_window_record *record,
                              uint64_t since, uint64_t *at)
{
    lock *l = lock_at(locks, record->lock);
    uint64_t what = record->what & ~(uint64_t)PJ_RMA_EXCLUSIVE;
    if (what != PJ_RMA_RELEASED)
        ask(l, record->rank, record->what & PJ_RMA_EXCLUSIVE);
    asker *who = asker_of(l, record->rank);
    if (!who || what == PJ_RMA_ASKED)
        return UINT32_MAX;
    uint32_t rank = awaited(l, who, since, at);
    if (what == PJ_RMA_RELEASED)
        give_free(l, who, record->time);
    return rank;
}

void pj_window_locks_free(pj_window_locks *locks)
{
    for (size_t i = 0; i < locks->count; i++)
        free(locks->items[i].askers);
    free(locks->items);
    pj_map_free(&locks->place_of);
    *locks = (pj_window_locks){.count = 0};
}
