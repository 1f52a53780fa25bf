// Call paths are first added up by function; the mean is that of the ranks that have the function.
#include "widgets/plot/profile/rank_values.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/plot/profile/profile_view.h"

#include <math.h>
#include <stdlib.h>

void pj_rank_values_free(pj_rank_values *values)
{
    pj_profile_release(values->flat);
    values->flat = NULL;
}

/// Processes of a rank that have no numbers have names: "child 4711".
static const char *name_of(const pj_profile_view *v, uint32_t location, pj_arena *arena)
{
    const pj_profile_location *at = &v->profile->locations[location];
    long long rank = at->rank < 0 ? (long long)location : (long long)at->rank;
    if (v->ranks == v->location_count)
        return pj_arena_format(arena, "%lld", rank);
    if (at->thread >= 0)
        return pj_arena_format(arena, "%lld.%lld", rank, (long long)at->thread);
    return at->name ? pj_arena_text(arena, pj_profile_text(v->profile, at->name))
                    : pj_arena_format(arena, "%lld", rank);
}

bool pj_rank_values_new(const pj_profile *profile, pj_profile_opts opts, pj_arena *arena,
                        pj_rank_values *out, pj_err *err)
{
    pj_job job = {0};
    pj_profile *held = (pj_profile *)(uintptr_t)profile; // its count of references alone changes
    *out = (pj_rank_values){.flat = pj_profile_graph(held, &job, err)};
    if (!out->flat || !pj_profile_view_new(out->flat, opts, arena, &out->view, err))
        return false;
    const pj_profile_view *v = &out->view;
    out->names = pj_new_n(arena, const char *, v->location_count + (size_t)1);
    for (uint32_t k = 0; k < v->location_count; k++)
        out->names[k] = name_of(v, v->locations[k], arena);
    return true;
}

uint32_t pj_rank_values_same(const pj_rank_values *values, uint32_t region,
                             const pj_rank_values *other)
{
    const pj_profile *p = values->view.profile, *q = other->view.profile;
    uint32_t found = PJ_NO_ITEM;
    for (uint32_t r = 0; r < q->count[PJ_AT_REGION]; r++) {
        if (!pj_str_equal(pj_profile_name(p, region), pj_profile_name(q, r)) ||
            !pj_str_equal(pj_function_module(p, region), pj_function_module(q, r)))
            continue;
        if (p->regions[region].line == q->regions[r].line)
            return r;
        found = r;
    }
    return found;
}

uint32_t *pj_rank_values_places(const pj_rank_values *values, const pj_rank_values *other)
{
    const pj_profile_view *v = &values->view, *w = &other->view;
    uint32_t *places = pj_new_n(v->arena, uint32_t, v->location_count + (size_t)1);
    for (uint32_t k = 0, next = 0; k < v->location_count; k++) {
        const pj_profile_location *at = &v->profile->locations[v->locations[k]];
        places[k] = PJ_NO_ITEM;
        for (uint32_t tried = 0; tried < w->location_count; tried++, next++) {
            next = next < w->location_count ? next : 0; // most often in the same order
            const pj_profile_location *of = &w->profile->locations[w->locations[next]];
            if (of->rank != at->rank || of->thread != at->thread)
                continue;
            places[k] = next++;
            break;
        }
    }
    return places;
}

const double *pj_rank_values_of(const pj_rank_values *values, uint32_t region, pj_value_part part)
{
    const pj_profile_view *v = &values->view;
    const double *found = pj_profile_view_spread(v, PJ_AT_REGION, region, part);
    double *none = found ? NULL : pj_new_n(v->arena, double, v->location_count + (size_t)1);
    for (uint32_t k = 0; none && k < v->location_count; k++)
        none[k] = NAN;
    return found ? found : none;
}

pj_rank_spread pj_rank_spread_of(const pj_rank_values *values, const double *of)
{
    pj_rank_spread s = {0};
    double squares = 0;
    for (uint32_t k = 0; k < values->view.location_count; k++) {
        if (isnan(of[k]))
            continue;
        if (s.count == 0 || of[k] < s.least) {
            s.least = of[k];
            s.least_at = k;
        }
        if (s.count == 0 || of[k] > s.most) {
            s.most = of[k];
            s.most_at = k;
        }
        s.count++;
        s.sum += of[k];
    }
    s.mean = s.count ? s.sum / s.count : 0;
    for (uint32_t k = 0; k < values->view.location_count; k++)
        squares += isnan(of[k]) ? 0 : (of[k] - s.mean) * (of[k] - s.mean);
    s.deviation = s.count ? sqrt(squares / s.count) : 0;
    return s;
}

