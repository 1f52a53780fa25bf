// Ticks and labels of an axis.
// Steps are 1, 2, 2.5 or 5 times a power of ten; logarithmic axes tick at 1, 2, 5, at 1, 3 or at
// powers of ten, as there is room, and at even steps where these are fewer than three.
#include "widgets/figure/axis.h"

#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <math.h>

enum { MOST_TICKS = 64 };
static const double wasted = 0.4; // of a step, above the largest value, before it ends the axis

pj_axis pj_axis_new(pj_axis_kind kind, double lo, double hi, bool zero)
{
    if (kind == PJ_AXIS_LOG) {
        double room = hi > lo ? 0.04 * log(hi / lo) : log(2);
        return (pj_axis){.kind = kind, .from = lo / exp(room), .to = hi * exp(room)};
    }
    if (zero) {
        lo = fmin(lo, 0);
        hi = fmax(hi, 0);
    }
    if (hi == lo) {
        double room = lo == 0 ? 1 : fabs(lo) / 2;
        return (pj_axis){.kind = kind, .from = zero ? lo : lo - room, .to = hi + room};
    }
    return (pj_axis){.kind = kind, .from = lo, .to = hi};
}

pj_axis pj_axis_categories(pj_arena *arena, const char *const *labels, size_t count)
{
    pj_axis axis = {.kind = PJ_AXIS_CATEGORIES,
                    .from = -0.5,
                    .to = (double)count - 0.5,
                    .ticks = pj_new_n(arena, pj_tick, count + 1),
                    .tick_count = count,
                    .given = true};
    for (size_t i = 0; i < count; i++)
        axis.ticks[i] = (pj_tick){(double)i, labels[i]};
    return axis;
}

double pj_axis_at(const pj_axis *axis, double value)
{
    double part = axis->kind == PJ_AXIS_LOG ? log(value / axis->from) / log(axis->to / axis->from)
                                            : (value - axis->from) / (axis->to - axis->from);
    return axis->start + part * (axis->end - axis->start);
}

/// What a tick's number is divided by, and the letters after it.
typedef struct scale {
    double factor;
    const char *letters;
} scale;

static scale scale_of(pj_arena *arena, double largest, double step)
{
    static const scale rows[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    if (largest >= 1e18 || step < 1e-6) {
        int power = (int)floor(log10(largest));
        return (scale){pow(10, power), pj_arena_format(arena, "e%d", power)};
    }
    for (size_t i = 0; largest >= 1e4 && i < sizeof rows / sizeof *rows; i++)
        if (largest >= rows[i].factor)
            return rows[i];
    return (scale){1, ""};
}

/// "0", "0.25", "20k", "1.5G"; `step` decides the decimals, `largest` the unit.
static const char *label_of(pj_arena *arena, double value, double step, double largest)
{
    if (fabs(value) < step * 1e-9)
        return "0";
    scale s = scale_of(arena, largest, step);
    int decimals = 0;
    for (double unit = step / s.factor; decimals < 9; decimals++, unit *= 10)
        if (fabs(unit - round(unit)) < 1e-6 * unit)
            break;
    char text[40];
    size_t len = pj_format_fixed(value / s.factor, decimals, text);
    return pj_arena_format(arena, PJ_STR_FMT "%s", PJ_STR_ARG(((pj_str){text, len})), s.letters);
}

static void add_tick(pj_axis *axis, double value, const char *label)
{
    if (axis->tick_count < MOST_TICKS)
        axis->ticks[axis->tick_count++] = (pj_tick){value, label};
}

static double nice_step(double span, double most)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double power = pow(10, floor(log10(span / most)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (span / (steps[i] * power) <= most)
            return steps[i] * power;
    return 10 * power;
}

/// At every multiple of `step` from end to end.
static void add_even_ticks(pj_axis *axis, pj_arena *arena, double step)
{
    double first = ceil(axis->from / step - 1e-9), last = floor(axis->to / step + 1e-9);
    double largest = fmax(fabs(axis->from), fabs(axis->to));
    for (int i = 0; i <= (int)(last - first); i++) {
        double value = (first + i) * step;
        add_tick(axis, value, label_of(arena, value, step, largest));
    }
}

static void linear_ticks(pj_axis *axis, pj_arena *arena, double most)
{
    double step = nice_step(axis->to - axis->from, most);
    if (axis->whole && step != floor(step))
        step = step < 1 ? 1 : 5;
    double first = floor(axis->from / step + 1e-9) * step;
    double last = ceil(axis->to / step - 1e-9) * step;
    axis->to = last - axis->to > wasted * step ? axis->to + 0.04 * (axis->to - axis->from) : last;
    axis->from = first;
    add_even_ticks(axis, arena, step);
}

/// Ticks at the given parts of every `stride`th power of ten.
static void add_log_ticks(pj_axis *axis, pj_arena *arena, const double parts[3], int stride)
{
    int first = (int)floor(log10(axis->from)), last = (int)ceil(log10(axis->to));
    axis->tick_count = 0;
    for (int power = first; power <= last; power++)
        for (size_t i = 0; i < 3 && parts[i] > 0 && power % stride == 0; i++) {
            double value = parts[i] * pow(10, power);
            if (value >= axis->from * 0.999 && value <= axis->to * 1.001)
                add_tick(axis, value, label_of(arena, value, value, value));
        }
}

static void log_ticks(pj_axis *axis, pj_arena *arena, double most)
{
    static const double parts[][3] = {{1, 2, 5}, {1, 3}, {1}};
    double decades = log10(axis->to / axis->from);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        add_log_ticks(axis, arena, parts[i], 1);
        if ((double)axis->tick_count <= most + 1)
            break;
    }
    if ((double)axis->tick_count > most + 1)
        add_log_ticks(axis, arena, parts[2], (int)ceil(decades / most));
    if (axis->tick_count >= 3)
        return;
    axis->tick_count = 0; // less than a decade: even steps
    add_even_ticks(axis, arena, nice_step(axis->to - axis->from, most));
}

void pj_axis_ticks(pj_axis *axis, pj_arena *arena, double gap)
{
    if (axis->given)
        return;
    double most = fmin(fmax(fabs(axis->end - axis->start) / gap, 2), 12);
    axis->ticks = pj_new_n(arena, pj_tick, MOST_TICKS);
    axis->tick_count = 0;
    if (axis->kind == PJ_AXIS_LOG)
        log_ticks(axis, arena, most);
    else
        linear_ticks(axis, arena, most);
}
