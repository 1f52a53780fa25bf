// Split by durations, not by stamps: the transfer of a collective is the shortest duration among
// its members, the rest of a member is its wait, which lies at its begin (it spins, then moves) and
// is for the member that came last. That needs no common clock.
#include "metrics/ai/ai_split.h"

#include "metrics/ai/ai_operations.h"
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_sweep.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"

#include <stdlib.h>

typedef struct splitting {
    const pj_ai_ranks *ranks;
    pj_ai_account *account;
    pj_ai_pair *pairs;
    size_t pair_count, pair_cap;
    pj_map by_pair;
    pj_map last_common; // of a pair of ranks: index of their last instance, plus one
    int64_t *skews;
    size_t skew_count, skew_cap;
} splitting;

static pj_ai_exchange *exchange_of(const pj_ai_ranks *ranks, const pj_ai_member *member)
{
    return &ranks->items[member->rank]->exchanges[member->exchange];
}

static int64_t length_of(const pj_ai_exchange *exchange)
{
    return exchange->end - exchange->begin;
}

static uint64_t pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

static pj_ai_pair *pair_of(splitting *s, uint32_t rank, uint32_t culprit)
{
    uint32_t found;
    if (pj_map_get(&s->by_pair, pair_key(rank, culprit), &found))
        return &s->pairs[found];
    pj_map_put(&s->by_pair, pair_key(rank, culprit), (uint32_t)s->pair_count);
    pj_grow(s->pairs, &s->pair_cap, s->pair_count + 1);
    pj_ai_pair *pair = &s->pairs[s->pair_count++];
    *pair = (pj_ai_pair){.rank = rank, .culprit = culprit};
    return pair;
}