static int upwards(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

const char *pj_rank_values_list(const pj_rank_values *values, const double *of, double least,
                                double below)
{
    enum { NAMED_MOST = 16, RUN_LEAST = 3 };
    uint32_t named = 0, count = values->view.location_count;
    pj_auto_buf out = {0};
    for (uint32_t k = 0, next; k < count; k = next) {
        for (next = k; next < count && of[next] >= least && of[next] < below;)
            next++;
        if (next - k >= RUN_LEAST && named++ < NAMED_MOST)
            pj_buf_addf(&out, "%s%s to %s", named > 1 ? ", " : "", values->names[k],
                        values->names[next - 1]);
        for (uint32_t i = k; next - k < RUN_LEAST && i < next; i++)
            if (named++ < NAMED_MOST)
                pj_buf_addf(&out, "%s%s", named > 1 ? ", " : "", values->names[i]);
        next += next == k;
    }
    pj_buf_puts(&out, named > NAMED_MOST ? ", ..." : "");
    return pj_arena_text(values->view.arena, pj_buf_str(&out));
}

const char *pj_rank_gap_said(const pj_rank_values *values, const double *of)
{
    static const double least_gap = 0.4, least_range = 0.5; // of the range, of the most
    const pj_profile_view *v = &values->view;
    double *sorted = pj_new_n(v->arena, double, v->location_count + (size_t)1);
    uint32_t count = 0, at = 0; // the first one above the widest gap
    for (uint32_t k = 0; k < v->location_count; k++)
        if (!isnan(of[k]))
            sorted[count++] = of[k];
    qsort(sorted, count, sizeof *sorted, upwards);
    for (uint32_t i = 1; i < count; i++)
        if (at == 0 || sorted[i] - sorted[i - 1] > sorted[at] - sorted[at - 1])
            at = i;
    double range = count ? sorted[count - 1] - sorted[0] : 0;
    if (count < 4 || !(range > least_range * sorted[count - 1]) ||
        sorted[at] - sorted[at - 1] < least_gap * range)
        return "";
    pj_auto_buf text = {0};
    pj_buf_addf(&text, "%u take%s %s", count - at, count - at == 1 ? "s" : "",
                pj_profile_view_amount(v, sorted[at]));
    if (count - at > 1)
        pj_buf_addf(&text, " to %s", pj_profile_view_amount(v, sorted[count - 1]));
    pj_buf_addf(&text, " (%s), %u take%s %s", pj_rank_values_list(values, of, sorted[at], INFINITY),
                at, at == 1 ? "s" : "", pj_profile_view_amount(v, sorted[0]));
    if (at > 1)
        pj_buf_addf(&text, " to %s", pj_profile_view_amount(v, sorted[at - 1]));
    return pj_arena_text(v->arena, pj_buf_str(&text));
}

/// "Ranks 0, 26 (2 of 32) have 99.6 % of it": few of many; "" where the time is spread more widely.
static const char *few_said(const pj_rank_values *values, const double *of, pj_rank_spread s)
{
    static const double most_of_it = 0.95;
    enum { ONE_IN = 8 };
    const pj_profile_view *v = &values->view;
    double *sorted = pj_new_n(v->arena, double, v->location_count + (size_t)1), sum = 0;
    uint32_t count = 0, few = 0;
    for (uint32_t k = 0; k < v->location_count; k++)
        if (!isnan(of[k]))
            sorted[count++] = of[k];
    qsort(sorted, count, sizeof *sorted, upwards);
    while (few < count && sum < most_of_it * s.sum)
        sum += sorted[count - ++few];
    if (!(s.sum > 0) || few * ONE_IN > v->location_count)
        return "";
    bool one = few == 1;
    return pj_arena_format(v->arena, "%s%s %s (%u of %u) ha%s %s of it",
                           v->ranks == v->location_count ? "Rank" : "Thread", one ? "" : "s",
                           pj_rank_values_list(values, of, sorted[count - few], INFINITY), few,
                           v->location_count, one ? "s" : "ve",
                           pj_profile_view_share(v, sum, s.sum));
}

/// "20 to 31 (12 of 32) never call it": those without a value.
static const char *never_said(const pj_rank_values *values, const double *of, pj_rank_spread s)
{
    const pj_profile_view *v = &values->view;
    double *without = pj_new_n(v->arena, double, v->location_count + (size_t)1);
    uint32_t count = v->location_count - s.count;
    for (uint32_t k = 0; k < v->location_count; k++)
        without[k] = isnan(of[k]) ? 0 : 1;
    if (count == 0)
        return "";
    return pj_arena_format(v->arena, "%s%s %s (%u of %u) never call%s it",
                           v->ranks == v->location_count ? "Rank" : "Thread", count == 1 ? "" : "s",
                           pj_rank_values_list(values, without, 0, 1), count, v->location_count,
                           count == 1 ? "s" : "");
}

static const char *spread_text(const pj_rank_values *values, pj_rank_spread s, bool compares)
{
    const pj_profile_view *v = &values->view;
    pj_auto_buf text = {0};
    pj_buf_addf(&text, "mean %s, standard deviation %s, ", pj_profile_view_amount(v, s.mean),
                pj_profile_view_amount(v, s.deviation));
    pj_buf_addf(&text, "least %s (%s), ", pj_profile_view_amount(v, s.least),
                pj_profile_view_location(v, v->locations[s.least_at]));
    pj_buf_addf(&text, "most %s (%s)", pj_profile_view_amount(v, s.most),
                pj_profile_view_location(v, v->locations[s.most_at]));
    if (compares && s.count > 1 && s.least > 0 && s.most >= 2 * s.least)
        pj_buf_addf(&text, ": %.0f times as much", s.most / s.least);
    return pj_arena_text(v->arena, pj_buf_str(&text));
}

const char *pj_rank_spread_said(const pj_rank_values *values, const double *of,
                                pj_rank_spread spread)
{
    const char *few = few_said(values, of, spread), *never = never_said(values, of, spread);
    const char *gap = *few ? few : pj_rank_gap_said(values, of);
    return pj_arena_format(values->view.arena, "%s%s%s%s%s%s", never, *never ? ". " : "", gap,
                           *gap ? "; " : "", *never && !*gap ? "Of the others: " : "",
                           spread_text(values, spread, !*few));
}

uint32_t pj_rank_values_function(const pj_rank_values *values, pj_err *err)
{
    const pj_profile_view *v = &values->view;
    uint32_t most = 0;
    if (v->opts.function)
        return pj_function_find(v->profile, pj_str_of(v->opts.function), v->sums->regions.inclusive,
                                err);
    for (uint32_t r = 1; r < v->profile->count[PJ_AT_REGION]; r++)
        if (pj_profile_sums_size(v->sums->regions.exclusive[r]) >
            pj_profile_sums_size(v->sums->regions.exclusive[most]))
            most = r;
    return most;
}
