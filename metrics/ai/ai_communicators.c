// Members of a communicator call the same collectives in the same order, and nobody leaves one that
// all wait in before the last has come: by that their handles are told to be one.
#include "metrics/ai/ai_communicators.h"

#include "metrics/ai/ai_mpi.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/base/sort.h"
#include "metrics/base/str.h"
#include "metrics/trace/mpi_call.h"

#include <stdlib.h>

/// How a rank uses a communicator.
typedef struct usage {
    uint32_t rank, place; // the place-th that the rank uses so
    int64_t handle;
    int64_t begin; // of the first collective
    uint64_t hash; // of the calls and roots
    uint32_t *calls;
    size_t count, cap;
    uint32_t number; // of its communicator; 0 = not told
} usage;

struct pj_ai_communicators {
    pj_run *run;
    pj_job *job; // while it is made
    pj_ai_rank *const *ranks;
    size_t rank_count;
    usage *usages;
    size_t count, cap;
    pj_map by_handle; // of rank and handle: usage
    pj_map by_number; // of ranks, as MPI numbers them: rank of the run
};

static uint64_t key_of(uint32_t rank, int64_t handle)
{
    return ((uint64_t)handle * 0x9e3779b97f4a7c15U) ^ ((uint64_t)rank << 40) ^ rank;
}

static usage *usage_of(pj_ai_communicators *all, uint32_t rank, int64_t handle)
{
    uint32_t found;
    uint64_t key = key_of(rank, handle);
    for (; pj_map_get(&all->by_handle, key, &found); key++)
        if (all->usages[found].rank == rank && all->usages[found].handle == handle)
            return &all->usages[found];
    pj_map_put(&all->by_handle, key, (uint32_t)all->count);
    pj_grow(all->usages, &all->cap, all->count + 1);
    all->usages[all->count] = (usage){.rank = rank, .handle = handle};
    return &all->usages[all->count++];
}

static void gather(pj_ai_communicators *all, uint32_t r)
{
    const pj_ai_rank *rank = all->ranks[r];
    for (size_t i = 0; i < rank->mpi_call_count; i++) {
        const pj_ai_mpi_call *call = &rank->mpi_calls[i];
        if (!pj_ai_mpi_is_collective(call))
            continue;
        usage *u = usage_of(all, r, call->communicator);
        if (!u->count)
            u->begin = pj_ai_rank_common(rank, call->begin);
        pj_grow(u->calls, &u->cap, u->count + 1);
        u->calls[u->count++] = (uint32_t)i;
        u->hash = (u->hash ^ call->call) * 0x100000001b3U;
        u->hash = (u->hash ^ (uint64_t)(call->root + 1)) * 0x9e3779b97f4a7c15U;
    }
}

#define ORDER(member)                                                                              \
    if (x->member != y->member)                                                                    \
    return x->member < y->member ? -1 : 1

static int by_signature(const void *a, const void *b)
{
    const usage *x = *(usage *const *)a, *y = *(usage *const *)b;
    ORDER(count);
    ORDER(hash);
    ORDER(place);
    ORDER(rank);
    return (x->handle > y->handle) - (x->handle < y->handle);
}

/// Those of a rank that are alike as they come.
static int by_place(const void *a, const void *b)
{
    const usage *x = *(usage *const *)a, *y = *(usage *const *)b;
    ORDER(rank);
    ORDER(count);
    ORDER(hash);
    ORDER(begin);
    return (x->handle > y->handle) - (x->handle < y->handle);
}

/// Of equal ones of a rank the first that it used is the first of others, too.
static void place(usage **sorted, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const usage *before = sorted[i - 1];
        if (before->rank == sorted[i]->rank && before->count == sorted[i]->count &&
            before->hash == sorted[i]->hash)
            sorted[i]->place = before->place + 1;
    }
}