/// What a rank has done of each kind from the end of one exchange to the begin of another.
static void spent_between(const pj_ai_exchange *from, const pj_ai_exchange *to,
                          int64_t spent[PJ_AI_KINDS])
{
    bool known = from && from->device == to->device;
#define IDLE_KIND(name)                                                                            \
    spent[PJ_AI_KIND_##name] =                                                                     \
        (int64_t)(to->idle[PJ_AI_IDLE_##name] - (known ? from->idle[PJ_AI_IDLE_##name] : 0))
    spent[PJ_AI_KIND_compute] = to->computed[0] - (known ? from->computed[1] : 0);
    spent[PJ_AI_KIND_copies] = to->copied[0] - (known ? from->copied[1] : 0);
    IDLE_KIND(data_loading);
    IDLE_KIND(synchronise);
    IDLE_KIND(runtime);
    IDLE_KIND(host);
    IDLE_KIND(launch);
    IDLE_KIND(launch_latency);
    IDLE_KIND(queued);
    IDLE_KIND(unknown);
    spent[PJ_AI_KIND_other] = 0;
#undef IDLE_KIND
}

static const pj_ai_member *member_of(const pj_ai_match *match, const pj_ai_instance *instance,
                                     uint32_t rank)
{
    for (uint32_t i = 0; instance && i < instance->count; i++)
        if (match->members[instance->first + i].rank == rank)
            return &match->members[instance->first + i];
    return NULL;
}

/// The wait is shared out by what the culprit did longer than the waiter since they last met.
static void find_reasons(splitting *s, const pj_ai_member *waiter, const pj_ai_member *culprit,
                         int64_t wait, uint64_t reasons[PJ_AI_KINDS])
{
    const pj_ai_match *match = s->ranks->match;
    uint32_t low = waiter->rank < culprit->rank ? waiter->rank : culprit->rank, found;
    uint32_t high = waiter->rank < culprit->rank ? culprit->rank : waiter->rank;
    const pj_ai_instance *last = NULL;
    if (pj_map_get(&s->last_common, pair_key(low, high), &found))
        last = &match->instances[found - 1];
    const pj_ai_member *before[2] = {member_of(match, last, waiter->rank),
                                     member_of(match, last, culprit->rank)};
    int64_t mine[PJ_AI_KINDS], theirs[PJ_AI_KINDS], more = 0, left = wait;
    spent_between(before[0] ? exchange_of(s->ranks, before[0]) : NULL,
                  exchange_of(s->ranks, waiter), mine);
    spent_between(before[1] ? exchange_of(s->ranks, before[1]) : NULL,
                  exchange_of(s->ranks, culprit), theirs);
    for (unsigned k = 0; k < PJ_AI_KINDS; k++) {
        theirs[k] = theirs[k] > mine[k] ? theirs[k] - mine[k] : 0;
        more += theirs[k];
    }
    for (unsigned k = 0; k < PJ_AI_KINDS; k++) {
        int64_t share =
            more > wait ? (int64_t)((double)theirs[k] * (double)wait / (double)more) : theirs[k];
        reasons[k] += (uint64_t)share;
        left -= share;
    }
    reasons[PJ_AI_KIND_other] += (uint64_t)(left > 0 ? left : 0);
}

static void remember(splitting *s, const pj_ai_instance *instance, size_t index)
{
    enum { FEW = 16 }; // of larger groups the pairs with the first member
    const pj_ai_member *members = s->ranks->match->members + instance->first;
    uint32_t firsts = instance->count <= FEW ? instance->count : 0;
    for (uint32_t a = 0; a < firsts; a++)
        for (uint32_t b = a + 1; b < instance->count; b++)
            pj_map_put(&s->last_common, pair_key(members[a].rank, members[b].rank),
                       (uint32_t)index + 1);
}

/// The member that came last: its part is the shortest; of equal ones the lowest rank.
static const pj_ai_member *find_culprit(const pj_ai_ranks *ranks, const pj_ai_instance *instance)
{
    const pj_ai_member *members = ranks->match->members + instance->first, *found = members;
    for (uint32_t i = 1; i < instance->count; i++) {
        int64_t one = length_of(exchange_of(ranks, &members[i]));
        int64_t least = length_of(exchange_of(ranks, found));
        if (one < least || (one == least && members[i].rank < found->rank))
            found = &members[i];
    }
    return found;
}

static void measure_skew(splitting *s, const pj_ai_instance *instance)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t i = 0; i < instance->count; i++) {
        const pj_ai_member *member = &s->ranks->match->members[instance->first + i];
        int64_t end =
            pj_ai_rank_common(s->ranks->items[member->rank], exchange_of(s->ranks, member)->end);
        least = end < least ? end : least;
        most = end > most ? end : most;
    }
    pj_grow(s->skews, &s->skew_cap, s->skew_count + 1);
    s->skews[s->skew_count++] = most - least;
}

static void split_instance(splitting *s, size_t index)
{
    const pj_ai_match *match = s->ranks->match;
    const pj_ai_instance *instance = &match->instances[index];
    const pj_ai_member *culprit = find_culprit(s->ranks, instance);
    int64_t transfer = length_of(exchange_of(s->ranks, culprit));
    for (uint32_t i = 0; i < instance->count; i++) {
        const pj_ai_member *member = &match->members[instance->first + i];
        pj_ai_exchange *exchange = exchange_of(s->ranks, member);
        exchange->split = true;
        exchange->wait = length_of(exchange) - transfer;
        exchange->culprit = culprit->rank;
        if (member == culprit || exchange->wait == 0)
            continue;
        int64_t waits = pj_ai_rank_inside(s->ranks->items[member->rank], exchange->begin,
                                          exchange->begin + exchange->wait);
        if (!waits)
            continue;
        pj_ai_pair *pair = pair_of(s, member->rank, culprit->rank);
        uint64_t wait = (uint64_t)waits;
        pair->instances++;
        pair->wait_ns += wait;
        pair->longest_ns = wait > pair->longest_ns ? wait : pair->longest_ns;
        find_reasons(s, member, culprit, waits, pair->reasons);
    }
    const pj_ai_exchange *last = exchange_of(s->ranks, culprit);
    if (instance->count > 1 &&
        pj_ai_rank_inside(s->ranks->items[culprit->rank], last->begin, last->end))
        measure_skew(s, instance);
    remember(s, instance, index);
}

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int by_rank(const void *a, const void *b)
{
    const pj_ai_pair *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->culprit > y->culprit) - (x->culprit < y->culprit);
}

