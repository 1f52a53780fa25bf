// Where the level of a series changes: the best cut of each head of the series follows from those
// of shorter ones.
#include "metrics/pop/change_points.h"

#include "metrics/base/arena.h"

#include <math.h>

static const double penalty_factor = 3;

typedef struct cut {
    double cost; // of the best cut of the values before
    size_t from; // where its last level begins
} cut;

typedef struct sums {
    double x, square;
} sums;

/// Squared distances of the values from `from` to before `to` to their mean.
static double cost_of(const sums *heads, size_t from, size_t to)
{
    double x = heads[to].x - heads[from].x, square = heads[to].square - heads[from].square;
    return fmax(square - x * x / (double)(to - from), 0);
}

/// Sums of the standardised values before each place; false when all are equal.
static bool standardise(const double *values, size_t count, sums *heads)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        square += (values[i] - mean) * (values[i] - mean) / (double)count;
    if (!(square > 1e-24 * mean * mean))
        return false;
    for (size_t i = 0; i < count; i++) {
        double x = (values[i] - mean) / sqrt(square);
        heads[i + 1] = (sums){heads[i].x + x, heads[i].square + x * x};
    }
    return true;
}

static void cut_best(const sums *heads, size_t end, double penalty, cut *cuts)
{
    cuts[end] = (cut){.cost = INFINITY};
    for (size_t from = 0; from + PJ_CHANGE_LEAST <= end; from++) {
        if (from && from < PJ_CHANGE_LEAST)
            continue;
        double cost = cuts[from].cost + cost_of(heads, from, end) + (from ? penalty : 0);
        if (cost < cuts[end].cost)
            cuts[end] = (cut){cost, from};
    }
}

size_t pj_change_points(const double *values, size_t count, bool *changes)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    sums *heads = pj_new_n(arena, sums, count + 1);
    cut *cuts = pj_new_n(arena, cut, count + 1);
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        changes[i] = false;
    if (count < 2 * (size_t)PJ_CHANGE_LEAST || !standardise(values, count, heads))
        return 0;
    for (size_t end = PJ_CHANGE_LEAST; end <= count; end++)
        cut_best(heads, end, penalty_factor * log((double)count), cuts);
    for (size_t at = cuts[count].from; at > 0; at = cuts[at].from) {
        changes[at] = true;
        found++;
    }
    return found;
}