/// Whether all wait for all in it.
static bool binds_all(pj_mpi_call call)
{
    static const pj_str words[] = {
        {"arrier", 6}, {"llreduce", 8}, {"llgather", 8}, {"lltoall", 7}, {"educe_scatter", 13}};
    pj_str name = pj_str_of(pj_mpi_call_at(call)->name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (pj_str_contains(name, words[i]) && !pj_str_starts(name, PJ_S("MPI_I")))
            return true;
    return false;
}

/// What lies between the last begin and the first end of all members so far.
typedef struct cluster {
    uint32_t number;
    int64_t *last, *first; // by collective
} cluster;

static const pj_ai_mpi_call *call_of(const pj_ai_communicators *all, const usage *u, size_t i)
{
    return &all->ranks[u->rank]->mpi_calls[u->calls[i]];
}

static bool fits(const pj_ai_communicators *all, const cluster *c, const usage *u)
{
    const int64_t jitter = 100000; // of clocks
    const pj_ai_rank *rank = all->ranks[u->rank];
    for (size_t i = 0; i < u->count; i++) {
        const pj_ai_mpi_call *call = call_of(all, u, i);
        if (binds_all(call->call) && (pj_ai_rank_common(rank, call->begin) > c->first[i] + jitter ||
                                      pj_ai_rank_common(rank, call->end) < c->last[i] - jitter))
            return false;
    }
    return true;
}

static void join(const pj_ai_communicators *all, cluster *c, usage *u)
{
    const pj_ai_rank *rank = all->ranks[u->rank];
    u->number = c->number;
    for (size_t i = 0; i < u->count; i++) {
        int64_t begin = pj_ai_rank_common(rank, call_of(all, u, i)->begin);
        int64_t end = pj_ai_rank_common(rank, call_of(all, u, i)->end);
        c->last[i] = begin > c->last[i] ? begin : c->last[i];
        c->first[i] = end < c->first[i] ? end : c->first[i];
    }
}

static cluster *new_cluster(pj_ai_communicators *all, cluster *list, size_t *count, size_t calls)
{
    cluster *c = &list[(*count)++];
    *c = (cluster){.number = ++all->run->names.communicator_count,
                   .last = pj_take_memory((calls + 1) * sizeof *c->last),
                   .first = pj_take_memory((calls + 1) * sizeof *c->first)};
    for (size_t i = 0; i < calls; i++) {
        c->last[i] = INT64_MIN;
        c->first[i] = INT64_MAX;
    }
    return c;
}

/// Usages that are alike: of one communicator, or of several that do the same apart. `world`: of
/// all ranks, however their clocks differ.
static void divide(pj_ai_communicators *all, usage **alike, size_t count, bool world)
{
    cluster *clusters = pj_take_memory((count + 1) * sizeof *clusters);
    size_t cluster_count = 0;
    for (size_t i = 0; i < count && !pj_job_stopped(all->job); i++) {
        size_t k = 0;
        while (k < cluster_count && !world && !pj_job_stopped(all->job) &&
               !fits(all, &clusters[k], alike[i]))
            k++;
        cluster *c = k < cluster_count
                         ? &clusters[k]
                         : new_cluster(all, clusters, &cluster_count, alike[i]->count);
        join(all, c, alike[i]);
    }
    for (size_t k = 0; k < cluster_count; k++) {
        free(clusters[k].last);
        free(clusters[k].first);
    }
    free(clusters);
}

static bool same(const usage *a, const usage *b)
{
    return a->count == b->count && a->hash == b->hash && a->place == b->place;
}

/// The first communicator that all ranks use alike is the world.
static const usage *find_world(const pj_ai_communicators *all, usage **sorted)
{
    const usage *world = NULL;
    for (size_t i = 0, end; i < all->count; i = end) {
        for (end = i; end < all->count && same(sorted[i], sorted[end]);)
            end++;
        if (end - i == all->rank_count && (!world || sorted[i]->begin < world->begin))
            world = sorted[i];
    }
    return world;
}

/// In the order of what they do.
static bool sort_usages(pj_ai_communicators *all, usage **sorted)
{
    const atomic_bool *stop = all->job->stop;
    for (size_t i = 0; i < all->count; i++)
        sorted[i] = &all->usages[i];
    if (!pj_sort_records(sorted, all->count, sizeof(usage *), by_place, stop))
        return false;
    place(sorted, all->count);
    return pj_sort_records(sorted, all->count, sizeof(usage *), by_signature, stop);
}

/// When it is stopped, some have no number.
static void number_usages(pj_ai_communicators *all)
{
    usage **sorted = pj_take_memory((all->count + 1) * sizeof *sorted);
    if (!sort_usages(all, sorted)) {
        free(sorted);
        return;
    }
    const usage *world = find_world(all, sorted);
    if (world) {
        all->run->names.communicator_count = 0;
        for (size_t i = 0; i < all->count; i++)
            if (sorted[i] == world)
                divide(all, sorted + i, all->rank_count, true);
    }
    for (size_t i = 0, end; i < all->count; i = end) {
        for (end = i; end < all->count && same(sorted[i], sorted[end]);)
            end++;
        if (!world || !same(sorted[i], world))
            divide(all, sorted + i, end - i, false);
    }
    free(sorted);
}

static int by_rank(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void list_members(pj_ai_communicators *all)
{
    pj_run_names *names = &all->run->names;
    names->communicators = pj_new_n(all->run->arena, pj_communicator, names->communicator_count);
    for (uint32_t i = 0; i < names->communicator_count; i++)
        names->communicators[i].id = i + PJ_AI_WORLD;
    pj_communicator *world = &names->communicators[0];
    world->size = (uint32_t)all->rank_count;
    world->ranks = pj_new_n(all->run->arena, uint32_t, world->size + 1);
    for (uint32_t r = 0; r < world->size; r++)
        world->ranks[r] = r;
    for (size_t i = 0; i < all->count; i++)
        if (all->usages[i].number > PJ_AI_WORLD)
            names->communicators[all->usages[i].number - 1].size++;
    for (size_t i = 0; i < all->count; i++) {
        usage *u = &all->usages[i];
        if (u->number <= PJ_AI_WORLD)
            continue;
        pj_communicator *c = &names->communicators[u->number - 1];
        if (!c->ranks) {
            c->ranks = pj_new_n(all->run->arena, uint32_t, c->size + 1);
            c->size = 0;
        }
        c->ranks[c->size++] = u->rank;
    }
    for (uint32_t i = 0; i < names->communicator_count; i++)
        qsort(names->communicators[i].ranks, names->communicators[i].size, sizeof(uint32_t),
              by_rank);
}

pj_ai_communicators *pj_ai_communicators_new(pj_run *run, pj_ai_rank *const *ranks, size_t count,
                                             pj_job *job, pj_err *err)
{
    pj_ai_communicators *all = pj_take_zeros(sizeof *all);
    *all = (pj_ai_communicators){.run = run, .job = job, .ranks = ranks, .rank_count = count};
    for (uint32_t r = 0; r < count; r++) {
        pj_map_put(&all->by_number, (uint64_t)ranks[r]->rank, r);
        gather(all, r);
    }
    run->names.communicator_count = PJ_AI_WORLD;
    number_usages(all);
    if (!pj_job_check(job, run->path, err)) {
        pj_ai_communicators_free(all);
        return NULL;
    }
    list_members(all);
    return all;
}

void pj_ai_communicators_free(pj_ai_communicators *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->count; i++)
        free(all->usages[i].calls);
    free(all->usages);
    pj_map_free(&all->by_handle);
    pj_map_free(&all->by_number);
    free(all);
}

uint32_t pj_ai_communicators_of(const pj_ai_communicators *all, uint32_t rank, int64_t handle)
{
    uint32_t found;
    uint64_t key = key_of(rank, handle);
    for (; pj_map_get(&all->by_handle, key, &found); key++)
        if (all->usages[found].rank == rank && all->usages[found].handle == handle)
            return all->usages[found].number;
    return PJ_AI_WORLD;
}

uint32_t pj_ai_communicators_member(const pj_ai_communicators *all, uint32_t communicator,
                                    int64_t member)
{
    uint32_t found;
    if (member < 0)
        return PJ_AI_NONE;
    if (communicator <= PJ_AI_WORLD)
        return pj_map_get(&all->by_number, (uint64_t)member, &found) ? found : PJ_AI_NONE;
    const pj_communicator *c = &all->run->names.communicators[communicator - 1];
    return (uint64_t)member < c->size ? c->ranks[member] : PJ_AI_NONE;
}
