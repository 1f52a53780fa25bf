// What a pass finds out about clocks and receives: a first one that sees messages or collectives
// contradict the clocks asks for another, with clocks shifted, and stretched where they drift.
#include "metrics/read/otf2/otf2_learnt.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/process_group.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

bool pj_otf2_learnt_lacks_completions(const pj_otf2_location *location)
{
    return location->pending.posted && !location->pending.completed;
}

pj_otf2_shift pj_otf2_learnt_shift(const pj_otf2_read *r, uint32_t rank)
{
    const pj_otf2_learnt *l = r->pass->learnt;
    return l && l->shifted ? l->shifts[rank] : (pj_otf2_shift){0};
}

static uint64_t violated(pj_otf2_violations v)
{
    return v.messages + v.collectives;
}

static void remark_on_drift(const pj_otf2_read *r)
{
    const pj_otf2_learnt *l = r->pass->learnt;
    double slowest = 0, fastest = 0;
    uint32_t stretched = 0;
    for (uint32_t i = 0; i < l->ranks; i++) {
        stretched += l->shifts[i].rate != 0;
        slowest = fmin(slowest, l->shifts[i].rate);
        fastest = fmax(fastest, l->shifts[i].rate);
    }
    if (!stretched)
        return;
    char drift[32], left[32];
    pj_format_duration((fastest - slowest) * 1e9, drift);
    pj_format_duration((double)l->lacks_ns, left);
    pj_run_remark(
        r->run, PJ_NOTE, "clocks_stretched",
        "clocks drift: those of %" PRIu32 " of %" PRIu32 " ranks were stretched, against "
        "each other by up to %s per second; shifts alone would leave contradictions of %s",
        stretched, l->ranks, drift, left);
}

static void remark_on_clocks(const pj_otf2_read *r)
{
    const pj_otf2_learnt *l = r->pass->learnt;
    pj_otf2_violations now = pj_otf2_sync_violations(r->sync);
    char worst[32], left[32];
    pj_format_duration((double)now.worst_ns, left);
    if (l && l->shifted) {
        pj_format_duration((double)l->before.worst_ns, worst);
        pj_run_remark(r->run, PJ_NOTE, "clocks_repaired",
                      "clocks repaired: %llu of %llu messages and %llu of %llu collectives "
                      "contradicted them (worst by %s), after it %llu and %llu (worst by %s); "
                      "--clock raw takes them as they are",
                      (unsigned long long)l->before.messages,
                      (unsigned long long)l->before.messages_seen,
                      (unsigned long long)l->before.collectives,
                      (unsigned long long)l->before.collectives_seen, worst,
                      (unsigned long long)now.messages, (unsigned long long)now.collectives, left);
        remark_on_drift(r);
    } else if (violated(now)) {
        pj_run_remark(r->run, PJ_WARNING, "clocks_contradict",
                      "the clocks contradict %llu of %llu messages and %llu of %llu collectives "
                      "(worst by %s)",
                      (unsigned long long)now.messages, (unsigned long long)now.messages_seen,
                      (unsigned long long)now.collectives, (unsigned long long)now.collectives_seen,
                      left);
    }
}

static size_t size_of(const pj_otf2_learnt *l)
{
    return sizeof *l + l->ranks * (sizeof *l->shifts + sizeof *l->waits) +
           l->traffic_count * sizeof *l->traffic + l->locations * sizeof *l->infer;
}

static void location_arrays(pj_otf2_learnt *l)
{
    l->shifts = (pj_otf2_shift *)(l + 1);
    l->traffic = (pj_otf2_traffic *)(l->shifts + l->ranks);
    l->waits = (uint32_t *)(l->traffic + l->traffic_count);
    l->infer = (bool *)(l->waits + l->ranks);
}

static pj_otf2_learnt *new_learnt(uint32_t ranks, uint32_t locations, size_t traffic)
{
    pj_otf2_learnt facts = {.ranks = ranks, .locations = locations, .traffic_count = traffic};
    size_t size = size_of(&facts);
    pj_otf2_learnt *l = memset(pj_take_memory(size), 0, size);
    *l = facts;
    location_arrays(l);
    return l;
}

/// Whether each wait of the receiver completes as many of these messages.
static bool is_even(const pj_otf2_location *to, const pj_otf2_traffic *traffic)
{
    return !to->pending.partial && to->pending.waits && !traffic->completed &&
           traffic->sends % to->pending.waits == 0;
}

