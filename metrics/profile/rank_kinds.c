// Which functions ran tells kinds of ranks apart better than times do, where ranks share cores.
#include "metrics/profile/rank_kinds.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/profile/function_family.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"

#include <inttypes.h>
#include <math.h>

static const double carries = 0.05; // part of the work from which on a function tells something

typedef struct kinds_state {
    const pj_profile *p;
    const uint32_t *locations;
    uint32_t count;
    const pj_profile_column *time, *whole, *calls; // whole = with callees
} kinds_state;

static double time_at(const kinds_state *s, uint32_t region, uint32_t k)
{
    double value = pj_profile_value(s->p, s->time, region, s->locations[k]);
    return value > 0 ? value : 0;
}

static bool has(const kinds_state *s, uint32_t region, uint32_t k)
{
    return time_at(s, region, k) > 0 ||
           pj_profile_value(s->p, s->calls, region, s->locations[k]) > 0;
}

/// Its time over all locations; `with` counts those that have it.
static double sum_of(const kinds_state *s, uint32_t region, uint32_t *with)
{
    double sum = 0;
    *with = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        sum += time_at(s, region, k);
        *with += has(s, region, k);
    }
    return sum;
}

/// The costliest function that is neither everywhere nor nowhere, if it carries work.
static void find_divider(const kinds_state *s, pj_rank_kinds *out)
{
    double work = 0, largest = 0;
    for (uint32_t r = 0; r < s->p->count[PJ_AT_REGION]; r++) {
        uint32_t with;
        if (pj_function_family_of(s->p, r) != PJ_FAMILY_WORK)
            continue;
        double sum = sum_of(s, r, &with);
        work += sum;
        if (sum <= largest || with == 0 || with == s->count)
            continue;
        largest = sum;
        out->by = r;
        out->with = with;
    }
    if (largest < carries * work)
        out->by = PJ_NO_ITEM;
}

/// With callees where that is known: what runs all of a rank's work says more than its inner loop.
static double carried_at(const kinds_state *s, uint32_t region, uint32_t k)
{
    double value = pj_profile_value(s->p, s->whole, region, s->locations[k]);
    return value > 0 ? value : time_at(s, region, k);
}

static void find_only(const kinds_state *s, pj_rank_kinds *out)
{
    double work = 0, largest = 0;
    for (uint32_t r = 0; r < s->p->count[PJ_AT_REGION]; r++) {
        bool theirs = true;
        double sum = 0;
        if (pj_function_family_of(s->p, r) != PJ_FAMILY_WORK)
            continue;
        for (uint32_t k = 0; k < s->count; k++) {
            work += out->has[k] ? 0 : time_at(s, r, k);
            sum += out->has[k] ? 0 : carried_at(s, r, k);
            theirs = theirs && !(out->has[k] && has(s, r, k));
        }
        if (!theirs || sum <= largest)
            continue;
        largest = sum;
        out->only = r;
    }
    if (largest < carries * work)
        out->only = PJ_NO_ITEM;
}

static void add_waits(const kinds_state *s, pj_rank_kinds *out)
{
    double all[2] = {0}, waits[2] = {0};
    for (uint32_t r = 0; r < s->p->count[PJ_AT_REGION]; r++) {
        bool waiting = pj_function_family_of(s->p, r) == PJ_FAMILY_WAIT;
        for (uint32_t k = 0; k < s->count; k++) {
            double value = time_at(s, r, k);
            all[out->has[k]] += value;
            waits[out->has[k]] += waiting ? value : 0;
        }
    }
    for (unsigned kind = 0; kind < 2; kind++)
        out->wait[kind] = all[kind] > 0 ? waits[kind] / all[kind] : 0;
}

