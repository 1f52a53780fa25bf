// Iterations in the useful share.
// The period is the first peak of the unbiased autocorrelation behind its first zero. A few odd
// peaks would make one too: so periods are followed one by one from the middle of the run, as long
// as each looks like the one before, and may be a little longer or shorter. Each begins where it is
// most like that one and the one in the middle, or parts of a bin would add up.
#include "metrics/run/parts/useful_signal.h"

#include <math.h>

enum { PERIODS_LEAST = 3, PERIODS_MANY = 8, PERIOD_LEAST = 4 }; // the last in bins
static const double alike = 0.5, alike_of_few = 0.7;            // noise may be alike a few times

typedef struct signal {
    const double *share;
    uint32_t count;
    double mean, variance;
    uint32_t period;
} signal;

static double correlation_at(const signal *s, uint32_t lag)
{
    double sum = 0;
    for (uint32_t i = 0; i + lag < s->count; i++)
        sum += (s->share[i] - s->mean) * (s->share[i + lag] - s->mean);
    return sum / (s->count - lag) / s->variance;
}

/// The highest lag of the first stretch that is high enough, behind the first zero; 0 = none.
static uint32_t first_peak(const signal *s, double *height)
{
    uint32_t lag = 1, last = s->count / PERIODS_LEAST, best = 0;
    while (lag <= last && correlation_at(s, lag) > 0)
        lag++;
    for (*height = 0; lag <= last; lag++) {
        double now = correlation_at(s, lag);
        if (now < alike && best)
            break;
        if (now >= alike && now > *height) {
            *height = now;
            best = lag;
        }
    }
    return best;
}

/// How alike the bins from `a` and from `b` on are; -1 = one of them is even.
static double likeness(const signal *s, uint32_t a, uint32_t b, uint32_t length)
{
    double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
    for (uint32_t i = 0; i < length; i++) {
        sum_a += s->share[a + i];
        sum_b += s->share[b + i];
    }
    for (uint32_t i = 0; i < length; i++) {
        double x = s->share[a + i] - sum_a / length, y = s->share[b + i] - sum_b / length;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    const double even = 1e-12;
    return aa > even && bb > even ? ab / sqrt(aa * bb) : -1;
}

/// Where the period that begins in `from` begins again, a period later or earlier; false = nowhere.
/// `middle`: where the first one does.
static bool follow(const signal *s, uint32_t middle, uint32_t from, bool later, uint32_t *at)
{
    uint32_t slack = s->period / 8;
    double best = -1;
    for (uint32_t k = 0; k <= 2 * slack; k++) { // the nearest first
        uint32_t off = (k + 1) / 2, length = k % 2 ? s->period + off : s->period - off;
        if (later ? from + length + s->period > s->count : from < length)
            continue;
        uint32_t to = later ? from + length : from - length;
        double last = likeness(s, from, to, s->period);
        double both = last >= alike ? last + likeness(s, middle, to, s->period) : -1;
        if (both > best) {
            best = both;
            *at = to;
        }
    }
    return best > -1;
}

/// The steepest rise of the share within a period from `from` on, a mean over some periods: where
/// computation begins.
static uint32_t steepest(const signal *s, uint32_t from)
{
    enum { SOME = 8 };
    double best = -1;
    uint32_t at = from;
    for (uint32_t k = 0; k < s->period; k++) {
        double rise = 0;
        for (uint32_t i = from + k; i < s->count && i < from + SOME * s->period; i += s->period)
            rise += i ? s->share[i] - s->share[i - 1] : 0;
        if (rise > best) {
            best = rise;
            at = from + k;
        }
    }
    return at;
}

pj_useful_signal pj_useful_signal_find(const double *share, uint32_t count, pj_arena *arena)
{
    const double even = 1e-9;
    signal s = {.share = share, .count = count};
    pj_useful_signal none = {.count = 0}, found = none;
    for (uint32_t i = 0; i < count; i++)
        s.mean += share[i] / count;
    for (uint32_t i = 0; i < count; i++)
        s.variance += pow(share[i] - s.mean, 2) / count;
    found.period = s.variance > even ? first_peak(&s, &found.correlation) : 0;
    if (found.period < PERIOD_LEAST)
        return none;
    s.period = found.period;
    uint32_t most = count / (s.period - s.period / 8) + 2, first = most, end = most;
    uint32_t *starts = pj_new_n(arena, uint32_t, 2 * (size_t)most + 1);
    uint32_t middle = steepest(&s, count / 2 - s.period), at = middle;
    for (starts[end++] = at; end < 2 * most && follow(&s, middle, at, true, &at);)
        starts[end++] = at;
    for (at = middle; first > 0 && follow(&s, middle, at, false, &at);)
        starts[--first] = at;
    found.starts = starts + first;
    found.count = end - first;
    uint32_t least = found.correlation >= alike_of_few ? PERIODS_LEAST : PERIODS_MANY;
    return found.count > least ? found : none;
}