static pj_otf2_learnt *learn_traffic(const pj_otf2_read *r)
{
    size_t count = 0;
    for (uint32_t i = 0; i < r->count; i++)
        if (pj_otf2_learnt_lacks_completions(r->locations[i]))
            count += pj_otf2_match_traffic(r->match, r->locations[i]->rank, NULL);
    pj_otf2_learnt *l = new_learnt(r->run->layout.ranks, r->count, count);
    size_t at = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const pj_otf2_location *location = r->locations[i];
        if (!pj_otf2_learnt_lacks_completions(location))
            continue;
        l->infer[i] = l->inferred = true;
        l->waits[location->rank] += location->pending.waits;
        size_t end = at + pj_otf2_match_traffic(r->match, location->rank, l->traffic + at);
        for (; at < end; at++)
            l->counted |= l->traffic[at].counted = is_even(location, &l->traffic[at]);
    }
    return l;
}

void pj_otf2_learnt_use(const pj_otf2_read *r)
{
    const pj_otf2_learnt *l = r->pass->learnt;
    for (size_t i = 0; l && i < l->traffic_count; i++)
        pj_otf2_match_infer(r->match, &l->traffic[i], l->waits[l->traffic[i].to]);
}

/// Keeps for another pass what the first one has found; nothing when there is nothing to do better.
static void learn_first(pj_otf2_read *r)
{
    pj_otf2_learnt *l = learn_traffic(r);
    l->before = pj_otf2_sync_violations(r->sync);
    l->shifted = violated(l->before) && !r->pass->raw_clock;
    if (l->shifted)
        l->lacks_ns = pj_otf2_sync_solve(r->sync, l->shifts);
    l->uneven = r->run->told.messages_apart && pj_otf2_match_left(r->match);
    r->pass->learning = l->shifted || l->inferred || l->uneven;
    if (r->pass->learning)
        r->pass->learnt = l;
    else
        free(l);
}

/// Shifts what is shifted already.
static void shift_more(const pj_otf2_read *r, pj_otf2_learnt *l, const pj_otf2_shift *more)
{
    if (!l->shifted)
        l->before = pj_otf2_sync_violations(r->sync);
    l->shifted = true;
    for (uint32_t i = 0; i < r->count; i++) { // locations of one rank agree
        uint32_t rank = r->locations[i]->rank;
        int64_t now = r->locations[i]->clock.shift;
        double rate = r->locations[i]->clock.rate, by = more[rank].rate;
        l->shifts[rank].ns = now + llround((double)now * by) + more[rank].ns;
        l->shifts[rank].rate = (1 + rate) * (1 + by) - 1;
    }
}

/// Receives that found their sender by number tie the clocks as others do: when they fit together,
/// they are right. Else the order of time must do.
static void confirm_counts(pj_otf2_read *r, pj_otf2_learnt *l)
{
    l->counted = false;
    if (!violated(pj_otf2_sync_violations(r->sync)))
        return;
    pj_otf2_shift *more = pj_take_memory((l->ranks + 1) * sizeof *more);
    bool fits = pj_otf2_sync_solve(r->sync, more) == 0;
    r->pass->learning = !fits || !r->pass->raw_clock;
    for (size_t i = 0; i < l->traffic_count && !fits; i++)
        l->traffic[i].counted = false;
    if (fits && r->pass->learning)
        shift_more(r, l, more);
    free(more);
}

void pj_otf2_learnt_take(pj_otf2_read *r)
{
    pj_otf2_learnt *l = r->pass->learnt;
    remark_on_clocks(r);
    if (!l)
        learn_first(r);
    else if (l->counted)
        confirm_counts(r, l);
    r->run->unsettled = r->pass->learning;
}

void pj_otf2_learnt_tell(const pj_otf2_read *r)
{
    pj_process_group *group = r->pass->group;
    const pj_otf2_learnt *l = r->pass->learning ? r->pass->learnt : NULL;
    pj_process_group_tell(group, (pj_str){(const char *)&r->run->end_ns, sizeof r->run->end_ns});
    if (l)
        pj_process_group_tell(group, (pj_str){(const char *)l, size_of(l)});
}

void pj_otf2_learnt_hear(pj_otf2_read *r)
{
    pj_str in = pj_process_group_from(r->pass->group, 0);
    memcpy(&r->run->end_ns, in.at, sizeof r->run->end_ns);
    in = pj_str_from(in, sizeof r->run->end_ns);
    r->pass->learning = in.len > 0;
    if (!in.len)
        return;
    pj_otf2_learnt *l = pj_take_memory(in.len);
    memcpy(l, in.at, in.len);
    location_arrays(l);
    free(r->pass->learnt);
    r->pass->learnt = l;
}