pj_rank_kinds pj_rank_kinds_of(const pj_profile *flat, uint32_t measure, const uint32_t *locations,
                               uint32_t count, pj_arena *arena)
{
    kinds_state s = {.p = flat, .locations = locations, .count = count};
    pj_rank_kinds out = {.by = PJ_NO_ITEM, .only = PJ_NO_ITEM};
    s.time = pj_profile_find(flat, PJ_AT_REGION, PJ_EXCLUSIVE, measure);
    s.whole = pj_profile_find(flat, PJ_AT_REGION, PJ_INCLUSIVE, measure);
    s.calls = pj_profile_find(flat, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM);
    out.has = pj_new_n(arena, bool, count + (size_t)1);
    if (!s.time || count < 2)
        return out;
    find_divider(&s, &out);
    if (out.by == PJ_NO_ITEM)
        return out;
    out.least = INFINITY;
    for (uint32_t k = 0; k < count; k++) {
        out.has[k] = has(&s, out.by, k);
        if (!out.has[k])
            continue;
        out.least = fmin(out.least, time_at(&s, out.by, k));
        out.most = fmax(out.most, time_at(&s, out.by, k));
    }
    find_only(&s, &out);
    add_waits(&s, &out);
    return out;
}

static int64_t rank_at(const pj_profile *p, const uint32_t *locations, uint32_t k)
{
    int64_t rank = p->locations[locations[k]].rank;
    return rank < 0 ? (int64_t)locations[k] : rank;
}

/// Whether no rank has several locations.
static bool are_ranks(const pj_profile *p, const uint32_t *locations, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++)
        if (rank_at(p, locations, k) == rank_at(p, locations, k - 1))
            return false;
    return true;
}

/// "20 to 31", "0, 4, 8, 12 to 14, ...": of those without the function.
static void list_ranks(const pj_rank_kinds *kinds, const pj_profile *p, const uint32_t *locations,
                       uint32_t count, pj_buf *out)
{
    enum { MOST = 12 };
    unsigned said = 0;
    for (uint32_t k = 0; k < count;) {
        uint32_t end = k;
        int64_t first = rank_at(p, locations, k);
        while (end < count && !kinds->has[end] &&
               rank_at(p, locations, end) <= first + (int64_t)(end - k))
            end++;
        if (end == k) {
            k++;
            continue;
        }
        if (said == MOST) {
            pj_buf_puts(out, ", ...");
            return;
        }
        int64_t last = rank_at(p, locations, end - 1);
        pj_buf_addf(out, "%s%" PRId64, said++ ? ", " : "", first);
        if (last > first)
            pj_buf_addf(out, "%s%" PRId64, last > first + 1 ? " to " : ", ", last);
        k = end;
    }
}

void pj_rank_kinds_say(const pj_rank_kinds *kinds, const pj_profile *flat,
                       const uint32_t *locations, uint32_t count, pj_buf *out)
{
    if (kinds->by == PJ_NO_ITEM)
        return;
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t without = count - kinds->with;
    if (are_ranks(flat, locations, count)) {
        pj_buf_puts(out, without == 1 ? "Rank " : "Ranks ");
        list_ranks(kinds, flat, locations, count, out);
        pj_buf_addf(out, " (%u of %u)", without, count);
    } else {
        pj_buf_addf(out, "%u of %u threads", without, count);
    }
    pj_buf_addf(out, " never call%s %s", without == 1 ? "s" : "",
                pj_function_short(flat, kinds->by, arena));
    if (kinds->only != PJ_NO_ITEM)
        pj_buf_addf(out, ", %s alone call%s %s", without == 1 ? "it" : "they",
                    without == 1 ? "s" : "", pj_function_short(flat, kinds->only, arena));
    if (kinds->wait[0] > 0 || kinds->wait[1] > 0)
        pj_buf_addf(out, "; %s %.1f\u00a0%% of %s time, the others %.1f\u00a0%%",
                    without == 1 ? "it waits" : "they wait", 100 * kinds->wait[0],
                    without == 1 ? "its" : "their", 100 * kinds->wait[1]);
}