static void keep_pairs(splitting *s, pj_arena *arena)
{
    pj_ai_account *account = s->account;
    if (s->pair_count)
        qsort(s->pairs, s->pair_count, sizeof *s->pairs, by_rank);
    account->pairs = pj_new_n(arena, pj_ai_pair, s->pair_count + 1);
    account->pair_count = (uint32_t)s->pair_count;
    for (size_t i = 0; i < s->pair_count; i++)
        account->pairs[i] = s->pairs[i];
    if (s->skew_count) {
        qsort(s->skews, s->skew_count, sizeof *s->skews, by_length);
        account->skew_median = (uint64_t)s->skews[(s->skew_count - 1) / 2];
        account->skew_most = (uint64_t)s->skews[(s->skew_count - 1) * 99 / 100];
    }
}

typedef struct counting {
    pj_ai_rank *rank;
    const pj_ai_device *device;
    uint64_t ns[PJ_AI_LAYERS];
} counting;

static void count_stretch(void *self, const pj_ai_stretch *stretch)
{
    counting *c = self;
    uint64_t ns = (uint64_t)(stretch->end - stretch->begin);
    c->ns[stretch->layer] += ns;
    if (stretch->layer == PJ_AI_WAITS)
        pj_ai_device_user(c->rank, c->device, stretch->user)
            ->exchanges[stretch->exchange]
            .exposed += ns;
}

static void share_out(pj_ai_rank *rank, pj_ai_device *device)
{
    counting c = {.rank = rank, .device = device};
    pj_ai_sweep(rank, device, (pj_ai_watch){count_stretch, &c});
    device->share.transfer = c.ns[PJ_AI_TRANSFERS];
    device->share.copies = c.ns[PJ_AI_COPIES];
    device->share.unsplit = c.ns[PJ_AI_UNSPLIT];
    device->share.wait = c.ns[PJ_AI_WAITS];
}

/// What is left of each wait counts for the pair that waits.
static void charge_exposed(splitting *s)
{
    for (size_t r = 0; r < s->ranks->count; r++)
        for (size_t i = 0; i < s->ranks->items[r]->exchange_count; i++) {
            pj_ai_ranks_pass(s->ranks->items, s->ranks->count, i);
            const pj_ai_exchange *exchange = &s->ranks->items[r]->exchanges[i];
            if (exchange->exposed)
                pair_of(s, (uint32_t)r, exchange->culprit)->exposed_ns += exchange->exposed;
        }
}

static void finish_device(const pj_ai_ranks *ranks, pj_ai_rank *rank, pj_ai_device *device)
{
    device->share.useful = device->useful;
    memcpy(device->share.idle, device->idle, sizeof device->idle);
    int64_t begin = device->busy ? pj_ai_rank_common(rank, device->first) : ranks->begin;
    if (rank->windowed && device->busy)
        begin = ranks->begin + device->first - rank->from;
    int64_t end = begin + device->last - device->first; // as long as on its own clock
    device->share.idle[PJ_AI_IDLE_not_started] = (uint64_t)(begin - ranks->begin);
    device->share.idle[PJ_AI_IDLE_ended] = (uint64_t)(ranks->end - end);
    share_out(rank, device);
}

bool pj_ai_split(const pj_ai_ranks *ranks, pj_arena *arena, pj_ai_account *account, pj_job *job,
                 pj_err *err)
{
    splitting s = {.ranks = ranks, .account = account};
    bool ok = true;
    for (size_t i = 0; ok && i < ranks->match->instance_count; i++) {
        pj_ai_ranks_pass(ranks->items, ranks->count, i);
        if (ranks->match->instances[i].valid)
            split_instance(&s, i);
        ok = i % 1024 || pj_job_check(job, "", err);
    }
    for (size_t r = 0; ok && r < ranks->count; r++)
        for (size_t d = 0; d < ranks->items[r]->device_count; d++)
            finish_device(ranks, ranks->items[r], &ranks->items[r]->devices[d]);
    if (ok) {
        charge_exposed(&s);
        keep_pairs(&s, arena);
        pj_ai_operations(ranks, arena, account);
    }
    free(s.pairs);
    free(s.skews);
    pj_map_free(&s.by_pair);
    pj_map_free(&s.last_common);
    return ok;
}
