// Draws of repetitions with a fixed seed.
#include "metrics/pop/curve_draws.h"

#include "metrics/base/arena.h"
#include "metrics/pop/curve.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { REPETITIONS_LEAST = 3, SIZES_LEAST = 4 };

size_t pj_curve_draw_count(const size_t *first, size_t sizes)
{
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < sizes; i++) {
        size_t here = first[i + 1] - first[i];
        fewest = here < fewest ? here : fewest;
    }
    return fewest >= REPETITIONS_LEAST && sizes >= SIZES_LEAST ? PJ_CURVE_DRAWS : 0;
}

/// splitmix64: the same numbers everywhere (Steele, Lea, Flood 2014).
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// Mean of as many repetitions as there are, each drawn from all.
static double drawn_mean(const pj_repeated_points *runs, size_t size, uint64_t *state)
{
    size_t count = runs->first[size + 1] - runs->first[size];
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += runs->value[runs->first[size] + (size_t)(next_number(state) % count)];
    return sum / (double)count;
}

void pj_curve_draw(pj_curve shape, const pj_repeated_points *runs, pj_curve *out, pj_arena *arena)
{
    uint64_t state = 1;
    double *value = pj_new_n(arena, double, runs->count);
    const pj_points drawn = {runs->p, value, runs->count};
    for (size_t draw = 0; draw < pj_curve_draw_count(runs->first, runs->count); draw++) {
        for (size_t i = 0; i < runs->count; i++)
            value[i] = drawn_mean(runs, i, &state);
        out[draw] = pj_curve_fit(shape, &drawn, PJ_ALL_POINTS);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void pj_curve_draws_widen(double *values, size_t count, double *low, double *high)
{
    if (count < 20)
        return;
    qsort(values, count, sizeof *values, by_value);
    *low = fmin(*low, values[count / 20 - 1]);
    *high = fmax(*high, values[count - count / 20]);
}
