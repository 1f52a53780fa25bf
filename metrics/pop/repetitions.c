// Repetitions of a run: order statistics and ranks, which no odd run can move far.
#include "metrics/pop/repetitions.h"

#include "metrics/base/arena.h"

#include <math.h>
#include <stdlib.h>

static const double MAD_TO_SD = 1.4826, LEAST_COVERAGE = 0.93;
enum { EXACT = 20 }; // values a group

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Of sorted values.
static double middle_of(const double *values, size_t count)
{
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/// Probability of at most `k` of `n` throws of a coin.
static double tail_of(size_t n, size_t k)
{
    double term = pow(0.5, (double)n), sum = 0;
    for (size_t i = 0; i <= k; i++) {
        sum += term;
        term *= (double)(n - i) / (double)(i + 1);
    }
    return sum;
}

/// The narrowest interval that still covers enough; the widest where none does.
static void find_interval(const double *sorted, size_t count, pj_repeated *out)
{
    size_t cut = 0;
    while (2 * (cut + 2) <= count && 1 - 2 * tail_of(count, cut + 1) >= LEAST_COVERAGE - 1e-3)
        cut++;
    out->low = sorted[cut];
    out->high = sorted[count - 1 - cut];
    out->coverage = count > 1 ? 1 - 2 * tail_of(count, cut) : 0;
}

pj_repeated pj_repetitions_of(const double *values, size_t count)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    double *sorted = pj_new_n(arena, double, count), *far = pj_new_n(arena, double, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = values[i];
    qsort(sorted, count, sizeof *sorted, by_value);
    pj_repeated r = {.median = middle_of(sorted, count), .least = sorted[0]};
    r.most = sorted[count - 1];
    for (size_t i = 0; i < count; i++)
        far[i] = fabs(values[i] - r.median);
    qsort(far, count, sizeof *far, by_value);
    r.mad = middle_of(far, count);
    for (size_t i = 0; i < count; i++)
        r.outliers += count > 2 && fabs(values[i] - r.median) > 3 * MAD_TO_SD * r.mad;
    r.spread = r.median != 0 ? (r.most - r.least) / fabs(r.median) : 0;
    find_interval(sorted, count, &r);
    return r;
}

double pj_repetitions_shift(const double *a, size_t a_count, const double *b, size_t b_count)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    double *all = pj_new_n(arena, double, a_count *b_count);
    for (size_t i = 0; i < a_count; i++)
        for (size_t k = 0; k < b_count; k++)
            all[i * b_count + k] = b[k] - a[i];
    qsort(all, a_count * b_count, sizeof *all, by_value);
    return middle_of(all, a_count * b_count);
}

/// Pairs in which b is above a; of ties half.
static double above(const double *a, size_t a_count, const double *b, size_t b_count, double *ties)
{
    double u = 0;
    *ties = 0;
    for (size_t i = 0; i < a_count; i++)
        for (size_t k = 0; k < b_count; k++) {
            *ties += a[i] == b[k];
            u += a[i] < b[k] ? 1 : a[i] == b[k] ? 0.5 : 0;
        }
    return u;
}

/// Of all orders of m and n values those with at least `u` pairs the right way.
static double exact_chance(size_t m, size_t n, size_t u)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    size_t most = m * n;
    double *ways = pj_new_n(arena, double, (n + 1) * (most + 1)), all = 0, enough = 0;
    for (size_t k = 0; k <= n; k++) // ways[k][x]: k values of b among i of a, x pairs
        ways[k * (most + 1)] = 1;
    for (size_t i = 1; i <= m; i++)
        for (size_t k = 1; k <= n; k++)
            for (size_t x = most + 1; x-- > 0;)
                ways[k * (most + 1) + x] =
                    (x >= i ? ways[(k - 1) * (most + 1) + x - i] : 0) + ways[k * (most + 1) + x];
    for (size_t x = 0; x <= most; x++) {
        all += ways[n * (most + 1) + x];
        enough += x >= u ? ways[n * (most + 1) + x] : 0;
    }
    return enough / all;
}

double pj_repetitions_chance(const double *a, size_t a_count, const double *b, size_t b_count)
{
    double ties, u = above(a, a_count, b, b_count, &ties);
    double m = (double)a_count, n = (double)b_count;
    if (ties == 0 && a_count <= EXACT && b_count <= EXACT)
        return exact_chance(a_count, b_count, (size_t)u);
    double deviation = sqrt(m * n * (m + n + 1) / 12);
    return 0.5 * erfc((u - m * n / 2 - 0.5) / deviation / sqrt(2));
}
