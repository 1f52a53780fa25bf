// Votes on iterations, and tells steady ones.
#include "metrics/run/parts/iterations.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/run/regions.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

#include <math.h>
#include <stdlib.h>

static uint32_t iterations_of(const pj_chain *chain)
{
    return chain->count ? chain->count - 1 : 0;
}

static bool agrees(const pj_chain *chain, uint32_t number)
{
    double most = fmax(1, 0.03 * number), n = iterations_of(chain);
    return chain->count && fabs(n - number) <= most;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    if (!count)
        return 0;
    qsort(values, count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/// The number most ranks are near to; of several the one that most ranks have, then the smallest.
static uint32_t most_wanted(const pj_chain *chains, uint32_t count, uint32_t *votes)
{
    uint32_t best = 0, best_same = 0;
    *votes = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = iterations_of(&chains[i]), near = 0, same = 0;
        for (uint32_t k = 0; k < count && number; k++) {
            near += agrees(&chains[k], number);
            same += iterations_of(&chains[k]) == number;
        }
        if (near > *votes ||
            (near == *votes && (same > best_same || (same == best_same && number < best)))) {
            *votes = near;
            best_same = same;
            best = number;
        }
    }
    return best;
}

uint32_t pj_iterations_vote(const pj_chain *chains, uint32_t count, pj_iterations *out,
                            pj_arena *arena)
{
    enum { LEAST = 3 };
    uint32_t votes, number = most_wanted(chains, count, &votes), kept = 0;
    double *scores = pj_new_n(arena, double, count + 1);
    double *periods = pj_new_n(arena, double, count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (number && agrees(&chains[i], number)) {
            scores[kept] = chains[i].score;
            periods[kept++] = chains[i].period_ns;
        }
    out->asked = count;
    out->voted = votes;
    out->agreement = count ? (double)votes / count : 0;
    out->score = median(scores, kept);
    out->period_ns = median(periods, kept);
    if (number >= LEAST && 3 * votes >= 2 * count && out->score >= PJ_SCORE_LEAST)
        return number;
    out->lack = !number
                    ? pj_arena_format(arena, "nothing in %s comes again and again", out->looked_at)
                : 3 * votes < 2 * count ? "its ranks do not agree on a number of iterations"
                                        : "what comes again and again takes too small a part of it";
    return 0;
}

static double length_of(const pj_borders *borders, uint32_t ranks, uint32_t i)
{
    uint64_t longest = 0;
    for (uint32_t r = 0; r < ranks; r++) {
        const uint64_t *at = pj_borders_of(borders, r);
        longest = at[i + 1] - at[i] > longest ? at[i + 1] - at[i] : longest;
    }
    return (double)longest;
}

/// The median slope of all pairs of points; of many only every n-th point.
static double slope_of(const double *lengths, uint32_t first, uint32_t last, double *room)
{
    enum { POINTS = 256 };
    uint32_t step = (last - first) / POINTS + 1;
    size_t count = 0;
    for (uint32_t i = first; i <= last; i += step)
        for (uint32_t k = i + step; k <= last; k += step)
            room[count++] = (lengths[k] - lengths[i]) / (k - i);
    return median(room, count);
}

/// The longest run without outliers whose lengths do not drift.
static void find_steady(pj_iterations *it, const double *lengths, double middle, double *room)
{
    const double drift = 0.05;
    uint32_t count = it->borders.count, longest = 0;
    it->steady_first = 0;
    it->steady_last = count - 1;
    for (uint32_t first = 0, last; first < count; first = last + 1) {
        for (last = first; last < count && !it->outlier[last];)
            last++;
        uint32_t from = first;
        while (last > from + longest &&
               fabs(slope_of(lengths, from, last - 1, room)) * (last - from) >= drift * middle)
            from++; // warm-up
        if (last > from + longest) {
            longest = last - from;
            it->steady_first = from;
            it->steady_last = last - 1;
        }
    }
    it->unsteady = longest < PJ_STEADY_LEAST;
    if (it->unsteady) {
        it->steady_first = 0;
        it->steady_last = count - 1;
    }
}

void pj_iterations_judge(pj_iterations *it, uint32_t ranks, pj_arena *arena)
{
    enum { ROOM = 1 << 16 };
    const double normal = 1.4826;
    uint32_t count = it->borders.count;
    double *lengths = pj_new_n(arena, double, count + 1),
           *room = pj_new_n(arena, double, ROOM + count);
    it->outlier = pj_new_n(arena, bool, count + 1);
    for (uint32_t i = 0; i < count; i++)
        room[i] = lengths[i] = length_of(&it->borders, ranks, i);
    double middle = median(room, count);
    for (uint32_t i = 0; i < count; i++)
        room[i] = fabs(lengths[i] - middle);
    double spread = normal * median(room, count);
    for (uint32_t i = 0; i < count; i++)
        it->outlier[i] = fabs(lengths[i] - middle) > fmax(3 * spread, 0.1 * middle);
    find_steady(it, lengths, middle, room);
}

const char *pj_iterations_text(uint32_t first, uint32_t last, pj_arena *arena)
{
    return first == last ? pj_arena_format(arena, "iteration %u", first)
                         : pj_arena_format(arena, "iterations %u to %u", first, last);
}

/// What the k-th call of an anchor is.
static const char *call_text(const pj_loop_anchor *anchor, uint32_t k, const pj_run *run)
{
    const pj_mpi_call_row *row = pj_mpi_call_at((pj_mpi_call)anchor->keys[k]);
    if (!anchor->openmp)
        return row ? row->name : "a call";
    uint64_t key = anchor->keys[k], function = key & UINT32_MAX; // see tell_region
    const char *label = pj_region_label(run, PJ_OMP_FUNCTION, key);
    if (!label && function)
        label = pj_region_label(run, PJ_OMP_FUNCTION, function);
    return label ? label : "without a name";
}

const char *pj_anchor_text(const pj_loop_anchor *anchor, const pj_run *run, pj_arena *arena)
{
    char duration[32];
    const char *text = anchor->openmp ? "parallel region " : "";
    if (anchor->kind == PJ_ANCHOR_BURST) {
        pj_format_duration(ldexp(1, (int)anchor->length), duration);
        return pj_arena_format(arena, "a burst of at least %s", duration);
    }
    if (anchor->kind == PJ_ANCHOR_FUNCTION) {
        const char *name = pj_region_label(run, PJ_FUNCTION, anchor->keys[0]);
        return name ? pj_arena_format(arena, "function %s", name)
                    : pj_arena_format(arena, "function %llu", (unsigned long long)anchor->keys[0]);
    }
    for (uint32_t k = 0; k < anchor->length; k++)
        text = pj_arena_format(arena, "%s%s%s", text, k ? " + " : "", call_text(anchor, k, run));
    return text;
}
