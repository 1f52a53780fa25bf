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
    bool goes_on; // the call of the very last one
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
    const given nobody = {{0, 0}, {UINT32_MAX, UINT32_MAX}, false};
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

static void note(given *last, uint32_t rank, uint64_t time)
{
    if (last->rank[0] != rank) {
        last->rank[1] = last->rank[0];
        last->time[1] = last->time[0];
    }
    last->rank[0] = rank;
    last->time[0] = time;
    last->goes_on = true;
}

static uint64_t of_all(uint64_t key)
{
    return key | UINT32_MAX;
}

/// Whoever locks all targets shares them, and waits for those that have one alone.
static void give_free(pj_window_locks *locks, uint64_t key, uint32_t rank, uint64_t time)
{
    lock *l = lock_at(locks, key);
    asker *who = asker_of(l, rank);
    bool exclusive = who->exclusive;
    note(&l->last[exclusive ? EXCLUSIVE : SHARED], rank, time);
    *who = l->askers[--l->count];
    if (exclusive && key != of_all(key))
        note(&lock_at(locks, of_all(key))->last[EXCLUSIVE], rank, time);
}

typedef struct awaited {
    uint32_t rank; // UINT32_MAX = nobody
    uint64_t time; // of the record, or when the call ended
    bool goes_on;
} awaited;

/// Another rank that gave free later than whoever is known.
static void look(const given *last, uint32_t own, awaited *latest)
{
    for (int i = 0; i < 2; i++)
        if (last->rank[i] != UINT32_MAX && last->rank[i] != own && last->time[i] > latest->time)
            *latest = (awaited){last->rank[i], last->time[i], i == 0 && last->goes_on};
}

/// The last other rank whose lock could not be had together with this one.
static uint32_t find(pj_window_locks *locks, uint64_t key, asker who, uint64_t since, uint64_t *at)
{
    awaited latest = {UINT32_MAX, since, false};
    if (who.exclusive)
        look(&lock_at(locks, key)->last[SHARED], who.rank, &latest);
    if (who.exclusive)
        look(&lock_at(locks, of_all(key))->last[SHARED], who.rank, &latest);
    look(&lock_at(locks, key)->last[EXCLUSIVE], who.rank, &latest);
    *at = latest.goes_on ? UINT64_MAX : latest.time;
    return latest.rank;
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
    uint32_t rank = find(locks, record->lock, *who, since, at);
    if (what == PJ_RMA_RELEASED)
        give_free(locks, record->lock, record->rank, record->time);
    return rank;
}

uint32_t pj_window_locks_wait(pj_window_locks *locks, uint64_t key, uint32_t rank, uint64_t since,
                              uint64_t *at)
{
    const asker *who = asker_of(lock_at(locks, key), rank);
    return who ? find(locks, key, *who, since, at) : UINT32_MAX;
}

static void end(given *last, uint32_t rank, uint64_t time)
{
    if (!last->goes_on || last->rank[0] != rank)
        return;
    last->time[0] = time;
    last->goes_on = false;
}

void pj_window_locks_leave(pj_window_locks *locks, uint64_t key, uint32_t rank, uint64_t time)
{
    for (int kind = 0; kind < KINDS; kind++) {
        end(&lock_at(locks, key)->last[kind], rank, time);
        end(&lock_at(locks, of_all(key))->last[kind], rank, time);
    }
}

void pj_window_locks_free(pj_window_locks *locks)
{
    for (size_t i = 0; i < locks->count; i++)
        free(locks->items[i].askers);
    free(locks->items);
    pj_map_free(&locks->place_of);
    *locks = (pj_window_locks){.count = 0};
}
