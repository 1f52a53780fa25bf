// Models judged by the points that they were not fitted to.
#include "metrics/pop/curve_choice.h"

#include <math.h>

/// Terms p^(above/below) log2^b p with every b from `first` to `last` (Extra-P's single parameter
/// modeller); those that fall with p are their inverses.
static const struct {
    int above, below, first, last;
} terms[] = {
    {0, 1, 1, 2}, {1, 4, 0, 2}, {1, 3, 0, 2}, {1, 2, 0, 2},  {2, 3, 0, 2},
    {3, 4, 0, 2}, {4, 5, 0, 0}, {1, 1, 0, 2}, {5, 4, 0, 1},  {4, 3, 0, 1},
    {3, 2, 0, 2}, {5, 3, 0, 0}, {7, 4, 0, 0}, {2, 1, 0, 2},  {9, 4, 0, 0},
    {7, 3, 0, 0}, {5, 2, 0, 2}, {8, 3, 0, 0}, {11, 4, 0, 0}, {3, 1, 0, 1},
};

static const double negligible = 5e-4; // of the values: what a coefficient or a term has to be

static double least_of(const pj_points *series, size_t without)
{
    double least = INFINITY;
    for (size_t i = 0; i < series->count; i++)
        if (i != without)
            least = fmin(least, fabs(series->value[i]));
    return least;
}

/// The point `i` from the others; the first of factors from all.
static double foretold(const pj_curve *shape, const pj_points *series, size_t i)
{
    bool spared = i == 0 && pj_curve_is_factor(shape->form);
    pj_curve curve = pj_curve_fit(*shape, series, spared ? PJ_ALL_POINTS : i);
    if (curve.form == PJ_CURVE_PMNF && fabs(curve.c0) < negligible * least_of(series, i))
        curve.c0 = 0;
    return pj_curve_at(&curve, series->p[i]);
}

/// As far as a difference is off, 0..2.
static double relative_error(double t, double y)
{
    double size = fabs(t) + fabs(y);
    return size > 0 ? 2 * fabs(t - y) / size : 0;
}

static double constant_rss(const pj_points *series)
{
    pj_curve mean = pj_curve_fit((pj_curve){.form = PJ_CURVE_CONSTANT}, series, PJ_ALL_POINTS);
    return pj_curve_weighted_rss(&mean, series);
}

pj_judged_curve pj_curve_judge(pj_curve shape, const pj_points *series)
{
    pj_judged_curve out = {.curve = pj_curve_fit(shape, series, PJ_ALL_POINTS), .adjusted_r2 = 1};
    double n = (double)series->count;
    for (size_t i = 0; i < series->count; i++) {
        double t = shape.form == PJ_CURVE_CONSTANT ? out.curve.c0 : foretold(&shape, series, i);
        double y = series->value[i];
        out.smape += 100 / n * relative_error(t, y);
        out.rss += (t - y) * (t - y);
    }
    double total = constant_rss(series);
    if (shape.form != PJ_CURVE_CONSTANT && total > 0)
        out.adjusted_r2 = 1 - out.rss / total * (n - 1) / (n - 2);
    return out;
}

/// Whether the term does something somewhere.
static bool matters(const pj_curve *curve, const pj_points *series)
{
    double most = 0;
    for (size_t i = 0; i < series->count; i++) {
        double term = pj_curve_at(curve, series->p[i]) - curve->c0;
        most = fmax(most, fabs(term / series->value[i]));
    }
    return curve->c1 != 0 && most >= negligible;
}

/// The least first; what is behind the last place is only counted.
static void keep_rival(pj_curve_choice *choice, const pj_judged_curve *rival)
{
    size_t kept = choice->rival_count++;
    size_t at = kept < PJ_CURVE_RIVALS ? kept : PJ_CURVE_RIVALS;
    for (; at > 0 && rival->smape < choice->rivals[at - 1].smape; at--)
        if (at < PJ_CURVE_RIVALS)
            choice->rivals[at] = choice->rivals[at - 1];
    if (at < PJ_CURVE_RIVALS)
        choice->rivals[at] = *rival;
}

static bool is_near(const pj_judged_curve *rival, const pj_judged_curve *best)
{
    return rival->smape <= best->smape + 1;
}

pj_curve_choice pj_curve_choose_factor(const pj_points *series)
{
    pj_judged_curve amdahl = pj_curve_judge((pj_curve){.form = PJ_CURVE_AMDAHL}, series);
    pj_judged_curve pipe = pj_curve_judge((pj_curve){.form = PJ_CURVE_PIPE}, series);
    bool piped =
        pj_curve_weighted_rss(&pipe.curve, series) < pj_curve_weighted_rss(&amdahl.curve, series);
    pj_curve_choice choice = {.best = piped ? pipe : amdahl};
    const pj_judged_curve *other = piped ? &amdahl : &pipe;
    if (is_near(other, &choice.best))
        keep_rival(&choice, other);
    return choice;
}

/// What the terms may be for a series.
typedef struct term_range {
    bool negative;
    bool logs;
} term_range;

/// Logarithms are 0 at p = 1, where their inverses do not exist.
static term_range range_of(const pj_points *series, bool negative)
{
    double least = series->p[0];
    return (term_range){negative, negative ? least > 1 : least >= 1};
}

/// The terms one after another: false behind the last.
static bool term_at(term_range range, size_t index, pj_curve *out)
{
    size_t at = 0;
    for (int sign = 1; sign >= (range.negative ? -1 : 1); sign -= 2)
        for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
            for (int b = terms[i].first; b <= (range.logs ? terms[i].last : 0); b++)
                if (at++ == index) {
                    double a = (double)terms[i].above / terms[i].below;
                    *out = (pj_curve){.form = PJ_CURVE_PMNF, .a = sign * a, .b = sign * b};
                    return true;
                }
    return false;
}

static bool same_term(const pj_curve *a, const pj_curve *b)
{
    return a->form == b->form && a->a == b->a && a->b == b->b;
}

static void find_rivals(pj_curve_choice *choice, const pj_points *series, term_range range)
{
    pj_curve shape = {.form = PJ_CURVE_CONSTANT};
    size_t i = 0;
    do {
        pj_judged_curve made = pj_curve_judge(shape, series);
        bool counts = shape.form == PJ_CURVE_CONSTANT || matters(&made.curve, series);
        if (counts && !same_term(&shape, &choice->best.curve) && is_near(&made, &choice->best))
            keep_rival(choice, &made);
    } while (term_at(range, i++, &shape));
}

pj_curve_choice pj_curve_choose_pmnf(const pj_points *series, bool negative)
{
    pj_curve shape = {.form = PJ_CURVE_CONSTANT};
    pj_curve_choice choice = {.best = pj_curve_judge(shape, series)};
    if (choice.best.rss == 0)
        return choice;
    term_range range = range_of(series, negative);
    for (size_t i = 0; term_at(range, i, &shape); i++) {
        pj_judged_curve made = pj_curve_judge(shape, series);
        if (made.smape < choice.best.smape && matters(&made.curve, series))
            choice.best = made;
    }
    find_rivals(&choice, series, range);
    return choice;
}
