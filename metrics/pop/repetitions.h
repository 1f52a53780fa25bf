// Repetitions of a run: what values they give together, and whether two groups of them differ.
// Ownership: the caller's arrays.
#ifndef PJ_REPETITIONS_H
#define PJ_REPETITIONS_H

#include <stddef.h>

/// Of values of one metric. With one value all are that, the coverage is 0.
typedef struct pj_repeated {
    double median, least, most;
    double low, high; // an interval of order statistics around the median
    double coverage;  // that the true median lies within: 1 - 2 tails of Binomial(n, 1/2)
    double mad;       // median distance to the median
    double spread;    // (most - least) / median
    size_t outliers;  // values more than 3 x 1.4826 MAD from the median
} pj_repeated;

/// Of at least one value, in any order.
pj_repeated pj_repetitions_of(const double *values, size_t count);
/// Hodges-Lehmann: the median of all differences of a value of `b` and one of `a`.
double pj_repetitions_shift(const double *a, size_t a_count, const double *b, size_t b_count);
/// Mann-Whitney, one-sided: how likely values of `b` are above those of `a` so often by chance
/// alone; exact without ties and with 20 values a group at most, else by the normal distribution.
double pj_repetitions_chance(const double *a, size_t a_count, const double *b, size_t b_count);

#endif
